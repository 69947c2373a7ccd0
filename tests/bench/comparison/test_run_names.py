"""Names of runs on the command line, and what a run folder tells of itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from genotex.bench import RunRecord, name_runs, read_run_record
from genotex.errors import FormatError, UsageError


def output(path: Path, name: str | None = None) -> Path:
    (path / "regress").mkdir(parents=True)
    if name:
        (path / "run").mkdir()
        (path / "run" / "run.json").write_text(json.dumps({"name": name, "method": "rules"}))
    return path


def names(*given: object) -> list[str]:
    return list(name_runs([str(text) for text in given]))


def test_run_is_called_as_its_folder(tmp_path: Path) -> None:
    assert names(output(tmp_path / "lasso"), output(tmp_path / "mixed")) == ["lasso", "mixed"]


def test_typed_name_wins_and_the_record_of_the_run_comes_next(tmp_path: Path) -> None:
    one, two = output(tmp_path / "one", "first"), output(tmp_path / "two", "second")
    assert names(one, f"mine={two}") == ["first", "mine"]


def test_folders_of_the_same_name_are_told_apart_by_those_above(tmp_path: Path) -> None:
    one, two = output(tmp_path / "a" / "output"), output(tmp_path / "b" / "output")
    assert names(one, two) == ["a/output", "b/output"]


def test_records_of_the_same_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    one, two = output(tmp_path / "one", "rules"), output(tmp_path / "two", "rules")
    assert names(one, two) == ["one", "two"]


def test_scores_file_is_called_as_its_folder_and_another_file_as_itself(tmp_path: Path) -> None:
    (tmp_path / "lasso").mkdir()
    (tmp_path / "lasso" / "scores.json").write_text("{}")
    (tmp_path / "agent.json").write_text("{}")
    assert names(tmp_path / "lasso" / "scores.json", tmp_path / "agent.json") == ["lasso", "agent"]
    assert names(tmp_path / "lasso") == ["lasso"]


def test_path_with_an_equals_sign_that_exists_is_a_path(tmp_path: Path) -> None:
    assert names(output(tmp_path / "q=0.05")) == ["q=0.05"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["nowhere"], "nowhere does not exist"),
        (["name=nowhere"], "nowhere does not exist"),
        (["empty"], "contains no run"),
        (["one", "one"], "given twice"),
        (["x=one", "x=two"], "two runs are called x"),
        (["one", "one/../one"], "given twice"),
    ],
)
def test_what_cannot_be_named_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: list[str], told: str
) -> None:
    output(tmp_path / "one")
    output(tmp_path / "two")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=told):
        name_runs(given)


def test_what_one_problem_does_not_tell_has_no_average(tmp_path: Path) -> None:
    folder = output(tmp_path / "one", "mine")
    (folder / "run" / "problems.csv").write_text(
        "trait,condition,kind,success,seconds,tokens_in,tokens_out,cost,error\n"
        "A,,unconditional,true,2.0,1000,0,0.5,\n"
        'A,Age,one-step,false,4.0,,10,,"no, not this"\n'
    )
    assert read_run_record(folder) == RunRecord(
        "mine",
        "rules",
        per_problem={"seconds": 3.0, "tokens_out": 5.0},
        missing={"tokens_in": 1, "cost": 1},
        asked=frozenset({("A", None), ("A", "Age")}),
    )


def test_folder_of_another_tool_tells_nothing(tmp_path: Path) -> None:
    assert read_run_record(output(tmp_path / "one")) == RunRecord()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a,b\n1,2\n", "column 'trait'"),
        ("trait,seconds\nA,quick\n", "line 2, seconds: 'quick' is not a number"),
        ("trait,seconds\nA,1\nB,nan\n", "line 3, seconds"),
    ],
)
def test_table_of_problems_that_is_none_is_refused(tmp_path: Path, text: str, told: str) -> None:
    folder = output(tmp_path / "one", "mine")
    (folder / "run" / "problems.csv").write_text(text)
    with pytest.raises(FormatError) as error:
        read_run_record(folder)
    assert told in str(error.value)


def test_record_that_is_no_json_is_refused(tmp_path: Path) -> None:
    folder = output(tmp_path / "one", "mine")
    (folder / "run" / "run.json").write_text("name: mine")
    with pytest.raises(FormatError, match=r"run\.json"):
        name_runs([str(folder)])
