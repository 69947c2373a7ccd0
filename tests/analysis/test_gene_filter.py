import numpy as np
import pytest

from genotex.analysis import Contrast, GeneFilter, choose_contrast, filter_genes
from genotex.arrays import quantile, row_quantiles
from tests.analysis.cohort_tables import linked


def contrast_of(trait: list[float]) -> Contrast:
    return choose_contrast(linked(trait, np.zeros((len(trait), 1))), {}, "auto")


GROUPS = contrast_of([0.0, 1.0] * 6)


def run(values: np.ndarray, contrast: Contrast = GROUPS, filter_low: bool = True) -> GeneFilter:
    return filter_genes(values, contrast, 2, filter_low)


def expressed(genes: int = 50) -> np.ndarray:
    return np.random.default_rng(0).normal(9, 0.5, (12, genes)) + np.linspace(-2, 3, genes)


def test_gene_low_in_every_sample_is_left_out() -> None:
    values = expressed()
    values[:, 0] = np.linspace(3.0, 3.2, 12)
    found = run(values)
    assert found.status[0] == "low"
    assert found.record["low"] >= 1
    assert "fewer than 6 samples" in found.record["rule"]


def test_gene_expressed_in_one_group_only_is_kept() -> None:
    values = expressed()
    values[:, 0] = np.where(GROUPS.values == 1, 9.0, 3.0) + np.linspace(0, 0.1, 12)
    assert run(values).status[0] == "tested"


def test_centred_values_have_no_low_genes() -> None:
    values = expressed()
    values -= values.mean(axis=0)
    values[:, 0] -= 5
    found = run(values)
    assert found.tested.all()
    assert "centred" in found.record["rule"]


def test_undetected_counts_at_the_floor_are_low() -> None:
    values = np.log2(np.random.default_rng(1).poisson(40, (12, 50)) + 1.0)
    values[:, :8] = 0.0
    values[3, :8] = 1.0
    assert (run(values).status[:8] == "low").all()
    assert run(values).tested[8:].all()


def test_floor_below_zero_is_still_a_floor() -> None:
    values = np.log2(np.random.default_rng(1).poisson(40, (12, 50)) + 0.001)
    values[:, :8] = np.log2(0.001)
    values[3, :8] = 0.0
    assert (run(values).status[:8] == "low").all()


def test_floor_of_a_gene_of_several_rows_is_the_floor() -> None:
    values = np.log2(np.random.default_rng(1).poisson(40, (12, 50)) + 0.0803)
    floor = np.log2(0.0803)
    values[:, :8] = floor
    # The mean of rows at the floor, a bit lower and a bit higher.
    values[:, 3], values[:, 4] = np.nextafter(floor, -9), np.nextafter(floor, 9)
    values[3, :8] = 0.0
    found = run(values)
    assert (found.status[:8] == "low").all()
    assert "10 % quantile" in found.record["rule"]


def test_filter_can_be_switched_off() -> None:
    values = expressed()
    values[:, 0] = np.linspace(3.0, 3.2, 12)
    assert run(values, filter_low=False).tested.all()


def test_constant_gene_is_not_tested() -> None:
    values = expressed()
    values[:, 7] = 10.1
    values[2, 7] = np.nan
    assert run(values).status[7] == "constant"


def test_gene_missing_in_nearly_all_samples_is_not_tested() -> None:
    values = expressed()
    values[3:, 49] = np.nan
    values[GROUPS.values == 1, 48] = np.nan
    found = run(values)
    assert found.status[48:].tolist() == ["too few values"] * 2
    assert found.record["too few values"] == 2


def test_gene_without_any_value_is_not_tested() -> None:
    values = expressed()
    values[:, 49] = np.nan
    assert run(values).status[49] == "too few values"


def test_measured_trait_needs_a_tenth_of_the_samples() -> None:
    found = run(expressed(), contrast_of(list(np.arange(12.0))))
    assert "fewer than 2 samples" in found.record["rule"]


@pytest.mark.parametrize("size", [1, 2, 11, 12, 200, 1001])
def test_quantile_is_that_of_numpy_to_the_last_bit(size: int) -> None:
    values = np.random.default_rng(size).normal(8, 2, size)
    assert quantile(values, 0.1, size) == np.quantile(values, 0.1)


@pytest.mark.parametrize("ties", [0, 400])
def test_quantile_of_a_large_table_is_found_near_that_of_a_sample(
    monkeypatch: pytest.MonkeyPatch, ties: int
) -> None:
    monkeypatch.setattr("genotex.arrays.FEW", 4096)
    rng = np.random.default_rng(ties)
    values = rng.normal(8, 2, (60, 100))
    values[rng.random(values.shape) < 0.1] = np.nan
    values.reshape(-1)[:ties] = 3.0
    known = values[~np.isnan(values)]
    assert quantile(values, 0.1, len(known)) == np.quantile(known, 0.1)


@pytest.mark.parametrize("genes", [1, 2, 4, 57, 1000])
def test_quantiles_of_samples_are_those_of_numpy_to_the_last_bit(genes: int) -> None:
    values = np.asfortranarray(np.random.default_rng(genes).normal(8, 2, (70, genes)))
    found = row_quantiles(values, (0.25, 0.5, 0.75))
    assert np.array_equal(found, np.quantile(values, (0.25, 0.5, 0.75), axis=1))
