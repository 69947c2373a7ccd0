"""Empirical-Bayes moderated t (Smyth 2004, Stat. Appl. Genet. Mol. Biol. 3:3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, digamma, polygamma, stdtr, stdtrit

from genotex.analysis.linear import LinearFit
from genotex.analysis.robust_prior import fit_robust_prior

__all__ = [
    "ModeratedFit",
    "ModeratedVariance",
    "VariancePrior",
    "fit_variance_prior",
    "inverse_trigamma",
    "moderate",
    "moderate_coefficient",
    "moderate_variance",
    "natural_spline_basis",
    "shrink",
]

Floats = NDArray[np.float64]

ROUNDING = 1e-12
"""Of an effect: the smallest deviation that the arithmetic distinguishes from zero."""
SMALLEST_SHARE = 1e-5
"""Variances below this share of the median are raised to it before logarithms are taken."""


@dataclass(frozen=True, eq=False)
class VariancePrior:
    """A scaled inverse chi-squared prior of the genes' residual variances."""

    # Prior degrees of freedom; infinite when the variances scatter no more than by chance. Of a
    # robust prior those of genes that fit it
    df: float
    # (p,): prior variance of each gene: one value for all, or a curve over mean expression
    variance: Floats
    # (p,): robust: prior degrees of freedom of each gene, fewer for hypervariable ones
    df_of_gene: Floats | None = None


@dataclass(frozen=True, eq=False)
class ModeratedVariance:
    """Posterior variances with their degrees of freedom, (p,) each, and the prior."""

    variance: Floats
    df: Floats
    prior: VariancePrior

    def with_floor(self, squares: Floats) -> Floats:
        """Return the variances (p,), at least what rounding leaves of effects of these squares."""
        # Without a prior, a gene that the design explains whole has no variance left.
        raised = np.maximum(self.variance, ROUNDING**2 * squares)
        return np.asarray(np.maximum(raised, np.finfo(np.float64).tiny))


@dataclass(frozen=True, eq=False)
class ModeratedFit:
    """Tests of one coefficient for every gene, shape (p,) each."""

    coefficient: Floats  # Estimate and its moderated standard error
    standard_error: Floats
    lower: Floats  # Limits of the 95 % confidence interval
    upper: Floats
    t: Floats  # Moderated t, its degrees of freedom, two-sided p-value
    df: Floats
    p: Floats
    prior: VariancePrior  # What the variances were shrunk towards


def moderate(
    fit: LinearFit,
    mean_expression: Floats | None = None,
    *,
    robust: bool = False,
    min_effect: float = 0.0,
) -> ModeratedFit:
    """Shrink the residual variances and test the coefficient of every gene."""
    # Shapes: mean_expression (p,).
    found = moderate_variance(fit.variance, fit.df, mean_expression, robust=robust)
    return moderate_coefficient(fit, found, min_effect)


def moderate_coefficient(
    fit: LinearFit, found: ModeratedVariance, min_effect: float = 0.0
) -> ModeratedFit:
    """Test a coefficient of every gene by its posterior variance; arguments as `moderate`."""
    df = found.df
    error = fit.unscaled * np.sqrt(found.with_floor((fit.coefficient / fit.unscaled) ** 2))
    half = error * _t_quantile(0.975, df)
    t, p = _test(fit.coefficient, error, df, min_effect)
    low, high = fit.coefficient - half, fit.coefficient + half
    return ModeratedFit(fit.coefficient, error, low, high, t, df, p, found.prior)


def moderate_variance(
    variance: Floats,
    df: Floats,
    mean_expression: Floats | None = None,
    *,
    robust: bool = False,
) -> ModeratedVariance:
    """Shrink residual variances (p,) with their degrees of freedom; arguments as `moderate`."""
    prior = fit_variance_prior(variance, df, mean_expression, robust=robust)
    prior_df = np.broadcast_to(prior.df, df.shape)
    if prior.df_of_gene is not None:
        prior_df = prior.df_of_gene
    # Shrinking cannot give more information than all genes together hold.
    total = np.minimum(df + prior_df, df.sum())
    return ModeratedVariance(shrink(variance, df, prior.variance, prior_df), total, prior)


def shrink(variance: Floats, df: Floats, prior_variance: Floats, prior_df: Floats) -> Floats:
    """Return the posterior variances; the prior's where its degrees of freedom are infinite."""
    finite = np.where(np.isinf(prior_df), 0.0, prior_df)
    posterior = (finite * prior_variance + df * variance) / (finite + df)
    return np.where(np.isinf(prior_df), prior_variance, posterior)


def _test(
    coefficient: Floats, error: Floats, df: Floats, min_effect: float
) -> tuple[Floats, Floats]:
    """Return t and p against effects of at most `min_effect`; t is 0 for smaller estimates."""
    if not min_effect:
        t = coefficient / error
        return t, np.asarray(betainc(df / 2, 0.5, df / (df + t**2)), dtype=np.float64)
    size = np.abs(coefficient)
    beyond = (size - min_effect) / error
    p = stdtr(df, -beyond) + stdtr(df, -(size + min_effect) / error)
    t = np.sign(coefficient) * np.maximum(beyond, 0.0)
    return t, np.asarray(np.minimum(p, 1.0), dtype=np.float64)


def _t_quantile(probability: float, df: Floats) -> Floats:
    different, back = np.unique(df, return_inverse=True)
    return np.asarray(stdtrit(different, probability), dtype=np.float64)[back]


def fit_variance_prior(
    variance: Floats, df: Floats, mean_expression: Floats | None = None, *, robust: bool = False
) -> VariancePrior:
    """Fit the prior by the moments of log variances (Smyth 2004, section 6.2)."""
    # log s2 - digamma(df/2) + log(df/2) has mean log s0 - digamma(d0/2) + log(d0/2) and variance
    # trigamma(df/2) + trigamma(d0/2). With `mean_expression` the mean is a natural cubic spline.
    # Shapes: variance (p,), df (p,), mean_expression (p,).
    genes = len(variance)
    if genes == 1:
        return VariancePrior(0.0, variance.copy())
    raised = _raise_zeros(variance)
    plain = _fit_moments(raised, df, mean_expression)
    if not robust or genes == 2:
        return plain
    own, level = fit_robust_prior(raised, df, plain.df, plain.variance, mean_expression)
    return VariancePrior(float(own.max()), level, own)


def _fit_moments(raised: Floats, df: Floats, mean_expression: Floats | None) -> VariancePrior:
    genes = len(raised)
    scaled = np.log(raised) - digamma(df / 2) + np.log(df / 2)
    trend = None if mean_expression is None else _spline_size(mean_expression)
    if mean_expression is None or trend is None or trend < 2:
        centre = np.full(genes, scaled.mean())
        scatter = float(((scaled - centre) ** 2).sum() / (genes - 1))
    else:
        basis = natural_spline_basis(mean_expression, trend)
        q = np.linalg.qr(basis)[0]
        centre = q @ (q.T @ scaled)
        spare = genes - basis.shape[1]
        scatter = float(((scaled - centre) ** 2).sum() / spare) if spare > 0 else 0.0
    excess = scatter - float(polygamma(1, df / 2).mean())
    if excess <= 0:
        level = np.full(genes, raised.mean()) if mean_expression is None else np.exp(centre)
        return VariancePrior(float("inf"), level)
    prior_df = 2 * inverse_trigamma(excess)
    level = np.exp(centre + digamma(prior_df / 2) - np.log(prior_df / 2))
    return VariancePrior(prior_df, level)


def _raise_zeros(variance: Floats) -> Floats:
    median = float(np.median(variance))
    if median == 0:
        positive = variance[variance > 0]
        median = float(np.median(positive)) if len(positive) else 1.0
    return np.maximum(variance, SMALLEST_SHARE * median)


def inverse_trigamma(value: float) -> float:
    """Solve trigamma(y) = value for y by Newton's method on 1/trigamma (Smyth 2004, appendix)."""
    if value > 1e7:
        return float(np.sqrt(1.0 / value))
    if value < 1e-6:
        return 1.0 / value
    y = 0.5 + 1.0 / value
    for _ in range(50):
        trigamma = float(polygamma(1, y))
        step = trigamma * (1 - trigamma / value) / float(polygamma(2, y))
        y += step
        if -step / y < 1e-12:
            break
    return y


def _spline_size(mean_expression: Floats) -> int:
    """Return limma's number of spline columns: 1 to 4 by the number of genes."""
    genes = len(mean_expression)
    size = 1 + (genes >= 3) + (genes >= 6) + (genes >= 30)
    return int(min(size, len(np.unique(mean_expression))))


def natural_spline_basis(x: Floats, size: int) -> Floats:
    """Return a basis of the natural cubic splines with `size` columns, intercept included."""
    # Knots at the ends and at equally spaced quantiles between (as R's ``splines::ns``, whose
    # columns span the same space). Truncated powers: Hastie, Tibshirani and Friedman, 2nd edition,
    # eq. 5.4.
    # Shapes: x (p,).
    scaled = (x - x.min()) / (x.max() - x.min())
    knots = np.unique(np.quantile(scaled, np.linspace(0, 1, size)))  # ties would repeat a column

    def bend(knot: float) -> Floats:
        rise = np.clip(scaled - knot, 0, None) ** 3 - np.clip(scaled - 1.0, 0, None) ** 3
        return np.asarray(rise / (1.0 - knot), dtype=np.float64)

    columns = [np.ones_like(scaled), scaled]
    columns += [bend(float(k)) - bend(float(knots[-2])) for k in knots[:-2]]
    return np.column_stack(columns)
