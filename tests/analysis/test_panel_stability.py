"""Selection frequencies over complementary half-samples."""

from collections.abc import Iterator

import numpy as np
import pytest
from sklearn.linear_model import Lasso
from threadpoolctl import threadpool_limits

from genotex.analysis import fit_panel
from genotex.analysis.cross_validation import complementary_halves
from genotex.analysis.panel import selection_frequency
from genotex.analysis.panel_path import PanelData


@pytest.fixture(autouse=True)
def one_blas_thread() -> Iterator[None]:
    with threadpool_limits(limits=1):
        yield


def planted(n: int, p: int, binary: bool, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    genes = rng.normal(size=(n, p))
    score = genes[:, :3] @ np.array([1.5, -1.5, 1.0]) + 0.5 * rng.normal(size=n)
    return genes, (score > np.median(score)).astype(float) if binary else score


def test_halves_of_a_pair_share_no_sample_and_have_half_of_each_class() -> None:
    target = np.repeat([1.0, 0.0], [11, 30])
    halves = complementary_halves(target, True, 20, 1)
    assert len(halves) == 40
    left_out = set()
    for one, other in zip(halves[::2], halves[1::2], strict=True):
        assert not set(one) & set(other)
        for half in (one, other):
            assert np.bincount(target[half].astype(int)).tolist() == [15, 5]
            assert (np.diff(half) > 0).all()
        left_out |= set(range(41)) - set(one) - set(other)
    # Of the odd class one sample is left out, not always the same.
    assert left_out <= set(range(11))
    assert len(left_out) > 3


def test_halves_of_a_measured_trait_part_neighbours() -> None:
    target = np.random.default_rng(0).normal(size=21)
    for one, other in zip(*[iter(complementary_halves(target, False, 10, 1))] * 2, strict=True):
        assert not set(one) & set(other)
        assert len(one) == len(other) == 10
        # Neighbours in rank are parted: sorted, the halves never stray apart.
        ranks = np.argsort(np.argsort(target))
        assert np.abs(np.sort(ranks[one]) - np.sort(ranks[other])).max() <= 2


@pytest.mark.parametrize("binary", [True, False])
def test_planted_genes_are_frequent_and_others_rare(binary: bool) -> None:
    genes, target = planted(100, 400, binary)
    found = fit_panel(genes, np.zeros((100, 0)), target, binary=binary, seed=1)
    frequency = found.selection_frequency
    assert frequency is not None
    assert frequency.shape == (400,)
    assert frequency[:3].min() > 0.9
    assert np.median(frequency[3:]) < 0.2
    record = found.record["stability"]
    assert record["pairs"] == 50
    assert record["penalty"] == found.record["penalty"]
    assert record["penalty_rule"] == "that of the panel"
    assert record["genes_above_half"] == (frequency > 0.5).sum()
    assert record["genes_per_half_sample"] == pytest.approx(frequency.sum())


def test_frequency_is_that_of_scikit_learn_on_the_same_halves() -> None:
    genes, target = planted(60, 80, binary=False)
    frequency, _ = selection_frequency(
        PanelData(genes, np.zeros((60, 0)), target, False), 0.25, seed=3, pairs=10
    )
    counts = np.zeros(80)
    for half in complementary_halves(target, False, 10, 3):
        scaled = (genes[half] - genes[half].mean(axis=0)) / genes[half].std(axis=0)
        counts += (
            Lasso(alpha=0.25, tol=1e-10, max_iter=100_000).fit(scaled, target[half]).coef_ != 0
        )
    np.testing.assert_array_equal(frequency, counts / 20)


def test_empty_panel_takes_the_penalty_of_the_best_deviance() -> None:
    genes = np.random.default_rng(2).normal(size=(40, 200))
    found = fit_panel(genes, np.zeros((40, 0)), np.tile([0.0, 1.0], 20), binary=True, seed=1)
    assert found.coefficients == {}
    record = found.record["stability"]
    assert record["penalty_rule"] == "best cross-validated deviance, because the panel is empty"
    assert record["penalty"] <= found.record["penalty"]
    assert found.selection_frequency is not None
    assert found.selection_frequency.max() < 0.9


@pytest.mark.parametrize(
    ("binary", "samples", "enough"),
    [(True, 20, True), (True, 19, False), (False, 20, True), (False, 19, False)],
)
def test_ten_samples_per_class_are_needed(binary: bool, samples: int, enough: bool) -> None:
    genes, _ = planted(samples, 30, binary)
    target = np.arange(samples) % 2.0 if binary else np.arange(samples) / samples
    found = fit_panel(genes, np.zeros((samples, 0)), target, binary=binary, seed=1)
    assert (found.selection_frequency is not None) is enough
    assert ("stability" in found.record) is enough
    assert any("no selection frequencies" in note for note in found.notes) is not enough
