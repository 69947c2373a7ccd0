"""Kinds of arrays, for signatures; the largest eigenvectors of one, and quantiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Rows = NDArray[np.intp]
"""Places of rows, or of anything else."""


NUMBERS_AT_ONCE = 1 << 23


def gene_parts(genes: int, numbers: int, most: int | None = None) -> Iterator[slice]:
    """Yield slices of genes that need so many numbers each; at most so many genes in one."""
    at_once = max(1, NUMBERS_AT_ONCE // max(numbers, 1))
    if most is not None:
        at_once = min(at_once, most)
    for start in range(0, genes, at_once):
        yield slice(start, min(start + at_once, genes))


_FEW_ROWS = 3000
"""With more rows eigenvectors are found one by one (Lanczos): of 10,000 in seconds, not minutes."""


def largest_eigenvectors(matrix: Floats, most: int) -> tuple[Floats, Floats]:
    """Return at most `most` eigenvalues (k,) and eigenvectors (n, k), the largest first.

    Of a symmetric matrix: of 1,000 rows a seventh of the time of all by divide and conquer.
    """
    if len(matrix) > _FEW_ROWS:
        from scipy.sparse.linalg import eigsh

        start = np.random.default_rng(0).normal(size=len(matrix))
        values, vectors = eigsh(matrix, most, which="LA", v0=start)
        return values[::-1], vectors[:, ::-1]
    from scipy.linalg import eigh

    last = len(matrix) - 1
    values, vectors = eigh(matrix, subset_by_index=(max(0, last + 1 - most), last))
    return values[::-1], vectors[:, ::-1]


FEW = 1 << 22
"""Up to so many values are partitioned whole; allocating a copy of more takes longer."""
DRAWN, NEAR = 1 << 17, 0.005


def quantile(values: Floats, share: float, known: int) -> float:
    """Return a quantile of the known values of a table as `numpy.quantile` does.

    That takes twice as long, and needs the memory of the table twice.
    """
    place = share * (known - 1)
    low = int(place)
    further = place - low
    below, near = 0, values.reshape(-1)
    if values.size > FEW:
        # Most values are surely not next to it; a sample tells which.
        some = np.random.default_rng(0).integers(0, values.size, DRAWN)
        some = np.sort(values.reshape(-1)[some])
        shares = np.clip([share - NEAR, share + NEAR], 0, 1)
        ends = some[(shares * np.isfinite(some).sum()).astype(int).clip(0, len(some) - 1)]
        below = int((values < ends[0]).sum())
        near = values[(values >= ends[0]) & (values <= ends[1])]
        if not below <= low <= below + len(near) - 2:
            below, near = 0, values.reshape(-1)
    low -= below
    ordered = np.partition(near, low)  # NaN last
    if not further:
        return float(ordered[low])
    neighbours = np.array([ordered[low], np.fmin.reduce(ordered[low + 1 :])])
    # An array of shares is not rounded to the type of the values.
    return float(np.quantile(neighbours, np.array(further)))


ROWS_AT_ONCE = 64


def row_quantiles(values: NDArray[np.floating], shares: Sequence[float]) -> Floats:
    """Return quantiles of each row as `numpy.quantile` does, shape (shares, rows); none is NaN."""
    # Sorting is vectorised, finding several ranks at once is not.
    found = np.empty((len(shares), len(values)))
    places = [share * (values.shape[1] - 1) for share in shares]
    for start in range(0, len(values), ROWS_AT_ONCE):
        rows = np.array(values[start : start + ROWS_AT_ONCE], order="C")
        rows.sort(axis=1)
        for i, place in enumerate(places):
            low = int(place)
            found[i, start : start + len(rows)] = np.quantile(
                rows[:, low : low + 2], place - low, axis=1
            )
    return found
