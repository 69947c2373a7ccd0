"""The rotated Lasso's intermediate values, from their definitions."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal

from genotex.analysis.benchmark.preparation import estimate_ln_delta, null_loss, rotate


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
