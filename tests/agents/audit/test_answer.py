"""Answers of generated code are computed again; what the toolkit answers is not doubted."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from genotex.agents import Task, audit_answer, toolkit
from genotex.analysis import AnalysisResult, solve_problem, write_result
from genotex.cohorts import PreprocessOptions, preprocess
from genotex.errors import MethodFailedError, UsageError
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem, TaskInfo
from genotex.simulate import simulate_study

TRAIT = "Simulated_Arthritis"
ALONE = Problem(TRAIT)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("study")
    source = simulate_study(root / "in", samples=24, genes=400).folder
    for procedure in ("sound", "benchmark"):
        preprocess(source, root / procedure, options=PreprocessOptions(procedure=procedure))
    return root


@cache
def solve(
    study: Path, problem: Problem, procedure: str = "sound", **options: Any
) -> AnalysisResult:
    chosen = AnalysisOptions(procedure=procedure, **options)  # type: ignore[arg-type]
    tasks = TaskInfo.load(study / "in" / "task_info.json")
    return solve_problem(OutputFolder(study / procedure), problem, chosen, tasks)


def look(
    study: Path, written: Path, found: AnalysisResult, problem: Problem = ALONE
) -> tuple[str, ...]:
    write_result(OutputFolder(written), found)
    procedure = found.method["procedure"]
    tasks = study / "in" / "task_info.json"
    task = Task.of_problem(problem, study / procedure, "output", procedure, tasks)
    return audit_answer(task, written, found.cohort).flags


@pytest.mark.parametrize("procedure", ["sound", "benchmark"])
@pytest.mark.parametrize("condition", [None, "Age", "Simulated_Diabetes"])
def test_answers_of_the_toolkit_are_not_flagged(
    study: Path, tmp_path: Path, condition: str | None, procedure: str
) -> None:
    problem = Problem(TRAIT, condition)
    assert look(study, tmp_path, solve(study, problem, procedure), problem) == ()


@pytest.mark.parametrize("options", [{"covariates": ("Age",)}, {"model": "mixed"}])
def test_what_generated_code_may_choose_is_not_flagged(
    study: Path, tmp_path: Path, options: dict[str, Any]
) -> None:
    assert look(study, tmp_path, solve(study, ALONE, **options)) == ()


def test_options_that_the_toolkit_does_not_offer_are_flagged(study: Path, tmp_path: Path) -> None:
    (flag, *_) = look(study, tmp_path, solve(study, ALONE, q_cut=0.9))
    assert flag.endswith("genes have different values in a rerun: Grade, Significant")


def test_cohort_that_the_toolkit_would_not_choose_is_flagged(study: Path, tmp_path: Path) -> None:
    chosen = solve(study, ALONE).cohort
    other = next(name for name in ("GSE90000001", "GSE90000002") if name != chosen)
    assert look(study, tmp_path, solve(study, ALONE, cohort=other)) == (
        f"the toolkit chooses {chosen} for this problem, the answer uses {other}",
    )


def changed(found: AnalysisResult, **columns: pl.Expr) -> AnalysisResult:
    return replace(found, genes=found.genes.with_columns(**columns))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda r: changed(r, q=pl.col("q") / 2), "in a rerun: q"),
        (lambda r: changed(r, p=pl.col("p") * 1e-30), "in a rerun: p"),
        (lambda r: changed(r, Status=pl.lit("tested")), "in a rerun: Status"),
        (lambda r: replace(r, genes=r.genes[1:]), "its genes are not those of the rerun analysis"),
        (lambda r: replace(r, cv_performance={"prediction": 1.0}), "its quality are not those"),
        (lambda r: replace(r, warnings=()), "its warnings are not those"),
    ],
)
def test_forged_answers_are_flagged(
    study: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[AnalysisResult], AnalysisResult],
    told: str,
) -> None:
    found = solve(study, ALONE)
    # Done again once for all of these.
    monkeypatch.setattr("genotex.agents.audit.answer.analyze_data", lambda *given, threads: found)
    (flag,) = look(study, tmp_path, change(found))
    assert told in flag


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "its options lack 'covariates'"),
        ({"model": "best", "covariates": []}, "model 'best' is not known"),
        ({"model": "moderated", "covariates": ["height"]}, "height"),
    ],
)
def test_options_that_are_none_are_flagged(
    study: Path, tmp_path: Path, options: dict[str, Any], told: str
) -> None:
    found = solve(study, ALONE)
    (flag,) = look(study, tmp_path, replace(found, method={**found.method, "options": options}))
    assert flag.startswith("the analysis cannot be rerun from its record: ")
    assert told in flag


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"model": 1, "covariates": []}, "method.options.model: must be a text, not 1"),
        ({"covariates": [{"a": 1}]}, "method.options.covariates[0]: must be a text"),
    ],
)
def test_options_of_another_kind_are_flagged(
    study: Path, tmp_path: Path, options: dict[str, Any], told: str
) -> None:
    found = solve(study, ALONE)
    (flag,) = look(study, tmp_path, replace(found, method={**found.method, "options": options}))
    assert flag.startswith(f"the answer was not written by the toolkit: {told}")


def test_interactions_written_by_hand_are_flagged(study: Path, tmp_path: Path) -> None:
    problem = Problem(TRAIT, "Age")
    found = solve(study, problem)
    assert look(study, tmp_path, found, problem) == ()
    path = OutputFolder(tmp_path).significant_genes(TRAIT, "Age")
    content = json.loads(path.read_text())
    content["significant_interactions"] = {"Variable": ["A2M"], "Coefficient": [9.0], "q": [0.0]}
    path.write_text(json.dumps(content))
    tasks = study / "in" / "task_info.json"
    task = Task.of_problem(problem, study / "sound", "output", "sound", tasks)
    (flag,) = audit_answer(task, tmp_path, found.cohort).flags
    assert flag == "its interactions are not those of the rerun analysis"


def test_table_of_other_columns_is_refused(study: Path, tmp_path: Path) -> None:
    found = solve(study, ALONE)
    with pytest.raises(MethodFailedError, match="are not those that the toolkit writes"):
        look(study, tmp_path, changed(found, Samples=pl.col("Samples").cast(pl.String)))


def test_answer_from_knowledge_alone_needs_no_cohort(study: Path, tmp_path: Path) -> None:
    task = Task.of_problem(ALONE, study / "sound", "output")
    assert audit_answer(task, tmp_path, None, by_code=False).flags == ()


def statistics(study: Path, output: Path, condition: str | None = None) -> Any:
    tasks = study / "in" / "task_info.json"
    task = Task.of_problem(Problem(TRAIT, condition), study / "sound", output, "sound", tasks)
    return toolkit.load_data(toolkit.choose_data(task))


def test_an_analysis_of_its_own_is_accepted_and_named(study: Path, tmp_path: Path) -> None:
    """Plain pandas and statsmodels, and the moderated t for the genes."""
    from statsmodels.api import OLS  # takes 2 s

    data = statistics(study, tmp_path, "Age")
    table = data.to_pandas().dropna(subset=["Age"])
    genes = table.columns.drop([TRAIT, "Age", "Gender"], errors="ignore")
    design = table.assign(one=1.0)[["one", "Age", TRAIT]]
    found = toolkit.moderated_t(table[genes], design)
    for gene in genes[:5]:
        theirs = OLS(table[gene], design).fit().params[TRAIT]
        assert found.coefficient[gene] == pytest.approx(theirs, rel=1e-9)
    best = found[found.q < 0.05]
    result = toolkit.own_result(data, best.index, best.coefficient, interactions=genes[:2])
    path = toolkit.save_result(result)
    content = json.loads(path.read_text())
    assert content["significant_genes"]["Variable"] == list(best.index)
    assert content["significant_interactions"] == {"Variable": list(genes[:2])}
    audited = audit_answer(data.task, tmp_path, content["cohort"]["id"])
    assert audited.flags == ("the answer is of an analysis of its own, which is not rerun",)


@pytest.mark.parametrize(
    ("genes", "coefficients", "why"),
    [
        (["TP53", "Age"], (), "is not a gene of GSE"),
        (["A", "A"], (), "named twice"),
        (["A"], (1.0, 2.0), "1 genes need as many coefficients"),
        (["A"], (float("nan"),), "all of them numbers"),
    ],
)
def test_an_own_answer_that_cannot_be_is_refused_at_once(
    study: Path, tmp_path: Path, genes: list[str], coefficients: tuple[float, ...], why: str
) -> None:
    data = statistics(study, tmp_path)
    known = [name if name == "Age" else data.columns[3] for name in genes]
    with pytest.raises(UsageError, match=why):
        toolkit.own_result(data, known, coefficients)


def test_a_design_that_cannot_be_fitted_is_refused() -> None:
    values, twice = np.zeros((4, 3)), np.array([[1.0, 2.0], [1, 2], [1, 2], [1, 2]])
    with pytest.raises(UsageError, match="follows from the others"):
        toolkit.moderated_t(values, twice)
    with pytest.raises(UsageError, match="drop those samples"):
        toolkit.moderated_t(values, np.where(twice == 2, np.nan, twice))
    with pytest.raises(UsageError, match=r"\(4, 3\) and \(3, 2\)"):
        toolkit.moderated_t(values, twice[:3])
