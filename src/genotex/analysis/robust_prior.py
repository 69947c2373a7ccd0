"""The prior of the genes' variances when a few genes are hypervariable (Phipson and others 2016).

The moments of the log variances are taken after the tails were drawn in (winsorized), so that a few
genes with extreme variances do not widen the prior of all others. Genes that are too variable for
that prior get fewer prior degrees of freedom of their own: they are shrunk less.

References
----------
Phipson, Lee, Majewski, Alexander and Smyth 2016, Ann. Appl. Stat. 10:946.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaln, chdtrc, chdtri, fdtrc, fdtri, gammaincinv, gammaln

from genotex.analysis.classical_tests import average_ranks
from genotex.analysis.lowess import lowess

__all__ = ["RobustPrior", "fit_robust_prior"]

Floats = NDArray[np.float64]
RobustPrior = tuple[Floats, Floats]
"""Prior degrees of freedom and prior variance of each gene."""

TAILS = (0.05, 0.10)
"""Shares of the genes in the lower and the upper tail that are drawn in."""
TREND_SPAN = 0.4
NODES = 128


def fit_robust_prior(
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
