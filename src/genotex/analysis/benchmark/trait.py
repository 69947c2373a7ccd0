"""The samples that take part, and their trait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.errors import AnalysisError
from genotex.formats import LinkedTable

__all__ = ["FILL_AGAIN", "MIN_SAMPLES", "TraitColumn", "check_expression", "choose_samples"]

Floats = NDArray[np.float64]

MIN_SAMPLES = 6
"""Five folds of at least one sample each, and one that always trains."""

FILL_AGAIN = "preprocess the cohort again with --procedure benchmark, or take another cohort"
"""What to do about missing values."""

HIGHEST = 1e100
"""Squares of larger numbers, and their sums, leave the range of double precision."""


@dataclass(frozen=True, eq=False)
class TraitColumn:
    """The samples with a trait.

    Attributes
    ----------
    binary : bool
        Whether the trait has exactly two values.
    rows : ndarray of int, shape (n,)
        Rows of the linked table.
    values : ndarray of float64, shape (n,)
        0 and 1, or the measured level.
    summary : dict
        Who is compared with whom, for the record.
    warnings : tuple of str
        What a reader should know about the samples.
    """

    binary: bool
    rows: NDArray[np.intp]
    values: Floats
    summary: Mapping[str, Any]
    warnings: tuple[str, ...]

    def expression(self, table: LinkedTable) -> Floats:
        """Return the genes of these samples; not copied when all samples take part."""
        values = np.asarray(table.expression, dtype=np.float64)
        return values if len(self.rows) == len(values) else values[self.rows]


def check_expression(table: LinkedTable) -> None:
    """Refuse a table that cannot be computed with.

    Raises
    ------
    AnalysisError
        If the shape is not what the names say, there is no gene, or a value is missing, infinite
        or above 1e100.
    """
    shape = (len(table.samples), len(table.genes))
    if table.expression.shape != shape:
        msg = f"{table.trait}: expression is {table.expression.shape}, its names say {shape}"
        raise AnalysisError(msg)
    if 0 in shape:
        msg = f"{table.trait}: the table has {shape[0]} samples and {shape[1]} genes"
        raise AnalysisError(msg)
    lowest, highest = float(table.expression.min()), float(table.expression.max())
    if np.isnan(lowest):
        msg = (
            f"{table.trait}: expression has missing values, and the procedure benchmark needs the "
            f"filled table; {FILL_AGAIN}"
        )
        raise AnalysisError(msg)
    if max(-lowest, highest) > HIGHEST:
        msg = f"{table.trait}: expression holds values beyond {HIGHEST:g}; they cannot be used"
        raise AnalysisError(msg)


def choose_samples(table: LinkedTable) -> TraitColumn:
    """Take the samples that have the trait and code a trait with two values as 0 and 1.

    Raises
    ------
    AnalysisError
        If the trait does not vary, or fewer than six samples have it.
    """
    finite = np.isfinite(table.trait_values)
    rows = np.flatnonzero(finite)
    values = np.asarray(table.trait_values, dtype=np.float64)[rows]
    warnings = []
    if len(rows) < len(finite):
        left_out = len(finite) - len(rows)
        warnings.append(f"{left_out} samples without {table.trait} were left out.")
    if len(rows) < MIN_SAMPLES:
        msg = (
            f"{table.trait}: {len(rows)} samples are too few for five folds; at least "
            f"{MIN_SAMPLES} are needed; take another cohort"
        )
        raise AnalysisError(msg)
    levels = np.unique(values)
    if len(levels) < 2:
        msg = f"{table.trait} does not vary: all values are {levels[0]:g}; take another cohort"
        raise AnalysisError(msg)
    if np.abs(levels).max() > HIGHEST:
        msg = f"{table.trait} has values beyond {HIGHEST:g}; they cannot be computed with"
        raise AnalysisError(msg)
    if len(levels) > 2:
        return TraitColumn(False, rows, values, _continuous(table, rows, values), tuple(warnings))
    coded = (values == levels[1]).astype(np.float64)
    if tuple(levels) != (0.0, 1.0):
        warnings.append(
            f"{table.trait} has the values {levels[0]:g} and {levels[1]:g}; they were coded as 0 "
            "and 1."
        )
    return TraitColumn(True, rows, coded, _binary(table, rows, coded), tuple(warnings))


def _continuous(table: LinkedTable, rows: NDArray[np.intp], values: Floats) -> dict[str, Any]:
    return {
        "kind": "continuous",
        "text": f"{len(rows)} samples, by {table.trait}",
        "samples": {"all": [table.samples[i] for i in rows]},
        "trait_mean": float(values.mean()),
        "trait_sd": float(values.std(ddof=1)),
    }


def _binary(table: LinkedTable, rows: NDArray[np.intp], coded: Floats) -> dict[str, Any]:
    cases = [table.samples[i] for i in rows[coded == 1]]
    controls = [table.samples[i] for i in rows[coded == 0]]
    return {
        "kind": "binary",
        "text": f"{len(cases)} cases against {len(controls)} controls of any kind",
        "controls": "all",
        "group_sizes": {"case": len(cases), "control": len(controls)},
        "samples": {"case": cases, "control": controls, "left_out": []},
    }
