"""Analyses that are started in the browser: results, cancelling, history."""

from __future__ import annotations

import errno
import re
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genotex.analysis import read_result, solve_problems
from genotex.app import Access
from genotex.clinical import load_sample_sheet
from genotex.cohorts import PreprocessOptions, preprocess
from genotex.io import atomic_folder, atomic_write
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.parallel import start_child
from genotex.problems import Problem
from genotex.simulate import simulate_study
from genotex.studies import MOST_WAITING, AnalysisRecord, JobQueue, JobRecord, Workspace, run_job
from genotex.studies import queue as jobs
from tests.app.conftest import Browser, opened, queue_of, wait
from tests.geo_text import GENES, asthma, series_matrix, write_asthma, write_gz


@pytest.fixture
def folder(input_folder: Path) -> Path:
    return input_folder


@pytest.fixture
def analyst(folder: Path, access: Access) -> Iterator[Browser]:
    with opened(folder, access) as browser:
        yield browser


@pytest.fixture
def series(first_series: str) -> str:
    return first_series


def start(analyst: Browser, trait: str, series: str, **more: str) -> str:
    # A page sends "no" for a checkbox that is not set.
    usual = {"sent": "1", "covariates": "Age,Gender", "panel": "no"}
    data = usual | {"trait": trait, "series": series} | more
    answer = analyst.post("/analysis", data=data, headers=analyst.own)
    assert answer.status_code == 200, answer.text
    return answer.text


@pytest.mark.everyday
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


def compute_long(messages: Connection, root: Path, record: JobRecord) -> None:
    """Compute in one step, longer than any test, in the middle of writing a file and a folder."""
    with atomic_write(root / record.output / "genes.csv") as part, atomic_folder(root / "made"):
        part.write_text("half")
        messages.send(("step", "computing"))
        # Python runs nothing else meanwhile, no handler of a signal either.
        np.frompyfunc(lambda _: sum(range(10**15)), 1, 1)(np.arange(2))


def test_a_long_computation_is_cancelled_within_seconds_and_the_queue_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    functions = iter(["tests.app.test_analysis:compute_long", "genotex.studies.queue:run_in_child"])
    monkeypatch.setattr(
        jobs, "start_child", lambda _, *given, memory: start_child(next(functions), *given)
    )
    queue, names = JobQueue(Workspace(tmp_path)), ("001-Gout", "002-Gout")
    for name in names:
        queue.submit(gout(name))
    while queue.records()[0].step != "computing" and queue.records()[1].step != "computing":
        time.sleep(0.05)
    begun = time.time()
    queue.cancel(names[0])
    wait(queue)
    first, second = map(queue.record, names)
    assert first is not None and first.state == "cancelled" and first.finished is not None
    assert first.finished - begun < 10
    # It was begun, and has no series to analyse.
    assert second is not None and second.state == "failed" and second.begun is not None
    queue.close()
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"analysis.json"}
    assert not (tmp_path / "made").exists() and not [*tmp_path.rglob("*.part")]


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


def gout(name: str = "001-Gout", **more: Any) -> AnalysisRecord:
    return AnalysisRecord(
        name=name, trait="Gout", condition=None, series=["GSE1"], source="input",
        every=False, by_sheet=[], created=1.0, **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("broken", "told"),
    [(1, r"no cohort fits Asthma: GSE2: not usable"), (2, r"GSE1_.* end too early.*; .*GSE2_")],
)
def test_a_job_without_a_result_says_why(tmp_path: Path, broken: int, told: str) -> None:
    paths = [write_asthma(tmp_path / "input", f"GSE{i}", ids=()) for i in (1, 2)]
    for path in paths[:broken]:
        path.write_bytes(path.read_bytes()[:-20])
    record = gout().model_copy(update={"trait": "Asthma", "series": ["GSE1", "GSE2"]})
    end = run_job(tmp_path, record, lambda _: None)
    assert not end.solved and re.search(told, end.message)


@pytest.mark.parametrize("every", [True, False])
def test_a_job_leads_with_all_cohorts_or_answers_from_the_largest(
    tmp_path: Path, every: bool
) -> None:
    trait = simulate_study(tmp_path / "input", samples=24, genes=400).truth.trait
    asked = {"trait": trait, "series": ["GSE90000001", "GSE90000002"], "every": every,
             "options": AnalysisOptions(panel=False, hidden="none")}  # fmt: skip
    end = run_job(tmp_path, gout().model_copy(update=asked), lambda _: None)
    assert end.solved
    together = r"\d+ of \d+ genes replicate over 2 cohorts, \d+ significant; " if every else ""
    assert re.fullmatch(together + r"\d+ of \d+ genes significant in GSE90000001", end.message)
    output = OutputFolder(tmp_path / "analyses" / "001-Gout")
    assert output.meta_report(trait, None).is_file() is every


def test_a_job_whose_process_cannot_start_ends_and_so_does_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(process: BaseProcess) -> None:
        raise OSError(errno.EAGAIN, "no more processes")

    monkeypatch.setattr(BaseProcess, "start", fail)
    queue = JobQueue(Workspace(tmp_path))
    for _ in range(2):
        queue.submit(gout(queue.new_folder("Gout").name))
    assert [record.state for record in wait(queue)] == ["failed"] * 2
    assert "no more processes" in wait(queue)[0].message
    queue.close()


def full(path: Path) -> Any:
    raise OSError(errno.ENOSPC, "No space left on device", str(path))


def test_a_full_disk_is_stated(
    analyst: Browser, place: dict[str, str], series: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "atomic_write", full)
    data = {"trait": place["trait"], "sent": "1", "series": series}
    answer = analyst.post("/analysis", data=data, headers=analyst.own)
    assert answer.status_code == 500 and "No space left on device" in answer.text
    assert queue_of(analyst).records() == []


def test_a_full_disk_leaves_no_job_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = jobs.atomic_write
    queue = JobQueue(Workspace(tmp_path))
    name = queue.new_folder("Gout").name
    monkeypatch.setattr(jobs, "atomic_write", full)
    with pytest.raises(OSError, match="No space"):
        queue.submit(gout(name))
    assert queue.records() == []
    # From now on there is room for the record alone: not for what becomes of the job.
    monkeypatch.setattr(jobs, "atomic_write", written)
    queue._keep(gout(name))
    monkeypatch.setattr(jobs, "atomic_write", full)
    queue._change(name, state="running")
    queue._end(name, "done")
    assert [record.state for record in queue.records()] == ["done"]


def test_what_a_killed_server_left_is_interrupted_and_stays_in_the_history(
    folder: Path, place: dict[str, str]
) -> None:
    record = gout(state="running")
    path = folder / "analyses" / record.name / "analysis.json"
    path.parent.mkdir(parents=True)
    path.write_text(record.model_dump_json(), encoding="utf-8")
    (folder / "analyses" / "002-x").mkdir()
    (folder / "analyses" / "002-x" / "analysis.json").write_text("{}", encoding="utf-8")
    queue = JobQueue(Workspace(folder))
    assert [each.state for each in queue.records()] == ["interrupted"]
    assert queue.new_folder("Gout").name == "003-Gout"


def planned(analyst: Browser, trait: str, series: str, **more: str) -> str:
    data = {"trait": trait, "sent": "1", "series": series, "covariates": "Age,Gender"} | more
    return analyst.post("/analysis/design", data=data, headers=analyst.own).text


def test_the_design_shown_names_groups_covariates_and_what_cannot_be_separated(
    analyst: Browser, place: dict[str, str], series: str
) -> None:
    trait = place["trait"]
    text = planned(analyst, trait, series, covariates="Age")
    assert "+ age</code>" in text and "cases against" in text and "the rules" in text
    analyst.get("/samples", params={"trait": trait, "series": series})
    (sheet,) = analyst.app.state.workbench.sheets._open.values()  # type: ignore[attr-defined]
    rows = [{**row, "sex": "male" if row["group"] == "case" else "female"} for row in sheet.rows]
    sheet._save(rows)
    text = planned(analyst, trait, series)
    assert "+ age</code>" in text and "Gender is not adjusted for" in text
    assert "confounded with Gender" in text and "your sheet" in text


@pytest.mark.parametrize(
    ("rows", "terms"),
    [
        pytest.param(3, "~ group + age + sex", id="age and sex", marks=pytest.mark.everyday),
        pytest.param(1, "~ group", id="neither"),
        pytest.param(0, "~ group + C(pair)", id="pairs"),
    ],
)
def test_the_design_shown_is_the_design_that_runs(
    tmp_path: Path, access: Access, rows: int, terms: str
) -> None:
    pairs = [f"patient: P{number // 2}" for number in range(16)]
    cells = asthma(16)[:rows] if rows else [*asthma(16)[:1], pairs]
    values = np.random.default_rng(1).normal(8, 1, (len(GENES), 16)).tolist()
    text = series_matrix("GSE1", characteristics=cells, values=values)
    write_gz(tmp_path / "input/GEO/Asthma/GSE1/GSE1_series_matrix.txt.gz", text)
    with opened(tmp_path, access) as analyst:
        shown = planned(analyst, "Asthma", "GSE1")
        start(analyst, "Asthma", "GSE1", cohorts="largest")
        (record,) = wait(queue_of(analyst))
    assert record.state == "done", record.message
    assert record.formula == f"{terms}; group: case - control"
    assert f"<code>{terms}</code>, contrast <code>group: case - control</code>" in shown
    assert ("8 pairs by" in shown) is ("pair" in terms) and "suspected" not in shown


def test_an_interrupted_analysis_is_started_again_with_what_it_was_asked(
    folder: Path, access: Access, place: dict[str, str], series: str
) -> None:
    options = AnalysisOptions(q_cut=0.01, exclude_outliers=True, covariates=("Age",))
    asked = {"trait": place["trait"], "series": [series], "condition": "Age", "options": options}
    record = gout(state="running").model_copy(update=asked)
    path = folder / "analyses" / record.name / "analysis.json"
    path.parent.mkdir(parents=True)
    path.write_text(record.model_dump_json(), encoding="utf-8")
    with opened(folder, access) as analyst:
        history = analyst.get("/analysis/history").text
        assert "interrupted" in history and f"again={record.name}" in history
        assert "Significant at q below: 0.01" in history and "Given: Age" in history
        page = analyst.get("/analysis", params={"again": record.name}).text
    assert 'name="q" value="0.01"' in page and 'value="Age" selected' in page
    assert re.search(r'name="exclude_outliers" value="yes" checked', page)
    assert page.count('name="series"') > 1 and page.count(" checked> GSE") == 1
    assert re.search(r'value="largest" checked', page)


def test_an_analysis_is_named_deleted_and_restored(
    analyst: Browser, folder: Path, access: Access
) -> None:
    queue = queue_of(analyst)
    for state in ("done", "running"):
        name = queue.new_folder("Gout").name
        queue._keep(gout(name, state=state))
    about = {"name": "001-Gout"}
    texts = {"title": " Without <the> outlier ", "notes": "GSM7 was left out."}
    page = analyst.post("/analysis/describe", params=about, data=texts, headers=analyst.own).text
    assert "Without &lt;the&gt; outlier" in page and "GSM7 was left out." in page
    assert "Without &lt;the&gt; outlier" in analyst.get("/analysis/history").text
    long = {"title": "x" * 101}
    sent = analyst.post("/analysis/describe", params=about, data=long, headers=analyst.own)
    assert sent.status_code == 400
    for name, code in (("002-Gout", 400), ("../input", 404), ("input", 404), ("001-Gout", 200)):
        answer = analyst.post("/analysis/delete", params={"name": name}, headers=analyst.own)
        assert answer.status_code == code, name
    assert not (folder / "analyses" / "001-Gout").exists() and (folder / "input").is_dir()
    assert queue.new_folder("Gout").name == "003-Gout"
    # A restart forgets nothing.
    again = JobQueue(Workspace(folder))
    assert [each.title for each in again.deleted()] == ["Without <the> outlier"]
    again.restore("001-Gout")
    assert {each.name for each in again.records()} == {"001-Gout", "002-Gout"}
    assert (folder / "analyses" / "001-Gout" / "analysis.json").is_file()
    assert "1 deleted analysis" in analyst.get("/analysis/history").text
