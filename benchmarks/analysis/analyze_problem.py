"""From a linked table to genes: genotex against the published analysis, side by side.

    python -m benchmarks analyze_problem [--samples 60 167 500 1000] [--genes 20000] [--repeat 1]

Every side runs in a process of its own on the same simulated cohort; seconds and processor seconds
are those of the analysis alone, without start-up and simulation, the least of the repeats. Peak
memory is that of the whole process. BLAS has one thread on every side: coordinate descent does not
gain from more.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks.measuring import benchmark, measure, show_starts

TRAIT = "Asthma"
STARTS = {
    "transcription": "import pandas, sklearn.linear_model",
    "sound": "import genotex.analysis.sound",
    "benchmark": "import genotex.analysis.benchmark",
}
FACTORS, RELATED, LIFTED = 10, 200, 40


@dataclass(frozen=True)
class Cohort:
    """A simulated cohort without covariates."""

    genes: list[str]
    trait: np.ndarray
    expression: np.ndarray
    related: list[str]


@dataclass(frozen=True)
class Side:
    """One way to solve the problem; sides of a kind must give the same answer."""

    name: str
    kind: str
    solve: Callable[[Cohort], dict[str, Any]]


@dataclass(frozen=True)
class Run:
    """What one side took and answered."""

    seconds: float
    processor: float
    peak_gib: float
    answer: dict[str, Any]


def make_cohort(samples: int, genes: int) -> Cohort:
    """Correlated genes around levels of log2 expression; a trait that some of them carry."""
    rng = np.random.default_rng(samples)
    factors = rng.normal(size=(samples, FACTORS))
    values = factors @ rng.normal(scale=0.5, size=(FACTORS, genes))
    values += rng.normal(size=(samples, genes))
    liability = factors[:, 0] + 1.5 * rng.normal(size=samples)
    trait = (liability > np.median(liability)).astype(float)
    related = np.sort(rng.choice(genes, RELATED, replace=False))
    values[:, related[:LIFTED]] += 0.8 * trait[:, None]
    values += rng.uniform(4, 12, genes)
    names = [f"GENE{j:05d}" for j in range(genes)]
    return Cohort(names, trait, values, [names[j] for j in related])


def solve_published(cohort: Cohort) -> dict[str, Any]:
    """Run the transcription in plain scikit-learn calls."""
    import pandas as pd

    from benchmarks.analysis.published_analysis import solve

    frame = pd.DataFrame(cohort.expression, columns=cohort.genes)
    frame.insert(0, TRAIT, cohort.trait)
    answer = solve(frame, TRAIT, cohort.related)
    listed = answer["significant_genes"]
    return {
        "genes": listed["Variable"].to_list(),
        "coefficients": listed["Coefficient"].to_list(),
        "lambda": answer["lambda"],
        "cv_performance": answer["cv_performance"],
    }


def _table(cohort: Cohort) -> Any:
    from genotex.formats import LinkedTable

    samples = tuple(f"S{i}" for i in range(len(cohort.trait)))
    return LinkedTable(TRAIT, samples, cohort.trait, {}, tuple(cohort.genes), cohort.expression)


def solve_genotex(cohort: Cohort, threads: int, solver: str = "scikit-learn") -> dict[str, Any]:
    """Run the procedure ``benchmark``."""
    from genotex.analysis.benchmark import analyze_benchmark
    from genotex.options import AnalysisOptions
    from genotex.problems import Problem

    options = AnalysisOptions(procedure="benchmark", solver=solver)
    result = analyze_benchmark(
        _table(cohort), Problem(TRAIT), options, cohort.related, None, threads=threads
    )
    return {
        "genes": result.significant["Variable"].to_list(),
        "coefficients": result.significant["Coefficient"].to_list(),
        "lambda": result.method["solver"]["lambda"],
        "cv_performance": dict(result.cv_performance),
    }


def solve_sound(cohort: Cohort, threads: int) -> dict[str, Any]:
    """Run the procedure ``sound`` whole: test, hidden structure, panel, nested CV, halves."""
    from genotex.analysis import analyze_table
    from genotex.options import AnalysisOptions
    from genotex.problems import Problem

    options = AnalysisOptions()
    result = analyze_table(_table(cohort), {}, Problem(TRAIT), options, threads=threads)
    return {"genes": result.significant["Variable"].to_list(), "q": options.q_cut}


def solve_tests(cohort: Cohort) -> dict[str, Any]:
    """Run the moderated t of all genes, as `analyze_table` does, without anything beside it."""
    from genotex.analysis import Precision
    from genotex.analysis.gene_tests.coefficients import TestSettings, moderated_columns

    design = np.column_stack([np.ones(len(cohort.trait)), cohort.trait])
    settings = TestSettings(Precision())
    fit = settings.regress(design, cohort.expression)
    columns, _ = moderated_columns(fit, cohort.expression, settings, binary=True)
    return {"genes": [cohort.genes[j] for j in np.flatnonzero(columns["q"] < 0.05)], "q": 0.05}


def solve_mixed(cohort: Cohort) -> dict[str, Any]:
    """Run the mixed model of all genes alone."""
    from genotex.analysis import fit_mixed
    from genotex.analysis.gene_tests.coefficients import mixed_columns

    fit = fit_mixed(cohort.expression, np.ones((len(cohort.trait), 1)), cohort.trait)
    found = np.flatnonzero(mixed_columns(fit)["Mixed q"] < 0.05)
    return {"genes": [cohort.genes[j] for j in found], "q": 0.05}


def solve_products(cohort: Cohort) -> dict[str, Any]:
    """Compute what any test needs: products with the genes and one decomposition."""
    x = cohort.expression
    design = np.column_stack([np.ones(len(cohort.trait)), cohort.trait])
    q = np.linalg.qr(design)[0]
    _ = x - q @ (q.T @ x)
    return {"genes": [], "q": 1.0}


def solve_rotation(cohort: Cohort) -> dict[str, Any]:
    """Compute what a mixed model needs: the genes' covariance, its decomposition, a rotation."""
    x = (cohort.expression - cohort.expression.mean(axis=0)) / cohort.expression.std(axis=0)
    vectors = np.linalg.eigh(x @ x.T)[1]
    _ = vectors.T @ cohort.expression
    return {"genes": [], "q": 1.0}


SIDES = (
    Side("transcription", "published", solve_published),
    Side("genotex, 1 thread", "published", lambda cohort: solve_genotex(cohort, 1)),
    Side("genotex, 2 threads", "published", lambda cohort: solve_genotex(cohort, 2)),
    Side("genotex, exact", "exact", lambda cohort: solve_genotex(cohort, 1, "exact")),
    Side("sound, whole, 1 thread", "sound", lambda cohort: solve_sound(cohort, 1)),
    Side("sound, whole, 2 threads", "sound", lambda cohort: solve_sound(cohort, 2)),
    Side("moderated t alone", "tests", solve_tests),
    Side("its matrix products", "floor", solve_products),
    Side("mixed model alone", "tests", solve_mixed),
    Side("its decomposition", "floor", solve_rotation),
)


def run_here(side: Side, samples: int, genes: int) -> None:
    """Solve in this process and print time and answer as JSON."""
    cohort = make_cohort(samples, genes)
    with threadpool_limits(limits=1):
        side.solve(make_cohort(40, 600))  # loads the modules
        wall, processor = time.perf_counter(), time.process_time()
        answer = side.solve(cohort)
        record = {
            "seconds": time.perf_counter() - wall,
            "processor": time.process_time() - processor,
            "answer": answer,
        }
    print(json.dumps(record))


def run_side(side: Side, samples: int, genes: int, repeat: int) -> Run:
    """Solve in processes of their own; keep the least time."""
    shape = ("--side", side.name, "--samples", samples, "--genes", genes)
    runs = []
    for _ in range(repeat):
        measured = measure(benchmark("analyze_problem", *shape))
        told = json.loads(measured.output.strip().rsplit("\n", 1)[-1])
        runs.append(Run(told["seconds"], told["processor"], measured.peak_gib, told["answer"]))
    return min(runs, key=lambda run: run.seconds)


def compare(first: dict[str, Any], second: dict[str, Any]) -> str:
    """Say whether two answers are the same, and how far apart their coefficients are."""
    same = all(first[key] == second[key] for key in ("genes", "lambda", "cv_performance"))
    if not same:
        return "no"
    apart = np.abs(np.subtract(first["coefficients"], second["coefficients"])).max(initial=0.0)
    return "bit for bit" if apart == 0 else f"within {apart:.0e}"


def _found(answer: dict[str, Any]) -> str:
    if "lambda" in answer:
        return f"{len(answer['genes']):,} at {answer['lambda']:g}"
    return f"{len(answer['genes']):,} at q < {answer['q']:g}" if answer["q"] < 1 else ""


def show(
    console: Console, samples: int, genes: int, sides: list[Side], runs: dict[str, Run]
) -> None:
    """Print all sides of one size."""
    table = Table(title=f"{samples} samples x {genes:,} genes")
    for name in ("", "seconds", "processor", "ratio", "peak memory", "genes", "identical"):
        justify = "left" if name in ("", "identical") else "right"
        table.add_column(name, justify=justify, no_wrap=True)
    first = runs[sides[0].name]
    for side in sides:
        run = runs[side.name]
        table.add_row(
            side.name,
            f"{run.seconds:.3f}",
            f"{run.processor:.3f}",
            f"{first.seconds / run.seconds:.2f}",
            f"{run.peak_gib:.2f} GiB",
            _found(run.answer),
            compare(first.answer, run.answer) if side.kind == sides[0].kind == "published" else "",
        )
    console.print(table)


def main() -> None:
    """Run every side at every size and print them side by side."""
    # One thread in whatever library a side brings along; set before its process starts.
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, nargs="+", default=[60, 167, 500, 1000])
    parser.add_argument("--genes", type=int, default=20_000)
    parser.add_argument("--repeat", type=int, default=1, help="how often each side runs")
    parser.add_argument(
        "--kinds",
        nargs="+",
        help="only sides of these kinds: published, exact, sound, tests, floor",
    )
    parser.add_argument("--side", help=argparse.SUPPRESS)
    choices = parser.parse_args()
    if choices.side:
        side = next(side for side in SIDES if side.name == choices.side)
        run_here(side, choices.samples[0], choices.genes)
        return
    console = Console(width=110)
    for samples in choices.samples:
        sides = [s for s in SIDES if not choices.kinds or s.kind in choices.kinds]
        runs = {side.name: run_side(side, samples, choices.genes, choices.repeat) for side in sides}
        show(console, samples, choices.genes, sides, runs)
    show_starts(console, STARTS)
