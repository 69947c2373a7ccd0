"""Linked tables that somebody else made, with something wrong in them."""

import json
from pathlib import Path

import numpy as np
import pytest

from genotex.analysis import analyze_table, solve_problem, solve_problems
from genotex.errors import AnalysisError, FormatError, GenotexError
from genotex.formats import CohortInfo, update_cohort_info
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem, TaskInfo
from tests.analysis.cohort_tables import linked, two_groups

SOUND = AnalysisOptions(panel=False)
PUBLISHED = AnalysisOptions(procedure="benchmark")
BOTH = pytest.mark.parametrize("options", [SOUND, PUBLISHED], ids=["sound", "benchmark"])


@pytest.fixture
def tasks(tmp_path: Path) -> TaskInfo:
    path = tmp_path / "task_info.json"
    path.write_text(json.dumps({"Asthma": {"related_genes": ["TP53"], "conditions": ["Age"]}}))
    return TaskInfo.load(path)


def put(folder: Path, text: str) -> OutputFolder:
    output = OutputFolder(folder)
    info = CohortInfo(True, True, True, True, False, True, True, 12, None)
    update_cohort_info(output.cohort_info("Asthma"), "GSE1", info)
    path = output.linked_csv("Asthma", "GSE1")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return output


def rows(header: str, cells: str = "{trait},{age},{a},{b}", samples: int = 12) -> str:
    lines = [
        f"GSM{i}," + cells.format(trait=i % 2, age=40 + i, a=5 + 0.1 * i, b=8 - 0.2 * (i % 5))
        for i in range(samples)
    ]
    return "\n".join([header, *lines]) + "\n"


@BOTH
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (rows(",Asthma,Age,TP53,EGFR", "{trait},{age},high,{b}"), "high"),
        (rows(",Asthma,Age,TP53,TP53"), "TP53"),
        (rows(",Age,TP53,EGFR", "{age},{a},{b}"), "Asthma"),
        (rows(",Asthma,Age,TP53,EGFR", "1,{age},{a},{b}"), "Asthma"),
        (rows(",Asthma,Age", "{trait},{age}"), "no genes"),
        ("", "empty"),
        (",Asthma,Age,TP53\n", "no samples"),
    ],
    ids=["text", "twice", "no trait", "constant trait", "no genes", "empty", "header only"],
)
def test_table_that_cannot_be_used(
    tmp_path: Path, tasks: TaskInfo, options: AnalysisOptions, text: str, message: str
) -> None:
    output = put(tmp_path / "o", text)
    with pytest.raises(GenotexError, match=message) as caught:
        solve_problem(output, Problem("Asthma"), options, tasks)
    assert isinstance(caught.value, AnalysisError | FormatError)
    [outcome] = solve_problems(output, [Problem("Asthma")], options, tasks)
    assert outcome.result is None and message in outcome.why
    assert not output.significant_genes("Asthma", None).exists()


@BOTH
def test_related_genes_that_meet_no_gene(options: AnalysisOptions) -> None:
    result = analyze_table(two_groups(), {}, Problem("Asthma"), options, related=("NOWHERE",))
    assert result.genes.height == 60


@BOTH
def test_six_samples_and_one_gene(options: AnalysisOptions) -> None:
    table = linked([0, 1] * 3, np.array([[1.0, 5, 2, 6, 1.5, 5.5]]).T)
    result = analyze_table(table, {}, Problem("Asthma"), options, related=())
    assert result.genes["Variable"].to_list() == ["GENE0"]


@BOTH
def test_genes_that_are_the_same_column(options: AnalysisOptions) -> None:
    values = np.random.default_rng(0).normal(8, 1, (30, 20))
    values[:, 0] += 3 * (np.arange(30) % 2)
    values[:, 1] = values[:, 0]
    table = linked(np.arange(30) % 2, values)
    result = analyze_table(table, {}, Problem("Asthma"), options, related=("GENE0",))
    assert "GENE0" in result.significant["Variable"].to_list()


@BOTH
def test_constant_genes(options: AnalysisOptions) -> None:
    values = np.random.default_rng(1).normal(8, 1, (30, 20))
    values[:, 3] = 7.0
    table = linked(np.arange(30) % 2, values)
    result = analyze_table(table, {}, Problem("Asthma"), options, related=("GENE3",))
    assert "GENE3" not in result.significant["Variable"].to_list()


@BOTH
@pytest.mark.parametrize("condition", ["Age", "Gender"])
def test_condition_that_is_constant_or_absent(options: AnalysisOptions, condition: str) -> None:
    table = linked(np.arange(24) % 2, np.random.default_rng(2).normal(8, 1, (24, 9)))
    table.covariates["Age"] = np.full(24, 50.0)  # type: ignore[index]
    with pytest.raises(AnalysisError, match=condition):
        analyze_table(table, {}, Problem("Asthma", condition), options, related=("GENE1",))


@BOTH
def test_genes_that_part_the_groups_without_exception(options: AnalysisOptions) -> None:
    table = two_groups(samples=40, shift=40.0)
    result = analyze_table(table, {}, Problem("Asthma"), options, related=("GENE0",))
    assert "GENE0" in result.genes["Variable"].head(10).to_list()


@BOTH
def test_samples_without_the_trait_are_left_out(options: AnalysisOptions) -> None:
    table = two_groups(samples=30)
    table.trait_values[[3, 8]] = np.nan
    result = analyze_table(table, {}, Problem("Asthma"), options, related=("GENE0",))
    assert result.samples == 28
    assert any("2 samples" in warning for warning in result.warnings)


def test_more_columns_to_adjust_for_than_samples() -> None:
    table = two_groups(samples=12)
    draws = np.random.default_rng(3).normal(size=(14, 12))
    facts = {
        f"score {k}": {s: f"{draws[k, i]:.3f}" for i, s in enumerate(table.samples)}
        for k in range(14)
    }
    options = AnalysisOptions(panel=False, covariates=("Age", *facts))
    result = analyze_table(table, {}, Problem("Asthma"), options, facts)
    assert result.method["residual_df"] >= 2
    assert any("samples are too few" in warning for warning in result.warnings)
