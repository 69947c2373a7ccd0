"""Another trait as condition: the pair of cohorts, the predicted condition, both procedures."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from genotex.analysis import (
    ConditionCohort,
    analyze_table,
    check_request,
    read_result,
    solve_problem,
    write_result,
)
from genotex.errors import NoUsableCohortError, UsageError
from genotex.formats import CohortInfo, LinkedTable, update_cohort_info, write_linked_csv
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem, TaskInfo
from tests.analysis.cohort_tables import linked

PROBLEM = Problem("Asthma", "Obesity")
FAST = AnalysisOptions(panel=False, hidden="none")
REGRESSORS = [f"GENE{j}" for j in range(10, 16)]


def cohort(trait: str, first: int, samples: int = 40, seed: int = 0) -> LinkedTable:
    """Genes from `first` on follow the trait; GENE10 to GENE15 follow a hidden condition."""
    rng = np.random.default_rng(seed)
    hidden = rng.integers(0, 2, samples)
    status = hidden if trait == "Obesity" else np.arange(samples) % 2
    values = rng.normal(8, 1, (samples, 60))
    values[:, 10:30] += 2.0 * hidden[:, None]
    if trait == "Asthma":
        values[:, first : first + 5] += 3.0 * status[:, None]
    return linked(status, values, {"Age": rng.integers(30, 70, samples)}, trait)


def put(output: OutputFolder, name: str, table: LinkedTable) -> None:
    info = CohortInfo(True, True, True, True, False, True, False, len(table.samples), None)
    update_cohort_info(output.cohort_info(table.trait), name, info)
    write_linked_csv(output.linked_csv(table.trait, name), table)


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    output = OutputFolder(tmp_path)
    put(output, "GSE1", cohort("Asthma", 0))
    put(output, "GSE2", cohort("Obesity", 0, samples=50, seed=1))
    return output


@pytest.fixture
def tasks(tmp_path: Path) -> TaskInfo:
    path = tmp_path / "task_info.json"
    content = {
        "Asthma": {"related_genes": ["GENE1", "GENE10"], "conditions": ["Obesity"]},
        "Obesity": {"related_genes": [*REGRESSORS, "NOWHERE"], "conditions": []},
        "Gout": {"related_genes": ["NOWHERE"], "conditions": []},
    }
    path.write_text(json.dumps(content))
    return TaskInfo.load(path)


def test_condition_is_predicted_and_its_regressor_genes_are_not_tested(
    output: OutputFolder, tasks: TaskInfo
) -> None:
    result = solve_problem(output, PROBLEM, FAST, tasks)
    record = result.method["two_step"]
    assert (result.cohort, record["cohort"]) == ("GSE1", "GSE2")
    assert record["regressors"] == REGRESSORS
    assert record["score_name"] == "AUROC" and record["score"] > 0.8
    status = dict(result.genes.select("Variable", "Status").iter_rows())
    assert {gene for gene, what in status.items() if what == "regressor"} == set(REGRESSORS)
    assert result.method["filter"]["regressor"] == 6
    assert "Obesity" in result.method["covariates"]
    assert set(result.significant["Variable"]) == {f"GENE{j}" for j in range(5)}


def test_predicted_condition_takes_its_own_genes_out_of_the_residuals(
    output: OutputFolder, tasks: TaskInfo
) -> None:
    """GENE16 to GENE29 follow the condition: with it in the design their errors shrink."""
    given = solve_problem(output, PROBLEM, FAST, tasks).genes
    alone = solve_problem(output, Problem("Asthma"), FAST).genes
    follows = [f"GENE{j}" for j in range(16, 30)]
    errors = [
        genes.filter(genes["Variable"].is_in(follows))["Standard Error"].mean()
        for genes in (given, alone)
    ]
    assert errors[0] < 0.85 * errors[1]  # type: ignore[operator]


def test_exclusive_regressors_leave_the_trait_its_related_genes(
    output: OutputFolder, tasks: TaskInfo
) -> None:
    result = solve_problem(output, PROBLEM, replace(FAST, regressors="exclusive"), tasks)
    assert result.method["two_step"]["regressors"] == REGRESSORS[1:]


def test_list_is_described_by_the_related_genes(output: OutputFolder, tasks: TaskInfo) -> None:
    problem = Problem("Asthma")
    found = solve_problem(output, problem, FAST, tasks)
    genes = set(found.significant["Variable"])
    known = set(tasks.related_genes("Asthma")) & set(found.genes["Variable"])
    hits = len(genes & known)
    selection = found.cv_performance["selection"]
    assert known and set(selection) == {"precision", "recall", "f1", "jaccard"}
    assert selection["recall"] == pytest.approx(100 * hits / len(known))
    assert selection["jaccard"] == pytest.approx(100 * hits / len(genes | known))
    alone = solve_problem(output, problem, FAST)
    assert "selection" not in alone.cv_performance
    assert alone.genes.equals(found.genes)


def test_published_procedure_keeps_the_regressors_among_the_genes(
    output: OutputFolder, tasks: TaskInfo
) -> None:
    options = AnalysisOptions(procedure="benchmark")
    result = solve_problem(output, PROBLEM, options, tasks)
    assert result.genes.height == 60
    assert set(result.cv_performance) == {"prediction", "selection"}
    write_result(output, result)
    content = json.loads(output.significant_genes("Asthma", "Obesity").read_text())
    columns = content["significant_genes"]
    assert list(columns) == ["Variable", "Coefficient", "Absolute Coefficient"]
    sizes = columns["Absolute Coefficient"]
    assert sizes == sorted(sizes, reverse=True) and min(sizes) > 0
    again = read_result(output, "Asthma", "Obesity")
    assert again.significant["Variable"].to_list() == columns["Variable"]


def test_one_series_on_both_sides_is_reported(output: OutputFolder, tasks: TaskInfo) -> None:
    put(output, "GSE1", cohort("Obesity", 0, samples=60, seed=2))
    result = solve_problem(output, PROBLEM, FAST, tasks)
    assert any("GSE1 serves as both cohorts" in warning for warning in result.warnings)


def test_without_related_genes_it_is_refused_before_any_file_is_read(tmp_path: Path) -> None:
    nowhere = OutputFolder(tmp_path / "absent")
    with pytest.raises(UsageError, match=r"related genes of Obesity are needed.*--task-info"):
        solve_problem(nowhere, PROBLEM, FAST)
    with pytest.raises(UsageError, match=r"related genes of Asthma are needed.*--task-info"):
        solve_problem(nowhere, Problem("Asthma"), AnalysisOptions(procedure="benchmark"))


def test_trait_that_the_task_list_does_not_know(tasks: TaskInfo) -> None:
    with pytest.raises(UsageError, match="no trait 'Migraine'"):
        check_request(Problem("Asthma", "Migraine"), FAST, tasks)


def test_related_genes_that_meet_no_gene(output: OutputFolder, tasks: TaskInfo) -> None:
    put(output, "GSE3", cohort("Gout", 0, seed=3))
    with pytest.raises(NoUsableCohortError, match="no regressor gene in both tables"):
        solve_problem(output, Problem("Asthma", "Gout"), FAST, tasks)


def test_condition_without_cohorts(output: OutputFolder, tasks: TaskInfo) -> None:
    with pytest.raises(NoUsableCohortError, match="Gout"):
        solve_problem(output, Problem("Asthma", "Gout"), FAST, tasks)


def test_cohorts_of_both_sides_by_name(output: OutputFolder, tasks: TaskInfo) -> None:
    put(output, "GSE4", cohort("Obesity", 0, samples=30, seed=4))
    options = replace(FAST, cohort="GSE1", condition_cohort="GSE4")
    result = solve_problem(output, PROBLEM, options, tasks)
    assert result.method["two_step"]["cohort"] == "GSE4"
    with pytest.raises(UsageError, match="GSE9"):
        solve_problem(output, PROBLEM, replace(options, condition_cohort="GSE9"), tasks)


def test_table_given_directly_needs_the_conditions_cohort() -> None:
    table = cohort("Asthma", 0)
    with pytest.raises(UsageError, match="cohort of Obesity must be given"):
        analyze_table(table, {}, PROBLEM, FAST)
    other = ConditionCohort("mine", cohort("Obesity", 0, seed=5), tuple(REGRESSORS))
    result = analyze_table(table, {}, PROBLEM, FAST, condition=other)
    assert result.method["two_step"]["cohort"] == "mine"


def test_more_regressors_than_samples(output: OutputFolder, tasks: TaskInfo) -> None:
    """Six regressors, five cases and five controls of the condition."""
    small = cohort("Obesity", 0, samples=10, seed=6)
    small.trait_values[:] = np.arange(10) % 2
    other = ConditionCohort("small", small, tuple(f"GENE{j}" for j in range(10, 30)))
    for options in (FAST, AnalysisOptions(procedure="benchmark")):
        result = analyze_table(
            cohort("Asthma", 0), {}, PROBLEM, options, condition=other, related=("GENE1",)
        )
        assert len(result.method["two_step"]["regressors"]) == 20
