"""The local false discovery rate: how likely a gene with this p-value is a null gene."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

__all__ = ["local_fdr"]

Floats = NDArray[np.float64]

SMALLEST_P = 1e-8
"""p-values nearer to 0 or 1 count as this far from it, so that z-scores stay finite."""
NULL_CUT = 0.8
"""p-values from here on are taken for those of null genes (Storey 2002, lambda)."""
WIDENING = 1.5
"""The density is smoothed by more than the rule of thumb, which suits one bump only."""
STEPS_IN_BANDWIDTH = 32
MOST_STEPS = 1 << 15
KERNEL_REACH = 6
"""The Gaussian kernel ends at so many bandwidths, where it is 1e-8 of its height."""


def local_fdr(p: Floats) -> Floats:
    """Return the local false discovery rate of every p-value."""
    # pi0 phi(z) / f(z) for z the normal quantile of p, phi the normal density, f a Gaussian kernel
    # estimate of the density of all z, pi0 the share of null genes (Efron, Tibshirani, Storey and
    # Tusher 2001). At most 1, and made to rise with p.
    # Shapes: p (m,).
    if len(p) == 0:
        return p.copy()
    null = min(1.0, float((p >= NULL_CUT).mean()) / (1 - NULL_CUT))
    z = ndtri(np.clip(p, SMALLEST_P, 1 - SMALLEST_P))
    height = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    rate = np.minimum(1.0, null * height / _density(z))
    order = np.argsort(p, kind="stable")
    rate[order] = np.maximum.accumulate(rate[order])
    return np.asarray(rate, dtype=np.float64)


def _density(z: Floats) -> Floats:
    """Return the kernel density of `z` at `z`, computed on a grid finer than the kernel."""
    width = _bandwidth(z)
    low, high = float(z.min()), float(z.max())
    step = max(width / STEPS_IN_BANDWIDTH, (high - low) / MOST_STEPS)
    reach = int(np.ceil(KERNEL_REACH * width / step))
    place = (z - low) / step
    cell = place.astype(np.intp)
    upper = place - cell  # a value counts in the two nearest cells, by nearness
    cells = int(cell.max()) + 2
    counts = np.bincount(cell, 1 - upper, cells) + np.bincount(cell + 1, upper, cells)
    offset = np.arange(-reach, reach + 1) * (step / width)
    kernel = np.exp(-0.5 * offset**2) / (np.sqrt(2 * np.pi) * width * len(z))
    smooth = np.convolve(counts, kernel)[reach : reach + cells]
    return np.asarray(np.interp(place, np.arange(cells), smooth), dtype=np.float64)


def _bandwidth(z: Floats) -> float:
    """Return Silverman's rule of thumb (1986, eq. 3.31), widened."""
    if len(z) < 2:
        return 1.0
    deviation = float(z.std(ddof=1))
    lower, upper = np.quantile(z, [0.25, 0.75])
    spread = min(deviation, float(upper - lower) / 1.34) or deviation or 1.0
    return float(WIDENING * 0.9 * spread * len(z) ** -0.2)
