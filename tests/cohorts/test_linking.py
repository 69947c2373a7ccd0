"""Joining clinical features with genes, missing values, and quality."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from genotex.cohorts import (
    drop_incomplete,
    fill,
    gene_means,
    judge,
    link_features,
    unavailable,
    without_biased_covariates,
)
from genotex.formats import ExpressionMatrix, LinkedTable

NAN = np.nan


def linked(expression: list[list[float]], trait: list[float], **covariates: list[float]):  # type: ignore[no-untyped-def]
    values = np.array(expression, dtype=float)
    return LinkedTable(
        "Asthma",
        tuple(f"GSM{i}" for i in range(len(trait))),
        np.array(trait, dtype=float),
        {name: np.array(v, dtype=float) for name, v in covariates.items()},
        tuple(f"G{j}" for j in range(values.shape[1])),
        values,
    )


def test_link_goes_by_sample_id_not_by_place() -> None:
    genes = ExpressionMatrix(
        ("A1BG", "A2M"), ("GSM3", "GSM1", "GSM9"), np.array([[3.0, 1.0, 9.0], [30.0, 10.0, 90.0]])
    )
    table = link_features(
        "Asthma",
        ("GSM1", "GSM2", "GSM3"),
        np.array([0.0, 1.0, 1.0]),
        {"Age": np.array([41.0, 42.0, 43.0])},
        genes,
    ).table
    assert table.samples == ("GSM1", "GSM3")
    assert table.trait_values.tolist() == [0.0, 1.0]
    assert table.covariates["Age"].tolist() == [41.0, 43.0]
    assert table.expression.tolist() == [[1.0, 10.0], [3.0, 30.0]]


def test_samples_without_trait_go_before_genes_are_judged() -> None:
    # G0 is missing in 2 of 6 samples (33 %), but both lack the trait: it stays.
    expression = [[NAN, 1], [NAN, 1], [1, 1], [1, 1], [1, 1], [1, 1]]
    table, counts = drop_incomplete(linked(expression, [NAN, NAN, 0, 1, 0, 1]))
    assert table.genes == ("G0", "G1")
    assert counts.samples_without_trait == 2 and counts.genes_dropped == 0


def test_gene_missing_in_exactly_a_fifth_stays_and_above_goes() -> None:
    expression = [[NAN, NAN, 1], [1, NAN, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]]
    table, counts = drop_incomplete(linked(expression, [0, 1, 0, 1, 0]))
    assert table.genes == ("G0", "G2")
    assert counts.genes_dropped == 1


def test_sample_missing_more_than_a_twentieth_of_the_genes_goes() -> None:
    expression = np.ones((10, 40))
    expression[0, :2] = NAN  # exactly 5 %
    expression[1, :3] = NAN
    table, counts = drop_incomplete(linked(expression.tolist(), [0, 1] * 5))
    assert "GSM0" in table.samples and "GSM1" not in table.samples
    assert counts.samples_dropped == 1


def test_fill_age_by_mean_gender_by_mode_genes_by_mean() -> None:
    table = linked([[1, 5], [NAN, 5], [3, 5]], [0, 1, 1], Age=[40, NAN, 60], Gender=[1, NAN, 1])
    unfilled, counts = drop_incomplete(table)
    assert unfilled.expression.shape == (3, 1)  # G0 misses a third
    filled, counts = fill(table, counts)
    assert filled.covariates["Age"].tolist() == [40, 50, 60]
    assert filled.covariates["Gender"].tolist() == [1, 1, 1]
    assert filled.expression[:, 0].tolist() == [1, 2, 3]
    assert (counts.values_filled, counts.age_filled, counts.gender_filled) == (1, 1, 1)


def test_covariate_without_a_known_value_is_dropped() -> None:
    table = linked([[1], [2]], [0, 1], Age=[NAN, NAN], Gender=[0, 1])
    filled, _ = fill(table, drop_incomplete(table)[1])
    assert list(filled.covariates) == ["Gender"]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_tables_without_rows_or_columns(shape: tuple[int, int]) -> None:
    table = LinkedTable(
        "Asthma",
        tuple(f"GSM{i}" for i in range(shape[0])),
        np.zeros(shape[0]),
        {},
        tuple(f"G{j}" for j in range(shape[1])),
        np.zeros(shape),
    )
    filled, _ = fill(*drop_incomplete(table))
    assert filled.expression.shape == shape


@given(
    arrays(
        float,
        st.tuples(st.integers(1, 12), st.integers(1, 12)),
        elements=st.one_of(st.just(NAN), st.floats(-1e6, 1e6)),
    )
)
def test_drop_and_fill_as_pandas_does_it(values: np.ndarray) -> None:
    """The steps of the specification in plain pandas give the same table."""
    table = linked(values.tolist(), [0.0] * len(values))
    filled, _ = fill(*drop_incomplete(table))
    frame = pd.DataFrame(values, index=table.samples, columns=table.genes)
    frame = frame.loc[:, frame.isna().mean() <= 0.2]
    if frame.shape[1]:
        frame = frame[frame.isna().mean(axis=1) <= 0.05]
    frame = frame.fillna(frame.mean())
    assert filled.genes == tuple(frame.columns)
    assert filled.samples == tuple(frame.index)
    np.testing.assert_allclose(filled.expression, frame.to_numpy(), rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("genes", [1, 3, 2049])
def test_means_of_blocks_of_genes_are_those_of_the_whole_table_to_the_last_bit(genes: int) -> None:
    rng = np.random.default_rng(genes)
    values = rng.normal(7, 2, (31, genes))
    values[rng.random(values.shape) < 0.1] = NAN
    missing = np.isnan(values)
    whole = np.where(missing, 0.0, values).sum(axis=0) / np.maximum((~missing).sum(axis=0), 1)
    assert np.array_equal(gene_means(values), whole)


def table(trait: list[float], genes: int = 5, **covariates: list[float]) -> LinkedTable:
    n = len(trait)
    return LinkedTable(
        "Asthma",
        tuple(f"GSM{i}" for i in range(n)),
        np.array(trait, dtype=float),
        {name: np.array(values, dtype=float) for name, values in covariates.items()},
        tuple(f"G{j}" for j in range(genes)),
        np.zeros((n, genes)),
    )


def test_age_that_does_not_vary_and_one_sided_gender_are_dropped() -> None:
    kept, dropped = without_biased_covariates(
        table([0, 1] * 30, Age=[40.0] * 60, Gender=[0.0] * 58 + [1.0] * 2)
    )
    assert kept.covariates == {}
    assert dropped == ("Age", "Gender")


def test_age_of_two_values_is_judged_as_continuous() -> None:
    kept, dropped = without_biased_covariates(table([0, 1] * 30, Age=[40.0] * 59 + [41.0]))
    assert list(kept.covariates) == ["Age"]
    assert dropped == ()


def test_usable_cohort() -> None:
    info = judge(table([0, 1] * 10, Age=list(range(20))))
    assert info.is_usable and info.is_available and info.is_biased is False
    assert (info.has_age, info.has_gender, info.sample_size) == (True, False, 20)


def test_cohort_with_cases_only_is_biased_and_not_usable() -> None:
    info = judge(table([1] * 20))
    assert info.is_available and info.is_biased and not info.is_usable


def test_linked_table_of_four_columns_has_no_genes() -> None:
    info = judge(table([0, 1] * 10, genes=2, Age=list(range(20))))
    assert not info.is_gene_available and info.is_trait_available and not info.is_available
    assert (info.is_biased, info.sample_size) == (None, None)


def test_linked_table_without_rows_has_neither_genes_nor_trait() -> None:
    info = judge(table([]))
    assert not info.is_gene_available and not info.is_trait_available


def test_cohort_that_fails_the_first_filter_leaves_the_rest_open() -> None:
    info = unavailable(genes=True, trait=False)
    assert not info.is_usable and info.is_gene_available and not info.is_available
    rest = (info.is_biased, info.has_age, info.has_gender, info.sample_size, info.note)
    assert rest == (None,) * 5
