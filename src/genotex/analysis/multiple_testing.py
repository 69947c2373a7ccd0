"""q-values from p-values, and checks of the p-value histogram."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["benjamini_hochberg", "excess_near_one", "null_share"]

Floats = NDArray[np.float64]


def benjamini_hochberg(p: Floats) -> Floats:
    """Return the q-values of Benjamini and Hochberg (1995)."""
    # Shapes: p (m,).
    count = len(p)
    if count == 0:
        return p.copy()
    order = np.argsort(p, kind="stable")[::-1]
    scaled = p[order] * count / np.arange(count, 0, -1)
    q = np.empty(count)
    q[order] = np.minimum.accumulate(np.minimum(scaled, 1.0))
    return q


def null_share(p: Floats, cut: float = 0.5) -> float:
    """Return pi0, the estimated share of genes without association (Storey 2002), at most 1."""
    return float(min(1.0, (p > cut).mean() / (1 - cut))) if len(p) else 1.0


def excess_near_one(p: Floats) -> float:
    """Return the density of p-values above 0.9 relative to those between 0.5 and 0.9."""
    # About 1 for calibrated tests; well above 1 when the model takes up more than chance; infinite
    # when there are none between, 1 when there are none above 0.5 at all.
    near, below = float((p > 0.9).sum()), float(((p > 0.5) & (p <= 0.9)).sum())
    if below:
        return 4 * near / below
    return float("inf") if near else 1.0
