"""Traits with several levels: which they are, and how they are tested.

A trait of three or more values is a *line* (expression changes by the same amount with each unit of
it), *ordered* (the line ranks the genes, and each gene is tested for a departure from it), or a
*factor* (any difference among the levels counts, regardless of their order).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.options import LevelsMode
from genotex.errors import AnalysisError

__all__ = ["Levels", "Treatment", "describe_levels", "find_levels", "summarise_levels"]

Floats = NDArray[np.float64]
Treatment = Literal["line", "ordered", "factor"]

MOST_LEVELS = 8
"""A trait with more values is measured; nor can so many pairs of levels be read."""
ENOUGH_SAMPLES = 3
"""With so many samples at every value, values are taken as levels unasked."""
FEWEST_SAMPLES = 2


@dataclass(frozen=True, eq=False)
class Levels:
    """The levels of a trait that is tested as ``ordered`` or as a ``factor``."""

    treatment: Literal["ordered", "factor"]
    values: tuple[float, ...]  # The k levels, ascending
    place: NDArray[np.intp]  # (n,): which level each sample has, from 0

    @property
    def factor(self) -> bool:
        """Whether differences among the levels rank the genes."""
        return self.treatment == "factor"

    @property
    def names(self) -> tuple[str, ...]:
        """The levels as written."""
        return tuple(_written(value) for value in self.values)

    @property
    def counts(self) -> tuple[int, ...]:
        """Samples of each level."""
        return tuple(np.bincount(self.place, minlength=len(self.values)).tolist())

    @property
    def pairs(self) -> tuple[tuple[str, Floats], ...]:
        """Name of each pair of levels, and its weights of the columns of `indicators`."""
        basis = np.vstack([np.zeros(len(self.values) - 1), np.eye(len(self.values) - 1)])
        names = self.names
        return tuple(
            (f"{names[j]} vs {names[i]}", basis[j] - basis[i])
            for i, j in combinations(range(len(names)), 2)
        )

    def indicators(self) -> Floats:
        """Return a column for each level but the lowest, (n, k - 1)."""
        return self._columns(range(1, len(self.values)))

    def departures(self) -> Floats:
        """Return columns that, with intercept and line, give each level its mean, (n, k - 2)."""
        return self._columns(range(1, len(self.values) - 1))

    def _columns(self, levels: range) -> Floats:
        return np.column_stack([(self.place == k).astype(np.float64) for k in levels])


def find_levels(trait: str, values: Floats, mode: LevelsMode) -> Levels | None:
    """Decide whether a trait of three or more values has levels; None for a line."""
    # ``auto`` takes three to eight values for ordered levels where each occurs in three samples or
    # more.
    # Shapes: values (n,).
    different, place, counts = np.unique(_rounded(values), return_inverse=True, return_counts=True)
    number, fewest = len(different), int(counts.min())
    if mode == "line" or number < 3:
        return None
    if mode == "auto":
        few = number <= MOST_LEVELS and fewest >= ENOUGH_SAMPLES
        return Levels("ordered", tuple(different.tolist()), place) if few else None
    if number > MOST_LEVELS:
        msg = (
            f"{trait} has {number} different values, levels may be {MOST_LEVELS} at most; test it "
            "along a line (--levels line)"
        )
        raise AnalysisError(msg)
    if fewest < FEWEST_SAMPLES:
        lone = different[int(counts.argmin())]
        msg = (
            f"{trait}: level {lone:g} has {fewest} sample only, each level needs "
            f"{FEWEST_SAMPLES}; test it along a line (--levels line)"
        )
        raise AnalysisError(msg)
    return Levels(mode, tuple(different.tolist()), place)


def _written(value: float) -> str:
    return f"{value:.12g}"


def _rounded(values: Floats) -> Floats:
    """Return values without the last bits, in which means of equal numbers may differ."""
    return np.array([float(_written(value)) for value in values])


def describe_levels(values: Floats, levels: Levels | None, mode: LevelsMode) -> dict[str, Any]:
    """Return ``treatment``, who chose it, the number of values and samples of each level."""
    different, counts = np.unique(_rounded(values), return_counts=True)
    record: dict[str, Any] = {
        "treatment": "line" if levels is None else levels.treatment,
        "chosen": "auto" if mode == "auto" else "option",
        "values": len(different),
        "samples": {},
    }
    if len(different) <= MOST_LEVELS:
        record["samples"] = {
            _written(value): int(count) for value, count in zip(different, counts, strict=True)
        }
    return record


def summarise_levels(record: Mapping[str, Any], trait: str, q_cut: float) -> str:
    """Return in words how the levels of a trait were tested; empty for a measured trait."""
    samples = record.get("samples")
    if not samples:
        return ""
    sizes = ", ".join(f"{name}: {count}" for name, count in samples.items())
    start = f"{trait} has {len(samples)} levels ({sizes} samples), tested"
    if record["treatment"] == "factor":
        pairs = ", ".join(f"{pair['pair']}: {pair['significant']:,}" for pair in record["pairs"])
        return (
            f"{start} as a factor: genes are ranked by an F test of any difference among them. "
            f"Significant for a pair of levels at q < {q_cut:g}: {pairs}. "
            "For a trend along the levels use --levels ordered."
        )
    if record["treatment"] == "line":
        return (
            f"{start} along a line; whether genes depart from it was not tested. Use --levels "
            "ordered for that, or --levels factor to compare the levels as groups."
        )
    departure = record.get("departure")
    tested = (
        f"{departure['significant']:,} of {departure['tested']:,} genes depart from it at q < "
        f"{q_cut:g}"
        if departure
        else "departures from it could not be tested"
    )
    return (
        f"{start} as ordered: genes are ranked by the trend along a line; {tested}. To compare the "
        "levels as groups use --levels factor."
    )
