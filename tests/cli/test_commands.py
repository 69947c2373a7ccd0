import gzip
import inspect
import json
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import typer

from genotex.cli.commands import COMMANDS, app
from genotex.errors import UsageError
from tests.cli.conftest import Run
from tests.geo_text import asthma, series_matrix, write_asthma, write_gz


def case_file(path: Path) -> Path:
    case = {
        "id": "Asthma/GSE1",
        "trait": "Asthma",
        "cohort": "GSE1",
        "background": {"title": "Asthma", "summary": ["Blood."], "overall_design": ["Cases."]},
        "sample_characteristics": {
            "0": ["disease state: asthma", "disease state: healthy control"],
            "1": ["age: 30", "age: 41"],
        },
        "truncated_rows": [],
        "first_ids": ["1007_s_at"],
        "annotation_columns": ["ID", "Gene Symbol"],
        "annotation_preview": {"ID": ["1007_s_at"], "Gene Symbol": ["DDR1"]},
        "labels": {"reading": "not to be looked at"},
    }
    path.write_bytes(gzip.compress(json.dumps(case).encode() + b"\n"))
    return path


@pytest.mark.parametrize(
    "command",
    [
        "solve",
        "preprocess",
        "analyze",
        "enrich",
        "report",
        "simulate",
        "demo",
        "clinical infer",
        "clinical show",
        "clinical words",
        "compare",
        "describe",
        "bench leaderboard",
        "bench table",
        "sandbox check",
        "verify",
        "fetch tcga",
        "fetch genes",
        "fetch opentargets",
        "fetch benchmark",
        "fetch geo",
    ],
)
def test_help_shows_an_example(genotex, command: str) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = genotex(*command.split(), "--help")
    assert code == 0
    assert re.search(rf"Examples?:\s+genotex {command}|genotex {command}", out)


def all_commands() -> dict[str, Any]:
    """Return every command by its words, groups of commands among them."""
    found: dict[str, Any] = {}
    waiting = [("", typer.main.get_command(app))]
    while waiting:
        words, command = waiting.pop()
        found[words] = command
        if hasattr(command, "list_commands"):
            for name in command.list_commands(None):
                waiting.append((f"{words} {name}".strip(), command.get_command(None, name)))
    return found


@pytest.mark.parametrize("command", sorted(all_commands()))
def test_help_fits_80_columns(genotex, monkeypatch, command: str) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("COLUMNS", "80")
    text = inspect.cleandoc(all_commands()[command].help or "")
    assert not [line for line in text.splitlines() if len(line) > 76]
    _, out, _ = genotex(*command.split(), "--help")
    shown = [line.strip() for line in out.splitlines()]
    assert all(line.strip() in shown for line in text.partition("Example")[2].splitlines()[1:])
    if "Example" in text:
        assert re.search(r"^ Examples?: *\n   genotex ", out, re.MULTILINE)


def test_help_lists_every_command_in_the_order_of_use(genotex) -> None:  # type: ignore[no-untyped-def]
    _, out, _ = genotex("--help")
    names = re.findall(r"^│ ([a-z][a-z-]*) ", out, re.MULTILINE)
    assert set(names) == {words for words in all_commands() if words and " " not in words}
    assert names == [name for name in COMMANDS if name in names]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["analyze", "none", "--model", "mixed"], "none"),
        (["analyze", "none", "--model=all"], "none"),
        (["solve", "none", "o", "--trait", "Asthma", "--model", "mixed"], "none"),
        (["evaluate", "-p", "none", "--out", "o"], "none"),
        (["evaluate-labels", "--cases", "none", "--out", "o"], "none"),
    ],
)
def test_earlier_names_of_options_are_understood_and_not_shown(  # type: ignore[no-untyped-def]
    genotex, arguments: list[str], message: str
) -> None:
    code, _, err = genotex(*arguments)
    assert code == 2 and message in err and "No such option" not in err
    _, out, _ = genotex(arguments[0], "--help")
    assert "--model" not in out and not re.search(r"--out\b", out)


def test_version(genotex) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = genotex("--version")
    assert code == 0 and re.fullmatch(r"genotex \d+\.\d+\.\d+\S*\n", out)


@pytest.mark.everyday
def test_solve_from_raw_files_to_a_page(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    write_asthma(tmp_path / "input", number=24)
    output = tmp_path / "output"
    code, out, _ = genotex("solve", tmp_path / "input", output, "--trait", "asthma".title())
    assert code == 0
    assert "12 cases against 12 healthy controls" in out
    page = output / "report" / "Asthma_condition_None.html"
    assert page.read_text().startswith("<!DOCTYPE html>") or "<html" in page.read_text()
    genes = pd.read_csv(page.with_suffix(".csv"))
    assert len(genes) == 30 and {"gene", "p", "q"} <= set(genes.columns)
    answer = json.loads(
        (output / "regress/Asthma/significant_genes_condition_None.json").read_text()
    )
    assert {"Variable", "Coefficient", "Absolute Coefficient"} <= set(answer["significant_genes"])


def test_solve_in_json(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    write_asthma(tmp_path / "input", number=24)
    code, out, _ = genotex(
        "solve", tmp_path / "input", tmp_path / "output", "--trait", "Asthma", "--json"
    )
    facts = json.loads(out)
    assert code == 0 and facts["solved"] and facts["cohort"] == "GSE1" and facts["genes"] == 30
    assert Path(facts["report"]).exists()


def test_solve_with_nothing_usable_says_why_and_exits_with_1(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    rows = asthma(12)
    rows[0] = ["disease state: asthma"] * 12
    folder = tmp_path / "input" / "GEO" / "Asthma" / "GSE1"
    write_gz(folder / "GSE1_series_matrix.txt.gz", series_matrix(characteristics=rows))
    code, _out, err = genotex("solve", tmp_path / "input", tmp_path / "o", "--trait", "Asthma")
    assert code == 1
    assert "not answered" in err and "trait not available" in err
    page = (tmp_path / "o" / "report" / "Asthma_condition_None.html").read_text()
    assert "GSE1" in page
    assert not (tmp_path / "o" / "regress").exists()


def test_preprocess_then_analyze(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    write_asthma(tmp_path / "input", number=24)
    code, out, _ = genotex("preprocess", tmp_path / "input", tmp_path / "o", "--json")
    (cohort,) = json.loads(out)
    assert code == 0 and cohort["info"]["is_usable"] and cohort["error"] is None
    code, out, _ = genotex("analyze", tmp_path / "o", "--condition", "Age", "--json")
    (row,) = json.loads(out)
    assert code == 0 and row["solved"] and row["condition"] == "Age"


def test_unreadable_cohort_exits_with_2_and_the_others_are_done(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    write_asthma(tmp_path / "input")
    broken = write_asthma(tmp_path / "input", "GSE2")
    broken.write_text("<html>Are you a robot?</html>")
    code, _out, err = genotex("preprocess", tmp_path / "input", tmp_path / "o")
    assert code == 2
    assert "GSE2_series_matrix.txt.gz" in err and "HTML" in err
    assert (tmp_path / "o" / "preprocess" / "Asthma" / "GSE1.csv").exists()


def test_solve_does_not_answer_from_tables_of_an_earlier_run(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    large = write_asthma(tmp_path / "input", number=30)
    write_asthma(tmp_path / "input", "GSE2", number=24)
    command = ["solve", tmp_path / "input", tmp_path / "o", "--trait", "Asthma"]
    _, out, _ = genotex(*command)
    assert "in GSE1" in out
    large.write_bytes(large.read_bytes()[:-100])
    code, out, err = genotex(*command)
    assert code == 0 and "in GSE2" in out
    assert "GSE1" in err and "not done" in err


def test_solve_chooses_among_the_cohorts_asked_for(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    for i, number in enumerate((30, 24, 20)):
        write_asthma(tmp_path / "input", f"GSE{i + 1}", number=number)
    command = ["solve", tmp_path / "input", tmp_path / "o", "--trait", "Asthma"]
    genotex(*command)
    _, out, _ = genotex(*command, "--cohort", "GSE2", "--cohort", "GSE3")
    assert "in GSE2" in out


@pytest.mark.parametrize("condition", ["age", "AGE", "none"])
def test_conditions_in_any_case(genotex, tmp_path: Path, condition: str) -> None:  # type: ignore[no-untyped-def]
    write_asthma(tmp_path / "input", number=24)
    genotex("preprocess", tmp_path / "input", tmp_path / "o")
    code, _, _ = genotex("analyze", tmp_path / "o", "--condition", condition)
    assert code == 0


def test_smallest_effect_is_part_of_the_answer(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    write_asthma(tmp_path / "input", number=24)
    genotex("preprocess", tmp_path / "input", tmp_path / "o")
    code, out, _ = genotex("analyze", tmp_path / "o", "--min-effect", "0.5")
    assert code == 0
    assert "significant at q < 0.05 for effects beyond 0.5 in" in " ".join(out.split())


def test_trait_that_was_not_preprocessed_is_wrong_use(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    write_asthma(tmp_path / "input", number=24)
    genotex("preprocess", tmp_path / "input", tmp_path / "o")
    code, _, err = genotex("analyze", tmp_path / "o", "--trait", "Gout")
    assert code == 2 and "it holds Asthma" in err


def test_square_brackets_in_a_path_are_shown(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    write_asthma(tmp_path / "input", number=24)
    _, out, _ = genotex("solve", tmp_path / "input", tmp_path / "o[v2]", "--trait", "Asthma")
    assert "o[v2]/report" in out.replace("\n", "")


def test_nothing_read_points_to_no_folder(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    write_asthma(tmp_path / "input").write_text("<html>Are you a robot?</html>")
    code, _, err = genotex("preprocess", tmp_path / "input", tmp_path / "o")
    assert code == 2 and "tables are in" not in err
    assert not (tmp_path / "o").exists()


def test_task_info_with_problems_of_other_kinds(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    write_asthma(tmp_path / "input", number=24)
    genotex("preprocess", tmp_path / "input", tmp_path / "o")
    info = {
        "Asthma": {"related_genes": ["A2M"], "conditions": ["Age", "Obesity"]},
        "Obesity": {"related_genes": ["ACE"], "conditions": []},
    }
    (tmp_path / "task_info.json").write_text(json.dumps(info))
    code, out, _ = genotex(
        "analyze", tmp_path / "o", "--task-info", tmp_path / "task_info.json", "--json"
    )
    solved = {row["condition"]: row["solved"] for row in json.loads(out)}
    # Obesity has no cohort here, so its problem is not among those whose data are there.
    assert code == 0 and solved == {None: True, "Age": True}


def test_genes_of_the_benchmark_are_selected_not_significant(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    write_asthma(tmp_path / "input", number=40)
    genotex("preprocess", tmp_path / "input", tmp_path / "o", "--procedure", "benchmark")
    info = {"Asthma": {"related_genes": ["A2M"], "conditions": []}}
    (tmp_path / "tasks.json").write_text(json.dumps(info))
    command = ["analyze", tmp_path / "o", "--trait", "Asthma", "--procedure", "benchmark"]
    code, out, _ = genotex(*command, "--task-info", tmp_path / "tasks.json")
    assert code == 0 and "selected" in out and "significant" not in out
    code, out, _ = genotex(*command, "--task-info", tmp_path / "tasks.json", "--json")
    (row,) = json.loads(out)
    assert isinstance(row["selected"], int) and "significant" not in row
    code, _, err = genotex(*command, "--task-info", tmp_path / "tasks.json", "--model", "mixed")
    assert code == 2 and "--test does nothing in the procedure 'benchmark'" in " ".join(err.split())


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (["--condition", "Obesity"], "the related genes of Obesity are needed"),
        (["--procedure", "benchmark"], "give the benchmark's task_info.json"),
    ],
)
def test_analyze_asks_for_the_task_list_before_any_work(  # type: ignore[no-untyped-def]
    genotex, tmp_path: Path, wanted: list[str], message: str
) -> None:
    write_asthma(tmp_path / "input", number=24)
    genotex("preprocess", tmp_path / "input", tmp_path / "o")
    code, out, err = genotex("analyze", tmp_path / "o", "--trait", "Asthma", *wanted, "--json")
    told = " ".join(err.split())
    assert code == 2 and message in told and out == ""
    assert "'genotex fetch benchmark' prints where the published one is" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "{tmp}/absent", "{tmp}/o", "--trait", "Asthma"], "is not a folder"),
        (["solve", "{tmp}/input", "{tmp}/o", "--trait", "Gout"], "no cohorts of Gout"),
        (["solve", "{tmp}/input", "{tmp}/o", "--trait", "../x"], "cannot be a trait name"),
        (
            ["solve", "{tmp}/input", "{tmp}/o", "--trait", "Asthma", "--condition", "Obesity"],
            "related genes of Obesity are needed",
        ),
        (["solve", "{tmp}/input", "{tmp}/o", "--trait", "Asthma", "--cohort", "GSE9"], "GSE9"),
        (
            ["solve", "{tmp}/input", "{tmp}/o", "--trait", "Asthma", "--procedure", "benchmark"],
            "give the benchmark's task_info.json (--task-info)",
        ),
        (["preprocess", "{tmp}/input", "{tmp}/o", "--encoding", "{tmp}/none.json"], "none.json"),
        (["analyze", "{tmp}/o"], "run 'genotex preprocess' first"),
        (["analyze", "{tmp}/o", "--q", "0"], "Invalid value for '--q': 0 is out of range"),
        (
            ["solve", "{tmp}/input", "{tmp}/o", "--trait", "Asthma", "--solver", "exact"],
            "--solver exact belongs to the procedure 'benchmark'",
        ),
        (
            ["solve", "{tmp}/input", "{tmp}/o", "--trait", "Asthma", "--regressors", "exclusive"],
            "--regressors exclusive does nothing here: no other trait is the condition",
        ),
        (["clinical", "show", "{tmp}/none.txt", "--trait", "Asthma"], "none.txt"),
        (["clinical", "infer", "{tmp}/none.jsonl", "-o", "{tmp}/o"], "none.jsonl"),
    ],
)
def test_mistakes_get_a_message_exit_2_and_leave_nothing(  # type: ignore[no-untyped-def]
    genotex, tmp_path: Path, arguments: list[str], message: str
) -> None:
    write_asthma(tmp_path / "input")
    code, _, err = genotex(*(a.replace("{tmp}", str(tmp_path)) for a in arguments))
    assert code == 2
    assert message in err
    assert not (tmp_path / "o").exists()


def test_clinical_show_save_edit_and_give_back(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    matrix = write_asthma(tmp_path / "input", number=24)
    saved = tmp_path / "mine.json"
    code, out, _ = genotex("clinical", "show", matrix, "--trait", "Asthma", "--save", saved)
    assert code == 0 and "healthy control" in out
    text = saved.read_text()
    assert '"disease state: asthma": 1' in text.replace("1.0", "1")
    saved.write_text(re.sub(r'("disease state: asthma": )1(\.0)?', r"\g<1>null", text, count=1))
    code, out, err = genotex(
        "solve", tmp_path / "input", tmp_path / "o", "--trait", "Asthma", "--encoding", saved
    )
    assert code == 1
    assert "trait too one-sided to study (0: 12 samples)" in err + out


def test_clinical_show_in_json(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    matrix = write_asthma(tmp_path / "input")
    code, out, _ = genotex("clinical", "show", matrix, "--trait", "Asthma", "--json")
    shown = json.loads(out)
    assert code == 0 and shown["gene"]["available"]
    assert {row["feature"] for row in shown["values"]} == {"trait", "age", "gender"}


def test_clinical_infer_ignores_labels(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    cases = case_file(tmp_path / "cases.jsonl.gz")
    code, _, err = genotex("clinical", "infer", cases, "-o", tmp_path / "answers.jsonl")
    assert code == 0 and "1 answers" in err
    answer = json.loads((tmp_path / "answers.jsonl").read_text())
    assert answer["trait"] == {
        "row": 0,
        "map": {"disease state: asthma": 1, "disease state: healthy control": 0},
    }


@pytest.mark.everyday
def test_demo_finds_planted_genes_and_says_how_many(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = genotex("demo", tmp_path / "demo")
    assert code == 0
    last = out.strip().splitlines()[-1]
    found = re.fullmatch(r"planted found: (\d+)/(\d+), FDP (\d\.\d+)", last)
    assert found is not None
    assert int(found[1]) > int(found[2]) / 2 and float(found[3]) < 0.2
    assert (tmp_path / "demo" / "report.html").exists()
    assert (tmp_path / "demo" / "report.csv").exists()


def test_errors_of_the_library_are_errors_for_python_users(tmp_path: Path) -> None:
    from genotex.cohorts import preprocess

    with pytest.raises(UsageError):
        preprocess(tmp_path / "absent", tmp_path / "o")


@pytest.mark.filterwarnings("always")
def test_warning_of_a_package_is_a_line_without_the_place_in_its_code(
    genotex: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def warn() -> None:
        warnings.warn("temperature is\nnot supported", UserWarning, stacklevel=1)
        sys.exit(0)

    monkeypatch.setattr("genotex.cli.commands.app", warn)
    shown = warnings.showwarning
    try:
        _, _, err = genotex("solve")
    finally:
        warnings.showwarning = shown
    assert err == "warning temperature is not supported\n"
