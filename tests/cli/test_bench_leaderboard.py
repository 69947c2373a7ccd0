"""`genotex bench leaderboard` from run folders to a page."""

from __future__ import annotations

import json
import re
import zipfile
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


def submit(genotex: Run, run: Path, file: Path) -> Path:
    settings = json.loads((run / "run" / "run.json").read_text())
    write_json(run / "run" / "run.json", settings | {"input": str(run.parent / "data")})
    write_manifest(run)
    assert genotex("bench", "submit", run, file)[0] == 0
    return file


def repacked(file: Path, target: Path, **changed: str) -> Path:
    """Write a submission again with other contents, by the ends of its members' names."""
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            end = next((end for end in changed if Path(name).stem.endswith(end)), None)
            if end is None or changed[end]:
                new.writestr(name, old.read(name) if end is None else changed[end])
    return target


def test_submitted_file_is_scored_as_its_folder(
    genotex: Run, runs: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    reference, half, one = runs
    file = submit(genotex, half, tmp_path / "half.zip")
    again = submit(genotex, half, tmp_path / "again.zip")
    assert file.read_bytes() == again.read_bytes()
    for site, run in (("a", half), ("b", file)):
        assert (
            genotex("bench", "leaderboard", run, one, "-r", reference, "-o", tmp_path / site)[0]
            == 0
        )
    tables = [(tmp_path / site / "leaderboard.csv").read_text() for site in "ab"]
    assert tables[0] == tables[1]
    with zipfile.ZipFile(file) as archive:
        texts = [archive.read(name).decode() for name in archive.namelist()]
        record = json.loads(archive.read("hal.json"))
    assert str(tmp_path) not in "".join(texts)
    # 3 problems of half a dollar; nothing is recorded of tokens.
    assert record["results"]["total_cost"] == 1.5
    assert record["total_usages"] == {"prompt_tokens": None, "completion_tokens": None}
    assert record["config"]["agent_name"] == "half" and record["results"]["accuracy"] is None


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"condition_None": '{"significant_genes": {"Variable": ["TP53"]}}'},
            "changed since the run",
        ),
        ({"condition_Age": ""}, "not there any more"),
        ({"manifest": ""}, "is missing, so this is no finished run"),
    ],
)
def test_submission_that_was_changed_is_refused(
    genotex: Run, runs: tuple[Path, Path, Path], tmp_path: Path, changed: dict[str, str], said: str
) -> None:
    reference, half, _ = runs
    file = repacked(submit(genotex, half, tmp_path / "half.zip"), tmp_path / "other.zip", **changed)
    command = ("bench", "leaderboard", file, "-r", reference, "-o", tmp_path / "site")
    code, _, err = on_one_line(genotex)(*command)
    assert code == 2 and said in err
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("member", ["../out.json", "/out.json", "run/../../out.json"])
def test_submission_that_leads_out_of_its_folder_is_refused(
    genotex: Run, runs: tuple[Path, Path, Path], tmp_path: Path, member: str
) -> None:
    file = submit(genotex, runs[1], tmp_path / "half.zip")
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(member, "{}")
    command = ("bench", "leaderboard", file, "-r", runs[0], "-o", tmp_path / "site")
    code, _, err = on_one_line(genotex)(*command)
    assert code == 2 and "has a member" in err
    (tmp_path / "no.zip").write_bytes(b"no zip")
    command = ("bench", "leaderboard", tmp_path / "no.zip", "-r", runs[0], "-o", tmp_path / "site")
    code, _, err = on_one_line(genotex)(*command)
    assert code == 2 and "is not a submission that can be read" in err


def test_changed_run_is_not_submitted(
    genotex: Run, runs: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    write_answers(runs[1], REFERENCE)
    code, _, err = on_one_line(genotex)("bench", "submit", runs[1], tmp_path / "half.zip")
    assert code == 2 and "digests do not fit" in err
    assert not (tmp_path / "half.zip").exists()
    code, _, err = on_one_line(genotex)("bench", "submit", runs[2], tmp_path / "half.tar")
    assert code == 2 and "must end in .zip" in err
