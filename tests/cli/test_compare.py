"""`genotex compare` from folders and files to tables, JSON and pages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from genotex.bench import json_text, summarise, to_json, write_texts
from tests.bench.evaluation.some_scores import some_scores
from tests.cli.answer_folders import REFERENCE, write_answers, write_three
from tests.cli.conftest import Run, on_one_line


def written(folder: Path, **changes: object) -> Path:
    scores = some_scores(**changes)
    content = to_json(scores, summarise(scores, draws=5))
    write_texts(folder, {"scores.json": json_text(content)})
    return folder


def test_two_folders_against_a_reference(genotex: Run, tmp_path: Path) -> None:
    reference, half, one = write_three(tmp_path)
    code, out, _ = genotex("compare", half, one, "-r", reference, "-t", "analysis", "--json")
    content = json.loads(out)
    assert code == 0 and [run["name"] for run in content["runs"]] == ["half", "one"]
    # Half of each list: recall 50 and precision 100 everywhere.
    assert content["runs"][0]["average"]["analysis"]["recall"] == 50.0
    # One list of three: 100 once, and 0 where there is no result.
    assert content["runs"][1]["average"]["analysis"]["recall"] == pytest.approx(100 / 3)
    recall = content["differences"]["one"]["analysis"]["recall"]
    assert recall["difference"] == pytest.approx((50 - 50 - 50) / 3)
    assert recall["compared"] == 3
    mean = content["mean"]["average"]["analysis"]["precision"]
    assert mean == pytest.approx((100 + 100 / 3) / 2)


def test_screen_shows_runs_mean_and_differences(genotex: Run, tmp_path: Path) -> None:
    reference, half, one = write_three(tmp_path)
    code, out, _ = genotex("compare", f"x={half}", one, "-r", reference, "--baseline", "one")
    assert code == 0
    head = next(line for line in out.splitlines() if line.startswith("figure"))
    assert head.split() == ["figure", "x", "one", "mean", "of", "runs"]
    assert "x less one" in out and "not corrected for the number of figures" in out


def test_scores_files_and_folders_that_hold_one(genotex: Run, tmp_path: Path) -> None:
    first, second = written(tmp_path / "a"), written(tmp_path / "b", analysis=())
    code, out, err = on_one_line(genotex)("compare", first, second / "scores.json", "--json")
    content = json.loads(out)
    assert code == 0 and [run["name"] for run in content["runs"]] == ["a", "b"]
    assert content["runs"][0]["average"]["analysis"]["success"] == 75.0
    assert "4 of 4 problems were not scored in every run" in " ".join(content["notes"])
    assert err == ""


def test_results_are_written_into_a_folder(genotex: Run, tmp_path: Path) -> None:
    first, second = written(tmp_path / "a"), written(tmp_path / "b")
    code, out, _ = genotex("compare", first, second, "-o", tmp_path / "c")
    assert code == 0 and str(tmp_path / "c" / "comparison.html") in out
    assert {path.name for path in (tmp_path / "c").iterdir()} == {
        "comparison.csv", "comparison.html", "comparison.json", "comparison.md", "differences.csv",
    }  # fmt: skip
    page = (tmp_path / "c" / "comparison.html").read_text(encoding="utf-8")
    assert "b less a" in page and "Differences to a" in page


def test_annotators_against_each_other(genotex: Run, tmp_path: Path) -> None:
    _, half, one = write_three(tmp_path)
    code, out, _ = genotex("compare", half, one, "--each-other", "--json")
    content = json.loads(out)
    there, back = (run["average"]["analysis"] for run in content["runs"])
    assert code == 0
    assert [run["name"] for run in content["runs"]] == ["half against one", "one against half"]
    # The only problem of 'one' is Asthma: 'half' has 2 of its 4 genes.
    assert (there["precision"], there["recall"]) == (100.0, 50.0)
    # 'half' answers three: 'one' has its 2 genes among 4 in the first, nothing in the others.
    assert (back["precision"], back["recall"]) == (pytest.approx(50 / 3), pytest.approx(100 / 3))
    mean = content["mean"]["average"]["analysis"]["recall"]
    assert mean == pytest.approx((50 + 100 / 3) / 2)
    assert content["differences"] == {}
    assert "2 of 3 problems are on one side only" in content["notes"][0]


def test_identical_annotators_agree_in_everything(genotex: Run, tmp_path: Path) -> None:
    one, other = (write_answers(tmp_path / name, REFERENCE) for name in ("x", "y"))
    code, out, _ = genotex("compare", one, other, "--each-other", "--json")
    mean = json.loads(out)["mean"]["average"]["analysis"]
    assert code == 0 and mean["f1"] == 100.0 and mean["auroc"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["half"], "give two runs or more"),
        (["half", "one"], "name the folder to score it against with -r"),
        (["half", "nowhere"], "nowhere does not exist"),
        (["half", "one", "-r", "reference", "--baseline", "third"], "there are half, one"),
        (["half", "one", "-r", "nowhere"], "nowhere is not a folder"),
        (["half", "one", "--each-other", "-r", "reference"], "-r does nothing"),
        (["half", "one", "reference", "--each-other"], "takes two output folders"),
        (["half", "one", "-r", "reference", "-t", "all"], "unknown task 'all'"),
        (["half", "one", "-r", "reference", "-o", "file"], "file is a file"),
    ],
)
def test_wrong_use_says_what_to_do(
    genotex: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], told: str
) -> None:
    write_three(tmp_path)
    (tmp_path / "file").write_text("mine")
    monkeypatch.chdir(tmp_path)
    code, _, err = on_one_line(genotex)("compare", *arguments)
    assert code == 2 and told in err
    assert (tmp_path / "file").read_text() == "mine"


def test_runs_scored_by_different_metrics_are_refused(genotex: Run, tmp_path: Path) -> None:
    first = written(tmp_path / "a")
    second = written(tmp_path / "b", settings={"metrics": "legacy", "df_field": "is_available"})
    code, _, err = on_one_line(genotex)("compare", first, second)
    assert code == 2 and "the runs differ in metrics (a: default, b: legacy)" in err
