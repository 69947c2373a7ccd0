"""Workflows: what they return, what they write, and what they say as they proceed."""

from __future__ import annotations

import gzip
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from genotex.cohorts import PreprocessOptions, read_own_tables
from genotex.errors import UsageError
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, DesignOptions
from genotex.problems import Problem
from genotex.simulate import simulate_study
from genotex.words import counted
from genotex.workflows import (
    Reading,
    SolveRequest,
    analyze,
    analyze_designs,
    answer,
    combine,
    prepare,
    prepare_designs,
    report,
    solve,
    write_script,
)

FAST = AnalysisOptions(hidden="none", panel=False)


class Heard:
    """What was said: stages in order, and the steps of each."""

    def __init__(self) -> None:
        self.stages: list[str] = []
        self.steps: dict[str, list[tuple[int, int | None]]] = {}

    def __call__(self, stage: str, done: int, total: int | None, last: str) -> None:
        if stage not in self.steps:
            self.stages.append(stage)
        self.steps.setdefault(stage, []).append((done, total))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("study")
    simulate_study(root / "in", samples=24, genes=400)
    return root


TRAIT = "Simulated_Arthritis"
ONE, OTHER = "GSE90000001", "GSE90000002"


@pytest.fixture(scope="module")
def output(study: Path) -> OutputFolder:
    heard = Heard()
    found = prepare(study / "in", study / "out", [TRAIT], PreprocessOptions(), heard)
    assert {each.trait for each in found} == {TRAIT}
    assert heard.stages == ["reading cohorts"]
    assert heard.steps["reading cohorts"] == [
        (0, None), *((number + 1, len(found)) for number in range(len(found))),
    ]  # fmt: skip
    return OutputFolder(study / "out")


def test_a_problem_is_answered_with_a_report_and_a_script(output: OutputFolder) -> None:
    heard, problem = Heard(), Problem(TRAIT)
    found = answer(output, problem, FAST, progress=heard)
    assert found.outcome.result is not None
    assert found.report == output.report(TRAIT, None) and found.report.is_file()
    assert heard.stages == ["testing genes", "writing the report"]
    script = write_script(output, found.outcome)
    assert script is not None and "limma" in script.read_text()


def test_a_problem_without_a_cohort_has_a_page_that_says_so(output: OutputFolder) -> None:
    found = answer(output, Problem("Obesity"), FAST)
    assert found.outcome.result is None
    assert found.report is not None
    assert "no preprocessed cohort" in found.outcome.why
    assert "Obesity" in found.report.read_text()


def test_an_option_that_fits_no_cohort_writes_no_page(output: OutputFolder) -> None:
    found = answer(output, Problem(TRAIT, "Gender"), AnalysisOptions(covariates=("height",)))
    assert found.outcome.wrong_use and found.report is None
    assert write_script(output, found.outcome) is None


def test_reports_that_were_there_are_written_again(output: OutputFolder) -> None:
    one, other = Problem(TRAIT, "Age"), Problem(TRAIT, "Gender")
    answer(output, one, FAST)
    heard = Heard()
    done = analyze(output, [one, other], FAST, progress=heard)
    assert [each.problem for each in done.outcomes] == [one, other]
    assert list(done.reports) == [one] and not done.unwritten
    assert heard.steps["testing genes"] == [(0, 2), (1, 2), (2, 2)]
    assert set(report(output, one)) == {"report"}


def test_cohorts_are_combined_one_problem_after_the_other(output: OutputFolder) -> None:
    problems = [Problem(TRAIT), Problem("Obesity")]
    good, bad = combine(output, problems, FAST)
    assert good.result is not None and good.report is not None and good.report.is_file()
    assert good.summary()["solved"] is True
    assert bad.result is None
    assert bad.summary() == {
        "trait": "Obesity", "condition": None, "solved": False, "why": bad.why,
    }  # fmt: skip
    assert set(report(output, problems[0])) >= {"report over all cohorts"}


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    samples = [f"S{number}" for number in range(12)]
    groups = ["case", "control"] * 6
    rows = ["sample,group,age", *(f"{s},{g},{40 + i}" for i, (s, g) in
                                   enumerate(zip(samples, groups, strict=True)))]  # fmt: skip
    (tmp_path / "samples.csv").write_text("\n".join(rows) + "\n")
    lines = ["gene," + ",".join(samples)]
    for gene in range(60):
        values = (8 + (gene * 7 + i * i * 13) % 17 / 10 + (gene < 5) * (i % 2) for i in range(12))
        lines.append(f"GENE{gene}," + ",".join(f"{value:.2f}" for value in values))
    (tmp_path / "values.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


@pytest.mark.everyday
def test_contrasts_of_a_design_are_tested_and_written(tables: Path) -> None:
    own = read_own_tables(tables / "values.csv", tables / "samples.csv")
    asked = DesignOptions("~ group + age", ("group: case - control", "age"))
    prepared, notes = prepare_designs(own, asked, FAST)
    assert not notes
    heard = Heard()
    tested = analyze_designs(prepared, FAST, OutputFolder(tables / "out"), heard)
    assert len(tested.results) == 2
    assert heard.stages == ["writing the linked tables", "testing genes", "writing the reports"]
    for outcome in tested.outcomes:
        files = tested.summary(outcome)
        for name in ("genes.csv", "report", "analysis.R"):
            assert Path(files[name]).is_file(), name


def test_two_contrasts_of_one_name_are_refused(tables: Path) -> None:
    own = read_own_tables(tables / "values.csv", tables / "samples.csv")
    twice = ("group: case - control", "group: case - control")
    with pytest.raises(UsageError, match="the same name"):
        prepare_designs(own, DesignOptions("~ group", twice), FAST)


@pytest.mark.everyday
def test_raw_files_are_solved_with_script_and_all_cohorts(study: Path, tmp_path: Path) -> None:
    heard, output = Heard(), OutputFolder(tmp_path / "out")
    request = SolveRequest(
        study / "in", output, Problem(TRAIT), FAST, every=True, script=True,
        report=tmp_path / "page.html",
    )  # fmt: skip
    solved = solve(request, heard)
    assert heard.stages == [
        "reading cohorts", "testing genes", "combining cohorts", "writing the report",
    ]  # fmt: skip
    assert {each.trait for each in solved.cohorts} == {TRAIT} and not solved.errors
    assert solved.outcome.result is not None
    assert solved.report == tmp_path / "page.html" and solved.report.is_file()
    assert solved.script is not None and solved.script.is_file() and not solved.no_script
    assert solved.combined is not None and solved.combined.result is not None


@pytest.fixture(scope="module")
def two(study: Path, tmp_path_factory: pytest.TempPathFactory) -> SolveRequest:
    """Two small cohorts, already read."""
    output = OutputFolder(tmp_path_factory.mktemp("two"))
    request = SolveRequest(
        study / "in", output, Problem(TRAIT), FAST, [Reading(cohorts=[ONE, OTHER])]
    )
    prepare(study / "in", output.root, [TRAIT], PreprocessOptions(), cohorts=[ONE, OTHER])
    return request


@pytest.mark.everyday
def test_two_usable_cohorts_are_combined_by_default_and_the_page_of_one_says_so(
    two: SolveRequest,
) -> None:
    solved = solve(two)
    assert solved.combined is not None and solved.combined.result is not None
    assert [each.name for each in solved.combined.result.cohorts] == [ONE, OTHER]
    assert solved.combined.report == two.output.meta_report(TRAIT, None)
    assert solved.report is not None
    page, replicating = solved.report.read_text(), solved.combined.result.replicating.height
    assert f"2 cohorts together ({ONE} and {OTHER}): {counted(replicating, 'gene')} of" in page
    assert f'href="{solved.combined.report.name}"' in page


@pytest.mark.parametrize(
    "change",
    [
        {"every": False},
        {"readings": [Reading(cohorts=[ONE])]},
        {"analysis": replace(FAST, levels="factor")},
    ],
    ids=["the largest was asked for", "one cohort is usable", "several effects of a gene"],
)
def test_one_cohort_answers_where_none_are_combined(
    two: SolveRequest, change: dict[str, Any]
) -> None:
    solved = solve(replace(two, **change))
    assert solved.combined is None
    assert solved.outcome.result is not None and solved.outcome.result.cohort == ONE


def test_the_same_people_under_other_ids_leave_one_cohort_that_answers(
    two: SolveRequest, study: Path, tmp_path: Path
) -> None:
    source = tmp_path / "in"
    shutil.copytree(study / "in" / "GEO" / TRAIT / ONE, source / "GEO" / TRAIT / ONE)
    folder = shutil.copytree(source / "GEO" / TRAIT / ONE, source / "GEO" / TRAIT / "GSE90000099")
    for path in folder.iterdir():
        text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        text = text.replace(b"GSM", b"GSM77").replace(ONE.encode(), b"GSE90000099")
        new = folder / path.name.replace(ONE, "GSE90000099")
        path.unlink()
        new.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    solved = solve(SolveRequest(source, OutputFolder(tmp_path / "out"), Problem(TRAIT), FAST))
    assert solved.outcome.result is not None
    assert solved.combined is not None and solved.combined.result is None
    assert "are of people who are in GSE9000" in solved.combined.why
    assert "the same people would count twice" in solved.combined.why


def test_an_option_that_fits_no_cohort_ends_a_solve_before_anything_is_combined(
    study: Path, tmp_path: Path
) -> None:
    wrong = AnalysisOptions(covariates=("height",))
    request = SolveRequest(
        study / "in", OutputFolder(tmp_path), Problem(TRAIT), wrong, [Reading(cohorts=[ONE])],
        script=True,
    )  # fmt: skip
    solved = solve(request)
    assert [each.cohort for each in solved.cohorts] == [ONE]
    assert solved.outcome.wrong_use
    assert solved.report is None and solved.script is None and solved.combined is None


def test_cohorts_can_be_read_in_different_ways(study: Path, tmp_path: Path) -> None:
    linear = PreprocessOptions(scale="linear")
    readings = [Reading(cohorts=[ONE]), Reading(linear, [OTHER])]
    request = SolveRequest(study / "in", OutputFolder(tmp_path), Problem(TRAIT), FAST, readings)
    solved = solve(request)
    assert [each.cohort for each in solved.cohorts] == [ONE, OTHER]
    assert solved.outcome.result is not None
