"""Where the processor time of `genotex solve` goes, by step: the profile that docs/speed.md keeps.

    python -m benchmarks where_time_goes INPUT TRAIT GSE [--repeat 7]

Each run is a process of its own. A step's time is that of its thread without the steps within it;
imports are a step too, wherever they happen. The median of the repeats is printed.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.measuring import benchmark, measure
from genotex.cli import main as genotex_command
from genotex.cli import start_lean

REST = "command line, threads of polars, the rest"
STEPS = {
    "imports": ["importlib._bootstrap._find_and_load"],
    "files read": ["genotex.cohorts.geo.cohort.read_raw_series"],
    "samples chosen and described": [
        "genotex.cohorts.geo.cohort.read_or_replay",
        "genotex.cohorts.geo.cohort.encode_features",
        "genotex.cohorts.records.describe_cohort",
    ],
    "rows to genes": ["genotex.cohorts.geo.cohort.map_to_genes"],
    "samples judged": ["genotex.cohorts.records.judge_cohort"],
    "tables written": ["genotex.cohorts.preprocess.finish_cohort"],
    "samples compared, genes chosen": [
        "genotex.analysis.sound.set_up_comparison",
        "genotex.analysis.sound.choose_genes",
    ],
    "tests": ["genotex.analysis.sound.run_tests"],
    "hidden factors": ["genotex.analysis.gene_tests.trait_tests.find_unmeasured"],
    "panel": ["genotex.analysis.sound._fit_panel"],
    "page": ["genotex.workflows.problems.write_report"],
    "figures of the page": ["genotex.reports.problem.page.draw_figures"],
}


class Clock:
    """Processor seconds of each step, without the steps within it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._own = threading.local()

    def time(self, step: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, whose calls count for the step."""

        @functools.wraps(function)
        def timed(*given: Any, **named: Any) -> Any:
            outer = getattr(self._own, "within", 0.0)
            self._own.within, start = 0.0, time.thread_time()
            try:
                return function(*given, **named)
            finally:
                spent = time.thread_time() - start
                self.seconds[step] += spent - self._own.within
                self._own.within = outer + spent

        return timed


def solve_in_steps(arguments: list[str]) -> None:
    """Run `genotex solve` in this process, and print the seconds of each step as JSON."""
    clock, start = Clock(), time.process_time()
    places = [(step, *name.rpartition(".")[::2]) for step, names in STEPS.items() for name in names]
    start_lean()
    for step, module, function in places:
        found = importlib.import_module(module)
        setattr(found, function, clock.time(step, getattr(found, function)))
    sys.argv = ["genotex", "solve", *arguments]
    try:
        genotex_command()
    except SystemExit as ended:
        if ended.code:
            raise
    rest = time.process_time() - start - sum(clock.seconds.values())
    print(json.dumps({**clock.seconds, REST: rest}))


def main() -> None:
    """Run `solve` several times, and print the median of each step."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("trait")
    parser.add_argument("cohort")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--output", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.output is not None:
        given = [str(chosen.source), str(chosen.output), "--trait", chosen.trait]
        return solve_in_steps([*given, "--cohort", chosen.cohort, "--force", "--json"])
    given = [chosen.source, chosen.trait, chosen.cohort]
    with TemporaryDirectory() as folder:
        command = benchmark("where_time_goes", *given, "--output", folder)
        runs = [measure(command).stages for _ in range(chosen.repeat)]
    table = Table("step", "processor seconds", "share", box=None)
    seconds = {step: median(run.get(step, 0.0) for run in runs) for step in [*STEPS, REST]}
    for step, taken in seconds.items():
        table.add_row(step, f"{taken:.3f}", f"{taken / sum(seconds.values()):.0%}")
    table.add_row("together", f"{sum(seconds.values()):.3f}", "")
    Console(width=100).print(table)
    return None
