"""How long the whole benchmark takes: a stratified sample of it is measured and extrapolated.

    python -m benchmarks whole_benchmark [--jobs 2] [--each 2] [--procedure sound] [--solver exact]

The benchmark has 911 cohorts of 167 +- 121 samples with 18,530 genes and 1,384 problems (GenoTEX,
table 1). Cohort sizes are drawn once from the log-normal distribution with that mean and deviation,
seven for each of the 132 traits; a problem is solved in the largest cohort of its trait. Both lists
are cut into strata of equal size by the number of samples (problems also by their kind), and a few
of each stratum are made, run and timed, as many side by side as the benchmark would be. The error
of the total is the standard error of stratified sampling. What a process does once (imports, word
lists, gene table) is done before anything is timed, and printed separately.
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

from benchmarks.analysis.analyze_problem import TRAIT, make_cohort
from benchmarks.cohorts.array_cohort import coding_symbols, write_cohort
from benchmarks.measuring import show_starts
from genotex.options import Solver
from genotex.parallel import side_by_side

COHORTS, TRAITS = 911, 132
SAMPLES, DEVIATION, GENES = 167, 121, 18_530
FEWEST, MOST = 12, 1_200
PROBES_OF_A_GENE = 54_675 / 21_000
KINDS = {"unconditional": 132, "one-step": 251, "two-step": 1_001}
STRATA = 5
"""Of each kind; those with few pieces have two less."""
REGRESSORS = 100
SEED = 1
STARTS = {
    "preprocess": "import genotex.cohorts",
    "analyze": "import genotex.analysis.sound",
    "solve": "import genotex.cohorts, genotex.analysis.sound, genotex.reports.problem.report",
}


@dataclass(frozen=True)
class Piece:
    """A cohort to preprocess, or a problem to solve in a cohort of that size."""

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
    """Return the strata of cohorts and problems, each with the pieces to measure."""
    by_trait = draw_sizes()
    rng = np.random.default_rng(SEED + 1)
    found = _strata("preprocess", np.concatenate(by_trait), number, each, genes, rng)
    largest = np.array([sizes.max() for sizes in by_trait])
    for kind, count in KINDS.items():
        sizes = np.resize(largest, count)
        found += _strata(
            kind, sizes, number if count > TRAITS * 2 else number - 2, each, genes, rng
        )
    return found


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
        run(Piece(piece.kind, 24, 600, 0))
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
        start = time.perf_counter()
        (outcome,) = preprocess(source, target)
        seconds = time.perf_counter() - start
    if outcome.error is not None or outcome.info is None or not outcome.info.is_usable:
        sys.exit(f"{piece} was not preprocessed: {outcome.error or outcome.info}")
    return seconds


def _solve(piece: Piece) -> float:
    from genotex.analysis import ConditionCohort, analyze_table, write_result
    from genotex.formats import LinkedTable, read_linked_parquet, write_linked_parquet
    from genotex.layout import OutputFolder
    from genotex.options import AnalysisOptions
    from genotex.problems import Problem
    from genotex.procedure import Procedure

    def table(trait: str, samples: int) -> LinkedTable:
        made = make_cohort(samples, piece.genes)
        rng = np.random.default_rng(piece.seed)
        covariates = {
            "Age": rng.integers(25, 85, samples).astype(float),
            "Gender": rng.integers(0, 2, samples).astype(float),
        }
        names = tuple(f"S{i}" for i in range(samples))
        return LinkedTable(trait, names, made.trait, covariates, tuple(made.genes), made.expression)

    condition = {"unconditional": None, "one-step": "Age", "two-step": "Obesity"}[piece.kind]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_linked_parquet(folder / "trait.parquet", table(TRAIT, piece.samples))
        if condition == "Obesity":
            write_linked_parquet(folder / "condition.parquet", table(condition, piece.samples + 1))
        start = time.perf_counter()
        second = None
        if condition == "Obesity":
            other = read_linked_parquet(folder / "condition.parquet")
            second = ConditionCohort("GSE2", other, other.genes[:REGRESSORS])
        result = analyze_table(
            read_linked_parquet(folder / "trait.parquet"),
            {},
            Problem(TRAIT, condition),
            AnalysisOptions(Procedure(piece.procedure), panel=piece.panel, solver=piece.solver),
            condition=second,
            related=made_up_related(piece) if piece.procedure == "benchmark" else None,
        )
        write_result(OutputFolder(folder), replace(result, cohort="GSE1"))
        return time.perf_counter() - start


def made_up_related(piece: Piece) -> tuple[str, ...]:
    """Return the genes that `make_cohort` lets depend on the trait, and others."""
    return tuple(make_cohort(piece.samples, piece.genes).related)


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
        ("1,384 problems", [s for s in strata if s.pieces[0].kind != "preprocess"]),
        ("together", strata),
    ):
        total, error = (v / 60 / chosen.jobs for v in extrapolate(some, seconds.__getitem__))
        console.print(f"{name}: {total:.1f} +- {error:.1f} minutes with {chosen.jobs} processes")
    show_starts(console, STARTS)
