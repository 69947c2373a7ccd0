"""How long the whole benchmark takes: a stratified sample of it is measured and extrapolated.

    python -m benchmarks whole_benchmark [--jobs 2] [--each 2] [--procedure sound] [--solver exact]

The benchmark has 911 cohorts of 167 +- 121 samples with 18,530 genes and 1,384 problems (GenoTEX,
table 1). Cohort sizes are drawn once from the log-normal distribution with that mean and deviation,
seven for each of the 132 traits; problems of a trait are solved in its largest cohort, one after
the other in one process, as `genotex analyze` does. Cohorts and traits are cut into strata of equal
size by the number of samples, and a few of each stratum are made, run and measured, as many side by
side as the benchmark would be; of a trait the problem without condition, those given age and gender
and two of those given another trait, each kind as often as the benchmark has it. The error of the
total is the standard error of stratified sampling. Seconds are processor time, which depends little
on what else the machine does. What a process does once (imports, word lists, gene table) is done
before anything is measured, and printed separately.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.analysis.analyze_problem import TRAIT
from benchmarks.analysis.problems_of_a_cohort import put, solve
from benchmarks.cohorts.array_cohort import coding_symbols, write_cohort
from benchmarks.measuring import show_starts
from genotex.analysis import sharing
from genotex.formats import write_json
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, Solver
from genotex.parallel import side_by_side
from genotex.problems import Problem, TaskInfo
from genotex.procedure import Procedure

COHORTS, TRAITS = 911, 132
SAMPLES, DEVIATION, GENES = 167, 121, 18_530
FEWEST, MOST = 12, 1_200
PROBES_OF_A_GENE = 54_675 / 21_000
PROBLEMS = {"none": 132, "own": 251, "other": 1_001}
"""By the condition: none, Age or Gender, another trait."""
STRATA = 5
SEED = 1
OTHERS = ("Obesity", "Arthritis")
STARTS = {
    "preprocess": "import genotex.cohorts",
    "analyze": "import genotex.analysis.sound",
    "solve": "import genotex.cohorts, genotex.analysis.sound, genotex.reports.problem.report",
}


@dataclass(frozen=True)
class Piece:
    """A cohort to preprocess, or a trait whose problems are solved in a cohort of that size."""

    kind: str
    samples: int
    genes: int
    seed: int
    procedure: str = "sound"
    panel: bool = True
    solver: Solver = "scikit-learn"


@dataclass(frozen=True)
class Stratum:
    """What is alike, how many of it the benchmark has, and those that are measured."""

    name: str
    size: int
    pieces: tuple[Piece, ...]


def draw_sizes() -> list[np.ndarray]:
    """Return the cohort sizes of each trait."""
    rng = np.random.default_rng(SEED)
    spread = np.log(1 + (DEVIATION / SAMPLES) ** 2)
    sizes = rng.lognormal(np.log(SAMPLES) - spread / 2, np.sqrt(spread), COHORTS)
    whole = np.clip(np.round(sizes), FEWEST, MOST).astype(int)
    return np.array_split(whole, TRAITS)


def plan(each: int, genes: int, number: int = STRATA) -> list[Stratum]:
    """Return the strata of cohorts and traits, each with the pieces to measure."""
    by_trait = draw_sizes()
    rng = np.random.default_rng(SEED + 1)
    largest = np.array([sizes.max() for sizes in by_trait])
    found = _strata("preprocess", np.concatenate(by_trait), number, each, genes, rng)
    return found + _strata("trait", largest, number, each, genes, rng)


def _strata(
    kind: str, sizes: np.ndarray, number: int, each: int, genes: int, rng: np.random.Generator
) -> list[Stratum]:
    strata = []
    for part in np.array_split(np.sort(sizes), number):
        drawn = np.sort(rng.choice(part, min(each, len(part)), replace=False))
        pieces = tuple(Piece(kind, int(n), genes, int(rng.integers(1 << 30))) for n in drawn)
        strata.append(Stratum(f"{kind}, {part[0]} to {part[-1]} samples", len(part), pieces))
    return strata


_ready: set[str] = set()


def run_piece(piece: Piece) -> float:
    """Return the seconds of one piece, its files and the start of the process excluded."""
    run = _preprocess if piece.kind == "preprocess" else _solve
    if run.__name__ not in _ready:
        run(Piece(piece.kind, 40, 600, 0))
        _ready.add(run.__name__)
    return run(piece)


def _preprocess(piece: Piece) -> float:
    from genotex.cohorts import preprocess

    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name) / "input", Path(name) / "output"
        write_cohort(
            source,
            coding_symbols()[: piece.genes],
            probes=int(piece.genes * PROBES_OF_A_GENE),
            samples=piece.samples,
            seed=piece.seed,
        )
        start = time.process_time()
        (outcome,) = preprocess(source, target)
        seconds = time.process_time() - start
    if outcome.error is not None or outcome.info is None or not outcome.info.is_usable:
        sys.exit(f"{piece} was not preprocessed: {outcome.error or outcome.info}")
    return seconds


def _solve(piece: Piece) -> float:
    """Solve some of the problems of a trait; return the seconds of all."""
    options = AnalysisOptions(Procedure(piece.procedure), panel=piece.panel, solver=piece.solver)
    with tempfile.TemporaryDirectory() as name, sharing():
        cohorts = OutputFolder(Path(name))
        related = {
            trait: put(cohorts, trait, piece.samples, piece.genes, 0.0)
            for trait in (TRAIT, *OTHERS)
        }
        tasks = Path(name) / "task_info.json"
        conditions = ["Age", "Gender", *OTHERS]
        write_json(tasks, {
            trait: {"related_genes": genes, "conditions": conditions if trait == TRAIT else []}
            for trait, genes in related.items()
        })  # fmt: skip
        known = TaskInfo.load(tasks)

        def mean(*conditions: str | None) -> float:
            taken = [
                solve(cohorts, Problem(TRAIT, one), options, known, Path(name) / "results")
                for one in conditions
            ]
            return float(np.mean(taken))

        seconds = {"none": mean(None), "own": mean("Age", "Gender"), "other": mean(*OTHERS)}
    return sum(PROBLEMS[kind] / TRAITS * taken for kind, taken in seconds.items())


def extrapolate(
    strata: Sequence[Stratum], seconds: Callable[[Piece], float]
) -> tuple[float, float]:
    """Return the total over the strata and its standard error."""
    total = variance = 0.0
    for stratum in strata:
        measured = np.array([seconds(piece) for piece in stratum.pieces])
        total += stratum.size * measured.mean()
        rest = 1 - len(measured) / stratum.size
        variance += stratum.size**2 * rest * measured.var(ddof=1) / len(measured)
    return total, variance**0.5


def main() -> None:
    """Measure the sample, extrapolate, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2, help="processes side by side")
    parser.add_argument("--each", type=int, default=2, help="pieces of each stratum, at least 2")
    parser.add_argument("--strata", type=int, default=STRATA, help="of each kind, at least 3")
    parser.add_argument("--genes", type=int, default=GENES)
    parser.add_argument("--procedure", choices=("sound", "benchmark"), default="sound")
    parser.add_argument("--solver", choices=("scikit-learn", "exact"), default="scikit-learn")
    parser.add_argument("--no-panel", action="store_true", help="sound without the sparse panel")
    chosen = parser.parse_args()
    if chosen.each < 2:
        parser.error("--each must be at least 2: one piece of a stratum has no spread")
    if chosen.strata < 3:
        parser.error("--strata must be at least 3")
    console = Console(width=100)
    strata = [
        replace(
            stratum,
            pieces=tuple(
                replace(
                    piece,
                    procedure=chosen.procedure,
                    panel=not chosen.no_panel,
                    solver=chosen.solver,
                )
                for piece in stratum.pieces
            ),
        )
        for stratum in plan(chosen.each, chosen.genes, chosen.strata)
    ]
    pieces = [piece for stratum in strata for piece in stratum.pieces]
    # In random order, so that large pieces meet small ones as they do in a run.
    order = np.random.default_rng(SEED).permutation(len(pieces))
    with side_by_side(chosen.jobs) as run:
        taken = run(run_piece, [pieces[i] for i in order])
        seconds = {pieces[i]: taking for i, taking in zip(order, taken, strict=True)}
    table = Table("stratum", "in the benchmark", "measured", "seconds each", box=None)
    for stratum in strata:
        times = ", ".join(f"{seconds[piece]:.2f}" for piece in stratum.pieces)
        table.add_row(stratum.name, f"{stratum.size:,}", str(len(stratum.pieces)), times)
    console.print(table)
    for name, some in (
        ("911 cohorts", [s for s in strata if s.pieces[0].kind == "preprocess"]),
        ("1,384 problems of 132 traits", [s for s in strata if s.pieces[0].kind != "preprocess"]),
        ("together", strata),
    ):
        total, error = (v / 60 / chosen.jobs for v in extrapolate(some, seconds.__getitem__))
        console.print(f"{name}: {total:.1f} +- {error:.1f} minutes with {chosen.jobs} processes")
    show_starts(console, STARTS)
