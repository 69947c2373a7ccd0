"""Eigenvalues of many samples, against those of all pairs of samples."""

from dataclasses import replace

import numpy as np
import pytest

from genotex.analysis import GeneParts, estimate_confounders
from tests.analysis.hidden_cohorts import noise, two_group_design

SPECTRUM = "genotex.analysis.hidden.spectrum"


def with_factors(samples: int, genes: int, factors: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(samples, factors)) * np.linspace(2.5, 1.5, factors)
    return noise(samples, genes, 1) + scores @ rng.normal(0, 0.3, (factors, genes))


@pytest.mark.parametrize("factors", [3, 15])
def test_factors_of_many_samples_are_those_of_all_eigenvalues(
    monkeypatch: pytest.MonkeyPatch, factors: int
) -> None:
    """With 15 of them more vectors are followed than at first."""
    values, design = with_factors(120, 500, factors), two_group_design(120)
    exact = estimate_confounders(GeneParts.of(values), design)
    monkeypatch.setattr(f"{SPECTRUM}.MOST_EXACT", 100)
    monkeypatch.setattr(f"{SPECTRUM}.FIRST_BLOCK", 8)
    monkeypatch.setattr(f"{SPECTRUM}.LARGE", 0)
    found = estimate_confounders(GeneParts.of(values), design)
    assert found.estimated == exact.estimated >= factors
    assert found.columns.shape == exact.columns.shape
    # The same space, to the accuracy of the vectors.
    strong = slice(0, 3)
    one, other = (np.linalg.qr(each.columns[:, strong])[0] for each in (found, exact))
    assert np.linalg.svd(one.T @ other)[1].min() > 1 - 1e-9
    np.testing.assert_allclose(found.share[strong], exact.share[strong], rtol=1e-6)
    assert found.inflation == pytest.approx(exact.inflation, rel=0.01)


def test_parts_of_the_genes_give_what_all_at_once_give(monkeypatch: pytest.MonkeyPatch) -> None:
    values, design = with_factors(60, 500, 3), two_group_design(60)
    whole = GeneParts.of(values)
    exact = estimate_confounders(whole, design)
    monkeypatch.setattr(f"{SPECTRUM}.LARGE", 0)
    monkeypatch.setattr("genotex.arrays.NUMBERS_AT_ONCE", 60 * 64)
    read: list[int] = []

    def watched(part: slice) -> np.ndarray:
        read.append(whole.read(part).shape[1])
        return whole.read(part)

    found = estimate_confounders(replace(whole, read=watched), design)
    assert max(read) == 64
    np.testing.assert_allclose(np.abs(found.columns), np.abs(exact.columns), atol=1e-9)
    assert found.inflation == pytest.approx(exact.inflation)
