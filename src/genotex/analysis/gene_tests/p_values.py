"""p-values of classical tests, q-values, and local false discovery rates.

`scipy.stats` has all of them. Importing it takes longer than analysing a small cohort, so they are
computed here from their formulas; the tests compare every one with `scipy.stats`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, chdtrc, gammaln, ndtr, ndtri, stdtr, xlog1py, xlogy

from genotex.arrays import Floats, Rows


def benjamini_hochberg(p: Floats) -> Floats:
    """Return the q-values of Benjamini and Hochberg (1995); no p-value (m,) may be missing."""
    count = len(p)
    if count == 0:
        return p.copy()
    order = np.argsort(p, kind="stable")[::-1]
    scaled = p[order] * count / np.arange(count, 0, -1)
    q = np.empty(count)
    q[order] = np.minimum.accumulate(np.minimum(scaled, 1.0))
    return q


def q_of_known(p: Floats) -> Floats:
    """Return the q-values over the p-values that are there; NaN for the others."""
    known = np.isfinite(p)
    q = np.full(len(p), np.nan)
    q[known] = benjamini_hochberg(p[known])
    return q


def null_share(p: Floats) -> float:
    """Return pi0, the estimated share of genes without association (Storey 2002), at most 1."""
    return float(min(1.0, 2 * (p > 0.5).mean())) if len(p) else 1.0


def excess_near_one(p: Floats) -> float:
    """Return the density of p-values above 0.9 relative to those between 0.5 and 0.9."""
    # About 1 for calibrated tests; well above 1 when the model takes up more than chance; infinite
    # when there are none between, 1 when there are none above 0.5 at all.
    near, below = float((p > 0.9).sum()), float(((p > 0.5) & (p <= 0.9)).sum())
    if below:
        return 4 * near / below
    return float("inf") if near else 1.0


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


BINOMIAL_TIE = 1 + 1e-7
"""Counts whose probabilities differ by less than rounding are equally likely."""


class _Tested(NamedTuple):
    """A test statistic (or correlation) and its two-sided p-value."""

    statistic: float
    p: float


def average_ranks(values: Floats) -> Floats:
    """Return ranks from 1; equal values share the mean of their ranks."""
    ordered = np.sort(values)
    below = np.searchsorted(ordered, values, "left")
    ranks: Floats = (below + np.searchsorted(ordered, values, "right") + 1) / 2
    return ranks


def fisher_p(table: Rows) -> float:
    """Return the two-sided p-value of Fisher's exact test of a 2 x 2 table, in exact integers."""
    (a, b), (c, d) = ([int(count) for count in row] for row in table)
    first, second, column = a + b, c + d, a + c
    ways = [
        comb(first, k) * comb(second, column - k)
        for k in range(max(0, column - second), min(first, column) + 1)
    ]
    observed = comb(first, a) * comb(second, c)
    return sum(way for way in ways if way <= observed) / sum(ways)


def chi_square(table: Rows) -> _Tested:
    """Return Pearson's chi-square test of a table without empty rows or columns, uncorrected."""
    rows, columns = table.shape
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    statistic = float(((table - expected) ** 2 / expected).sum())
    return _Tested(statistic, float(chdtrc((rows - 1) * (columns - 1), statistic)))


def mann_whitney(first: Floats, second: Floats) -> _Tested:
    """Return U of the first group; its p-value by the normal curve, corrected for ties."""
    n, m = len(first), len(second)
    ranks = average_ranks(np.concatenate([first, second]))
    u = float(ranks[:n].sum() - n * (n + 1) / 2)
    total = n + m
    variance = n * m / 12 * (total + 1 - _ties(ranks) / (total * (total - 1)))
    # Half a step towards the mean: U is a count, the normal curve is not.
    z = (max(u, n * m - u) - n * m / 2 - 0.5) / np.sqrt(variance)
    return _Tested(u, float(min(1.0, 2 * ndtr(-z))))


def kruskal(groups: Sequence[Floats]) -> _Tested:
    """Return the Kruskal-Wallis test of several groups, corrected for ties."""
    ranks = average_ranks(np.concatenate(groups))
    total = len(ranks)
    ends = np.cumsum([len(group) for group in groups])
    between = sum(part.sum() ** 2 / len(part) for part in np.split(ranks, ends[:-1]))
    h = 12 / (total * (total + 1)) * between - 3 * (total + 1)
    h /= 1 - _ties(ranks) / (total**3 - total)
    return _Tested(float(h), float(chdtrc(len(groups) - 1, h)))


def _ties(ranks: Floats) -> float:
    """Return the sum of t^3 - t over groups of t equal values."""
    counts = np.unique(ranks, return_counts=True)[1].astype(np.float64)
    return float((counts**3 - counts).sum())


def pearson(first: Floats, second: Floats) -> _Tested:
    """Return Pearson's correlation of two variables, each not constant, and its p-value."""
    r = float(np.clip(np.corrcoef(first, second)[0, 1], -1.0, 1.0))
    half = len(first) / 2 - 1
    # Of uncorrelated normal variables, (1 + r) / 2 has a beta distribution.
    p = float(2 * betainc(half, half, (1 - abs(r)) / 2)) if half else 1.0
    return _Tested(r, p)


def spearman(first: Floats, second: Floats) -> _Tested:
    """Return Spearman's correlation, and its p-value by the t distribution."""
    rho = float(np.corrcoef(average_ranks(first), average_ranks(second))[0, 1])
    df = len(first) - 2
    rest = max(0.0, (1 - rho) * (1 + rho))
    t = np.inf if rest == 0 else abs(rho) * np.sqrt(df / rest)
    return _Tested(rho, float(2 * stdtr(df, -t)))


def binomial_p(successes: int, trials: int, chance: float) -> float:
    """Return the two-sided p-value of the binomial test: all counts as unlikely as the observed."""
    k = np.arange(trials + 1)
    log_ways = gammaln(trials + 1) - gammaln(k + 1) - gammaln(trials - k + 1)
    probability = np.exp(log_ways + xlogy(k, chance) + xlog1py(trials - k, -chance))
    likely = probability[successes] * BINOMIAL_TIE
    return float(min(1.0, probability[probability <= likely].sum()))
