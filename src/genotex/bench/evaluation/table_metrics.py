"""How well two tables of the same cohort agree (GenoTEX paper, section 3.3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genotex.formats import CsvTable

_PIECE = 512
"""Columns that are computed at once: with 200 samples they fit into the cache of a processor."""


@dataclass(frozen=True)
class TableAgreement:
    """Fractions: attribute and sample Jaccard, feature correlation, and their product."""

    aj: float
    sj: float
    correlation: float

    @property
    def csc(self) -> float:
        """Return the composite similarity correlation."""
        return self.aj * self.sj * self.correlation


def compare_tables(predicted: CsvTable, reference: CsvTable) -> TableAgreement:
    """Compare two tables of samples x features."""
    return TableAgreement(
        jaccard(predicted.columns, reference.columns),
        jaccard(predicted.rows, reference.rows),
        _mean_correlation(predicted, reference),
    )


def jaccard(first: Collection[str], second: Collection[str]) -> float:
    """Return the shared part of the union of two sets; 1 when both are empty."""
    a, b = set(first), set(second)
    union = len(a | b)
    return len(a & b) / union if union else 1.0


def _mean_correlation(predicted: CsvTable, reference: CsvTable) -> float:
    rows = _shared(predicted.rows, reference.rows)
    columns = _shared(predicted.columns, reference.columns)
    return feature_correlation(
        _pick(predicted.values, rows[0], columns[0]),
        _pick(reference.values, rows[1], columns[1]),
    )


def feature_correlation(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return the mean Pearson correlation of the columns that vary on both sides.

    Missing values are filled with their column's mean, or 0 in a column without values. A
    correlation that is undefined all the same, as with infinite values, counts 0. The mean is 0 if
    no column varies on both sides.
    """
    if not first.size:
        return 0.0
    # A column with infinite or overflowing values is undefined, not an error.
    with np.errstate(all="ignore"):
        pieces = [
            _correlations(first[:, start : start + _PIECE], second[:, start : start + _PIECE])
            for start in range(0, first.shape[1], _PIECE)
        ]
    found = np.concatenate(pieces)
    return float(np.nan_to_num(found, nan=0.0).mean()) if found.size else 0.0


def _correlations(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlation of every column that varies on both sides."""
    varies = _varies(first) & _varies(second)
    if not varies.all():
        first, second = first[:, varies], second[:, varies]
    a, b = _centred(first), _centred(second)
    products = np.einsum("ij,ij->j", a, b)
    squares = np.einsum("ij,ij->j", a, a) * np.einsum("ij,ij->j", b, b)
    found: NDArray[np.float64] = np.clip(products / np.sqrt(squares), -1, 1)
    return found


def _varies(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which columns have two different values; a filled mean never adds one.

    Compared by value, as the deviation of equal values may be slightly above 0.
    """
    lowest, highest = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    varies: NDArray[np.bool_] = highest > lowest
    return varies


def _centred(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return deviations from the column means, scaled to at most 1; those of missing values are 0.

    A missing value that is filled with the mean of the others deviates by nothing, so the mean
    itself, which can be rounded, is never filled in.
    """
    missing = np.isnan(values)
    known = len(values) - missing.sum(axis=0)
    centred = values - np.nansum(values, axis=0) / known
    centred[missing] = 0
    # The mean of large values is rounded; that of what is left is exact to the last digits.
    centred -= centred.sum(axis=0) / known
    centred[missing] = 0
    scaled: NDArray[np.float64] = centred / np.abs(centred).max(axis=0)
    return scaled


def _shared(
    predicted: Sequence[str], reference: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first places of the names that both have, on each side."""
    here, there = _places(predicted), _places(reference)
    names = [name for name in here if name in there]
    count = len(names)
    return (
        np.fromiter((here[name] for name in names), np.int64, count),
        np.fromiter((there[name] for name in names), np.int64, count),
    )


def _places(names: Sequence[str]) -> dict[str, int]:
    places: dict[str, int] = {}
    for i, name in enumerate(names):
        places.setdefault(name, i)
    return places


def _pick(
    values: NDArray[np.float64], rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.float64]:
    if _is_all(rows, values.shape[0]) and _is_all(columns, values.shape[1]):
        return values
    return values[np.ix_(rows, columns)]


def _is_all(places: NDArray[np.int64], count: int) -> bool:
    return places.size == count and bool((places == np.arange(count)).all())
