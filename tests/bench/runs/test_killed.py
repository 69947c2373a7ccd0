"""SIGKILL at any moment: nothing finished is lost, and the end is the same to the last byte."""

import csv
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from genotex.bench import BenchmarkRun, RunFolder, run_benchmark
from genotex.bench.runs.fork_server import Children, Ended, ProblemTask
from genotex.bench.runs.problem_stage import finished_problems
from genotex.errors import WorkerLostError
from genotex.journal import open_journal, read_journal
from tests.geo_text import write_asthma

from .conftest import digests, make_tasks
from .killing import plan_for

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("killed")
    write_asthma(place / "input", "GSE1", number=12)
    write_asthma(place / "input", "GSE2", number=16)
    make_tasks(place, {"Asthma": ("Age",), "Gout": ()})
    run_benchmark(plan_in(place, "unkilled"))
    return place


def plan_in(place: Path, target: str) -> BenchmarkRun:
    return plan_for(place / "input", place / target, place / "task_info.json")


def kill(place: Path, target: str, moments: list[str]) -> list[str]:
    """Kill the run at these moments, until it ends; return how each attempt ended."""
    command = [sys.executable, "-m", "tests.bench.runs.killing"]
    folders = [place / "input", place / target, place / "task_info.json"]
    done = subprocess.run(
        [*command, *map(str, folders), *moments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return done.stdout.decode().splitlines()


TIMES = {"seconds", "peak_memory_mb", "total", "median", "longest", "cohorts", "name"}
"""Fields of run/ that may differ after a kill; ``docs/benchmark-runs.md`` names them, too."""


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_times(each) for name, each in value.items() if name not in TIMES}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def run_files(root: Path) -> dict[str, Any]:
    """Return what is in run/, without what a clock or the memory in use gives."""
    found: dict[str, Any] = {}
    for path in sorted((root / "run").rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix == ".jsonl":
            found[name] = sorted(map(repr, map(without_times, read_journal(path))))
        elif path.name == "manifest.json":
            # Digests of files with times in them; that they fit is tested elsewhere.
            found[name] = sorted(json.loads(path.read_text())["files"])
        elif path.suffix == ".json":
            found[name] = without_times(json.loads(path.read_text()))
        elif path.suffix == ".csv":
            rows = csv.DictReader(path.read_text().splitlines())
            timed = ("seconds", "cohort_seconds", "peak_memory_mb")
            found[name] = [{k: v for k, v in row.items() if k not in timed} for row in rows]
        elif path.is_file() and path.suffix != ".lock":
            found[name] = path.read_text()
    return found


def finished_in(place: Path, target: str) -> int:
    with open_journal(RunFolder(place / target).journal) as journal:
        return len(finished_problems(journal))


def test_killed_before_within_and_after_every_line_of_the_journal(place: Path) -> None:
    ended = kill(place, "lines", ["before", "torn", "after"] * 8)
    assert ended[-1] == "before 0"  # nothing was left to be written down
    assert {line.split()[1] for line in ended[:-1]} == {"-9"}
    assert len(ended) >= 10  # three problems and a cohort at least, three kills each
    assert digests(place / "lines") == digests(place / "unkilled")
    assert run_files(place / "lines") == run_files(place / "unkilled")


@pytest.mark.everyday
def test_killed_at_random_moments(place: Path) -> None:
    stream = random.Random()
    moments = [f"{stream.uniform(0, 1.2):.3f}" for _ in range(4)]
    print("moments:", moments)
    kill(place, "moments", moments)
    kept = finished_in(place, "moments")
    assert run_benchmark(plan_in(place, "moments"), jobs=2).solved_now == 3 - kept
    assert digests(place / "moments") == digests(place / "unkilled")


def test_process_that_outlives_a_killed_run_for_a_moment_is_in_nobodys_way(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_in(place, "met")
    usual = Children.start

    def start(self: Children, task: ProblemTask) -> None:
        # What one of the run before still did when this one had begun.
        work = RunFolder(plan.target).work / str(task.number)
        (work / "output").mkdir(parents=True)
        usual(self, task)

    monkeypatch.setattr(Children, "start", start)
    run_benchmark(plan)
    assert digests(plan.target) == digests(place / "unkilled")


def test_run_goes_on_after_the_loss_of_the_process_that_starts_others(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Children.wait

    def lose(self: Children) -> Ended:
        self._server.kill()
        return usual(self)

    plan = plan_in(place, "lost")
    with monkeypatch.context() as patch:
        patch.setattr(Children, "wait", lose)
        with pytest.raises(WorkerLostError, match="repeat the command to continue"):
            run_benchmark(plan)
    run_benchmark(plan)
    assert digests(plan.target) == digests(place / "unkilled")
