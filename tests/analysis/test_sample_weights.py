"""Weights of samples against R limma's arrayWeights: golden_limma of benchmarks/golden."""

import numpy as np
import polars as pl
import pytest

from genotex.analysis import estimate_sample_weights
from tests.analysis.test_against_limma import GOLDEN, design_and_expression, read


def uneven() -> tuple[np.ndarray, np.ndarray, list[str]]:
    design, _ = design_and_expression("hypervariable")
    expression = read("uneven_expression.csv").drop("gene").to_numpy().T
    three = pl.read_csv(GOLDEN / "uneven_weights_limma.csv")["three"].to_list()
    return design, expression, three


def golden(column: str) -> np.ndarray:
    table = pl.read_csv(GOLDEN / "uneven_weights_limma.csv", infer_schema=False)
    return table[column].str.strip_chars().cast(pl.Float64).to_numpy()


def observed() -> np.ndarray:
    return read("uneven_observed.csv").drop("sample").to_numpy()


def test_one_weight_for_each_group_as_in_limma() -> None:
    design, expression, three = uneven()
    by_group = estimate_sample_weights(expression, design, design[:, -1])
    np.testing.assert_allclose(by_group, golden("by_group"), rtol=1e-6)
    by_three = estimate_sample_weights(expression, design, three)
    np.testing.assert_allclose(by_three, golden("by_three"), rtol=1e-6)


def test_one_weight_for_each_sample_as_in_limma() -> None:
    design, expression, _ = uneven()
    ours = estimate_sample_weights(expression, design)
    # limma ends its iterations when the gain no longer falls, a little before the maximum.
    np.testing.assert_allclose(ours, golden("by_sample"), rtol=1e-5)


@pytest.mark.parametrize("kind", ["group", "sample"])
def test_with_weights_of_observations_as_in_limma(kind: str) -> None:
    design, expression, _ = uneven()
    groups = design[:, -1] if kind == "group" else None
    ours = estimate_sample_weights(expression, design, groups, observed())
    np.testing.assert_allclose(ours, golden(f"observed_by_{kind}"), rtol=1e-6)


def test_without_degrees_of_freedom_or_groups_all_weigh_the_same() -> None:
    design, expression, _ = uneven()
    assert (estimate_sample_weights(expression[:5], design[:5]) == 1).all()
    assert (estimate_sample_weights(expression, design, ["a"] * 12) == 1).all()
    assert (estimate_sample_weights(expression[:, :1], design) == 1).all()


def test_constant_genes_count_for_nothing() -> None:
    design, expression, _ = uneven()
    constant = np.column_stack([expression, np.full((12, 5), 7.0)])
    weights = estimate_sample_weights(constant, design, design[:, -1])
    np.testing.assert_allclose(
        weights, estimate_sample_weights(expression, design, design[:, -1]), rtol=1e-9
    )
