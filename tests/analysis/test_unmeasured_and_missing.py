"""Surrogate variables in cohorts whose genes lack values."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from genotex.analysis import AnalysisOptions, AnalysisResult, analyze_table
from genotex.bench.problems import Problem
from genotex.formats import LinkedTable
from tests.analysis.cohort_tables import linked

OPTIONS = AnalysisOptions(panel=False, filter_low=False)


def hidden_factors(missing: int, samples: int = 60, genes: int = 400) -> LinkedTable:
    """Six hidden factors; the last gene has values in the first samples only."""
    rng = np.random.default_rng(1)
    values = rng.normal(8, 1, (samples, genes))
    values += rng.normal(size=(samples, 6)) @ rng.normal(size=(6, genes))
    trait = np.arange(samples) % 2
    values[:, :20] += 3.0 * trait[:, None]
    values[samples - missing :, -1] = np.nan
    return linked(trait, values)


def solve(table: LinkedTable, options: AnalysisOptions = OPTIONS) -> AnalysisResult:
    return analyze_table(table, {}, Problem("Asthma"), options)


@pytest.mark.parametrize("present", [5, 6, 8, 9])
def test_gene_with_too_few_values_for_the_surrogate_variables(present: int) -> None:
    table = hidden_factors(60 - present)
    result = solve(table)
    assert result.method["hidden"]["ranked_with"]
    assert len(result.method["design"]) == 8
    row = result.genes.row(by_predicate=pl.col("Variable") == "GENE399", named=True)
    assert row["Status"] == "too few values"
    assert row["p"] is None
    assert result.method["filter"]["too few values"] == 1
    assert result.method["filter"]["tested"] == 399
    # The other genes have the answer that they have without it.
    rest = replace(table, genes=table.genes[:-1], expression=table.expression[:, :-1])
    whole = result.genes.head(399)
    assert whole["p"].null_count() == 0
    np.testing.assert_allclose(whole["p"], solve(rest).genes["p"], rtol=1e-10)


def test_gene_with_just_enough_values_is_tested() -> None:
    result = solve(hidden_factors(50))
    assert result.method["filter"]["tested"] == 400
    assert result.genes["p"].null_count() == 0
