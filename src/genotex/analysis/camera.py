"""Competitive gene set test that allows for the correlation between genes (camera).

Wu and Smyth 2012, Nucleic Acids Research 40:e133. A set whose genes rise and fall together has a
more variable mean than one of independent genes. The method measures by how much (the variance
inflation factor) on the residuals of the regression, where the trait plays no part.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import stdtr

__all__ = ["CameraTest", "camera", "z_scores"]

Floats = NDArray[np.float64]

SMALLEST_SHARE = 1e-8
"""Residual variances below this share of the median are raised to it before dividing by them."""


class CameraTest(NamedTuple):
    """One test per set, each of shape (s,)."""

    correlation: Floats
    """Mean correlation between the genes of the set; NaN for a set of one gene."""
    statistic: Floats
    """Two-sample t of the set against all other genes; positive when the set is higher."""
    p: Floats
    """Two-sided p-value."""


def camera(
    t: Floats,
    df: Floats,
    residual_effects: Floats,
    members: csr_array,
    correlation: float | None = None,
) -> CameraTest:
    """Test whether the genes of each set are more associated with the trait than the other genes.

    Gene-wise t-statistics become standard normal ones, z. The mean z of a set is compared with that
    of all other genes; the variance of the set's mean is that of independent genes times the
    variance inflation factor 1 + (m - 1) r for m genes of mean correlation r. The estimate of the
    factor is m times the mean, over residual degrees of freedom, of the squared mean of the genes'
    standardised residual effects (Wu and Smyth 2012, "Estimating the variance inflation factor"),
    and never below 1.

    Parameters
    ----------
    t, df : ndarray of float64, shape (p,)
        Moderated t and its degrees of freedom, for each gene.
    residual_effects : ndarray of float64, shape (p, d)
        Orthogonal residual effects of the regression, one column per residual degree of freedom.
    members : scipy.sparse.csr_array, shape (s, p)
        1 where a gene is in a set; each set has at least one gene and at most p - 1.
    correlation : float, optional
        Preset mean correlation within every set, in place of the estimate (R limma's habit: 0.01).

    Returns
    -------
    CameraTest
    """
    genes, residual_df = residual_effects.shape
    size = np.asarray(members.sum(axis=1), dtype=np.float64)
    if correlation is None:
        inflation = _inflation(residual_effects, members, size)
        # The factor is an estimate, as precise as its degrees of freedom.
        free = min(residual_df, genes - 2)
    else:
        inflation = 1.0 + (size - 1.0) * correlation
        free = genes - 2
    mean_correlation = np.full(len(size), np.nan)
    np.divide(inflation - 1.0, size - 1.0, out=mean_correlation, where=size > 1)
    statistic = _two_sample_t(z_scores(t, df), members, size, np.maximum(inflation, 1.0))
    return CameraTest(mean_correlation, statistic, 2.0 * stdtr(free, -np.abs(statistic)))


def _inflation(residual_effects: Floats, members: csr_array, size: Floats) -> Floats:
    """Estimate the variance inflation factor of each set."""
    variance = (residual_effects**2).mean(axis=1)
    floor = max(SMALLEST_SHARE * float(np.median(variance)), np.finfo(np.float64).tiny)
    standardised = residual_effects / np.sqrt(np.maximum(variance, floor))[:, None]
    means = (members @ standardised) / size[:, None]
    return np.asarray(size * (means**2).mean(axis=1), dtype=np.float64)


def _two_sample_t(z: Floats, members: csr_array, size: Floats, inflation: Floats) -> Floats:
    genes = len(z)
    others = genes - size
    difference = genes / others * ((members @ z) / size - z.mean())
    between = difference**2 * size * others / genes
    pooled = ((genes - 1) * z.var(ddof=1) - between) / (genes - 2)
    return np.asarray(difference / np.sqrt(pooled * (inflation / size + 1.0 / others)))


def z_scores(t: Floats, df: Floats) -> Floats:
    """Return standard normal deviates with the tail probabilities of t.

    Hill's expansion (1970, Communications of the ACM 13:617, algorithm 395), good to about five
    digits from three degrees of freedom on; finite wherever t and df are.

    Parameters
    ----------
    t, df : ndarray of float64, shape (p,)
        t-statistics and their degrees of freedom, above 0.5.
    """
    a = df - 0.5
    b = 48.0 * a**2
    w = a * np.log1p(t**2 / df)
    series = ((-0.4 * w - 3.3) * w - 24.0) * w - 85.5
    correction = (series / (0.8 * w**2 + 100.0 + b) + w + 3.0) / b + 1.0
    return np.asarray(np.sign(t) * correction * np.sqrt(w), dtype=np.float64)
