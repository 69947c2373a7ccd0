"""Genes with enough counts to be tested, by group sizes and never by group membership."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEAST_COUNT", "expressed_genes", "least_samples"]

Floats = NDArray[np.float64]

LEAST_COUNT = 10.0
"""Counts in a library of median size that a gene should have."""
LEAST_TOTAL = 15.0
LARGE_GROUP = 10
SHARE_OF_LARGE = 0.7
ROUNDING = 1e-14


def least_samples(trait: Floats, *, binary: bool) -> float:
    """Return in how many samples a gene should be expressed, given the groups compared.

    Parameters
    ----------
    trait : ndarray of float64, shape (n,)
        Codes of the samples that are compared.
    binary : bool
        The size of the smaller group; else the inverse of the largest leverage in the regression
        on the trait.

    Returns
    -------
    float
        Ten, plus 70 % of the samples beyond ten.
    """
    number = float(len(trait))
    levels, sizes = np.unique(trait, return_counts=True)
    if binary:
        number = float(sizes.min())
    elif len(levels) > 1:
        centred = trait - trait.mean()
        number = 1.0 / float((1 / len(trait) + centred**2 / (centred @ centred)).max())
    return (
        number if number <= LARGE_GROUP else LARGE_GROUP + (number - LARGE_GROUP) * SHARE_OF_LARGE
    )


def expressed_genes(counts: Floats, library_sizes: Floats, least: float) -> NDArray[np.bool_]:
    """Return which genes have a CPM worth 10 counts in enough samples, and 15 counts in total.

    Parameters
    ----------
    counts : ndarray of float64, shape (p, n)
        Genes x samples.
    library_sizes : ndarray of float64, shape (n,)
    least : float
        How many samples (see `least_samples`).

    References
    ----------
    Chen, Lun and Smyth 2016, F1000Research 5:1438; defaults are those of edgeR's ``filterByExpr``.
    """
    # Both sides are multiplied by the sizes, so that rounding does not separate equal counts.
    high = counts * np.median(library_sizes) >= LEAST_COUNT * library_sizes
    enough = high.sum(axis=1) >= least - ROUNDING
    return np.asarray(enough & (counts.sum(axis=1) >= LEAST_TOTAL))
