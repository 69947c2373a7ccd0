"""Precision weights of log2 counts per million, by their mean-variance trend (voom)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.gene_tests.linear import LinearFit, fit_last_column, lowess

Floats = NDArray[np.float64]

SPAN = 0.5
"""Share of the genes in each window of the trend: limma's classic default."""
FEWEST_GENES = 2
SMALLEST_SHARE = 1e-4
"""Share of its height below which the trend does not fall."""
_MILLION = float(np.log2(1e6))
_NO_READ = 1e-6


@dataclass(frozen=True, eq=False)
class _CountTrend:
    """How the spread of log2 counts falls with their size."""

    size: Floats  # (m,): mean log2 count of genes, ascending, all different
    root: Floats  # (m,): square root of the residual standard deviation at that size, smoothed

    def weights(self, log_counts: Floats) -> Floats:
        """Return the inverse of the variance expected at these log2 counts."""
        return 1.0 / np.interp(log_counts, self.size, self.root) ** 4


def counts_of(expression: Floats, libraries: Floats) -> Floats:
    """Return the counts that log2 counts per million were made of, within rounding."""
    counts: Floats = np.exp2(expression - _MILLION) * (libraries[:, None] + 1.0) - 0.5
    return counts


def count_trend(fit: LinearFit, expression: Floats, libraries: Floats) -> _CountTrend:
    """Smooth the genes' residual deviations over their mean log2 counts."""
    # Shapes: expression (n, p), libraries (n,).
    size = expression.mean(axis=0) + np.log2(libraries + 1.0).mean() - _MILLION
    root = fit.variance**0.25
    read = (counts_of(expression, libraries) > _NO_READ).any(axis=0)
    order = np.flatnonzero(read)[np.argsort(size[read], kind="stable")]
    if len(order) < FEWEST_GENES:
        return _CountTrend(np.zeros(1), np.ones(1))
    curve = lowess(size[order], root[order], SPAN)
    # Genes that the design explains whole must not get endless weight.
    curve = np.maximum(curve, SMALLEST_SHARE * max(float(curve.max()), SMALLEST_SHARE))
    different, first = np.unique(size[order], return_index=True)
    return _CountTrend(different, curve[first])


@dataclass(frozen=True, eq=False)
class Voom:
    """Weights of single observations."""

    # Law, Chen, Shi and Smyth 2014, Genome Biology 15:R29.

    trend: _CountTrend
    _hat: Floats
    _depth: Floats

    @classmethod
    def learn(
        cls,
        design: Floats,
        expression: Floats,
        libraries: Floats,
        whiten: Callable[[Floats], Floats],
    ) -> Voom:
        """Learn the trend from a fit of all genes."""
        # Shapes: design (n, k), expression (n, p), libraries (n,).
        columns = whiten(design)
        trend = count_trend(fit_last_column(columns, whiten(expression)), expression, libraries)
        hat = design @ np.linalg.pinv(columns) @ whiten(np.eye(len(design)))
        return cls(trend, hat, (np.log2(libraries + 1.0) - _MILLION)[:, None])

    def weights(self, expression: Floats) -> Floats:
        """Return the weights (n, g) of some genes."""
        return self.trend.weights(self._hat @ expression + self._depth)
