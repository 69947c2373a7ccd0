"""Eigenvalues, against a singular value decomposition."""

import numpy as np
import pytest

from genotex.analysis.benchmark.preparation import detect_batch_effect


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
    assert result.as_json()["threshold"] == 200 / samples


def test_fewer_than_ten_samples_and_genes_that_do_not_vary() -> None:
    assert len(detect_batch_effect(expression(7, 0.0)).shares) == 7
    flat = detect_batch_effect(np.full((12, 4), 2.0))
    assert set(flat.shares) == {0.0} and not flat.found
