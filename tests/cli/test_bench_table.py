"""`genotex bench table` from folders to the paper's layout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.answer_folders import write_three
from tests.cli.conftest import Run, on_one_line


def test_runs_are_scored_and_stand_above_the_published_rows(genotex: Run, tmp_path: Path) -> None:
    reference, half, one = write_three(tmp_path)
    code, out, err = on_one_line(genotex)("bench", "table", half, one, "-r", reference, "--paper")
    first, second, third = (line.split() for line in out.splitlines()[3:6])
    assert code == 0
    assert first[:7] == ["half", "scored", "here", "-", "100.00", "50.00", "66.67"]
    assert second[0] == "one" and third[:3] == ["GenoAgent,", "OpenAI", "o1"]
    assert "3 problems, not on 1,384" in err


def test_json_and_markdown(genotex: Run, tmp_path: Path) -> None:
    reference, half, _ = write_three(tmp_path)
    target = tmp_path / "table.md"
    code, out, _ = genotex("bench", "table", f"x={half}", "-r", reference, "-o", target, "--json")
    (row,) = json.loads(out)["rows"]
    assert code == 0 and row["name"] == "x" and row["recall"] == 50.0 and row["cost"] is None
    assert "| x | scored here | - | 100.00 | 50.00 | 66.67 |" in target.read_text()


@pytest.mark.parametrize("command", [("bench", "table"), ("compare",)])
def test_sample_is_scored_on_its_own_problems(
    genotex: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    reference, half, one = write_three(tmp_path)
    sample = tmp_path / "problems.csv"
    sample.write_text("trait,condition\nAsthma,\n")
    runs = (*command, one, half, "-r", reference, "--json")
    whole, part = genotex(*runs)[1], genotex(*runs, "--problems", sample)[1]
    # One of three problems was answered, and it is the sample.
    assert json.loads(part) != json.loads(whole)
    if command == ("bench", "table"):
        assert json.loads(whole)["rows"][0]["success"] == pytest.approx(100 / 3)
        assert json.loads(part)["rows"][0]["success"] == 100.0


def test_folder_in_place_of_the_file_is_refused_before_scoring(
    genotex: Run, tmp_path: Path
) -> None:
    _, half, _ = write_three(tmp_path)
    code, _, err = on_one_line(genotex)("bench", "table", half, "-r", "nowhere", "-o", tmp_path)
    assert code == 2 and "is a folder; name a file to write" in err


def test_output_folder_without_reference_is_refused(genotex: Run, tmp_path: Path) -> None:
    _, half, _ = write_three(tmp_path)
    code, _, err = on_one_line(genotex)("bench", "table", half)
    assert code == 2 and "name the folder to score it against with -r" in err
