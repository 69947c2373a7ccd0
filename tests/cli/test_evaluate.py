"""`genotex evaluate`, with the published command line."""

import json
from pathlib import Path

import pytest

from genotex.cli.benchmark.evaluate import repeat_names
from tests.bench.evaluation.output_folders import whole_folder, write_task_info
from tests.cli.conftest import Run, on_one_line

SEVERAL = ("-t", "--tasks", "-s", "--preprocess-subtasks")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("world")
    whole_folder(root / "output")
    whole_folder(root / "mine", noise=1.0)
    write_task_info(root / "tasks.json")
    return root


def scored(genotex: Run, *arguments: object) -> dict[str, object]:
    code, out, _ = genotex("evaluate", *arguments, "--json")
    assert code == 0
    content = json.loads(out)
    assert isinstance(content, dict)
    return content


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("-p a -t x y z -r b", "-p a -t x -t y -t z -r b"),
        ("--tasks x y --json", "--tasks x --tasks y --json"),
        ("--tasks=x y -s u", "--tasks=x --tasks y -s u"),
        ("-tx y -j 2", "-tx -t y -j 2"),
        ("-t x -t y -s u v", "-t x -t y -s u -s v"),
        ("-p a b", "-p a b"),
        ("-t", "-t"),
        ("", ""),
    ],
)
def test_words_behind_an_option(words: str, expected: str) -> None:
    assert repeat_names(words.split(), SEVERAL) == expected.split()


def test_published_command_line(genotex: Run, world: Path) -> None:
    content = scored(
        genotex,
        *("-p", world / "mine", "-r", world / "output"),
        *("-t", "selection", "preprocessing", "analysis", "-s", "gene", "clinical", "linked"),
        *("--task-info", world / "tasks.json"),
    )
    assert list(content)[:5] == ["filtering", "selection", "preprocessing", "analysis", "average"]
    items = content["filtering"], content["selection"], content["analysis"]
    assert [list(rows[0])[:5] for rows in items] == [
        ["trait", "precision", "recall", "f1", "accuracy"],
        ["trait", "condition", "accuracy"],
        ["trait", "condition", "kind", "success", "precision"],
    ]
    assert list(content["preprocessing"]) == ["gene", "clinical", "linked"]
    table = content["preprocessing"]["linked"][0]
    assert list(table) == ["trait", "cohort", "aj", "sj", "correlation", "csc"]
    first = content["analysis"][0]
    assert (first["condition"], first["kind"], first["success"]) == (None, "unconditional", 100)
    assert first["trait_r2"] is None
    assert content["average"]["analysis"]["f1"] == pytest.approx(50)
    assert content["average"]["preprocessing"]["gene"]["sj"] == pytest.approx(
        sum((n - 1) / n for n in (8, 6, 7, 5, 6)) / 5
    )


@pytest.mark.parametrize(
    "words",
    [
        ("-t", "selection,analysis"),
        ("-t", "analysis", "-t", "selection"),
        ("--tasks", "selection", "analysis", "-s", "gene"),
        ("--tasks=analysis", "selection"),
    ],
)
def test_tasks_with_commas_repeated_and_in_any_order(
    genotex: Run, world: Path, words: tuple[str, ...]
) -> None:
    content = scored(genotex, "-p", world / "mine", *words, "-r", world / "output")
    assert content["tasks"] == ["selection", "analysis"]
    assert content["preprocessing"] == {}


def test_long_names_and_default_reference(
    genotex: Run, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(world)
    content = scored(
        genotex, "--pred-dir", "mine", "--tasks", "preprocessing", "--preprocess-subtasks", "gene"
    )
    assert (content["reference"], list(content["preprocessing"])) == ("output", ["gene"])
    same = scored(genotex, "--pred-dir=mine", "--ref-dir=output", "-tpreprocessing", "-sgene")
    assert same == content


def test_options_of_the_library(genotex: Run, world: Path) -> None:
    content = scored(
        genotex,
        *("-p", world / "mine", "-r", world / "output", "-t", "analysis", "-j", "1"),
        *("--metrics", "legacy", "--df-field", "is_usable", "--regressors", "inclusive"),
        *("--gene-universe", "reference", "--repair-reference", "--seed", "7"),
        *("--task-info", world / "tasks.json"),
    )
    assert content["settings"] == {
        "rules": "genotex",
        "metrics": "legacy",
        "df_field": "is_usable",
        "regressors": "inclusive",
        "gene_universe": "reference",
        "repair_reference": True,
        "task_info": str(world / "tasks.json"),
        "problems": None,
        "reference_kind": "other",
    }
    assert content["bootstrap"]["seed"] == 7


def test_tables_on_the_screen_and_files(genotex: Run, world: Path, tmp_path: Path) -> None:
    command = ("evaluate", "-p", world / "mine", "-r", world / "output")
    code, out, err = on_one_line(genotex)(*command, "-o", tmp_path / "scores")
    assert code == 0
    for told in ("Dataset filtering", "Preprocessing: linked tables", "Statistical analysis"):
        assert told in out
    assert "left out with another trait as condition" in err, "there is no task list"
    assert str(tmp_path / "scores") in err
    written = json.loads((tmp_path / "scores" / "scores.json").read_text())
    assert written == scored(genotex, *command[1:])
    names = {path.name for path in (tmp_path / "scores").iterdir()}
    assert {"averages.csv", "scores.md", "scores.json"} < names


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("-t", "analyses"), "unknown task 'analyses'; known are selection, preprocessing"),
        (("-s", "gene", "trait"), "unknown preprocessing subtask 'trait'; known are gene"),
        (("-r", "nowhere"), "nowhere is not a folder"),
        (("--task-info", "nowhere.json"), "nowhere.json: cannot be read"),
        (("--gene-universe", "nowhere.txt"), "nowhere.txt: cannot be read"),
        (("-o", "output/regress/Gout/significant_genes_condition_None.json"), "is a file"),
    ],
)
def test_mistakes_end_in_a_message(
    genotex: Run,
    world: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    told: str,
) -> None:
    monkeypatch.chdir(world)
    code, out, err = on_one_line(genotex)("evaluate", "-p", "mine", *arguments)
    assert (code, out) == (2, "")
    assert told in err
