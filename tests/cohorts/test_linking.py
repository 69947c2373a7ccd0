import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from genotex.cohorts.linking import drop_incomplete, fill, link
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
    table = link(
        "Asthma",
        ("GSM1", "GSM2", "GSM3"),
        np.array([0.0, 1.0, 1.0]),
        {"Age": np.array([41.0, 42.0, 43.0])},
        genes,
    )
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
