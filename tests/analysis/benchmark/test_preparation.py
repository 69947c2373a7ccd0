"""Batch effects and the rotation of the genes."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal

from genotex.analysis.benchmark.preparation import (
    detect_batch_effect,
    estimate_ln_delta,
    null_loss,
    rotate,
)


def expression(samples: int, batch: float) -> np.ndarray:
    rng = np.random.default_rng(0)
    values = rng.normal(5, 1, (samples, 80))
    return values + batch * rng.integers(0, 2, samples)[:, None]


def test_shares_are_squared_singular_values() -> None:
    values = expression(50, 1.0)
    singular = np.linalg.svd(values - values.mean(axis=0), compute_uv=False)
    found = detect_batch_effect(values)
    np.testing.assert_allclose(found.shares, (singular**2 / singular[0] ** 2)[:10], atol=1e-12)
    np.testing.assert_allclose(found.gaps, -np.diff(found.shares))


@pytest.mark.parametrize(
    ("samples", "batch", "found"), [(200, 50.0, False), (260, 50.0, True), (260, 0.0, False)]
)
def test_no_batch_effect_up_to_200_samples(samples: int, batch: float, found: bool) -> None:
    result = detect_batch_effect(expression(samples, batch))
    assert result.found is found
    assert result.threshold == 200 / samples


def test_fewer_than_ten_samples_and_genes_that_do_not_vary() -> None:
    assert len(detect_batch_effect(expression(7, 0.0)).shares) == 7
    flat = detect_batch_effect(np.full((12, 4), 2.0))
    assert set(flat.shares) == {0.0} and not flat.found


def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    x = rng.normal(4, 1, (40, 6))
    return x, x @ rng.normal(size=6) * 0.5 + rng.normal(0, 2, 40)


def kinship(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    return z, z @ z.T


def test_the_loss_is_that_of_a_normal_distribution_with_its_best_variance() -> None:
    x, y = data()
    _, k = kinship(x)
    values, vectors = np.linalg.eigh(k)
    for ln_delta in (-3.0, 0.5, 4.0):
        shape = k + np.exp(ln_delta) * np.eye(40)
        variance = y @ np.linalg.solve(shape, y) / 40
        dense = -multivariate_normal(np.zeros(40), variance * shape).logpdf(y)
        assert null_loss(ln_delta, values, vectors.T @ y) == pytest.approx(dense, rel=1e-10)


def test_ln_delta_is_at_the_minimum() -> None:
    x, y = data()
    values, vectors = np.linalg.eigh(kinship(x)[1])
    target = vectors.T @ y
    found = estimate_ln_delta(values, target)
    bounded = minimize_scalar(
        null_loss, bounds=(-5, 5), args=(values, target), method="bounded", options={"xatol": 1e-9}
    )
    assert found == pytest.approx(bounded.x, abs=1e-5)


def test_a_minimum_at_the_border() -> None:
    # All of the target lies along one eigenvector: no noise is needed.
    values = np.array([0.0, 0.0, 1e6])
    assert estimate_ln_delta(values, np.array([0.0, 0.0, 3.0])) == -5


def test_the_rotated_genes_have_the_covariance_of_their_definition() -> None:
    # Signs of eigenvectors are arbitrary; cross products of genes do not depend on them.
    x, y = data()
    rotated = rotate(x, np.arange(40), y)
    z, k = kinship(x)
    raw = rotated.design.matrix + rotated.design.offset
    inverse = np.linalg.inv(k + np.exp(rotated.ln_delta) * np.eye(40))
    np.testing.assert_allclose(raw.T @ raw, z.T @ inverse @ z, atol=1e-10)
    assert rotated.design.matrix.flags.f_contiguous


def test_a_target_of_zeros_has_a_finite_loss() -> None:
    assert np.isfinite(null_loss(0.0, np.ones(3), np.zeros(3)))
