"""What the problems of one cohort take when they share work, and when each is solved alone.

    python -m benchmarks problems_of_a_cohort [--samples 350] [--genes 18530] [--missing 0.0]

A simulated cohort of a trait is asked without a condition, given age, given gender, and given four
other traits with cohorts of their own. Each problem is solved three times in turn, in one process
and on one thread: alone; with what is kept in memory (`genotex analyze`); and with what is kept in
a folder (`genotex bench run`, where each problem has a process of its own and reads the table
again). Processor seconds are printed, and the results must be the same byte for byte. Start-up is
not counted.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from contextvars import copy_context
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks.analysis.analyze_problem import TRAIT, make_cohort
from genotex.analysis import sharing, solve_problem, write_result
from genotex.analysis.shared_work import keep_sharing
from genotex.formats import (
    CohortInfo,
    Evidence,
    LinkedTable,
    Role,
    update_cohort_info,
    write_evidence,
    write_json,
    write_linked_csv,
    write_linked_parquet,
)
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem, TaskInfo
from genotex.procedure import Procedure

OTHERS = ("Obesity", "Arthritis", "Gout", "Lupus")
FEWER = 100
"""Samples that the cohorts of conditions have less."""


def put(output: OutputFolder, trait: str, samples: int, genes: int, missing: float) -> list[str]:
    """Write the one cohort of a trait, and return related genes."""
    made = make_cohort(samples, genes)
    rng = np.random.default_rng(samples)
    covariates = {
        "Age": rng.integers(25, 85, samples).astype(float),
        "Gender": rng.integers(0, 2, samples).astype(float),
    }
    names = tuple(f"S{i}" for i in range(samples))
    table = LinkedTable(trait, names, made.trait, covariates, tuple(made.genes), made.expression)
    info = CohortInfo(True, True, True, True, False, True, True, samples, None)
    update_cohort_info(output.cohort_info(trait), "GSE1", info)
    write_linked_csv(output.linked_csv(trait, "GSE1"), table)
    made.expression[rng.random(made.expression.shape) < missing] = np.nan
    path = output.linked_parquet(trait, "GSE1")
    write_linked_parquet(path, table, csv=output.linked_csv(trait, "GSE1"))
    roles: dict[str, Role] = {
        name: "case" if value else "healthy control"
        for name, value in zip(names, made.trait, strict=True)
    }
    record = Evidence(trait, "GSE1", "sound", "GEO", "0.1.0", roles=roles)
    write_evidence(output.evidence(trait, "GSE1"), record)
    return made.related


def solve(
    cohorts: OutputFolder, problem: Problem, options: AnalysisOptions, tasks: TaskInfo, target: Path
) -> float:
    """Solve a problem, write its result, and return the processor seconds."""
    start = time.process_time()
    write_result(OutputFolder(target), solve_problem(cohorts, problem, options, tasks))
    return time.process_time() - start


def compare(
    folder: Path, problems: Sequence[Problem], options: AnalysisOptions, tasks: TaskInfo
) -> list[tuple[float, ...]]:
    """Return for each problem what it takes alone and in both ways with shared work."""
    cohorts, seconds = OutputFolder(folder), []
    memory = copy_context()
    memory.run(keep_sharing)
    for problem in problems:
        given = (cohorts, problem, options, tasks)
        alone = solve(*given, folder / "alone")
        in_memory = memory.run(solve, *given, folder / "memory")
        with sharing(folder / "kept"):
            in_folder = solve(*given, folder / "folder")
        seconds.append((alone, in_memory, in_folder))
    for path in (folder / "alone").rglob("*.*"):
        for name in ("memory", "folder"):
            same = folder / name / path.relative_to(folder / "alone")
            if path.read_bytes() != same.read_bytes():
                sys.exit(f"{path.name} differs with shared work")
    return seconds


def main() -> None:
    """Make the cohorts, solve the problems, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=350)
    parser.add_argument("--genes", type=int, default=18_530)
    parser.add_argument("--missing", type=float, default=0.0, help="share of missing values")
    parser.add_argument("--procedure", choices=("sound", "benchmark"), default="sound")
    parser.add_argument("--solver", choices=("scikit-learn", "exact"), default="scikit-learn")
    chosen = parser.parse_args()
    options = AnalysisOptions(Procedure(chosen.procedure), solver=chosen.solver)
    with tempfile.TemporaryDirectory() as name, threadpool_limits(limits=1):
        folder = Path(name)
        content = {
            trait: {
                "related_genes": put(OutputFolder(folder), trait, size, chosen.genes, missing),
                "conditions": ["Age", "Gender", *OTHERS] if trait == TRAIT else [],
            }
            for trait, size, missing in (
                (TRAIT, chosen.samples, chosen.missing),
                *((other, chosen.samples - FEWER - i, 0.0) for i, other in enumerate(OTHERS)),
            )
        }
        write_json(folder / "task_info.json", content)
        tasks = TaskInfo.load(folder / "task_info.json")
        problems = [problem for problem in tasks.problems() if problem.trait == TRAIT]
        # What a process does once is done before anything is timed.
        solve(OutputFolder(folder), problems[-1], options, tasks, folder / "first")
        seconds = compare(folder, problems, options, tasks)
    table = Table("problem, processor seconds", "alone", "memory", "folder", box=None)
    for problem, each in zip(problems, seconds, strict=True):
        table.add_row(str(problem), *(f"{taken:.2f}" for taken in each))
    total = np.sum(seconds, axis=0)
    table.add_row("together", *(f"{taken:.1f}" for taken in total))
    table.add_row("of alone", *(f"{taken:.2f}" for taken in total / total[0]))
    Console(width=100).print(table)
