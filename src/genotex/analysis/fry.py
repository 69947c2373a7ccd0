"""Self-contained gene set tests by rotation, in closed form (fry).

Wu, Lim, Vaillant, Asselin-Labat, Visvader and Smyth 2010, Bioinformatics 26:2176 (ROAST): under the
null hypothesis the trait's effect and the residual effects of a regression are exchangeable under
rotations, genes and their correlation kept as they are. With genes scaled to equal variance, the
distribution over all rotations has a closed form (directional) or two exact moments (mixed), as in
the function ``fry`` of R limma.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import betaincc, chdtri, stdtr

from genotex.analysis.moderated import VariancePrior

__all__ = ["FryTest", "fry"]

Floats = NDArray[np.float64]

ROBUST_DF = 0.92
"""Share of the residual degrees of freedom that the variance without the largest effect keeps."""


class FryTest(NamedTuple):
    """One test per set, each of shape (s,)."""

    statistic: Floats
    """t of the set's mean effect; positive when the set is higher."""
    p: Floats
    """Two-sided p-value of the mean effect."""
    mixed_p: Floats
    """p-value of effects of either sign."""


def fry(effects: Floats, prior: VariancePrior, members: csr_array) -> FryTest:
    """Test whether the genes of each set are associated with the trait at all.

    Parameters
    ----------
    effects : ndarray of float64, shape (p, 1 + d)
        The trait's effect, then the residual effects, of each gene (`effect_matrix`).
    prior : VariancePrior
        Prior of the genes' residual variances, by which the genes are scaled.
    members : scipy.sparse.csr_array, shape (s, p)
        1 where a gene is in a set; each set has at least one gene.

    Returns
    -------
    FryTest

    Notes
    -----
    For a set with fewer genes than `effects` has columns, fry of limma 3.54 takes rotations of the
    sample space for rotations of the space of the genes, and its mixed p-values are near 1 whatever
    the data. Here all directions of the sample space count, so mixed p-values of small sets agree
    with limma's sampled ones (``roast``) instead.
    """
    residual_df = effects.shape[1] - 1
    scaled = effects / np.sqrt(_scaling_variance(effects, prior))[:, None]
    size = np.asarray(members.sum(axis=1), dtype=np.float64)
    means = (members @ scaled) / size[:, None]
    statistic = means[:, 0] / np.sqrt((means[:, 1:] ** 2).mean(axis=1))
    p = 2.0 * stdtr(residual_df, -np.abs(statistic))
    starts = members.indptr
    mixed = np.array(
        [
            _mixed_p(scaled[members.indices[first:last]])
            for first, last in zip(starts[:-1], starts[1:], strict=True)
        ]
    )
    # With one gene there is one sign, so both questions are the same.
    return FryTest(statistic, p, np.where(size == 1, p, mixed))


def _scaling_variance(effects: Floats, prior: VariancePrior) -> Floats:
    """Return the variance of each gene without its largest effect, shrunk towards the prior.

    Without the largest of the squared effects, a gene with a true effect is not scaled down for it.
    """
    squares = effects**2
    columns = effects.shape[1]
    rest = squares.sum(axis=1) - squares.max(axis=1)
    variance = rest / (columns - _expected_largest(columns))
    df = ROBUST_DF * (columns - 1)
    prior_df = np.broadcast_to(np.asarray(prior.df, dtype=np.float64), variance.shape)
    with np.errstate(invalid="ignore"):
        shrunk = (df * variance + prior_df * prior.variance) / (df + prior_df)
    return np.where(np.isinf(prior_df), prior.variance, shrunk)


@cache
def _expected_largest(count: int) -> float:
    """Return the mean of the largest of independent squared standard normal deviates."""
    node, weight = np.polynomial.legendre.leggauss(128)
    level = (node + 1.0) / 2.0
    density = count * level ** (count - 1)
    return float((density * chdtri(1, 1.0 - level) * weight / 2.0).sum())


def _mixed_p(effects: Floats) -> float:
    """Return the p-value of the sum of squared trait effects of one set, shape (m, 1 + d).

    Rotated, the sum is a mean of the eigenvalues below with random weights (squared coordinates of
    a point on the sphere). A beta distribution between the extreme eigenvalues has its moments.
    """
    genes, columns = effects.shape
    product = effects.T @ effects if genes >= columns else effects @ effects.T
    eigenvalues = np.linalg.eigvalsh(product)
    highest = float(eigenvalues[-1])
    lowest = float(eigenvalues[0]) if genes >= columns else 0.0
    total, squares = float(eigenvalues.sum()), float((eigenvalues**2).sum())
    span = highest - lowest
    if span <= 0:
        return float("nan")
    mean = (total / columns - lowest) / span
    variance = 2.0 * (columns * squares - total**2) / (columns**2 * (columns + 2)) / span**2
    both = mean * (1.0 - mean) / variance - 1.0
    observed = (float((effects[:, 0] ** 2).sum()) - lowest) / span
    return float(betaincc(both * mean, both * (1.0 - mean), min(max(observed, 0.0), 1.0)))
