"""`genotex bench leaderboard` from run folders to a page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from genotex.bench import write_manifest
from genotex.formats import write_json
from tests.cli.answer_folders import REFERENCE, write_answers, write_three
from tests.cli.conftest import Run, on_one_line

PROBLEMS = "trait,condition,seconds,cost\nAsthma,,1,{0}\nAsthma,Age,1,{0}\nObesity,,1,{0}\n"


def submission(root: Path, cost: str, model: str = "openai:gpt-4o") -> Path:
    write_json(
        root / "run" / "run.json",
        {
            "name": root.name, "method": "agents", "start": "raw files", "procedure": "sound",
            "options": {"preset": "full", "models": {"model": model}},
            "versions": {"genotex": "1.0"}, "task_info": {"name": "task_info.json"},
            "problems": [{"trait": p.trait, "condition": p.condition} for p in REFERENCE],
        },
    )  # fmt: skip
    (root / "run" / "problems.csv").write_text(PROBLEMS.format(cost))
    write_manifest(root)
    return root


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path, Path]:
    reference, half, one = write_three(tmp_path)
    return reference, submission(half, "0.5"), submission(one, "", "<b>mine</b>")


def test_page_with_its_data(genotex: Run, runs: tuple[Path, Path, Path], tmp_path: Path) -> None:
    reference, half, one = runs
    site = tmp_path / "site"
    command = ("bench", "leaderboard", one, half, "-r", reference, "-o", site)
    code, out, _ = on_one_line(genotex)(*command)
    assert code == 0 and out.index("half: F1 66.67") < out.index("one: F1")
    assert "$0.5 a problem" in out and "cost unknown" in out
    page = (site / "index.html").read_text()
    # Nothing is loaded from elsewhere.
    assert not re.search(r'(src|href)="(?!#|data:|leaderboard)', page)
    assert "<b>mine" not in page and "reported in the paper" not in page
    assert "Not drawn, because what they cost is unknown: one." in page
    assert "genotex bench run INPUT OUTPUT --task-info task_info.json" in page
    assert str(tmp_path) not in page
    content = json.loads((site / "leaderboard.json").read_text())
    first, second = content["runs"]
    assert (first["run"], first["cost_per_problem"]) == ("half", 0.5)
    assert second["cost_per_problem"] is None and not second["on_front"]
    assert content["rules"] == "genotex" and content["reference"] == "other"
    assert all(row["source"].startswith("scored here") for row in content["tables"]["rows"])
    assert (site / "leaderboard.csv").read_text().startswith("run,who,starts_from")


def test_simulated_reference_is_named(
    genotex: Run, runs: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    reference, half, _ = runs
    (tmp_path / "truth.json").write_text("{}")
    code, _, _ = genotex("bench", "leaderboard", half, "-r", reference, "-o", tmp_path / "s")
    page = (tmp_path / "s" / "index.html").read_text()
    assert code == 0 and "simulated reference" in page
    code, out, _ = on_one_line(genotex)("bench", "table", half, "-r", reference, "--paper")
    assert "the published rows are not comparable: simulated reference" in out
    assert "scored here, simulated reference" in out


def test_changed_submission_is_refused_before_scoring(
    genotex: Run, runs: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    reference, half, _ = runs
    write_answers(half, REFERENCE)
    command = ("bench", "leaderboard", half, "-r", reference, "-o", tmp_path / "site")
    code, _, err = on_one_line(genotex)(*command)
    assert code == 2 and "digests do not fit" in err
    assert not (tmp_path / "site").exists()


def test_what_a_run_did_not_do_is_not_compared(
    genotex: Run, runs: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    reference, half, one = runs
    for root in (reference, half, one):
        write_json(root / "preprocess" / "Asthma" / "cohort_info.json", {})
    settings = json.loads((one / "run" / "run.json").read_text())
    write_json(one / "run" / "run.json", settings | {"start": "tables by genotex"})
    write_manifest(half)
    write_manifest(one)
    command = ("bench", "leaderboard", half, one, "-r", reference, "-o", tmp_path / "site")
    assert genotex(*command)[0] == 0
    content = json.loads((tmp_path / "site" / "leaderboard.json").read_text())
    by_name = {row["name"]: row for row in content["tables"]["rows"]}
    assert by_name["half"]["df"] == 100.0 and by_name["one"]["df"] is None
    assert set(content["comparison"]["differences"]["one"]) == {"analysis"}
    assert content["cohorts"] is None


def test_reference_is_needed(genotex: Run, runs: tuple[Path, Path, Path], tmp_path: Path) -> None:
    code, _, err = on_one_line(genotex)("bench", "leaderboard", runs[1], "-o", tmp_path / "site")
    assert code == 2 and "name the folder to score them against with -r" in err
