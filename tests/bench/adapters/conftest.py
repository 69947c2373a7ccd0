"""A small simulated benchmark, and a run on it with cohorts and gene lists of its own."""

import sys
from pathlib import Path

import pytest

from genotex.bench import (
    BenchmarkFolders,
    BenchmarkRun,
    SimulatedBenchmark,
    choose_method,
    run_benchmark,
    simulate_benchmark,
)
from genotex.options import MethodOptions
from genotex.problems import TaskInfo

AGENT = Path(__file__).parents[3] / "examples" / "t_test_agent.py"


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> SimulatedBenchmark:
    folder = tmp_path_factory.mktemp("adapters") / "simulated"
    return simulate_benchmark(folder, seed=3, samples=24, genes=400, traits=4, cohorts=8)


@pytest.fixture(scope="session")
def folders(simulated: SimulatedBenchmark) -> BenchmarkFolders:
    return BenchmarkFolders.find(simulated.folder, simulated.reference)


@pytest.fixture(scope="session")
def run_folder(simulated: SimulatedBenchmark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output folder of `genotex bench run` with the t test of examples/."""
    target = tmp_path_factory.mktemp("run") / "out"
    method = choose_method(MethodOptions(command=f"{sys.executable} {AGENT}"))
    tasks = TaskInfo.load(simulated.task_info)
    plan = BenchmarkRun(target, tasks, tasks.problems(), method, source=simulated.folder)
    run_benchmark(plan)
    return target
