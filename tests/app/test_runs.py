"""Runs of agents: found in the folder, shown step by step, also while they go on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from genotex.app import Access
from genotex.bench import compare_runs, read_scores, summarise
from genotex.models import SpendingLimits
from genotex.problems import Problem
from genotex.reports import write_scores
from tests.agents.team.conftest import Played
from tests.app.conftest import Browser, opened, scored
from tests.app.drawn import series_of
from tests.bench.evaluation.some_scores import some_scores


@pytest.fixture
def played(tmp_path: Path) -> Played:
    """A run of the team whose models answer at once, not begun."""
    for name in ("GSE1", "GSE2"):
        (tmp_path / "input" / "GEO" / "Asthma" / name).mkdir(parents=True)
    return Played(tmp_path / "team", tmp_path / "input", (Problem("Asthma", "Age"),))


@pytest.fixture
def browser(tmp_path: Path, access: Access) -> Iterator[Browser]:
    """Return a browser that opened a folder with nothing but runs."""
    with opened(tmp_path, access) as browser:
        yield browser


NOTEBOOK = {"run": "team", "trait": "Asthma", "notebook": "GSE1"}


def test_a_folder_without_runs_says_where_they_come_from(browser: Browser) -> None:
    assert "started outside the workbench" in browser.get("/runs").text
    for ending in ("csv", "xlsx"):
        assert browser.get(f"/runs.{ending}").status_code == 200


def test_a_finished_run_has_its_notebooks_and_outcomes(browser: Browser, played: Played) -> None:
    played.run()
    assert "run=team" in browser.get("/runs").text
    page = browser.get("/run", params={"run": "team"}).text
    assert "notebook=GSE1" in page and "notebook=condition_Age" in page
    assert "1 of 1 problem ended, 1 answered" in page
    assert "hx-get" not in page, "nothing is asked for again"


def test_a_notebook_is_shown_with_plan_code_output_review_and_cost(
    browser: Browser, played: Played
) -> None:
    played.run()
    page = browser.get("/run/notebook", params=NOTEBOOK).text
    assert "x = &#39;GSE1 load_data 0&#39;" in page
    assert "mend it" in page and "Rejected" in page and "Approved" in page
    assert "Dropped:" in page and "planner" in page and "Tokens in" in page


def test_a_run_under_way_is_asked_for_until_something_happens(
    browser: Browser, played: Played
) -> None:
    played.run(limits=SpendingLimits(max_tokens=330))
    run = browser.get("/run", params={"run": "team"}).text
    assert 'hx-get="/run/state?run=team"' in run and "under way" in run
    page = browser.get("/run/notebook", params=NOTEBOOK).text
    assert 'hx-trigger="every 3s"' in page
    seen = page.partition("seen=")[2].partition('"')[0].replace("+", " ")
    again = browser.get("/run/notebook/steps", params=NOTEBOOK | {"seen": seen})
    assert again.status_code == 204
    played.run()
    again = browser.get("/run/notebook/steps", params=NOTEBOOK | {"seen": seen})
    assert again.status_code == 200 and "Done" in again.text and "every 3s" not in again.text


def test_a_run_that_was_left_is_not_asked_for_for_ever(browser: Browser, played: Played) -> None:
    played.run(limits=SpendingLimits(max_tokens=110))
    for path in (played.root / "run").rglob("*.json*"):
        os.utime(path, (0, 0))
    page = browser.get("/run", params={"run": "team"}).text
    assert "Not finished" in page and "hx-get" not in page


def test_what_generated_code_prints_is_escaped(browser: Browser, played: Played) -> None:
    played.run()
    path = played.root / "run" / "notebooks" / "Asthma" / "GSE1.jsonl"
    path.write_text(path.read_text().replace("x = '", "y = '<script>alert(1)</script>"))
    answer = browser.get("/run/notebook", params=NOTEBOOK)
    assert "<script>alert" not in answer.text


@pytest.mark.parametrize(
    "settings", ["{", '{"problems": 3}', '{"options": ["model"]}', '{"options": {"models": 1}}']
)
def test_a_damaged_run_is_named_and_the_others_are_shown(
    browser: Browser, played: Played, settings: str
) -> None:
    played.run()
    broken = played.root.parent / "broken" / "run"
    broken.mkdir(parents=True)
    (broken / "run.json").write_text(settings, encoding="utf-8")
    page = browser.get("/runs").text
    assert "run=team" in page and "broken" in page
    assert browser.get("/run", params={"run": "broken"}).status_code == 200


def test_a_run_of_a_method_has_outcomes_and_no_notebooks(browser: Browser, tmp_path: Path) -> None:
    run = tmp_path / "lasso" / "run"
    run.mkdir(parents=True)
    problems = [{"trait": "Asthma", "condition": None}, {"trait": "Asthma", "condition": "Age"}]
    settings = {"method": "lasso", "procedure": "sound", "options": {}, "problems": problems}
    (run / "run.json").write_text(json.dumps(settings), encoding="utf-8")
    lines = "trait,condition,success,seconds,error_class,error\nAsthma,,True,1,,\n"
    lines += "Asthma,Age,False,2,no usable cohort,none has Age\n"
    (run / "problems.csv").write_text(lines, encoding="utf-8")
    summary = {"answered": 1, "by_error_class": {"no usable cohort": 1}}
    (run / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    page = browser.get("/run", params={"run": "lasso"}).text
    assert "none has Age" in page and "2 of 2 problems ended, 1 answered" in page
    place = {"run": "lasso", "trait": "Asthma", "notebook": "GSE1"}
    assert browser.get("/run/notebook", params=place).status_code == 404


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/run", {"run": "../team"}),
        ("/run", {"run": "/etc"}),
        ("/run/notebook", {"run": "team", "trait": "..", "notebook": "GSE1"}),
        ("/run/notebook", {"run": "team", "trait": "Asthma", "notebook": "../../journal"}),
        ("/scores", {"of": "../x"}),
        ("/scores/page", {"of": "team"}),
    ],
)
def test_only_what_was_found_in_the_folder_is_shown(
    browser: Browser, played: Played, path: str, query: dict[str, str]
) -> None:
    played.run()
    assert browser.get(path, params=query).status_code == 404


def test_a_run_outside_the_folder_is_not_read_through_a_link(
    browser: Browser, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "run").mkdir()
    (outside / "run" / "run.json").write_text("{}", encoding="utf-8")
    (tmp_path / "link").symlink_to(outside)
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "run").symlink_to(outside / "run")
    page = browser.get("/runs").text
    assert "link" not in page.partition("<main")[2] and "half" not in page


def test_scores_of_a_run_are_tables_and_their_page_is_confined(
    browser: Browser, played: Played
) -> None:
    played.run()
    scores = some_scores()
    write_scores(played.root / "scores", scores, summarise(scores, draws=20))
    assert "/scores?of=team" in browser.get("/runs").text
    assert "/scores?of=team" in browser.get("/run", params={"run": "team"}).text
    page = browser.get("/scores", params={"of": "team"}).text
    assert "<table" in page and "/scores/page?of=team" in page
    answer = browser.get("/scores/page", params={"of": "team"})
    assert answer.status_code == 200 and "sandbox" in answer.headers["content-security-policy"]


def method_run(root: Path, method: str, cells: str = "Asthma,,True,1,,\n") -> None:
    (root / "run").mkdir(parents=True)
    settings = {"method": method, "options": {}, "problems": [{"trait": "Asthma"}]}
    (root / "run" / "run.json").write_text(json.dumps(settings), encoding="utf-8")
    head = "trait,condition,success,seconds,error_class,error" if cells[-2] == "," else "trait,cost"
    (root / "run" / "problems.csv").write_text(f"{head}\n{cells}", encoding="utf-8")


def test_scored_runs_are_ranked_and_compared_with_the_chosen_one(
    browser: Browser, tmp_path: Path
) -> None:
    method_run(tmp_path / "lasso", "lasso")
    scored(tmp_path / "lasso", f1=40.0)
    scored(tmp_path / "best", f1=80.0)
    assert 'hx-get="/runs/leaderboard"' in browser.get("/runs").text
    page = browser.get("/runs/leaderboard").text
    assert page.index(">best</a>") < page.index(">lasso</a>")
    assert "lasso less best" in page and "95 % interval" in page
    assert "best less lasso" in browser.get("/runs/leaderboard", params={"baseline": "lasso"}).text
    named = {
        name: read_scores(tmp_path / name / "scores/scores.json") for name in ("lasso", "best")
    }
    found = compare_runs(named, "best").differences["lasso"]["analysis"]["f1"]
    assert found.difference == pytest.approx(-10.0) and "-10.00" in page
    rows = browser.get("/runs.csv").text.splitlines()
    assert len(rows) == 3 and rows[0].startswith("run,group")
    assert browser.get("/runs.xlsx").content[:2] == b"PK"
    averages = browser.get("/scores.csv", params={"of": "best"}).text
    assert averages.startswith("kind,section,figure")
    assert browser.get("/scores.csv", params={"of": "../x"}).status_code == 404


@pytest.mark.parametrize(
    "changes",
    [
        {"reference": "others"},
        {"settings": {"metrics": "legacy", "df_field": "is_available"}},
        {"selection": ()},
    ],
)
def test_runs_scored_otherwise_are_not_compared(
    browser: Browser, tmp_path: Path, changes: dict[str, Any]
) -> None:
    scored(tmp_path / "one")
    scored(tmp_path / "two", **changes)
    page = browser.get("/runs/leaderboard").text
    assert " less " not in page and "they are not compared" in page
    assert ">one</a>" in page and ">two</a>" in page


def test_an_unknown_cost_is_not_nothing(browser: Browser, tmp_path: Path, played: Played) -> None:
    method_run(tmp_path / "rules", "rules")
    method_run(tmp_path / "priced", "command", "Asthma,0.25\n")
    method_run(tmp_path / "half", "command", "Asthma,0.25\nAsthma,\n")
    played.run()
    for name in ("rules", "priced", "half", "team"):
        scored(tmp_path / name)
    data = browser.get("/runs/points").json()
    (group,) = series_of(data).values()
    drawn = dict(zip(group["ids"], group["x"], strict=True))
    assert drawn == {"rules": 0.0, "priced": 0.25}
    assert all(name in data["note"].partition("not fully known:")[2] for name in ("half", "team"))
    page = browser.get("/runs/leaderboard").text
    assert "cost unknown" in page and "not recorded" in page
    assert browser.get("/runs/points", params={"by": "x"}).status_code == 404


def test_names_and_damaged_scores_do_not_break_the_leaderboard(
    browser: Browser, tmp_path: Path
) -> None:
    scored(tmp_path / "<b>x", reference="<i>ref")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "scores.json").write_text("{", encoding="utf-8")
    page = browser.get("/runs/leaderboard").text
    assert "<b>" not in page and "<i>" not in page and "broken" in page


def test_a_leaderboard_is_computed_again_when_a_file_has_changed(
    browser: Browser, tmp_path: Path
) -> None:
    scored(tmp_path / "one", f1=10.0)
    before = browser.get("/runs/leaderboard").text
    assert browser.get("/runs/leaderboard").text == before
    scored(tmp_path / "one", f1=90.0)
    assert browser.get("/runs/leaderboard").text != before
