"""Components and scaled distances, by the shorter side of a table, against all products."""

import numpy as np
import pytest

from genotex.arrays import largest_eigenvectors
from genotex.figures import principal_components, sample_profiles, scaled_distances


@pytest.mark.parametrize(("samples", "genes"), [(30, 200), (200, 30), (2, 9)])
def test_coordinates_are_those_of_the_products_of_all_samples(samples: int, genes: int) -> None:
    rng = np.random.default_rng(samples)
    values = rng.normal(size=(samples, genes)) + 3 * np.outer(
        rng.normal(size=samples), rng.normal(size=genes)
    )
    correlation, centre = np.corrcoef(values), np.eye(samples) - 1 / samples
    z = (values - values.mean(axis=0)) / values.std(axis=0)
    found = principal_components(values)
    for products, places in (
        (centre @ correlation @ centre, scaled_distances(sample_profiles(values))),
        (z @ z.T, found.scores),
    ):
        size, vectors = np.linalg.eigh(products)
        for k in range(2):
            expected = vectors[:, -1 - k] * np.sqrt(max(size[-1 - k], 0))
            sign = np.sign(expected[np.abs(expected).argmax()])
            assert np.allclose(places[:, k], sign * expected, atol=1e-6)
    shares = np.linalg.eigvalsh(z @ z.T)[::-1][:2] / (z**2).sum()
    assert np.allclose(found.explained, shares, atol=1e-9)


def test_of_many_rows_the_largest_eigenvectors_are_those_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = np.random.default_rng(3).normal(size=(120, 40)) * np.linspace(3, 0.1, 40)
    values, vectors = largest_eigenvectors(table @ table.T, 4)
    monkeypatch.setattr("genotex.arrays._FEW_ROWS", 100)
    found, again = largest_eigenvectors(table @ table.T, 4)
    assert np.allclose(found, values) and (np.diff(found) < 0).all()
    assert np.allclose(np.abs((again * vectors).sum(axis=0)), 1.0)
