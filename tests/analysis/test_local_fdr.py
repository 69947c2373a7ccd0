"""The local false discovery rate against mixtures whose rate is known."""

import numpy as np
import pytest
from scipy.stats import norm

from genotex.analysis.p_values import local_fdr


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
