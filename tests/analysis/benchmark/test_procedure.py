"""The result of the procedure: its form, its warnings, and tables that cannot be analysed."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genotex.analysis import analyze_benchmark, read_result, stored_types, write_result
from genotex.errors import AnalysisError
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem

from .published import Cohort, cohort, solve_ours


def changed(own: Cohort, **fields: Any) -> Cohort:
    return Cohort(replace(own.table, **fields), own.related)


@pytest.fixture(scope="module")
def own() -> Cohort:
    return cohort("Asthma", 40, 60)


def test_selected_genes_first_and_the_rest_in_table_order(own: Cohort) -> None:
    result = solve_ours(own)
    genes = result.genes
    assert dict(genes.schema) == stored_types()
    count = len(result.significant)
    assert 0 < count < 60
    sizes = genes["Absolute Coefficient"][:count]
    assert sizes.is_sorted(descending=True) and sizes.min() > 0
    assert set(genes["Status"][:count]) == {"selected"}
    rest = genes[count:]
    assert set(rest["Status"]) == {"not selected"}
    place = {name: j for j, name in enumerate(own.table.genes)}
    assert [place[name] for name in rest["Variable"]] == sorted(
        place[name] for name in rest["Variable"]
    )
    assert rest["Coefficient"].null_count() == len(rest)
    assert genes["p"].null_count() == 60


def test_method_records_what_was_done(own: Cohort) -> None:
    method = solve_ours(own, "Age").method
    assert method["procedure"] == "benchmark"
    assert method["covariates"] == ["Age"]
    assert method["filter"] == {"genes": 60, "tested": 60}
    assert method["contrast"]["kind"] == "binary"
    sizes = method["contrast"]["group_sizes"]
    assert sizes["case"] + sizes["control"] == 40
    assert [row["lambda"] for row in method["tuning"]] == [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1]
    assert method["solver"]["name"] == "scikit-learn"
    assert method["batch_effect"]["threshold"] == 5.0 and not method["rotated"]
    json.dumps(method, allow_nan=False)


def test_method_records_only_the_options_that_count(own: Cohort) -> None:
    assert solve_ours(own, solver="exact", q_cut=0.2, cohort="GSE1").method["options"] == {
        "procedure": "benchmark",
        "solver": "exact",
        "fixed_lambda": None,
        "batch_correction": True,
        "regressors": "inclusive",
        "cohort": "GSE1",
        "condition_cohort": None,
        "among": None,
    }


def test_result_survives_its_files(own: Cohort, tmp_path: Path) -> None:
    result = solve_ours(own)
    write_result(OutputFolder(tmp_path), result)
    again = read_result(OutputFolder(tmp_path), "Asthma", None)
    assert again.genes.equals(result.genes)
    assert again.cv_performance == result.cv_performance
    assert again.samples == 40


def test_a_continuous_trait() -> None:
    result = solve_ours(cohort("Asthma", 40, 60, binary=False))
    assert result.method["contrast"]["kind"] == "continuous"
    assert list(result.cv_performance["prediction"]) == ["nmse", "r_squared"]


def test_two_step_records_how_the_condition_was_predicted(own: Cohort) -> None:
    other = cohort("Obesity", 50, 60, seed=9, shift=1)
    result = solve_ours(own, "Obesity", other)
    record = result.method["two_step"]
    assert record["condition"] == "Obesity" and record["rule"] == "inclusive"
    assert record["samples"] == 50 and record["model"] == "logistic regression, L2"
    json.dumps(result.method, allow_nan=False)


def test_the_exact_solver_reaches_the_optimum_and_reports_it(own: Cohort) -> None:
    result = solve_ours(own, solver="exact", threads=2)
    solver = result.method["solver"]
    assert solver["name"] == "exact" and solver["relative_gap"] <= 1e-6
    assert not any("stopped short" in warning for warning in result.warnings)
    assert solve_ours(own, solver="exact").genes.equals(result.genes)


@pytest.mark.parametrize(("samples", "seed"), [(66, 206), (60, 245), (45, 1)])
def test_a_two_step_problem_solved_exactly_at_the_smallest_lambda(samples: int, seed: int) -> None:
    # Where all genes are related, all lambdas are as precise, and the smallest wins.
    table = cohort("Asthma", samples, samples + 1, seed=seed).table
    other = cohort("Obesity", 50, samples + 1, seed=9, shift=1)
    result = solve_ours(Cohort(table, table.genes), "Obesity", other, solver="exact")
    solver = result.method["solver"]
    assert solver["lambda"] == 1e-6 and solver["relative_gap"] <= 1e-6
    assert not any("stopped short" in warning for warning in result.warnings)


def test_prior_knowledge_is_named(own: Cohort) -> None:
    assert any("Prior knowledge of the same trait" in text for text in solve_ours(own).warnings)


def test_a_solver_that_stopped_short_is_named() -> None:
    wide = cohort("Asthma", 40, 300, seed=2)
    result = solve_ours(wide)
    assert result.method["solver"]["lambda"] <= 1e-3
    assert any("stopped short of the optimum, as the published" in w for w in result.warnings)


def test_related_genes_that_meet_no_gene_of_the_table(own: Cohort) -> None:
    result = solve_ours(Cohort(own.table, ("ELSEWHERE",)))
    assert result.method["solver"]["lambda"] == 0.1
    assert set(result.cv_performance["selection"].values()) == {0.0}
    assert result.warnings[0].startswith("None of the 1 related genes of Asthma is in")


def test_a_related_gene_that_no_fold_selects(own: Cohort) -> None:
    constant = own.table.genes[30]
    result = solve_ours(Cohort(own.table, (constant,)))
    assert result.method["solver"]["lambda"] == 0.1
    assert result.warnings[0].startswith("No fold selected a related gene of Asthma")


def test_other_codes_of_a_binary_trait_are_coded_anew(own: Cohort) -> None:
    other_codes = changed(own, trait_values=own.table.trait_values * 3 + 2)
    result = solve_ours(other_codes)
    assert result.genes.equals(solve_ours(own).genes)
    assert result.warnings[0] == "Asthma has the values 2 and 5; they were coded as 0 and 1."


def test_samples_without_the_trait_are_left_out(own: Cohort) -> None:
    table = own.table
    values = table.trait_values.copy()
    values[[3, 7]] = np.nan
    keep = np.isfinite(values)
    fewer = changed(
        own,
        samples=tuple(np.array(table.samples)[keep]),
        trait_values=values[keep],
        covariates={name: column[keep] for name, column in table.covariates.items()},
        expression=table.expression[keep],
    )
    result = solve_ours(changed(own, trait_values=values), "Age")
    assert result.genes.equals(solve_ours(fewer, "Age").genes)
    assert result.warnings[0] == "2 samples without Asthma were left out."


def test_the_table_is_left_as_it_was(own: Cohort) -> None:
    before = own.table.expression.copy()
    solve_ours(own)
    np.testing.assert_array_equal(own.table.expression, before)


def test_memory_order_of_the_table_does_not_matter(own: Cohort) -> None:
    turned = changed(own, expression=np.asfortranarray(own.table.expression))
    assert solve_ours(turned).genes.equals(solve_ours(own).genes)


def test_one_gene_and_six_samples() -> None:
    table = cohort("Asthma", 6, 12, seed=1).table
    single = replace(table, genes=("G0",), expression=table.expression[:, :1])
    result = solve_ours(Cohort(single, ("G0",)))
    assert len(result.genes) == 1


def test_training_rows_of_one_class(own: Cohort) -> None:
    values = np.zeros(40)
    values[0] = 1
    result = solve_ours(changed(own, trait_values=values))
    assert all(np.isfinite(list(result.cv_performance["prediction"].values())))


def test_a_condition_equal_to_the_trait_leaves_nothing(own: Cohort) -> None:
    same = changed(own, covariates={"Age": own.table.trait_values.copy()})
    result = solve_ours(same, "Age")
    assert len(result.significant) == 0
    assert any("No gene was selected" in warning for warning in result.warnings)


def with_value(own: Cohort, value: float) -> Mapping[str, Any]:
    expression = own.table.expression.copy()
    expression[2, 5] = value
    return {"expression": expression}


def test_tables_that_cannot_be_analysed(own: Cohort) -> None:
    cases: list[tuple[Mapping[str, Any], str]] = [
        (with_value(own, np.nan), "needs the filled table; preprocess the cohort again"),
        (with_value(own, np.inf), "values beyond 1e\\+100"),
        ({"trait_values": np.ones(40)}, "does not vary"),
        (
            {"trait_values": np.r_[0.0, 1, 0, 1, 1, np.full(35, np.nan)]},
            "5 samples are too few for five folds.*take another",
        ),
        ({"trait_values": np.r_[np.arange(39.0), 1e200]}, "Asthma has values beyond"),
        ({"expression": own.table.expression[:, 1:]}, "its names give"),
        ({"genes": (), "expression": np.empty((40, 0))}, "40 samples and 0 genes"),
    ]
    for fields, message in cases:
        with pytest.raises(AnalysisError, match=message):
            solve_ours(changed(own, **fields))
    with pytest.raises(AnalysisError, match="the cohort has no Age"):
        solve_ours(changed(own, covariates={}), "Age")


def test_a_two_step_problem_without_the_cohort_of_its_condition(own: Cohort) -> None:
    for other in (None, cohort("Anxiety", 30, 60)):
        with pytest.raises(AnalysisError, match="needs a cohort of Obesity to learn it from"):
            solve_ours(own, "Obesity", other)


def test_a_cohort_of_another_trait(own: Cohort) -> None:
    with pytest.raises(AnalysisError, match="holds Asthma"):
        analyze_benchmark(own.table, Problem("Gout"), AnalysisOptions(), own.related, None)
