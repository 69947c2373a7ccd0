"""Tests of gene sets on the effects of a comparison.

Both start from the regression of every gene on the same design, turned into independent effects:
one of the trait, and one for each residual degree of freedom (`effect_matrix`). The correlation
between genes is seen in the residual effects, where the trait plays no part.

- camera is competitive: do the genes of a set change more than all other genes? A set whose genes
  rise and fall together has a more variable mean than one of independent genes; by how much is the
  variance inflation factor.
- fry is self-contained: do the genes of a set change at all? Under the null hypothesis the trait's
  effect and the residual effects are exchangeable under rotations, which keep the genes and their
  correlation. With genes scaled to equal variance, as in the function ``fry`` of R limma, the
  distribution over all rotations is that of Student's t for the mean effect, and that of a ratio of
  quadratic forms for the sum of squared effects. So nothing is sampled.

References
----------
Wu and Smyth 2012, Nucleic Acids Research 40:e133 (camera). Wu, Lim, Vaillant, Asselin-Labat,
Visvader and Smyth 2010, Bioinformatics 26:2176 (ROAST, of which fry is the limit).
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import chdtri, ndtr, stdtr

from genotex.analysis.gene_tests.linear import CHUNK
from genotex.analysis.gene_tests.moderated import VariancePrior, moderate_variance, shrink
from genotex.analysis.gene_tests.precision import Precision
from genotex.arrays import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SMALLEST_SHARE = 1e-8
"""Residual variances below this share of the median are raised to it before dividing by them."""
BISECTIONS = 100
FROM_ENDS = 1e-9
"""Share of the range of the sum that is kept from its ends."""
NEAR_MEAN = 1e-4
"""Below this the saddlepoint formula is 0 / 0, and its limit is taken."""
FEWEST_SETS = 10
"""With fewer sets there is no trend of their variances to shrink towards."""
ROBUST_DF = 0.92
"""Share of the residual degrees of freedom that the variance without the largest effect keeps."""


def contrast_last(design: Floats, contrast: Floats) -> Floats:
    """Return a design in coordinates whose last one is a contrast, those of limma's functions.

    fry scales genes by a variance without their largest effect, which depends on the coordinates of
    the residual effects, and these on the order of the design's columns. A single coefficient goes
    last; any other contrast is rotated, as by limma's ``contrastAsCoef``.
    """
    # Shapes: design (n, k), contrast (k,).
    (places,) = np.nonzero(contrast)
    if len(places) == 1 and contrast[places[0]] == 1:
        return np.append(np.delete(design, places[0], axis=1), design[:, places], axis=1)
    q, r = np.linalg.qr(contrast[:, None], mode="complete")
    rotated = design @ q
    return np.append(rotated[:, 1:], rotated[:, :1] / r[0, 0], axis=1)


def _uncorrelated(columns: Floats, precision: Precision) -> Floats:
    """Return columns with independent errors by the Cholesky factor, in limma's coordinates."""
    if precision.blocks is None or precision.correlation == 0:
        return columns
    same = precision.blocks[:, None] == precision.blocks
    correlation = np.where(same, precision.correlation, 0.0)
    np.fill_diagonal(correlation, 1.0)
    root = np.linalg.cholesky(correlation)
    return np.asarray(solve_triangular(root, columns, lower=True))


def effect_matrix(design: Floats, values: Floats, precision: Precision | None = None) -> Floats:
    """Turn the values of each gene into the effect of the design's last column and residual ones.

    An orthogonal transformation takes the design to upper triangular form. What the values become
    in the design's last coordinate is the trait's effect; the coordinates behind are free of the
    design. All have the gene's residual variance when the trait has no effect, and the trait's
    effect divided by the root of that variance is the t-statistic.
    """
    # Shapes: design (n, k), of full column rank, k < n; values (n, p), none missing.
    # Returns (p, 1 + n - k): the trait's effect first, positive where values rise with the trait.
    precision = precision or Precision()
    if precision.libraries is not None:
        return _weighted_effects(design, values, precision)
    last = design.shape[1] - 1
    root = np.ones(len(design)) if precision.weights is None else np.sqrt(precision.weights)
    columns, genes = (_uncorrelated(part * root[:, None], precision) for part in (design, values))
    q, r = np.linalg.qr(columns, mode="complete")
    effects = np.ascontiguousarray((q[:, last:].T @ genes).T)
    effects[:, 0] *= np.sign(r[last, last])
    return effects


def _weighted_effects(design: Floats, values: Floats, precision: Precision) -> Floats:
    """Transform every gene by reflections of its own, many genes at a time."""
    # Any orthogonal basis of the residual space would do for one gene. Across genes the residual
    # effects must belong together, which successive Householder reflections see to.
    samples, columns = design.shape
    genes = values.shape[1]
    voom = precision.voom(design, values)
    effects = np.empty((genes, samples - columns + 1))
    for start in range(0, genes, CHUNK):
        part = values[:, start : start + CHUNK]
        root = np.sqrt(precision.observed_weights(part, voom))
        wide = np.concatenate([design[:, None, :] * root[:, :, None], (part * root)[:, :, None]], 2)
        wide = _uncorrelated(wide.reshape(samples, -1), precision).reshape(wide.shape)
        system = np.ascontiguousarray(wide.transpose(1, 0, 2))
        for j in range(columns):
            below = system[:, j:, j:]
            mirror = below[:, :, 0].copy()
            mirror[:, 0] += np.copysign(np.linalg.norm(mirror, axis=1), mirror[:, 0])
            along = np.einsum("gn,gnk->gk", mirror, below)
            along *= 2.0 / np.einsum("gn,gn->g", mirror, mirror)[:, None]
            below -= mirror[:, :, None] * along[:, None, :]
        found = system[:, columns - 1 :, -1]
        found[:, 0] *= np.sign(system[:, columns - 1, columns - 1])
        effects[start : start + CHUNK] = found
    return effects


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
    *,
    moderated: bool = False,
) -> CameraTest:
    """Test whether the genes of each set are more associated with the trait than the other genes.

    Gene-wise t-statistics become standard normal ones, z. The mean z of a set is compared with that
    of all other genes; the variance of the set's mean is that of independent genes times the
    variance inflation factor 1 + (m - 1) r for m genes of mean correlation r. The estimate of the
    factor is m times the mean, over residual degrees of freedom, of the squared mean of the genes'
    standardised residual effects (Wu and Smyth 2012, "Estimating the variance inflation factor"),
    and never below 1. `correlation` takes the place of the estimate (R limma's habit: 0.01);
    `moderated` shrinks it (see `_moderated`).
    """
    # Shapes: t (p,), moderated; df (p,); residual_effects (p, d), orthogonal; members (s, p), 1
    # where a gene is in a set, which has at least one gene and at most p - 1.
    genes, residual_df = residual_effects.shape
    size = np.asarray(members.sum(axis=1), dtype=np.float64)
    if correlation is None:
        inflation = _inflation(residual_effects, members, size)
        # The factor is an estimate, as precise as its degrees of freedom.
        used, free = _moderated(inflation, residual_df, size, moderated)
        free = np.minimum(free, genes - 2)
    else:
        used = inflation = 1.0 + (size - 1.0) * correlation
        free = np.full(len(size), genes - 2)
    mean_correlation = np.full(len(size), np.nan)
    np.divide(inflation - 1.0, size - 1.0, out=mean_correlation, where=size > 1)
    statistic = _two_sample_t(z_scores(t, df), members, size, np.maximum(used, 1.0))
    return CameraTest(mean_correlation, statistic, 2.0 * stdtr(free, -np.abs(statistic)))


def _moderated(variance: Floats, df: int, size: Floats, moderated: bool) -> tuple[Floats, Floats]:
    """Shrink the variances of set means towards their trend over size, as those of genes are."""
    # With some twenty samples a set's own estimate is so uncertain that no test gets far; most
    # sets of a size vary alike (Smyth 2004, on sets in place of genes).
    own = np.full(len(variance), float(df))
    if not moderated or len(variance) < FEWEST_SETS:
        return variance, own
    found = moderate_variance(variance, own, np.log(size))
    return found.variance, found.df


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
    """Return standard normal deviates with the tail probabilities of t."""
    # Hill's expansion (1970, Communications of the ACM 13:617, algorithm 395), good to about five
    # digits from three degrees of freedom on; finite wherever t and df are.
    # Shapes: t (p,), df (p,).
    a = df - 0.5
    b = 48.0 * a**2
    w = a * np.log1p(t**2 / df)
    series = ((-0.4 * w - 3.3) * w - 24.0) * w - 85.5
    correction = (series / (0.8 * w**2 + 100.0 + b) + w + 3.0) / b + 1.0
    return np.asarray(np.sign(t) * correction * np.sqrt(w), dtype=np.float64)


class FryTest(NamedTuple):
    """One test per set, each of shape (s,)."""

    statistic: Floats
    """t of the set's mean effect; positive when the set is higher."""
    p: Floats
    """Two-sided p-value of the mean effect."""
    mixed_p: Floats
    """p-value of effects of either sign."""


def fry(
    effects: Floats, prior: VariancePrior, members: csr_array, *, moderated: bool = False
) -> FryTest:
    """Test whether the genes of each set are associated with the trait at all.

    The directional test is that of limma's fry. Its mixed p-values are too small by a factor of two
    to five around 0.001, since limma fits a beta distribution by two moments, and near 1 for any
    data for sets with fewer genes than `effects` has columns. Here the tail of the same
    distribution comes from a saddlepoint, exact within 15 %. The prior scales the genes;
    `moderated` shrinks the variance of the mean effect (see `_moderated`).
    """
    # Shapes: effects (p, 1 + d), as of `effect_matrix`; members (s, p), 1 where a gene is in a set.
    residual_df = effects.shape[1] - 1
    scaled = scale_effects(effects, prior)
    size = np.asarray(members.sum(axis=1), dtype=np.float64)
    means = (members @ scaled) / size[:, None]
    own = (means[:, 1:] ** 2).mean(axis=1)
    variance, free = _moderated(own, residual_df, size, moderated)
    statistic = means[:, 0] / np.sqrt(variance)
    p = 2.0 * stdtr(free, -np.abs(statistic))
    eigenvalues = np.array(
        [_eigenvalues(scaled[members.indices[a:b]]) for a, b in pairwise(members.indptr)]
    )
    mixed = _tail(eigenvalues, members @ scaled[:, 0] ** 2)
    # With one gene there is one sign, so both questions are the same.
    return FryTest(statistic, p, np.where(size == 1, p, mixed))


def scale_effects(effects: Floats, prior: VariancePrior) -> Floats:
    """Divide the effects of each gene by a standard deviation without its largest effect."""
    # Otherwise a gene with a true effect would be scaled down for it. The variance without the
    # largest squared effect is made unbiased and shrunk towards the prior.
    squares = effects**2
    columns = effects.shape[1]
    rest = squares.sum(axis=1) - squares.max(axis=1)
    variance = rest / (columns - _expected_largest(columns))
    own = prior.df if prior.df_of_gene is None else prior.df_of_gene
    degrees = np.full(len(variance), ROBUST_DF * (columns - 1))
    posterior = shrink(variance, degrees, prior.variance, np.broadcast_to(own, degrees.shape))
    return np.asarray(effects / np.sqrt(posterior)[:, None])


@cache
def _expected_largest(count: int) -> float:
    """Return the mean of the largest of independent squared standard normal deviates."""
    node, weight = np.polynomial.legendre.leggauss(128)
    level = (node + 1.0) / 2.0
    density = count * level ** (count - 1)
    return float((density * chdtri(1, 1.0 - level) * weight / 2.0).sum())


def _eigenvalues(effects: Floats) -> Floats:
    """Return the eigenvalues of the products of the columns, zeros first, shape (1 + d,)."""
    genes, columns = effects.shape
    product = effects.T @ effects if genes >= columns else effects @ effects.T
    found = np.maximum(np.linalg.eigvalsh(product), 0.0)
    return np.concatenate([np.zeros(columns - len(found)), found])


def _tail(eigenvalues: Floats, observed: Floats) -> Floats:
    """Return the chance that a random rotation gives a larger sum of squares than observed."""
    # Rotated, the sum is the mean of the eigenvalues weighted by squared coordinates of a random
    # point on the sphere. It exceeds the observed one where a weighted sum of squared normal
    # deviates is positive, with the weights eigenvalue minus observed. The tail of that sum is
    # approximated by Lugannani and Rice's saddlepoint in Barndorff-Nielsen's form (Kuonen 1999,
    # Biometrika 86:929).
    # Shapes: eigenvalues (s, 1 + d), observed (s,).
    mean = np.maximum(eigenvalues.mean(axis=1), np.finfo(np.float64).tiny)
    eigenvalues, observed = eigenvalues / mean[:, None], observed / mean
    # Both ends are out of reach of chance, but not of rounding.
    observed = np.clip(observed, FROM_ENDS, (1.0 - FROM_ENDS) * eigenvalues.max(axis=1))
    weight = eigenvalues - observed[:, None]
    low = 0.5 / np.minimum(weight.min(axis=1), -FROM_ENDS)
    high = 0.5 / np.maximum(weight.max(axis=1), FROM_ENDS)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2.0
        slope = (weight / (1.0 - 2.0 * weight * middle[:, None])).sum(axis=1)
        low, high = np.where(slope > 0, low, middle), np.where(slope > 0, middle, high)
    point = (low + high) / 2.0
    rest = 1.0 - 2.0 * weight * point[:, None]
    share = weight / rest
    second, third = 2.0 * (share**2).sum(axis=1), 8.0 * (share**3).sum(axis=1)
    root = np.sign(point) * np.sqrt(np.maximum(np.log(rest).sum(axis=1), 0.0))
    scale = point * np.sqrt(second)
    near = np.abs(root) < NEAR_MEAN
    safe_root, safe_scale = np.where(near, 1.0, root), np.where(near, 1.0, scale)
    tail = ndtr(-safe_root - np.log(safe_scale / safe_root) / safe_root)
    at_mean = 0.5 - third / second**1.5 / (6.0 * np.sqrt(2.0 * np.pi))
    return np.where(near, at_mean, tail)
