"""Empirical-Bayes moderated statistics: variance priors, plain and robust.

The moments of the log variances are taken after the tails were drawn in (winsorized), so that a few
genes with extreme variances do not widen the prior of all others. Genes that are too variable for
that prior get fewer prior degrees of freedom of their own: they are shrunk less.

References
----------
Phipson, Lee, Majewski, Alexander and Smyth 2016, Ann. Appl. Stat. 10:946.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import (
    betainc,
    betaln,
    chdtrc,
    chdtri,
    digamma,
    fdtrc,
    fdtri,
    gammaincinv,
    gammaln,
    polygamma,
    stdtr,
    stdtrit,
)

from genotex.analysis.gene_tests.linear import LinearFit
from genotex.analysis.gene_tests.p_values import average_ranks
from genotex.arrays import Floats
from genotex.smoothing import lowess

RobustPrior = tuple[Floats, Floats]
"""Prior degrees of freedom and prior variance of each gene."""

TAILS = (0.05, 0.10)
"""Shares of the genes in the lower and the upper tail that are drawn in."""
TREND_SPAN = 0.4
NODES = 128


def _fit_robust_prior(
    variance: Floats, df: Floats, plain_df: float, level: Floats, mean_expression: Floats | None
) -> RobustPrior:
    """Fit the prior by winsorized moments, and lower its weight for outlying genes."""
    # Shapes: variance (p,), df (p,), level (p,), mean_expression (p,).
    genes = len(variance)
    if max(TAILS) < 1 / genes:
        return np.full(genes, plain_df), level
    most = float(df.max())
    z = np.log(_at_equal_df(variance, df, plain_df, level, most))
    trend = _trend(z, mean_expression)
    low, high = np.quantile(z - trend, [TAILS[0], 1 - TAILS[1]])
    drawn_in = np.clip(z - trend, low, high)
    centre, spread = float(drawn_in.mean()), float(drawn_in.var(ddof=1))
    prior_df = _solve(spread, most, plain_df)
    if prior_df is None:
        return np.full(genes, plain_df), level
    expected = _winsorized_moments(most, prior_df)[0]
    log_level = trend + centre - expected
    prior_of_gene = _weigh_outliers(np.exp(z - log_level), most, prior_df)
    return prior_of_gene, np.exp(log_level)


def _at_equal_df(
    variance: Floats, df: Floats, prior_df: float, level: Floats, most: float
) -> Floats:
    """Return variances of fewer degrees of freedom as those of the most that are as improbable."""
    fewer = df < most - 1e-14
    if not fewer.any():
        return variance
    ratio = variance[fewer] / level[fewer]
    above = _above(df[fewer], prior_df, ratio)
    equal = np.where(
        above < 0.5,
        _quantile_above(most, prior_df, np.clip(above, 1e-300, 1)),
        _quantile_below(most, prior_df, np.clip(1 - above, 1e-300, 1)),
    )
    made = variance.copy()
    made[fewer] = equal * level[fewer]
    return made


def _above(df: Floats | float, prior_df: float, ratio: Floats) -> Floats:
    """Return the probability that F(df, prior_df) is larger; chi-square for an infinite prior."""
    large = np.isinf(prior_df)
    return np.asarray(chdtrc(df, ratio * df) if large else fdtrc(df, prior_df, ratio))


def _quantile_above(df: float, prior_df: float, p: Floats) -> Floats:
    if np.isinf(prior_df):
        return np.asarray(chdtri(df, p) / df)
    return np.asarray(1 / fdtri(prior_df, df, p))  # 1/F turns the tails around


def _quantile_below(df: float, prior_df: float, p: Floats) -> Floats:
    if np.isinf(prior_df):
        return np.asarray(2 * gammaincinv(df / 2, p) / df)
    return np.asarray(fdtri(df, prior_df, p))


def _trend(z: Floats, mean_expression: Floats | None) -> Floats:
    if mean_expression is None:
        ordered = np.sort(z)
        cut = int(TAILS[1] * len(z))
        return np.full(len(z), ordered[cut : len(z) - cut].mean())
    order = np.argsort(mean_expression, kind="stable")
    trend = np.empty_like(z)
    trend[order] = lowess(mean_expression[order], z[order], TREND_SPAN)
    return trend


def _solve(spread: float, df: float, plain_df: float) -> float | None:
    """Return the prior df with the winsorized variance observed; None to keep the plain."""
    from scipy.optimize import brentq

    def excess(link: float) -> float:
        return float(np.log(spread / _winsorized_moments(df, _unlink(link))[1]))

    if excess(1.0) <= 0:
        return float("inf")
    if np.isinf(plain_df):
        return None
    start = plain_df / (1 + plain_df)
    if excess(start) >= 0:
        return plain_df
    return _unlink(brentq(excess, start, 1.0, xtol=1e-13))


def _unlink(link: float) -> float:
    return float("inf") if link >= 1 else link / (1 - link)


def _winsorized_moments(df: float, prior_df: float) -> tuple[float, float]:
    """Return mean and variance of log F(df, prior_df) with its tails drawn in, by quadrature."""
    ends = _quantile_below(df, prior_df, np.array([TAILS[0], 1 - TAILS[1]]))
    low, high = ends / (1 + ends)
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    place = low + (high - low) * (nodes + 1) / 2
    f = place / (1 - place)
    density = np.exp(_log_density(f, df, prior_df)) / (1 - place) ** 2
    weights = weights / 2 * (high - low) * density
    log_f, log_ends, tails = np.log(f), np.log(ends), np.array(TAILS)
    mean = float(weights @ log_f + tails @ log_ends)
    variance = float(weights @ (log_f - mean) ** 2 + tails @ (log_ends - mean) ** 2)
    return mean, variance


def _log_density(f: Floats, df: float, prior_df: float) -> Floats:
    half, other = df / 2, prior_df / 2
    if np.isinf(prior_df):  # chi-square over its degrees of freedom
        density: Floats = half * np.log(half) + (half - 1) * np.log(f) - half * f - gammaln(half)
    else:
        density = (
            half * np.log(df / prior_df)
            + (half - 1) * np.log(f)
            - (half + other) * np.log1p(df / prior_df * f)
            - betaln(half, other)
        )
    return density


def _weigh_outliers(ratio: Floats, df: float, prior_df: float) -> Floats:
    """Return each gene's prior degrees of freedom: fewer the less its variance fits the prior."""
    # A gene's tail probability is compared with the share of genes that are as extreme; where it is
    # smaller, the gene is an outlier with the complementary probability, and its degrees of freedom
    # are between the prior's and the few at which the largest variance would be a median.
    genes = len(ratio)
    empirical = (genes - average_ranks(ratio) + 0.5) / genes
    order = np.argsort(-ratio, kind="stable")
    if np.isinf(prior_df):
        fits = np.minimum(_above(df, prior_df, ratio) / empirical, 1.0)
        if (fits == 1).all():
            return np.full(genes, prior_df)
        shrunk = np.where(fits < 1, fits * genes * df, np.inf)
        shrunk[order] = np.maximum.accumulate(shrunk[order])
        return np.asarray(shrunk)
    log_tail = _log_tail(ratio, df, prior_df)
    log_fits = np.minimum(log_tail - np.log(empirical), 0.0)
    if (log_fits == 0).all():
        return np.full(genes, prior_df)
    fits = np.exp(log_fits)
    lowest = float(log_tail.min())
    if np.isneginf(lowest):
        shrunk = fits * prior_df
    else:
        outlier_df = np.log(0.5) / lowest * prior_df
        again = _log_tail(ratio.max(keepdims=True), df, outlier_df)[0]
        outlier_df = np.log(0.5) / again * outlier_df
        shrunk = fits * prior_df - np.expm1(log_fits) * outlier_df
    ordered = shrunk[order]
    average = np.cumsum(ordered) / np.arange(1, genes + 1)
    lowest_at = int(np.argmin(average))
    ordered[: lowest_at + 1] = average[lowest_at]
    shrunk[order] = np.maximum.accumulate(ordered)
    return np.asarray(shrunk)


def _log_tail(ratio: Floats, df: float, prior_df: float) -> Floats:
    """Return the log probability that F(df, prior_df) is larger."""
    share = prior_df / (prior_df + df * ratio)
    tail = betainc(prior_df / 2, df / 2, share)
    with np.errstate(divide="ignore"):
        log_tail = np.log(tail)
    # Below the smallest double: the leading term of the incomplete beta function.
    tiny = tail < 1e-290
    half, other = df / 2, prior_df / 2
    log_tail[tiny] = (
        other * np.log(share[tiny])
        + half * np.log1p(-share[tiny])
        - np.log(other)
        - betaln(other, half)
    )
    return np.asarray(log_tail)


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
    """Shrink the residual variances and test the coefficient of every gene.

    `mean_expression` (p,) lets the prior variance follow it (limma's ``trend``); `robust` keeps
    hypervariable genes out of the prior (Phipson and others 2016); with `min_effect`, tests are
    against effects of at most this size (``treat``, McCarthy and Smyth 2009).
    """
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
    variance: Floats, df: Floats, mean_expression: Floats | None = None, *, robust: bool = False
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
    own, level = _fit_robust_prior(raised, df, plain.df, plain.variance, mean_expression)
    return VariancePrior(float(own.max()), level, own)


def _fit_moments(raised: Floats, df: Floats, mean_expression: Floats | None) -> VariancePrior:
    genes = len(raised)
    scaled = np.log(raised) - digamma(df / 2) + np.log(df / 2)
    trend = None if mean_expression is None else _spline_size(mean_expression)
    if mean_expression is None or trend is None or trend < 2:
        centre = np.full(genes, scaled.mean())
        scatter = float(((scaled - centre) ** 2).sum() / (genes - 1))
    else:
        basis = _natural_spline_basis(mean_expression, trend)
        q = np.linalg.qr(basis)[0]
        centre = q @ (q.T @ scaled)
        spare = genes - basis.shape[1]
        scatter = float(((scaled - centre) ** 2).sum() / spare) if spare > 0 else 0.0
    different, count = np.unique(df, return_counts=True)
    excess = scatter - float(polygamma(1, different / 2) @ count) / genes
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


def _natural_spline_basis(x: Floats, size: int) -> Floats:
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
