"""Classical tests against scipy.stats, and local false discovery rates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm

from genotex.analysis import (
    average_ranks,
    binomial_p,
    chi_square,
    fisher_p,
    kruskal,
    local_fdr,
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


def test_rate_of_a_known_mixture() -> None:
    """80 % standard normal, 20 % around -3: the rate at z is 0.8 phi(z) / f(z)."""
    rng = np.random.default_rng(0)
    z = np.concatenate([rng.normal(size=16_000), rng.normal(-3, 1, 4_000)])
    rate = local_fdr(norm.cdf(z))
    for place in (-4.0, -3.0, -2.0):
        truth = 0.8 * norm.pdf(place) / (0.8 * norm.pdf(place) + 0.2 * norm.pdf(place + 3))
        assert rate[np.argmin(np.abs(z - place))] == pytest.approx(truth, abs=0.05)


def test_only_null_genes_have_rates_near_one() -> None:
    rate = local_fdr(np.random.default_rng(1).random(5000))
    assert np.median(rate) > 0.9
    assert (rate < 0.1).mean() < 0.001


def test_rate_rises_with_p() -> None:
    p = np.random.default_rng(2).random(500) ** 3
    rate = local_fdr(p)
    assert (np.diff(rate[np.argsort(p)]) >= 0).all()
    assert rate.min() >= 0 and rate.max() <= 1


@pytest.mark.parametrize(
    "p",
    [[], [0.3], [0.0], [1.0], [0.0, 1.0], [0.5] * 20, [0.0] * 20, [1.0] * 20, [0.0] * 19 + [0.9]],
)
def test_defined_for_few_equal_and_extreme_p_values(p: list[float]) -> None:
    rate = local_fdr(np.array(p))
    assert rate.shape == (len(p),)
    assert np.isfinite(rate).all()


def test_all_genes_associated_gives_rate_zero() -> None:
    np.testing.assert_array_equal(local_fdr(np.full(50, 1e-12)), 0.0)
