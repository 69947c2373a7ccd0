"""Results that another tool computed, as ours: against Hedges' g of metafor."""

from __future__ import annotations

import numpy as np
import pytest

from genotex.analysis import AnalysisResult, combine_results, result_of_other_tool
from genotex.errors import UsageError
from genotex.formats import GeneResults
from genotex.problems import Problem

NOTHING = np.full(3, np.nan)


def found(name: str = "theirs", **columns: list[float]) -> GeneResults:
    given = {
        "effect": [2.0, -1.0, 0.1], "error": [0.4, 0.5, 0.2], "statistic": [5.0, -2.0, 0.5],
        "p": [5.7e-7, 0.0455, 0.617], "q": [1.7e-6, 0.06825, np.nan], **columns,
    }  # fmt: skip
    arrays = {field: np.array(values) for field, values in given.items()}
    return GeneResults(name, "DESeq2", ("A", "B", "C"), **arrays, mean=NOTHING)


def column(result: AnalysisResult, name: str) -> list[float]:
    return result.genes[name].to_list()


def test_the_effect_is_hedges_g_of_the_statistic() -> None:
    result = result_of_other_tool(found(), 6, 8)
    # R metafor 3.8-1: escalc("SMD", ti = c(5, -2, .5), n1i = 6, n2i = 8), yi
    g = [2.5273318, -1.0109327, 0.2527332]
    assert column(result, "Standardised Effect") == pytest.approx(g, rel=1e-7)
    assert result.samples == 14 and result.genes["Samples"].to_list() == [14] * 3
    assert result.significant["Variable"].to_list() == ["A"]
    assert column(result, "Standard Error") == [0.4, 0.5, 0.2]


def test_a_tool_without_statistic_has_the_normal_deviate_of_its_p_value() -> None:
    result = result_of_other_tool(found(statistic=NOTHING.tolist(), error=NOTHING.tolist()), 6, 8)
    assert column(result, "t") == pytest.approx([5.0, -2.0, 0.5], abs=2e-3)
    assert column(result, "Standard Error") == pytest.approx([0.4, 0.5, 0.2], rel=1e-3)


def test_without_sizes_there_is_no_standardised_effect() -> None:
    result = result_of_other_tool(found())
    assert column(result, "Standardised Effect") == [None] * 3 and result.samples == 0


def test_a_size_alone_or_too_small_is_refused() -> None:
    with pytest.raises(UsageError, match="number of cases and that of controls, or neither"):
        result_of_other_tool(found(), 6)
    with pytest.raises(UsageError, match="1 cases and 8 controls are too few"):
        result_of_other_tool(found(), 1, 8)


def test_cohorts_of_which_only_results_are_known_are_combined() -> None:
    both = {name: result_of_other_tool(found(name), 6, 8) for name in ("one", "two")}
    genes = combine_results(Problem("Gout"), both).genes
    assert genes["Variable"].to_list() == ["A", "B", "C"]
    assert genes["Samples"].to_list() == [28] * 3
    alone = both["one"].genes["Standardised Effect"][0]
    assert genes["Combined Effect"][0] == pytest.approx(alone)
