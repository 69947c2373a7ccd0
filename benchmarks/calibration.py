"""False discoveries and power of every method on simulated cohorts whose affected genes are known.

    python benchmarks/calibration.py [--quick] [--jobs 2] [--markdown FILE]

Each row is a kind of cohort (see simulated_cohort.py) and a method, both over the same cohorts.
False discovery proportion: wrong genes among those found, 0 when none is found, mean over cohorts
and its standard error; in cohorts without affected genes it is the share of cohorts in which
anything is found. Power: affected genes found. Genes are found at q < 0.05; the Lasso finds those
with a coefficient, and claims no false discovery rate.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from calibration_methods import METHODS
from rich.console import Console
from rich.table import Table
from simulated_cohort import Scenario, simulate_cohort
from threadpoolctl import threadpool_limits

from genotex.processes import side_by_side

FIRST_SEED = 20_000
TESTS = ("moderated", "moderated + SVs", "moderated + robust SVs", "mixed")
WITH_BATCH = ("moderated", "moderated, batch known", *TESTS[1:])
LASSO = ("Lasso", "rotated Lasso")


@dataclass(frozen=True)
class Cell:
    """Cohorts of one kind, and the methods that are tried on them."""

    kind: str
    scenario: Scenario
    methods: tuple[str, ...]
    cohorts: int


@dataclass(frozen=True)
class Outcome:
    """One method on one cohort."""

    found: int
    wrong: int
    surrogates: int | None
    seconds: float


@dataclass(frozen=True)
class Row:
    """One method over all cohorts of a cell."""

    cell: Cell
    method: str
    outcomes: tuple[Outcome, ...]

    def texts(self) -> tuple[str, ...]:
        """Return the cells of the table."""
        found = np.array([o.found for o in self.outcomes])
        wrong = np.array([o.wrong for o in self.outcomes])
        proportion = wrong / np.maximum(found, 1)
        error = proportion.std(ddof=1) / np.sqrt(len(found))
        scenario = self.cell.scenario
        right = (found - wrong).mean()
        power = f"{right / scenario.affected:.2f}" if scenario.affected else "-"
        surrogates = [o.surrogates for o in self.outcomes if o.surrogates is not None]
        return (
            self.cell.kind,
            str(scenario.samples),
            f"{scenario.genes:,}",
            f"{scenario.affected:,}",
            self.method,
            str(len(found)),
            f"{proportion.mean():.3f} ± {error:.3f}",
            power,
            f"{found.mean():,.1f}",
            f"{np.mean(surrogates):.1f}" if surrogates else "-",
            f"{1000 * np.mean([o.seconds for o in self.outcomes]):,.0f}",
        )


HEADINGS = (
    "cohorts of kind",
    "samples",
    "genes",
    "affected",
    "method",
    "cohorts",
    "false discovery proportion",
    "power",
    "found",
    "SVs",
    "CPU ms",
)


def full_study() -> list[Cell]:
    """Return the cells of the study."""
    return [*_nothing_affected(), *_affected(), *_hard(), *_lasso(), *_most()]


def _nothing_affected() -> Iterator[Cell]:
    for samples in (20, 40, 60, 120):
        yield Cell("no batch", Scenario(samples, 5_000), TESTS, 100)
    for samples in (20, 60, 120):
        base = Scenario(samples, 5_000)
        yield Cell("independent batch", replace(base, batch="independent"), WITH_BATCH, 100)
        yield Cell("confounded batch", replace(base, batch="confounded"), WITH_BATCH, 100)
    small = Scenario(60, 1_000)
    yield Cell("no batch", small, TESTS, 200)
    yield Cell("confounded batch", replace(small, batch="confounded"), WITH_BATCH, 200)


def _affected() -> Iterator[Cell]:
    for samples, affected, cohorts in (
        (20, 500, 40),
        (40, 500, 40),
        (60, 5, 40),
        (60, 50, 40),
        (60, 500, 40),
        (120, 500, 30),
        (250, 500, 20),
        (500, 500, 10),
    ):
        yield Cell("no batch", Scenario(samples, 5_000, affected), TESTS, cohorts)
    for samples, affected, cohorts in (
        (20, 500, 40),
        (40, 500, 40),
        (60, 50, 40),
        (60, 500, 40),
        (120, 500, 30),
        (250, 500, 20),
        (500, 500, 10),
    ):
        base = Scenario(samples, 5_000, affected)
        yield Cell("independent batch", replace(base, batch="independent"), WITH_BATCH, cohorts)
        yield Cell("confounded batch", replace(base, batch="confounded"), WITH_BATCH, cohorts)
    small = Scenario(60, 1_000, 50, batch="confounded")
    yield Cell("confounded batch", small, WITH_BATCH, 100)


def _hard() -> Iterator[Cell]:
    """Yield what strains the assumptions: size, imbalance, unequal variance, strong factors."""
    large = Scenario(120, 20_000, 3_000)
    yield Cell("no batch", large, TESTS, 10)
    yield Cell("confounded batch", replace(large, batch="confounded"), WITH_BATCH, 10)
    for samples in (60, 120):
        few = Scenario(samples, 5_000, 500, case_share=0.2)
        yield Cell("20 % cases", few, TESTS, 30)
        batch = replace(few, batch="confounded")
        yield Cell("20 % cases, confounded batch", batch, WITH_BATCH, 30)
        yield Cell("20 % cases, spread x 1.5", replace(few, case_spread=1.5), TESTS, 30)
        strong = Scenario(samples, 5_000, 500, factor_share=0.6)
        yield Cell("strong factors", strong, TESTS, 30)
    null = Scenario(60, 5_000, case_share=0.2, case_spread=1.5)
    yield Cell("20 % cases, spread x 1.5", null, TESTS, 100)
    yield Cell("strong factors", Scenario(60, 5_000, factor_share=0.6), TESTS, 100)


def _lasso() -> Iterator[Cell]:
    for samples in (60, 120):
        base = Scenario(samples, 2_000, 50)
        yield Cell("no batch", base, LASSO, 10)
        yield Cell("confounded batch", replace(base, batch="confounded"), LASSO, 10)


def _most() -> Iterator[Cell]:
    """Yield cohorts of which a large share, or most, of the genes are affected."""
    for affected in (2_000, 3_000):
        base = Scenario(120, 5_000, affected)
        yield Cell("no batch", base, TESTS, 20)
        yield Cell("confounded batch", replace(base, batch="confounded"), WITH_BATCH, 20)


def quick_study() -> list[Cell]:
    """Return the smallest study that still shows the main points."""
    cells = []
    for affected, cohorts in ((0, 30), (50, 10)):
        base = Scenario(60, 1_000, affected)
        cells.append(Cell("no batch", base, TESTS, cohorts))
        cells.append(Cell("confounded batch", replace(base, batch="confounded"), TESTS, cohorts))
    cells.append(Cell("no batch", Scenario(60, 500, 50), LASSO, 3))
    return cells


def try_methods(work: tuple[Scenario, tuple[str, ...], int]) -> tuple[Outcome, ...]:
    """Draw one cohort and try the methods on it."""
    scenario, methods, seed = work
    outcomes: list[Outcome] = []
    if not methods:
        return ()
    with threadpool_limits(limits=1):
        cohort = simulate_cohort(scenario, seed)
        for method in methods:
            start = time.process_time()
            found = METHODS[method](cohort, seed)
            seconds = time.process_time() - start
            wrong = int((found.genes & ~cohort.affected).sum())
            outcomes.append(Outcome(int(found.genes.sum()), wrong, found.surrogates, seconds))
    return tuple(outcomes)


def run_study(cells: Sequence[Cell], jobs: int) -> Iterator[list[Row]]:
    """Try the methods on all cohorts; yield the rows of each cell."""
    seeds = iter(range(FIRST_SEED, FIRST_SEED + sum(c.cohorts for c in cells)))
    work = [(c.scenario, c.methods, next(seeds)) for c in cells for _ in range(c.cohorts)]
    with side_by_side(jobs) as run:
        outcomes = iter(run(try_methods, work))
        for cell in cells:
            tried = [next(outcomes) for _ in range(cell.cohorts)]
            by_method = list(zip(*tried, strict=True))
            yield [Row(cell, m, o) for m, o in zip(cell.methods, by_method, strict=True)]


def as_markdown(rows: Sequence[Row]) -> str:
    """Return the table as Markdown."""
    lines = ["| " + " | ".join(HEADINGS) + " |", "|" + "---|" * len(HEADINGS)]
    lines += ["| " + " | ".join(row.texts()) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the study and print its table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a minute instead of ten")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", choices=tuple(METHODS), help="one method, on the same cohorts")
    parser.add_argument("--markdown", type=Path, help="write the table to this file too")
    options = parser.parse_args()
    console = Console(width=160)
    start = time.monotonic()
    rows: list[Row] = []
    cells = quick_study() if options.quick else full_study()
    if options.only:
        cells = [
            replace(c, methods=tuple(m for m in c.methods if m == options.only)) for c in cells
        ]
    for found in run_study(cells, options.jobs):
        rows += found
        for row in found:
            console.print("  ".join(row.texts()), highlight=False)
    table = Table(*HEADINGS)
    for row in rows:
        table.add_row(*row.texts())
    console.print(table)
    console.print(f"{time.monotonic() - start:.0f} s in {options.jobs} processes")
    if options.markdown is not None:
        options.markdown.write_text(as_markdown(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
