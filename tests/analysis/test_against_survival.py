"""Golden values of R survival: made by golden_survival of benchmarks/golden; see VERSIONS.txt."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genotex.analysis import CoxTests, cox_score_tests, kaplan_meier, log_rank_test, split_by_level

GOLDEN = Path(__file__).parents[1] / "fixtures" / "survival" / "cohort.json"
MODELS = [
    "plain",
    "covariates",
    "ties",
    "ties_covariates",
    "near_ties",
    "strata",
    "strata_covariates",
    "missing",
    "missing_ties_strata_covariates",
]


@cache
def golden() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(GOLDEN.read_text())
    return read


def numbers(values: list[float | None]) -> np.ndarray:
    return np.array(values, dtype=float)


def run_case(case: dict[str, Any], samples: slice = slice(None)) -> CoxTests:
    table = golden()["table"]
    name = "expression_missing" if case["missing"] else "expression"
    expression = np.array(golden()[name], dtype=float).T
    covariates = np.column_stack([np.zeros((90, 0)), *(table[c] for c in case["covariates"])])
    strata = table[case["strata"][0]][samples] if case["strata"] else None
    return cox_score_tests(
        expression[samples],
        table[case["time"]][samples],
        table["event"][samples],
        covariates[samples],
        strata=strata,
        covariate_names=case["covariates"],
    )


@pytest.mark.parametrize("model", MODELS)
def test_score_tests_and_estimates_equal_coxph(model: str) -> None:
    case = golden()["cox"][model]
    ours = run_case(case)
    pairs = {
        "z": ours.z,
        "p": ours.p,
        "log_hazard_ratio": ours.log_hazard_ratio,
        "standard_error": ours.standard_error,
        "covariates_log_hazard_ratio": ours.covariates,
    }
    for column, values in pairs.items():
        np.testing.assert_allclose(values, numbers(case[column]), rtol=1e-8, err_msg=column)
    np.testing.assert_array_equal(ours.samples, case["samples"])
    np.testing.assert_array_equal(ours.events, case["events"])


@pytest.mark.parametrize("model", ["plain", "strata_covariates"])
def test_the_order_of_the_samples_does_not_matter(model: str) -> None:
    case = golden()["cox"][model]
    ours = run_case(case, slice(None, None, -1))
    np.testing.assert_allclose(ours.z, numbers(case["z"]), rtol=1e-8)
    np.testing.assert_allclose(ours.log_hazard_ratio, numbers(case["log_hazard_ratio"]), rtol=1e-8)


@pytest.mark.parametrize("name", ["all", "ties", "high", "all_events"])
def test_curve_equals_survfit(name: str) -> None:
    case, table = golden()["kaplan_meier"][name], golden()["table"]
    time, event = (np.array(table[c])[case["samples"]] for c in (case["time"], "event"))
    curve = kaplan_meier(time, event)
    for values, column in zip(curve, ("times", "survival", "lower", "upper"), strict=True):
        np.testing.assert_allclose(values, numbers(case[column]), rtol=1e-8, atol=1e-15)


@pytest.mark.parametrize("name", ["sex", "sex_ties", "third", "third_strata"])
def test_log_rank_test_equals_survdiff(name: str) -> None:
    case, table = golden()["log_rank"][name], golden()["table"]
    strata = table[case["strata"][0]] if case["strata"] else None
    found = log_rank_test(table[case["time"]], table["event"], table[case["group"]], strata=strata)
    assert found.groups == tuple(case["groups"].split())
    assert found.df == case["df"]
    np.testing.assert_allclose(found.observed, case["observed"], rtol=1e-12)
    np.testing.assert_allclose(found.expected, case["expected"], rtol=1e-8)
    np.testing.assert_allclose([found.chi_square, found.p], [case["chi_square"], case["p"]], 1e-8)


def test_thirds_of_a_gene_equal_quantile_and_cut() -> None:
    assert split_by_level(golden()["expression"][0], 3) == golden()["table"]["third"]
