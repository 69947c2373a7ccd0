"""The command `genotex bench run`."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bench.runs.conftest import is_alive, make_tasks, wait_until
from tests.cli.conftest import Run, on_one_line
from tests.geo_text import write_asthma

Bench = Callable[..., tuple[int, str, str]]


@pytest.fixture
def bench(genotex: Run, tmp_path: Path) -> Bench:
    """Run `bench run` without input, of three problems."""
    tasks = make_tasks(tmp_path, {"Asthma": ("Age",), "Gout": ()})

    def run(*arguments: object, source: object = "-") -> tuple[int, str, str]:
        out = tmp_path / "out"
        return on_one_line(genotex)(
            "bench", "run", source, out, "--task-info", tasks.path, *arguments
        )

    return run


def test_help_names_methods_and_examples(genotex: Run) -> None:
    code, out, _ = genotex("bench", "run", "--help")
    assert code == 0
    for word in ("--preprocessed", "zero-shot", "--pass-env", "genotex bench run input out"):
        assert word in out


def test_run_from_raw_files(bench: Bench, tmp_path: Path) -> None:
    write_asthma(tmp_path / "input", number=24)
    code, out, err = bench(source=tmp_path / "input")
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["kind", "problems", "answered"]
    assert lines[3] == ["all", "3", "2"]
    assert "1 cohorts, 1 usable; " in out
    assert "no cohort 1 problem" in err
    assert "Gout: there is no preprocessed cohort of Gout" in err
    code, _, err = bench("--trait", "Asthma", source=tmp_path / "input")
    assert code == 2
    assert "problems: 3 before, 2 now" in err


def test_cohort_that_cannot_be_read_is_told(bench: Bench, tmp_path: Path) -> None:
    write_asthma(tmp_path / "input").write_text("<html>Sorry</html>")
    code, _, err = bench("--trait", "Asthma", source=tmp_path / "input")
    assert code == 1
    assert "not read Asthma/GSE1: " in err
    assert "no cohort 2 problems" in err


def test_ctrl_c_ends_the_problem_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    tasks = make_tasks(tmp_path, {"Asthma": ()})
    out = tmp_path / "out"
    command = [sys.executable, "-m", "genotex", "bench", "run", "-", str(out), "--task-info"]
    mark = tmp_path / "pid"
    sleeper = f"sh -c 'echo $$ > {mark}; sleep 600'"
    process = subprocess.Popen(
        [*command, str(tasks.path), "--command", sleeper], stderr=subprocess.PIPE
    )
    wait_until(lambda: mark.exists() and mark.read_text().endswith("\n"))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"interrupted" in err and b"Traceback" not in err
    left = sorted(path.name for path in (out / "run").iterdir())
    assert left == [".run.json.lock", "journal.jsonl", "run.json"]
    wait_until(lambda: not is_alive(int(mark.read_text())))


def test_json_for_machines_and_a_second_call(bench: Bench) -> None:
    arguments = ("--method", "random", "--genes", 5, "--json")
    code, out, _ = bench(*arguments)
    assert code == 0
    answer = json.loads(out)
    assert answer["summary"]["answered"] == 3
    assert [row["condition"] for row in answer["problems"]] == [None, "Age", None]
    assert all(row["genes"] == 5 and row["seconds"] > 0 for row in answer["problems"])
    assert json.loads(bench(*arguments)[1])["problems"] == answer["problems"]
    assert "3 of the problems were finished before" in bench(*arguments[:-1])[2]


def test_nothing_answered_is_told_by_the_exit_code(bench: Bench, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"trait": "Lupus", "condition": null, "genes": []}\n')
    code, _, err = bench("--method", "zero-shot", "--answers", answers)
    assert code == 1
    assert "no answer 3 problems" in err


def test_problems_from_a_file_of_a_trait_and_a_sample(bench: Bench, tmp_path: Path) -> None:
    listed = tmp_path / "problems.csv"
    listed.write_text("trait,condition\nAsthma,Age\nGout,\nAsthma,\n")
    random = ("--method", "random", "--genes", 2, "--json")
    _, out, _ = bench("--problems", listed, "--trait", "Asthma", "--sample", 2, *random)
    rows = json.loads(out)["problems"]
    assert [(row["trait"], row["condition"]) for row in rows] == [
        ("Asthma", "Age"),
        ("Asthma", None),
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "the method rules reads cohorts; give INPUT, or --preprocessed"),
        (("--method", "random", "--trait", "Lupus"), "has no problem of Lupus"),
        (("--method", "random", "--sample", 9), "a sample of 9 was asked for, of 3 problems"),
        (("--method", "random", "--time-limit", 0), "--time-limit 0 is not a time"),
        (("--method", "lasso", "--genes", 3), "--genes has no effect with the method lasso"),
        (("--preprocessed", "nowhere"), "nowhere contains no preprocess/"),
    ],
)
def test_mistakes_end_in_a_message(
    bench: Bench, tmp_path: Path, arguments: tuple[object, ...], told: str
) -> None:
    code, _, err = bench(*arguments)
    assert code == 2
    assert told in err
    assert not (tmp_path / "out").exists()
