"""`genotex simulate`: a study or a world, sizes, JSON."""

import json
from pathlib import Path

from tests.cli.conftest import Run, on_one_line


def test_small_world_for_machines(genotex: Run, tmp_path: Path) -> None:
    folder = tmp_path / "world"
    code, out, _ = genotex("simulate", folder, "--world", "--small", "--seed", 7, "--json")
    assert code == 0
    assert json.loads(out) == {
        "folder": str(folder),
        "answers": str(tmp_path / "world-answers"),
        "traits": 4,
        "cohorts": 8,
        "usable_cohorts": 5,
        "problems": {"unconditional": 4, "one-step": 8, "two-step": 12},
        "answered": 15,
    }
    names = {path.name for path in folder.iterdir()}
    assert names == {"GEO", "TCGA", "simulated.json", "task_info.json"}
    truth = json.loads((tmp_path / "world-answers" / "truth.json").read_text())
    assert truth["seed"] == 7


def test_world_is_told_with_what_to_do_next(genotex: Run, tmp_path: Path) -> None:
    folder = tmp_path / "world"
    code, out, _ = genotex("simulate", folder, "--world", "--small", "--traits", 5, "--cohorts", 11)
    assert code == 0
    assert "5 traits, 11 cohorts" in out
    assert f"genotex preprocess {folder} output" in out
    assert f"{folder}-answers" in "".join(out.split())


def test_options_of_a_world_are_refused_for_a_study(genotex: Run, tmp_path: Path) -> None:
    code, _, err = on_one_line(genotex)("simulate", tmp_path / "study", "--small", "--traits", 5)
    assert code == 2
    assert "--small, --traits" in err and "add --world" in err
    assert list(tmp_path.iterdir()) == []


def test_world_is_not_replaced_unless_asked(genotex: Run, tmp_path: Path) -> None:
    command = ("simulate", tmp_path / "world", "--world", "--small")
    assert genotex(*command)[0] == 0
    code, _, err = on_one_line(genotex)(*command)
    assert code == 2 and "request overwriting" in err
    assert genotex(*command, "--overwrite")[0] == 0
