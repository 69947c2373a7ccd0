"""Pages of runs show each number under its own header: runs, notebooks, outcomes, leaderboard."""

from __future__ import annotations

import datetime
import io
import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from genotex.agents import Card, NotebookRecord, State, Task
from genotex.app import Access
from genotex.bench import read_scores, summarise
from genotex.journal import open_journal
from genotex.models import Total, UsageRow
from genotex.problems import Problem
from tests.agents.team.conftest import Played, PlayedModel, play
from tests.app.conftest import Browser, opened, scored
from tests.app.drawn import series_of
from tests.html_tables import rows_of, table_with, tables_of
from tests.shown import agrees

RUNS = "genotex.app.runs"
NOTEBOOK = {"run": "team", "trait": "Asthma", "notebook": "GSE1"}


@pytest.fixture
def browser(tmp_path: Path, access: Access) -> Iterator[Browser]:
    with opened(tmp_path, access) as browser:
        yield browser


def write_run(root: Path, problems: int, lines: str = "", **settings: Any) -> Path:
    """Write a run of the rules; with the lines of its table it is finished."""
    folder = root / "run"
    folder.mkdir(parents=True)
    asked = [{"trait": f"T{i}", "condition": None} for i in range(problems)]
    settings = {"method": "rules", "options": {}, "problems": asked} | settings
    (folder / "run.json").write_text(json.dumps(settings), encoding="utf-8")
    if lines:
        head = "trait,condition,success,seconds,error_class,error\n"
        (folder / "problems.csv").write_text(head + lines, encoding="utf-8")
        summary = {"answered": lines.count(",True,"), "by_error_class": {"time limit": 2}}
        (folder / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    return folder


def test_each_run_has_its_own_numbers_and_the_newest_is_first(
    browser: Browser, tmp_path: Path
) -> None:
    who = {"method": "agents", "options": {"agent": "solo", "models": {"model": "m1"}}}
    times = {"done": 1.7e9, "left": 1.6e9, "now": 4e9}
    folders = [
        write_run(tmp_path / "done", 4, "A,,True,1,,\nB,,True,1,,\nC,,False,1,time limit,late\n"),
        write_run(tmp_path / "left", 3, **who),
        write_run(tmp_path / "now", 2),
    ]
    for folder in folders:
        os.utime(folder / "run.json", (times[folder.parent.name],) * 2)
    scored(tmp_path / "done")
    rows = table_with(browser.get("/runs").text, "Who answers", "Problems")
    states = {"done": "finished", "left": "not finished", "now": "running"}
    wanted = [("now", "rules", 2, ""), ("done", "rules", 4, "2"), ("left", "solo, m1", 3, "")]
    assert rows == [
        {
            "Run": name, "Who answers": whose, "Problems": str(problems), "Answered": answered,
            "State": states[name], "Scores": "scores" if name == "done" else "",
            "Last written": f"{datetime.datetime.fromtimestamp(times[name]):%Y-%m-%d %H:%M}",
        }
        for name, whose, problems, answered in wanted
    ]  # fmt: skip


def test_problems_without_an_answer_are_first_and_say_why(browser: Browser, tmp_path: Path) -> None:
    lines = "Gout,,True,1.5,,\nLung_Cancer,Age,False,2.5,time limit,too late\nAcne,Age,True,3,,\n"
    write_run(tmp_path / "mine", 5, lines, procedure="sound")
    page = browser.get("/run", params={"run": "mine"}).text
    assert '<p class="lead">rules; procedure sound</p>' in page
    assert "Finished: 3 of 5 problems ended, 2 answered." in page
    assert re.findall(r'<th scope="row">time limit</th><td class="num">(.*?)</td>', page) == ["2"]
    late = "time limit: too late"
    assert [tuple(row.values()) for row in table_with(page, "Trait", "Outcome")] == [
        ("Lung Cancer", "Age", late, "2.5"), ("Gout", "", "answered", "1.5"),
        ("Acne", "Age", "answered", "3"),
    ]  # fmt: skip


def test_a_run_under_way_has_what_came_of_the_last_attempt(
    browser: Browser, tmp_path: Path
) -> None:
    folder = write_run(tmp_path / "mine", 5)
    with open_journal(folder / "journal.jsonl") as journal:
        for trait, condition, seconds, error in (
            ("Gout", "Age", 1.5, "not found"), ("Acne", None, 2.5, None), ("Gout", None, 4.5, None),
            ("Gout", "Age", 3.5, "too late"),
        ):  # fmt: skip
            kind = "time limit" if error else None
            place = {"trait": trait, "condition": condition, "seconds": seconds}
            journal.add({"step": "problem", **place, "error": error, "error_class": kind})
    page = browser.get("/run", params={"run": "mine"}).text
    assert "Running: 3 of 5 problems ended, 2 answered." in page
    assert [tuple(row.values()) for row in table_with(page, "Trait", "Outcome")] == [
        ("Gout", "Age", "time limit: too late", "3.5"), ("Acne", "", "answered", "2.5"),
        ("Gout", "", "answered", "4.5"),
    ]  # fmt: skip


def test_a_notebook_of_the_list_has_its_own_state_and_numbers(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(tmp_path / "team", 1, method="agents")
    first, second, last = (
        Task(kind, "Lung_Cancer", "in", "out", cohort=cohort, condition=condition)
        for kind, cohort, condition in (
            ("geo", "GSE1", None), ("geo", "GSE2", None), ("statistics", "", "Age"),
        )
    )  # fmt: skip
    ended = NotebookRecord(first, State.FAILED)
    spent = {"model_seconds": 20.25, "cell_seconds": 3.0, "waiting_seconds": 100.0}
    ended = replace(ended, tally=replace(ended.tally, **spent, steps=6, reviews=4))
    rows = [
        SimpleNamespace(
            task=task, state=state, record=record, begun=begun, why=why,
            usage=UsageRow(calls=calls, failed=9, cost=Total(Decimal(cost)), working=60.0),
        )
        for task, state, record, begun, why, calls, cost in (
            (first, "failed", ended, True, "no gene", 7, "1.25"),
            (second, "under way", None, True, "", 3, "0.5"),
            (last, "not begun", None, False, "", 0, "0"),
        )
    ]  # fmt: skip
    monkeypatch.setattr(f"{RUNS}.pages.overview", lambda _: rows)
    page = browser.get("/run", params={"run": "team"}).text
    shown = table_with(page, "Notebook", "Calls")
    heads = ("Notebook", "Trait", "State", "Steps", "Seconds", "Calls", "Cost", "Why")
    trait = "Lung Cancer"
    assert [tuple(row[head] for head in heads) for row in shown] == [
        ("GSE1", trait, "failed", "6", "23.2", "7", "$1.25", "no gene"),
        ("GSE2", trait, "under way", "", "", "3", "$0.5", ""),
        (f"{trait} given Age", trait, "not begun", "", "", "0", "$0", ""),
    ]
    assert re.findall('notebook=([^"]*)', page) == ["GSE1", "GSE2"]


def test_runs_are_ranked_with_their_own_scores_calls_and_costs(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {"weak": (40.0, 0.6), "best": (80.0, 0.9), "fair": (60.0, 0.7)}
    write_run(tmp_path / "best", 5, method="agents")
    usages = [UsageRow(7, 100, cost=Total(Decimal("1.25"))), UsageRow(3, cost=Total(Decimal(2)))]
    rows = [SimpleNamespace(usage=usage) for usage in usages]
    monkeypatch.setattr(f"{RUNS}.leaderboard.overview", lambda _: rows)
    for name, (f1, auroc) in known.items():
        scored(tmp_path / name, f1=f1, auroc=auroc)
    write_run(tmp_path / "weak", 4)
    folder = write_run(tmp_path / "fair", 4, method="command")
    (folder / "problems.csv").write_text("trait,cost\nA,0.25\nB,0.75\n", encoding="utf-8")
    page = browser.get("/runs/leaderboard").text
    ranked, changes = (t for t in tables_of(page.partition("<details>")[0]))
    assert [row["Run"] for row in ranked] == ["best", "fair", "weak"]
    used = {
        "weak": ("rules", "0", "$0"), "fair": ("command", "not recorded", "$2"),
        "best": ("team", "10", "$3.25"),
    }  # fmt: skip
    figures = {"F1 (%)": "f1", "AUROC": "auroc", "AUPRC": "auprc", "success (%)": "success"}
    means = {}
    for row in ranked:
        name = row["Run"]
        calls = tuple(row[head] for head in ("Who answers", "Calls", "Cost"))
        assert calls == used[name]
        scores = summarise(read_scores(tmp_path / name / "scores" / "scores.json"))
        means[name] = scores.sections["analysis"]
        for head, key in figures.items():
            assert_with_interval(row[head], means[name][key].average, means[name][key].interval)
    assert means["best"]["f1"].average > means["fair"]["f1"].average
    # A difference is that of a run less the best, and better is positive.
    for baseline, others in (("best", ("fair", "weak")), ("weak", ("best", "fair"))):
        page = browser.get("/runs/leaderboard", params={"baseline": baseline}).text
        _, changes = tables_of(page.partition("<details>")[0])
        assert [row["Run"] for row in changes] == list(others)
        assert f'value="{baseline}" selected' in page
        for row in changes:
            for head, key in figures.items():
                less = means[row["Run"]][key].average - means[baseline][key].average
                assert_with_interval(row[f"{head} (95 %)"], less)
    points = browser.get("/runs/points", params={"by": "auroc"}).json()
    labels = [points["rows"][0][0][axis]["label"] for axis in "xy"]
    assert labels == ["US dollars for each problem", "AUROC"]
    (drawn,) = series_of(points).values()
    at = dict(zip(drawn["ids"], zip(drawn["x"], drawn["y"], strict=True), strict=True))
    assert at == {
        name: (pytest.approx(cost), pytest.approx(means[name]["auroc"].average, abs=1e-4))
        for name, cost in (("weak", 0.0), ("fair", 0.5), ("best", 0.65))
    }
    stored = pl.read_csv(io.BytesIO(browser.get("/runs.csv").content))
    heads = ("run", "group", "who", "problems", "calls", "cost (US dollars)", "cost")
    assert stored.select(heads).rows() == [
        ("best", 1, "team", 5, 10, 3.25, "$3.25"), ("fair", 1, "command", 4, None, 2.0, "$2"),
        ("weak", 1, "rules", 4, 0, 0.0, "$0"),
    ]  # fmt: skip
    for line in stored.iter_rows(named=True):
        for head, key in figures.items():
            average = means[line["run"]][key]
            ends = average.interval or (None, None)
            wanted = dict(
                zip((head, f"{head}, low", f"{head}, high"), (average.average, *ends), strict=True)
            )
            assert all(line[name] == pytest.approx(value) for name, value in wanted.items())


def assert_with_interval(text: str, value: float, ends: tuple[float, float] | None = None) -> None:
    mean, _, rest = text.partition(" (")
    assert agrees(mean, value), (text, value)
    if ends is not None:
        assert agrees(rest.rstrip(")"), *ends), (text, ends)


def planned(card: Card) -> Any:
    """Answer as `play`, with a reason of its own for each plan."""
    said = play(card)
    if card.occasion == "plan":
        said["reasoning"] = "back to it" if said["retract"] else said["action"]
    return said


def test_a_notebook_states_the_plan_end_and_review_of_each_step(
    browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "input" / "GEO" / "Asthma" / "GSE1").mkdir(parents=True)
    model = PlayedModel(planned)
    Played(tmp_path / "team", tmp_path / "input", (Problem("Asthma", "Age"),), model).run()
    place = {"run": "team", "trait": "Asthma", "notebook": "GSE1"}
    page = browser.get("/run/notebook", params=place).text
    sums = {}
    for row in rows_of(page):
        calls = int(row["Calls"])
        sums[row["Role"]] = calls
        assert (row["Tokens in"], row["Tokens out"]) == (f"{100 * calls}", f"{10 * calls}")
        assert (row["Cost"], row["Seconds"]) == ("cost unknown", f"{calls / 2:.1f}")
    parts = re.split(r'<section class="step', page)[1:]
    steps = [
        (dropped == " dropped", title, why)
        for dropped, title, why in (
            re.findall(r'^(.*?)">\n<h2>(.*?)</h2>\n<p>(.*?)</p>', part)[0] for part in parts
        )
    ]
    assert steps == [
        (False, "1. Load data", "load_data"),
        (False, "2. Read clinical features", "back to it"),
        (False, "3. Extract gene data", "extract_gene_data"),
        (False, "4. Normalise and link", "normalise_and_link"),
        (True, "Dropped: Read clinical features", "read_clinical_features"),
    ]
    assert sums["planner"] == 6 and sums["reviewer"] == 4
    counted = "Steps 5, reviews 6, rejections 1, revisions 1, retractions 1."
    assert f'<p class="quiet">{counted}</p>' in page
    reviews = [re.findall(r"<strong>(\w+)\.</strong> (.*?)</p>", part) for part in parts]
    good, bad = ("Approved", "fine"), ("Rejected", "not fine")
    assert reviews == [[good], [good], [bad, good], [good], [good]]
    # Of several attempts the last is open.
    opened = [re.findall("<details( open)?><summary>Code", part) for part in parts]
    assert opened == [[" open"], [" open"], ["", " open"], [" open"], [" open"]]
    ends = [re.findall(r"<h3>(.*?)</h3>", part) for part in parts]
    who = ["Engineer", "Expert", "Engineer", "Engineer", "Expert"]
    assert ends == [
        [f"{name}: ok, 0.2 s"] * len(found) for name, found in zip(who, reviews, strict=True)
    ]
