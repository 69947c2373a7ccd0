"""Golden values of R edgeR: made by golden_rna_seq of benchmarks/golden; see VERSIONS.txt."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.cohorts import expressed_genes, least_samples, tmm_factors

GOLDEN = Path(__file__).parents[1] / "fixtures" / "rna_seq"
CASES = pytest.mark.parametrize("name", ["small", "large"])


def read(name: str) -> pl.DataFrame:
    # R pads numbers with spaces; strings first, so that those are read as numbers too.
    table = pl.read_csv(GOLDEN / name, infer_schema=False)
    numbers = [c for c in table.columns if c not in ("gene", "sample")]
    return table.with_columns(pl.col(numbers).str.strip_chars().cast(pl.Float64))


def counts_of(name: str) -> np.ndarray:
    return read(f"{name}_counts.csv").drop("gene").to_numpy()


@CASES
@pytest.mark.parametrize("trait", ["case", "level"])
def test_genes_kept_are_those_of_filter_by_expr(name: str, trait: str) -> None:
    counts = counts_of(name)
    codes = read(f"{name}_clinical.csv")[trait].to_numpy()
    least = least_samples(codes, binary=trait == "case")
    kept = expressed_genes(counts, counts.sum(axis=0), least)
    golden = read(f"{name}_filter.csv")["by_group" if trait == "case" else "by_level"]
    np.testing.assert_array_equal(kept, golden.to_numpy() == 1)
    assert 0 < kept.sum() < len(kept)


@CASES
def test_factors_are_those_of_calc_norm_factors(name: str) -> None:
    counts = counts_of(name)
    kept = read(f"{name}_filter.csv")["by_group"].to_numpy() == 1
    golden = read(f"{name}_factors.csv")
    sizes = counts[kept].sum(axis=0)
    np.testing.assert_array_equal(sizes, golden["size"].to_numpy())
    factors = tmm_factors(counts[kept], sizes)
    np.testing.assert_allclose(factors, golden["factor"].to_numpy(), rtol=1e-12)


@CASES
def test_factors_with_genes_without_any_read(name: str) -> None:
    counts = counts_of(name)
    golden = read(f"{name}_whole_factors.csv")
    factors = tmm_factors(counts, counts.sum(axis=0))
    np.testing.assert_allclose(factors, golden["factor"].to_numpy(), rtol=1e-12)


@pytest.mark.parametrize("times", [1, 60])
def test_sample_outside_changes_no_factor_of_the_others(times: int) -> None:
    counts = counts_of("small")
    # Many reads of a few genes move the mean of all upper quartiles.
    counts[: len(counts) // 3, 4] *= times
    among = np.arange(9) != 4
    alone = tmm_factors(counts[:, among], counts[:, among].sum(axis=0))
    together = tmm_factors(counts, counts.sum(axis=0), among)
    np.testing.assert_allclose(together[among], alone, rtol=1e-12)
    assert np.isfinite(together[4])


def test_same_library_twice_has_factor_1() -> None:
    counts = np.array([[10.0, 20.0], [30.0, 60.0], [5.0, 10.0]])
    np.testing.assert_array_equal(tmm_factors(counts, counts.sum(axis=0)), [1, 1])


def test_one_sample_has_factor_1() -> None:
    assert tmm_factors(np.array([[3.0], [4.0]]), np.array([7.0])).tolist() == [1.0]


def test_a_gene_needs_ten_counts_in_enough_samples_and_fifteen_in_all() -> None:
    counts = np.array([[10.0, 5, 0], [10, 4, 0], [9, 9, 9], [15, 0, 0], [14, 0, 0]])
    kept = expressed_genes(counts, np.full(3, 1e6), 1)
    assert kept.tolist() == [True, False, False, True, False]
    assert expressed_genes(counts, np.full(3, 1e6), 2).tolist() == [False] * 5


def test_least_samples_by_hand() -> None:
    # 4 cases, 6 controls: 4. 20 and 30: 10 + 0.7 x 10. Levels 0, 1, 2, 3: the outer ones have the
    # leverage 1/4 + 1.5^2 / 5 = 0.7.
    assert least_samples(np.repeat([0.0, 1.0], [6, 4]), binary=True) == 4
    assert least_samples(np.repeat([0.0, 1.0], [20, 30]), binary=True) == pytest.approx(17)
    assert least_samples(np.arange(4.0), binary=False) == pytest.approx(1 / 0.7)
    assert least_samples(np.full(5, 2.0), binary=False) == 5


@given(
    st.integers(2, 5).flatmap(
        lambda samples: st.lists(
            st.lists(st.integers(0, 10**9), min_size=samples, max_size=samples),
            min_size=1,
            max_size=12,
        )
    )
)
def test_for_any_counts_factors_are_positive_and_their_product_is_1(rows: list[list[int]]) -> None:
    counts = np.array(rows, dtype=float)
    sizes = np.maximum(counts.sum(axis=0), 1.0)
    factors = tmm_factors(counts, sizes)
    assert np.isfinite(factors).all() and (factors > 0).all()
    assert np.log(factors).sum() == pytest.approx(0, abs=1e-6)
