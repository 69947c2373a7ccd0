"""Classical tests give the numbers of `scipy.stats`."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from genotex.analysis.p_values import (
    average_ranks,
    binomial_p,
    chi_square,
    fisher_p,
    kruskal,
    mann_whitney,
    pearson,
    spearman,
)


def with_ties(seed: int, count: int) -> np.ndarray:
    return np.round(np.random.default_rng(seed).normal(size=count), 1)


@pytest.mark.parametrize("seed", range(3))
def test_tied_values_share_the_mean_of_their_ranks(seed: int) -> None:
    values = with_ties(seed, 60)

    assert np.array_equal(average_ranks(values), stats.rankdata(values))


@pytest.mark.parametrize(
    "table",
    [
        [[8, 2], [1, 5]],
        [[10, 0], [0, 13]],
        [[5, 5], [5, 5]],
        [[120, 300], [80, 410]],
        [[3, 0], [4, 0]],
    ],
)
def test_fisher_exact_of_two_binary_variables(table: list[list[int]]) -> None:
    assert fisher_p(np.array(table)) == pytest.approx(stats.fisher_exact(table).pvalue, rel=1e-9)


@pytest.mark.parametrize("table", [[[8, 2, 7], [1, 5, 3]], [[10, 1], [2, 13]]])
def test_chi_square_of_a_table(table: list[list[int]]) -> None:
    expected = stats.chi2_contingency(np.array(table), correction=False)

    found = chi_square(np.array(table))

    assert found == pytest.approx((expected.statistic, expected.pvalue), rel=1e-12)


@pytest.mark.parametrize(("seed", "sizes"), [(0, (12, 9)), (1, (3, 4)), (2, (40, 200))])
def test_rank_tests_of_groups_with_ties(seed: int, sizes: tuple[int, int]) -> None:
    first, second = with_ties(seed, sizes[0]), with_ties(seed + 10, sizes[1]) + 0.5
    two = stats.mannwhitneyu(first, second, method="asymptotic")
    groups = [first, second, with_ties(seed + 20, 7)]
    several = stats.kruskal(*groups)

    assert mann_whitney(first, second) == pytest.approx((two.statistic, two.pvalue), rel=1e-12)
    assert kruskal(groups) == pytest.approx((several.statistic, several.pvalue), rel=1e-10)


@pytest.mark.parametrize("count", [3, 8, 150])
def test_correlations_of_measured_variables(count: int) -> None:
    first, second = with_ties(1, count), with_ties(1, count) + 2 * with_ties(2, count)

    straight, ranked = stats.pearsonr(first, second), stats.spearmanr(first, second)
    assert pearson(first, second) == pytest.approx((straight.statistic, straight.pvalue), rel=1e-10)
    assert spearman(first, second) == pytest.approx((ranked.statistic, ranked.pvalue), rel=1e-10)


def test_a_perfect_correlation_has_p_zero() -> None:
    values = np.arange(9.0)

    assert pearson(values, -values) == pytest.approx((-1.0, 0.0))
    assert spearman(values, values**3) == pytest.approx((1.0, 0.0))


@pytest.mark.parametrize(
    ("successes", "trials", "chance"), [(0, 10, 0.2), (3, 10, 0.2), (2100, 9800, 0.2), (4, 8, 0.5)]
)
def test_binomial_test_of_a_share(successes: int, trials: int, chance: float) -> None:
    expected = stats.binomtest(successes, trials, chance).pvalue

    assert binomial_p(successes, trials, chance) == pytest.approx(expected, rel=1e-8)
