"""Precision weights of log2 counts per million, by their mean-variance trend (voom)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.linear import CHUNK, LinearFit, fit_last_column, fit_weighted
from genotex.analysis.lowess import lowess

__all__ = [
    "SPAN",
    "CountTrend",
    "count_trend",
    "counts_of",
    "fit_counts",
    "observation_weights",
]

Floats = NDArray[np.float64]

SPAN = 0.5
"""Share of the genes in each window of the trend: limma's classic default."""
FEWEST_GENES = 2
SMALLEST_SHARE = 1e-4
"""Share of its height below which the trend does not fall."""
_MILLION = float(np.log2(1e6))
_NO_READ = 1e-6


@dataclass(frozen=True, eq=False)
class CountTrend:
    """How the spread of log2 counts falls with their size.

    Attributes
    ----------
    size : ndarray of float64, shape (m,)
        Mean log2 count of genes, ascending, all different.
    root : ndarray of float64, shape (m,)
        Square root of the residual standard deviation at that size, smoothed.
    """

    size: Floats
    root: Floats

    def weights(self, log_counts: Floats) -> Floats:
        """Return the inverse of the variance expected at these log2 counts."""
        return 1.0 / np.interp(log_counts, self.size, self.root) ** 4


def counts_of(expression: Floats, libraries: Floats) -> Floats:
    """Return the counts that log2 counts per million were made of, within rounding."""
    counts: Floats = np.exp2(expression - _MILLION) * (libraries[:, None] + 1.0) - 0.5
    return counts


def count_trend(fit: LinearFit, expression: Floats, libraries: Floats) -> CountTrend:
    """Smooth the genes' residual deviations over their mean log2 counts.

    Parameters
    ----------
    fit : LinearFit
        Unweighted, with residual degrees of freedom.
    expression : ndarray of float64, shape (n, p)
        log2 counts per million; no missing values.
    libraries : ndarray of float64, shape (n,)
        Effective library sizes.
    """
    size = expression.mean(axis=0) + np.log2(libraries + 1.0).mean() - _MILLION
    root = fit.variance**0.25
    read = (counts_of(expression, libraries) > _NO_READ).any(axis=0)
    order = np.flatnonzero(read)[np.argsort(size[read], kind="stable")]
    if len(order) < FEWEST_GENES:
        return CountTrend(np.zeros(1), np.ones(1))
    curve = lowess(size[order], root[order], SPAN)
    # Genes that the design explains whole must not get endless weight.
    curve = np.maximum(curve, SMALLEST_SHARE * max(float(curve.max()), SMALLEST_SHARE))
    different, first = np.unique(size[order], return_index=True)
    return CountTrend(different, curve[first])


def fit_counts(design: Floats, expression: Floats, libraries: Floats) -> LinearFit:
    """Regress every gene on the design with voom's weights, and keep the last coefficient.

    The weights come from the trend that an unweighted fit of the same design shows, at the fitted
    value of each observation.

    Parameters
    ----------
    design : ndarray of float64, shape (n, k)
        Full column rank; without a residual degree of freedom there are no weights.
    expression : ndarray of float64, shape (n, p)
        log2 counts per million, log2((count + 0.5) / (library + 1) * 1e6); no missing values.
    libraries : ndarray of float64, shape (n,)
        Effective library sizes.

    References
    ----------
    Law, Chen, Shi and Smyth 2014, Genome Biology 15:R29.
    """
    if design.shape[0] <= design.shape[1]:
        return fit_last_column(design, expression)
    weights = observation_weights(design, expression, libraries)
    chunks = [slice(start, start + CHUNK) for start in range(0, expression.shape[1], CHUNK)]
    parts = [fit_weighted(design, expression[:, some], weights[:, some]) for some in chunks]
    names = ("coefficient", "unscaled", "variance", "df")
    return LinearFit(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def observation_weights(design: Floats, expression: Floats, libraries: Floats) -> Floats:
    """Return voom's precision weight of every observation, shape (n, p).

    Parameters
    ----------
    design, expression, libraries
        As for `fit_counts`; at least one residual degree of freedom.
    """
    trend = count_trend(fit_last_column(design, expression), expression, libraries)
    q = np.linalg.qr(design)[0]
    depth = (np.log2(libraries + 1.0) - _MILLION)[:, None]
    weights = np.empty_like(expression)
    for start in range(0, expression.shape[1], CHUNK):
        values = expression[:, start : start + CHUNK]
        weights[:, start : start + CHUNK] = trend.weights(q @ (q.T @ values) + depth)
    return weights
