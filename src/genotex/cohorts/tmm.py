"""Normalisation of library sizes by the trimmed mean of M values (TMM)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["tmm_factors"]

Floats = NDArray[np.float64]

LOG_RATIO_TRIM = 0.3
LEVEL_TRIM = 0.05
REFERENCE_QUANTILE = 0.75
EQUAL = 1e-6
"""Libraries with a smaller log ratio count as equal."""


def tmm_factors(
    counts: Floats, library_sizes: Floats, among: NDArray[np.bool_] | None = None
) -> Floats:
    """Return normalisation factors by the trimmed mean of M values, product 1.

    Multiplied by its factor, a library size is one that most genes agree on. The reference is the
    sample whose upper quartile, per read, is nearest to the mean of all.

    Parameters
    ----------
    counts : ndarray of float64, shape (p, n)
        Genes x samples.
    library_sizes : ndarray of float64, shape (n,)
        Above 0.
    among : ndarray of bool, shape (n,), optional
        Samples that the reference is chosen among and whose factors have the product 1; all by
        default.

    Returns
    -------
    ndarray of float64, shape (n,)

    References
    ----------
    Robinson and Oshlack 2010, Genome Biology 11:R25; defaults are those of edgeR's
    ``calcNormFactors`` (30 % of the log ratios and 5 % of the levels trimmed on either side).
    """
    among = np.ones(counts.shape[1], dtype=bool) if among is None else among
    counts = counts[(counts > 0).any(axis=1)]
    if not len(counts) or counts.shape[1] == 1:
        return np.ones(counts.shape[1])
    reference = _reference(counts, library_sizes, among)
    log_factors = np.array(
        [
            _log_factor(counts[:, j], counts[:, reference], size, library_sizes[reference])
            for j, size in enumerate(library_sizes)
        ]
    )
    factors: Floats = np.exp2(log_factors - log_factors[among].mean())
    return factors


def _reference(counts: Floats, library_sizes: Floats, among: NDArray[np.bool_]) -> int:
    upper = np.quantile(counts, REFERENCE_QUANTILE, axis=0) / library_sizes
    if np.median(upper[among]) < 1e-20:
        distance = -np.sqrt(counts).sum(axis=0)
    else:
        distance = np.abs(upper - upper[among].mean())
    return int(np.where(among, distance, np.inf).argmin())


def _log_factor(observed: Floats, reference: Floats, size: float, reference_size: float) -> float:
    """Return the log2 factor of one library against the reference."""
    both = (observed > 0) & (reference > 0)
    share, other = observed[both] / size, reference[both] / reference_size
    ratio = np.log2(share / other)
    if not both.any() or np.abs(ratio).max() < EQUAL:
        return 0.0
    kept = _trimmed(ratio, LOG_RATIO_TRIM)
    kept &= _trimmed((np.log2(share) + np.log2(other)) / 2, LEVEL_TRIM)
    # Binomial variances by the delta method; their inverses weigh.
    variance = (1 - share) / observed[both] + (1 - other) / reference[both]
    weight = 1 / variance[kept]
    return float((ratio[kept] * weight).sum() / weight.sum()) if kept.any() else 0.0


def _trimmed(values: Floats, share: float) -> NDArray[np.bool_]:
    """Return which values remain after trimming a share of the lowest and of the highest."""
    lowest = np.floor(len(values) * share) + 1
    ordered = np.sort(values)
    above = np.searchsorted(ordered, values, "right")
    # Equal values share the mean of their ranks, counted from 1.
    ranks = (np.searchsorted(ordered, values, "left") + above + 1) / 2
    kept: NDArray[np.bool_] = (ranks >= lowest) & (ranks <= len(values) + 1 - lowest)
    return kept
