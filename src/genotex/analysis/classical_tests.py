"""Classical tests of association between two variables of the same samples.

`scipy.stats` has all of them. Importing it takes longer than analysing a small cohort, so they are
computed here from their formulas; the tests compare every one with `scipy.stats`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, chdtrc, gammaln, ndtr, stdtr, xlog1py, xlogy

__all__ = [
    "Tested",
    "average_ranks",
    "binomial_p",
    "chi_square",
    "fisher_p",
    "kruskal",
    "mann_whitney",
    "pearson",
    "spearman",
]

Floats = NDArray[np.float64]

BINOMIAL_TIE = 1 + 1e-7
"""Counts whose probabilities differ by less than rounding are equally likely."""


class Tested(NamedTuple):
    """A test statistic (or correlation) and its two-sided p-value."""

    statistic: float
    p: float


def average_ranks(values: Floats) -> Floats:
    """Return ranks from 1; equal values share the mean of their ranks."""
    ordered = np.sort(values)
    below = np.searchsorted(ordered, values, "left")
    ranks: Floats = (below + np.searchsorted(ordered, values, "right") + 1) / 2
    return ranks


def fisher_p(table: NDArray[np.intp]) -> float:
    """Return the two-sided p-value of Fisher's exact test of a 2 x 2 table, in exact integers."""
    (a, b), (c, d) = ([int(count) for count in row] for row in table)
    first, second, column = a + b, c + d, a + c
    ways = [
        comb(first, k) * comb(second, column - k)
        for k in range(max(0, column - second), min(first, column) + 1)
    ]
    observed = comb(first, a) * comb(second, c)
    return sum(way for way in ways if way <= observed) / sum(ways)


def chi_square(table: NDArray[np.intp]) -> Tested:
    """Return Pearson's chi-square test of a table without empty rows or columns, uncorrected."""
    rows, columns = table.shape
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    statistic = float(((table - expected) ** 2 / expected).sum())
    return Tested(statistic, float(chdtrc((rows - 1) * (columns - 1), statistic)))


def mann_whitney(first: Floats, second: Floats) -> Tested:
    """Return U of the first group; its p-value by the normal curve, corrected for ties."""
    n, m = len(first), len(second)
    ranks = average_ranks(np.concatenate([first, second]))
    u = float(ranks[:n].sum() - n * (n + 1) / 2)
    total = n + m
    variance = n * m / 12 * (total + 1 - _ties(ranks) / (total * (total - 1)))
    # Half a step towards the mean: U is a count, the normal curve is not.
    z = (max(u, n * m - u) - n * m / 2 - 0.5) / np.sqrt(variance)
    return Tested(u, float(min(1.0, 2 * ndtr(-z))))


def kruskal(groups: Sequence[Floats]) -> Tested:
    """Return the Kruskal-Wallis test of several groups, corrected for ties."""
    ranks = average_ranks(np.concatenate(groups))
    total = len(ranks)
    ends = np.cumsum([len(group) for group in groups])
    between = sum(part.sum() ** 2 / len(part) for part in np.split(ranks, ends[:-1]))
    h = 12 / (total * (total + 1)) * between - 3 * (total + 1)
    h /= 1 - _ties(ranks) / (total**3 - total)
    return Tested(float(h), float(chdtrc(len(groups) - 1, h)))


def _ties(ranks: Floats) -> float:
    """Return the sum of t^3 - t over groups of t equal values."""
    counts = np.unique(ranks, return_counts=True)[1].astype(np.float64)
    return float((counts**3 - counts).sum())


def pearson(first: Floats, second: Floats) -> Tested:
    """Return Pearson's correlation of two variables, each not constant, and its p-value."""
    r = float(np.clip(np.corrcoef(first, second)[0, 1], -1.0, 1.0))
    half = len(first) / 2 - 1
    # Of uncorrelated normal variables, (1 + r) / 2 has a beta distribution.
    p = float(2 * betainc(half, half, (1 - abs(r)) / 2)) if half else 1.0
    return Tested(r, p)


def spearman(first: Floats, second: Floats) -> Tested:
    """Return Spearman's correlation, and its p-value by the t distribution."""
    rho = float(np.corrcoef(average_ranks(first), average_ranks(second))[0, 1])
    df = len(first) - 2
    rest = max(0.0, (1 - rho) * (1 + rho))
    t = np.inf if rest == 0 else abs(rho) * np.sqrt(df / rest)
    return Tested(rho, float(2 * stdtr(df, -t)))


def binomial_p(successes: int, trials: int, chance: float) -> float:
    """Return the two-sided p-value of the binomial test: all counts as unlikely as the observed."""
    k = np.arange(trials + 1)
    log_ways = gammaln(trials + 1) - gammaln(k + 1) - gammaln(trials - k + 1)
    probability = np.exp(log_ways + xlogy(k, chance) + xlog1py(trials - k, -chance))
    likely = probability[successes] * BINOMIAL_TIE
    return float(min(1.0, probability[probability <= likely].sum()))
