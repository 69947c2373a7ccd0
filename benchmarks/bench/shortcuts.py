"""What shortcuts, t-tests of fixed length, the rules and the truth score on simulated benchmarks.

    python -m benchmarks shortcuts [--seeds 1 2 3] [--samples 60]

A benchmark measures skill if answers without data stay near chance, a list of a fixed length is
below a sound test, and the true answers score 100. "expert's tables" is the built-in analysis of
the cohorts as they were made, so that only statistics is left to fail; what the rules score less
is the cost of reading. Mean F1 over the problems that can be answered, and over the seeds with
their range.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table
from scipy import stats

from genotex.bench.evaluation.evaluate import evaluate
from genotex.bench.evaluation.options import EvaluationOptions
from genotex.bench.runs import write_answer
from genotex.bench.runs.built_in import RandomGenes
from genotex.bench.runs.choosing import choose_method
from genotex.bench.runs.running import BenchmarkRun, run_benchmark
from genotex.bench.simulated import SimulatedBenchmark, simulate_benchmark
from genotex.errors import NoUsableCohortError
from genotex.layout import OutputFolder
from genotex.options import MethodOptions
from genotex.problems import Problem, TaskInfo, choose_cohort

Answer = Callable[[Problem], list[str]]


def of_t_test(output: OutputFolder, cut: int | None) -> Answer:
    """Return the first genes of a t-test in the largest cohort, or all with q < 0.05."""

    def answer(problem: Problem) -> list[str]:
        try:
            cohort = choose_cohort(output, Problem(problem.trait)).cohort
        except NoUsableCohortError:
            return []
        table = pl.read_csv(output.linked_csv(problem.trait, cohort))
        genes = [n for n in table.columns[1:] if n not in (problem.trait, "Age", "Gender")]
        trait, values = table[problem.trait].to_numpy(), table.select(genes).to_numpy()
        trait = trait > np.median(trait) if len(np.unique(trait)) > 2 else trait > 0
        p = stats.ttest_ind(values[trait], values[~trait]).pvalue
        order = np.argsort(p)
        if cut is None:
            order = order[stats.false_discovery_control(np.nan_to_num(p, nan=1.0))[order] < 0.05]
        return [genes[i] for i in order[:cut]]

    return answer


def score(world: SimulatedBenchmark, folder: Path) -> float:
    """Return the mean F1 over the problems that can be answered."""
    options = EvaluationOptions(tasks=("analysis",), task_info=world.task_info)
    return float(np.mean([item.f1 for item in evaluate(folder, world.reference, options).analysis]))


def answered(world: SimulatedBenchmark, folder: Path, answer: Answer) -> float:
    """Return the score of answers that are given at once."""
    for problem in world.problems:
        write_answer(OutputFolder(folder), problem, answer(problem))
    return score(world, folder)


def solved(world: SimulatedBenchmark, folder: Path, start: Path | None = None) -> float:
    """Return the score of the built-in rules, from raw files or from prepared tables."""
    tasks = TaskInfo.load(world.task_info)
    method = choose_method(MethodOptions(method="rules"))
    source = {"source": world.folder} if start is None else {"preprocessed": start}
    run_benchmark(BenchmarkRun(folder, tasks, tasks.problems(), method, **source))
    return score(world, folder)


def measure(folder: Path, seed: int, samples: int) -> dict[str, float]:
    """Return the score of each way to answer one benchmark."""
    world = simulate_benchmark(folder / "world", seed=seed, samples=samples)
    related = TaskInfo.load(world.task_info).traits
    rng = np.random.default_rng(seed)
    genes = sorted(pl.read_csv(next((world.reference / "preprocess").glob("*/GSE*.csv"))).columns)
    symbols = RandomGenes().symbols
    ways: dict[str, Answer] = {
        "nothing": lambda _: [],
        "related genes": lambda problem: list(related[problem.trait].related_genes),
        "100 random genes": lambda _: rng.choice(genes, 100, replace=False).tolist(),
        "300 random symbols": lambda _: rng.choice(symbols, 300, replace=False).tolist(),
        "every gene": lambda _: genes,
    }
    found = {
        name: answered(world, folder / str(i), answer)
        for i, (name, answer) in enumerate(ways.items())
    }
    rules = solved(world, folder / "rules")
    for name, cut in (("t-test, first 30", 30), ("t-test, first 100", 100), ("t-test, q", None)):
        answer = of_t_test(OutputFolder(folder / "rules"), cut)
        found[name] = answered(world, folder / f"t{cut}", answer)
    found["built-in rules"] = rules
    tables = folder / "tables"
    shutil.copytree(world.reference / "preprocess", tables / "preprocess")
    found["rules, expert's tables"] = solved(world, folder / "expert", tables)
    found["truth"] = score(world, world.reference)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--samples", type=int, default=60)
    chosen = parser.parse_args()
    found = []
    for seed in chosen.seeds:
        with tempfile.TemporaryDirectory() as name:
            found.append(measure(Path(name), seed, chosen.samples))
    table = Table("answer", "F1, mean", "lowest", "highest", box=None)
    for name in found[0]:
        values = [each[name] for each in found]
        table.add_row(name, *(f"{f(values):.1f}" for f in (np.mean, min, max)))
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
