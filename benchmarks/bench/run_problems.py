"""What a process of its own costs a problem: forked from one that has imported everything, or new.

    python -m benchmarks run_problems [--problems 40] [--samples 60] [--genes 4000]

"no work" is a method that does nothing, so that all of its time is the process: started, watched,
its output checked, placed and written down. "new Python" starts an interpreter for each problem
that imports the same modules. The methods solve the problems of a simulated study.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from genotex.bench.runs import Context, write_answer
from genotex.bench.runs.built_in import LASSO, FromCohorts
from genotex.bench.runs.choosing import choose_method
from genotex.bench.runs.method import ChosenMethod
from genotex.bench.runs.running import BenchmarkRun, run_benchmark
from genotex.options import MethodOptions
from genotex.problems import Problem, TaskInfo
from genotex.simulate import simulate_study

IMPORTS = "import genotex.bench.runs.built_in"


@dataclass(frozen=True)
class NoWork(FromCohorts):
    """A method that imports what a method on cohorts does, and answers with one gene."""

    def solve(self, problem: Problem, context: Context) -> None:
        """Write the answer."""
        write_answer(context.output, problem, ["TP53"])


def time_processes(folder: Path, number: int) -> tuple[float, list[float]]:
    """Return seconds a problem of a run without work, and of its processes alone."""
    tasks = _tasks(folder, number)
    method = ChosenMethod("no-work", NoWork(LASSO), "anything")
    plan = BenchmarkRun(folder / "no-work", tasks, tasks.problems(), method)
    ends: list[float] = []
    finished = run_benchmark(plan, on_problem=lambda *_: ends.append(time.perf_counter()))
    # From the end of the first to that of the last: without the start of the run.
    whole = (ends[-1] - ends[0]) / (number - 1)
    return whole, [record.seconds for record in finished.records]


def _tasks(folder: Path, number: int) -> TaskInfo:
    content = {f"Trait_{i}": {"related_genes": [], "conditions": []} for i in range(number)}
    path = folder / "task_info.json"
    path.write_text(json.dumps(content))
    return TaskInfo.load(path)


def time_new_pythons(number: int) -> float:
    """Return seconds that a new interpreter takes to import the same."""
    taken = []
    for _ in range(number):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", IMPORTS], check=True)
        taken.append(time.perf_counter() - start)
    return median(taken)


def time_methods(folder: Path, samples: int, genes: int) -> list[tuple[str, float, float]]:
    """Return for each method the median seconds of a problem and the peak memory in 10^6 bytes."""
    study = simulate_study(folder / "study", samples=samples, genes=genes)
    tasks = TaskInfo.load(study.task_info)
    rows = []
    for name in ("rules", "mixed-model", "lasso", "no-bec", "random"):
        method = choose_method(MethodOptions(method=name))
        plan = BenchmarkRun(folder / name, tasks, tasks.problems(), method, study.folder)
        summary = run_benchmark(plan).summary
        rows.append((name, summary.seconds["median"], summary.peak_memory_mb))
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=40)
    parser.add_argument("--samples", type=int, default=60)
    parser.add_argument("--genes", type=int, default=4000)
    chosen = parser.parse_args()
    out = Console(width=100)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole, alone = time_processes(folder, chosen.problems)
        new = time_new_pythons(5)
        methods = time_methods(folder, chosen.samples, chosen.genes)
    table = Table("a problem without work", "milliseconds", box=None)
    table.add_row("its process, forked", f"{1000 * median(alone):.0f}")
    table.add_row("with checking, placing, journal", f"{1000 * whole:.0f}")
    table.add_row("a new Python that imports the same", f"{1000 * new:.0f}")
    out.print(table)
    out.print(f"\n{chosen.samples} samples, {chosen.genes} genes, one problem at a time")
    table = Table("method", "seconds a problem (median)", "peak memory, MB", box=None)
    for method, seconds, peak in methods:
        table.add_row(method, f"{seconds:.2f}", f"{peak:.0f}")
    out.print(table)
