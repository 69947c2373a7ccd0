"""Averages of items drawn again with replacement: how far chance alone would move an average."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["DRAWS", "LEVEL", "percentile_interval", "resampled_means"]

DRAWS = 2000
LEVEL = 0.95

_PIECE = 1 << 20
"""Indices that are held at a time."""


def resampled_means(values: NDArray[np.float64], seed: int, draws: int) -> NDArray[np.float64]:
    """Return the averages of items drawn with replacement (Efron 1979).

    All columns share the draws, so that a difference of two columns is a paired one. Items whose
    value is not a number are drawn like the others and left out of the average.

    Parameters
    ----------
    values : ndarray of float64, shape (items, figures)
        One row for each item.
    seed : int
        Of the draws.
    draws : int
        How many.

    Returns
    -------
    ndarray of float64, shape (draws, figures)
        Not a number where a draw has no defined value.
    """
    items, figures = values.shape
    defined = np.isfinite(values)
    filled = np.where(defined, values, 0.0)
    means = np.full((draws, figures), np.nan)
    for first, chosen in _draws(items, seed, draws):
        rows = slice(first, first + len(chosen))
        for column in range(figures):
            total = filled[:, column][chosen].sum(axis=1)
            whole = bool(defined[:, column].all())
            count = items if whole else defined[:, column][chosen].sum(axis=1)
            with np.errstate(invalid="ignore"):
                means[rows, column] = total / count
    return means


def _draws(items: int, seed: int, draws: int) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yield the first draw of a piece, and the items of its draws (draws, items)."""
    random = np.random.default_rng(seed)
    at_once = max(1, _PIECE // max(1, items))
    for first in range(0, draws if items else 0, at_once):
        size = (min(at_once, draws - first), items)
        yield first, random.integers(items, size=size, dtype=np.intp)


def percentile_interval(means: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return the middle 95 % of resampled averages; None when there are none.

    Parameters
    ----------
    means : ndarray of float64, shape (draws,)
        What is not a number is left out.
    """
    defined = means[np.isfinite(means)]
    if not defined.size:
        return None
    low, high = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
