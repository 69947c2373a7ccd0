"""Analyses that are started in the browser: results, cancelling, history."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from genotex.analysis import read_result, solve_problems
from genotex.app import Access, Workspace
from genotex.app.jobs import MOST_WAITING, AnalysisRecord, JobQueue
from genotex.bench import Problem
from genotex.clinical import load_sample_sheet
from genotex.cohorts import PreprocessOptions, preprocess
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from tests.app.conftest import Browser

LONGEST = 300.0


@pytest.fixture
def folder(study_folder: Path, tmp_path: Path) -> Path:
    shutil.copytree(study_folder / "input", tmp_path / "input")
    return tmp_path


@pytest.fixture
def analyst(folder: Path, access: Access) -> Iterator[Browser]:
    with Browser(folder, access) as browser:
        browser.get("/", params={"token": access.token})
        yield browser


@pytest.fixture
def series(folder: Path, place: dict[str, str]) -> str:
    return min(path.name for path in (folder / "input" / "GEO" / place["trait"]).iterdir())


def start(analyst: Browser, trait: str, series: str, **more: str) -> str:
    data = {"trait": trait, "sent": "1", "series": series, "covariate": ["Age", "Gender"], **more}
    answer = analyst.post("/analysis", data=data, headers=analyst.own)
    assert answer.status_code == 200, answer.text
    return answer.text


def queue_of(analyst: Browser) -> JobQueue:
    queue = analyst.app.state.workbench.jobs  # type: ignore[attr-defined]
    assert isinstance(queue, JobQueue)
    return queue


def wait(queue: JobQueue) -> list[AnalysisRecord]:
    until = time.monotonic() + LONGEST
    while any(record.open for record in queue.records()):
        assert time.monotonic() < until, queue.records()
        time.sleep(0.05)
    return queue.records()


def test_an_analysis_gives_what_the_command_gives(
    analyst: Browser, folder: Path, place: dict[str, str], series: str, tmp_path: Path
) -> None:
    trait = place["trait"]
    editor = {"trait": trait, "series": series}
    analyst.get("/samples", params=editor)
    (sheet,) = analyst.app.state.workbench.sheets._open.values()  # type: ignore[attr-defined]
    two = [row["sample"] for row in sheet.rows if row["group"] == "control"][:2]
    data = {"change": "exclude:yes", "sample": two, "version": 0}
    analyst.post("/samples/assign", params=editor, data=data, headers=analyst.own)

    assert "001-" in start(analyst, trait, series)
    (record,) = wait(queue_of(analyst))
    assert record.state == "done" and "genes significant" in record.message
    assert record.formula.startswith("~ group")
    here = read_result(OutputFolder(folder / "analyses" / record.name), trait, None)

    output, saved = tmp_path / "by_command", folder / "sheets" / trait / f"{series}.csv"
    options = PreprocessOptions(samples=saved, sheet=load_sample_sheet(saved))
    preprocess(folder / "input", output, traits=[trait], cohorts=[series], options=options)
    chosen = AnalysisOptions(panel=False, among=(series,))
    solve_problems(OutputFolder(output), [Problem(trait)], chosen)
    assert here.genes.equals(read_result(OutputFolder(output), trait, None).genes)
    assert not set(two) & set(here.method["contrast"]["samples"]["control"])

    page = analyst.get("/genes", params=place | {"output": f"analyses/{record.name}"})
    assert page.status_code == 200
    assert f"analyses/{record.name}" in analyst.get("/").text


def test_what_waits_and_what_runs_is_cancelled_and_nothing_is_overwritten(
    analyst: Browser, folder: Path, place: dict[str, str], series: str
) -> None:
    for _ in range(2):
        start(analyst, place["trait"], series)
    queue = queue_of(analyst)
    for record in queue.records():
        data = {"name": record.name}
        assert analyst.post("/analysis/cancel", params=data, headers=analyst.own).is_success
    assert [record.state for record in wait(queue)] == ["cancelled"] * 2
    assert len(list((folder / "analyses").iterdir())) == 2
    assert not list((folder / "analyses").rglob("*.part"))


def test_the_queue_has_a_limit(
    analyst: Browser, place: dict[str, str], series: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = queue_of(analyst)
    queue._waiting.extend(str(number) for number in range(MOST_WAITING))
    data = {"trait": place["trait"], "sent": "1", "series": series}
    answer = analyst.post("/analysis", data=data, headers=analyst.own)
    assert answer.status_code == 400 and "waiting already" in answer.text
    queue._waiting.clear()


def test_options_that_make_no_sense_are_refused_before_a_folder_is_made(
    analyst: Browser, folder: Path, place: dict[str, str], series: str
) -> None:
    for data in ({"series": series, "q": "7"}, {"series": "GSE0"}):
        sent = {"trait": place["trait"], "sent": "1", **data}
        assert analyst.post("/analysis", data=sent, headers=analyst.own).status_code == 400
    assert not (folder / "analyses").exists()


def test_what_a_killed_server_left_is_interrupted_and_stays_in_the_history(
    folder: Path, place: dict[str, str]
) -> None:
    record = AnalysisRecord(
        name="001-Gout", trait="Gout", condition=None, series=["GSE1"], source="input",
        every=False, covariates=[], q_cut=0.05, hidden="auto", panel=False, by_sheet=[],
        created=1.0, state="running",
    )  # fmt: skip
    path = folder / "analyses" / record.name / "analysis.json"
    path.parent.mkdir(parents=True)
    path.write_text(record.model_dump_json(), encoding="utf-8")
    (folder / "analyses" / "002-x").mkdir()
    (folder / "analyses" / "002-x" / "analysis.json").write_text("{}", encoding="utf-8")
    queue = JobQueue(Workspace(folder))
    assert [each.state for each in queue.records()] == ["interrupted"]
    assert queue.new_folder("Gout").name == "003-Gout"


def test_the_design_is_shown_with_counts_and_warnings(
    analyst: Browser, place: dict[str, str], series: str
) -> None:
    query = {"trait": place["trait"], "sent": "1", "series": series, "covariate": "Age"}
    text = analyst.get("/analysis/design", params=query).text
    assert "~ group + age" in text and "case" in text and "the rules" in text
    analyst.get("/samples", params={"trait": place["trait"], "series": series})
    (sheet,) = analyst.app.state.workbench.sheets._open.values()  # type: ignore[attr-defined]
    for row in sheet.rows:
        row["sex"] = "male" if row["group"] == "case" else "female"
    assert "sex is confounded" in analyst.get("/analysis/design", params=query).text
    assert analyst.get("/analysis").status_code == 200
