"""Runs on Dask workers have the bytes of a run on one machine, whatever is killed."""

import datetime
import os
import pickle
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="pip install 'genotex[cluster]'")

from genotex.agents import CodeShelf, TeamPlan
from genotex.agents.team.sessions import TeamWork
from genotex.bench import BenchmarkRun, ErrorClass, RunFolder, choose_method, run_benchmark
from genotex.cluster import DaskExecutor, read_address
from genotex.models import SpendingLimits, prices_of, read_settings
from genotex.options import MethodOptions
from genotex.problems import Problem, TaskInfo
from tests.bench.runs.conftest import digests, make_tasks
from tests.bench.runs.killing import plan_for
from tests.geo_text import write_asthma

from .conftest import Machines, kill

# A busy machine takes its time to start a worker.
pytestmark = pytest.mark.filterwarnings("ignore:the Dask scheduler has no workers")


LONGEST = 900
"""Seconds for a command: one that waits for workers without end must not stop all tests."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two cohorts, three problems, and a run on this machine alone."""
    place = tmp_path_factory.mktemp("workers")
    write_asthma(place / "input", "GSE1", number=12)
    write_asthma(place / "input", "GSE2", number=16)
    make_tasks(place, {"Asthma": ("Age",), "Gout": ()})
    command = bench(place, "here")
    assert subprocess.run(command, cwd=place, check=False, timeout=LONGEST).returncode == 0
    return place


def bench(place: Path, target: str, *options: str) -> list[str]:
    words = ["bench", "run", "input", target, "--task-info", "task_info.json", *options]
    return [sys.executable, "-m", "genotex", *words]


def test_the_command_differs_by_one_option(place: Path, two: Machines) -> None:
    command = bench(place, "there", "--scheduler", two.address, "--json")
    done = subprocess.run(command, cwd=place, check=False, capture_output=True, timeout=LONGEST)
    assert done.returncode == 0, done.stderr.decode()
    assert digests(place / "there") == digests(place / "here")
    assert not (place / "there" / "run" / "work").exists()
    # Nothing is left to do, for which no worker is asked.
    two.close()
    command = bench(place, "there", "--scheduler", two.address)
    assert subprocess.run(command, cwd=place, check=False, timeout=LONGEST).returncode == 0


@pytest.mark.everyday
def test_preprocessing_and_annotation_are_the_same(place: Path, two: Machines) -> None:
    words = ["preprocess", "input", "prepared", "--scheduler", two.address]
    done = subprocess.run(
        [sys.executable, "-m", "genotex", *words], cwd=place, check=False, timeout=LONGEST
    )
    assert done.returncode == 0
    here = {name: d for name, d in digests(place / "here").items() if name.startswith("prep")}
    found = (place / "prepared" / "preprocess").rglob("*")
    assert {f.relative_to(place / "prepared").as_posix() for f in found if f.is_file()} == set(here)
    evidence = "preprocess/Asthma/evidence/GSE1.json"
    assert (place / "prepared" / evidence).read_bytes() == (place / "here" / evidence).read_bytes()


def test_workers_killed_at_random_change_no_byte(place: Path, two: Machines) -> None:
    stream, over = random.Random(), threading.Event()

    def kill_some() -> None:
        while not over.wait(stream.uniform(3, 8)):
            kill(two.workers[stream.randrange(len(two.workers))])
            two.add()

    target = place / "killed"
    thread = threading.Thread(target=kill_some)
    thread.start()
    plan = plan_for(place / "input", target, place / "task_info.json")
    try:
        with DaskExecutor(read_address(two.address)) as executor:
            run_benchmark(plan, executor=executor)
    finally:
        over.set()
        thread.join()
    run_benchmark(plan_for(place / "input", place / "first", place / "task_info.json"))
    assert digests(target) == digests(place / "first")


def test_submitting_process_killed_and_resumed(place: Path, two: Machines) -> None:
    command = bench(place, "resumed", "--scheduler", two.address)
    for seconds in (5, 9):
        process = subprocess.Popen(command, cwd=place, stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        process.kill()
        process.wait(60)
    assert subprocess.run(command, cwd=place, check=False, timeout=LONGEST).returncode == 0
    assert digests(place / "resumed") == digests(place / "here")


def test_secret_that_a_worker_lacks_is_a_reason_to_fail(
    place: Path, two: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Set after the workers have started: it is not sent to them.
    monkeypatch.setenv("MY_KEY", "not-for-the-scheduler")
    agent = f"{sys.executable} -c pass"
    chosen = choose_method(MethodOptions(command=agent, pass_env=("MY_KEY",)))
    assert b"not-for-the-scheduler" not in pickle.dumps(chosen)
    tasks = TaskInfo.load(place / "task_info.json")
    plan = BenchmarkRun(place / "secret", tasks, [Problem("Asthma")], chosen, place / "input")
    with DaskExecutor(read_address(two.address)) as executor:
        (record,) = run_benchmark(plan, executor=executor).records
    assert record.error_class is ErrorClass.USAGE
    assert "lacks the variables MY_KEY" in record.error
    kept = [p for p in RunFolder(place / "secret").root.rglob("*") if p.is_file()]
    assert not any(b"not-for-the-scheduler" in path.read_bytes() for path in kept)


def test_key_of_a_model_is_not_sent(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-the-scheduler")
    models = read_settings(None, {"model": "openai:gpt-4o"}, roles=())
    plan = TeamPlan(place / "input", tmp_path, [Problem("Asthma")], models)
    prices = prices_of(models, datetime.date(2026, 1, 1))
    shared = TeamWork(plan, SpendingLimits(), prices, CodeShelf(), 0.0, {})
    content = pickle.dumps(shared)
    assert b"sk-not" not in content
    assert pickle.loads(content).plan.models == models


def test_agents_work_on_workers(place: Path, two: Machines) -> None:
    words = ["agent", "run", "input", "agents", "--trait", "Asthma", "--model", "rules"]
    ways = {"agents-here": (), "agents": ("--scheduler", two.address)}
    for target, options in ways.items():
        command = [sys.executable, "-m", "genotex", *words, "--sandbox", "best", *options]
        command[command.index("agents")] = target
        done = subprocess.run(
            command, cwd=place, check=False, capture_output=True, env=os.environ, timeout=LONGEST
        )
        assert done.returncode == 0, done.stderr.decode()
    assert digests(place / "agents") == digests(place / "agents-here")
