"""False discoveries and power of every mode on simulated cohorts whose affected genes are known.

    python -m benchmarks calibration FOLDER [--rows TEXT] [--drawing factors] [--repeats 50]
    python -m benchmarks calibration FOLDER --permutations 100

FOLDER is what `genotex preprocess` wrote for Rheumatoid_Arthritis from GSE55457 and GSE55235
(`OUT/preprocess/Rheumatoid_Arthritis`); their residuals are what cohorts are made of
(simulated_cohort.py). Without FOLDER, residuals are drawn from factors.

Written down before any result of this study was seen:

- Seeds: cohort r of row i is drawn with the seed (i, r), r = 0, 1, ...; 50 repeats (10 in
  the row of 1,000 samples).
- Genes are found at q < 0.05. FDP: wrong genes among those found, 0 when none is found, mean over
  repeats; in rows without affected genes the share of repeats in which anything is found. Power:
  affected genes found.
- Criteria: the FDP of the genes that the default grades as robust is at most the bound in `ROWS`,
  and in rows with a bound of power theirs is at most 0.10 below that of `--hidden adjust`, which
  was the default when that bound was set. Added after the first run, in which they had none: where
  too few samples leave no room for a grade, all significant genes count as robust.
- With spike-ins: all genes significant by the default where five spike-ins follow the late batch,
  or nothing. Written down before any result: the FDP is within the bound in all rows with a batch.
- The methods: each mode of `--hidden` and the mixed model, as `genotex analyze` runs them; and
  what one does by habit in R, limma alone and limma with sva's surrogate variables. The latter are
  computed here by functions that agree with R (tests/analysis/test_against_sva.py, _limma.py).

With --permutations, how often anything is found when the labels of the two real cohorts are
permuted. Permutation r of a cohort has the seed r; covariates stay with their samples. Written down
before any result was seen: at most 10 % of the permutations of each cohort may give any gene at
q < 0.05, by the default; R's habit is shown alongside.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks.analysis.simulated_cohort import (
    Residuals,
    Scenario,
    SimulatedCohort,
    factor_residuals,
    read_cohort,
    real_residuals,
    simulate_cohort,
)
from genotex.analysis import (
    analyze_table,
    benjamini_hochberg,
    find_reweighted_surrogates,
    fit_last_column,
    moderate,
)
from genotex.formats import LinkedTable
from genotex.options import AnalysisOptions
from genotex.parallel import side_by_side
from genotex.problems import Problem

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

SERIES = ("GSE55457", "GSE55235")
Q_CUT = 0.05


@dataclass(frozen=True)
class Row:
    """A kind of cohort, and what must hold for it."""

    name: str
    scenario: Scenario
    fdp: float
    power: float = 0.0
    most: int = 1_000
    """Repeats at most."""


def _batch(controls: int, cases: int, share: float, affected: float = 0.1) -> Scenario:
    return Scenario(controls, cases, affected, batch=share)


ROWS = (
    # The rows of the table that this study answers, with its bounds.
    Row("10 %, 5 v 5, effect 1.8", Scenario(5, 5, 0.1, 1.8), 0.10, 0.15),
    Row("10 %, 10 v 10", Scenario(10, 10, 0.1), 0.10, 0.27),
    Row("40 %, 10 v 10", Scenario(10, 10, 0.4), 0.10, 0.44),
    Row("40 %, 30 v 30", Scenario(30, 30, 0.4), 0.08, 0.80),
    Row("33 %, 30 v 30", Scenario(30, 30, 0.33), 0.08, 0.78),
    Row(
        "40 %, 80 % up, batch 70:30, 30 v 30", Scenario(30, 30, 0.4, up=0.8, batch=0.7), 0.13, 0.78
    ),
    Row("60 %, effect 0.8, 50 v 50", Scenario(50, 50, 0.6, 0.8), 0.08, 0.76),
    Row("10 %, batch 70:30, n = 24", _batch(12, 12, 0.7), 0.13, 0.35),
    Row("10 %, batch 75:25, n = 38", _batch(19, 19, 0.75), 0.13, 0.48),
    Row("10 %, batch 70:30, n = 60", _batch(30, 30, 0.7), 0.10, 0.70),
    Row("10 %, batch 70:30, n = 200", _batch(100, 100, 0.7), 0.10, 0.83),
    Row(
        "10 %, continuous trait, batch, n = 60",
        Scenario(30, 30, 0.1, batch=0.7, continuous=True),
        0.10,
        0.70,
    ),
    Row("none, batch 75:25, n = 38", _batch(19, 19, 0.75, 0.0), 0.25),
    Row("10 %, 5 v 15, spread x 1.6", Scenario(15, 5, 0.1, spread=1.6), 0.12),
    Row("10 %, 6 v 34, spread x 1.4", Scenario(34, 6, 0.1, spread=1.4), 0.12, 0.15),
    # Further situations.
    Row("none, 3 v 3", Scenario(3, 3), 0.10),
    Row("none, 5 v 5", Scenario(5, 5), 0.10),
    Row("none, 10 v 10", Scenario(10, 10), 0.10),
    Row("none, 30 v 30", Scenario(30, 30), 0.10),
    Row("none, 6 v 34, spread x 1.4", Scenario(34, 6, spread=1.4), 0.10),
    Row("10 %, 3 v 3, effect 3", Scenario(3, 3, 0.1, 3.0), 0.12),
    Row("10 %, 30 v 30", Scenario(30, 30, 0.1), 0.08, 0.70),
    Row("10 %, batch 85:15, n = 60", _batch(30, 30, 0.85), 0.13),
    Row("40 %, batch 90:10, n = 60", _batch(30, 30, 0.9, 0.4), 0.13),
    Row("40 %, 10 v 30, spread x 1.3, batch", Scenario(30, 10, 0.4, batch=0.7, spread=1.3), 0.13),
    Row("80 %, effect 1, 30 v 30", Scenario(30, 30, 0.8, 1.0), 0.08, 0.70),
    Row("10 % and cells, 2 SD of the first factor", Scenario(30, 30, 0.1, cells=2.0), 0.10),
    Row("40 % and cells, 3 SD of the first factor", Scenario(30, 30, 0.4, cells=3.0), 0.10),
    Row(
        "10 %, effect 0.3, batch 60:40, n = 1,000",
        Scenario(500, 500, 0.1, 0.3, batch=0.6),
        0.10,
        most=10,
    ),
)


@lru_cache(maxsize=1)
def _genes(cohort: SimulatedCohort, options: AnalysisOptions) -> pl.DataFrame:
    """Return the genes of an analysis; kept, as robust genes are some of the default's."""
    return analyze_table(cohort.table, {}, Problem(cohort.table.trait), options).genes


def _analyzed(cohort: SimulatedCohort, *, robust: bool = False, **options: str) -> Mask:
    asked = AnalysisOptions(panel=False, filter_low=False, q_cut=Q_CUT, **options)
    genes, flag = _genes(cohort, asked), pl.col("Significant")
    if robust and genes["Grade"].null_count() < genes.height:
        flag = (pl.col("Grade") == "robust").fill_null(False)
    significant = dict(genes.select("Variable", flag.alias("found")).iter_rows())
    return np.array([bool(significant[gene]) for gene in cohort.table.genes])


def _spiked(cohort: SimulatedCohort) -> Mask:
    """Find genes by the default where the matrix holds spike-ins, which follow the batch."""
    rng, samples = np.random.default_rng(0), cohort.table.samples
    levels = cohort.late[:, None] + rng.normal(0, SPIKE_NOISE, (len(samples), len(SPIKES)))
    spikes = {
        name: dict(zip(samples, column, strict=True))
        for name, column in zip(SPIKES, levels.T.tolist(), strict=True)
    }
    asked = AnalysisOptions(panel=False, filter_low=False, q_cut=Q_CUT)
    problem = Problem(cohort.table.trait)
    measures = {"spike-in probes": spikes}
    genes = analyze_table(cohort.table, {}, problem, asked, measures=measures).genes
    significant = dict(genes.select("Variable", "Significant").iter_rows())
    return np.array([bool(significant[gene]) for gene in cohort.table.genes])


def _limma(cohort: SimulatedCohort, *, surrogates: bool = False) -> Mask:
    values, trait = cohort.table.expression, cohort.table.trait_values
    return _habit(values, np.column_stack([np.ones(len(trait)), trait]), surrogates=surrogates)


def _habit(values: Floats, design: Floats, *, surrogates: bool) -> Mask:
    """Find genes by the last column of a design as one does in R, without thinking twice."""
    if surrogates:
        found = find_reweighted_surrogates(values, design, seed=0, smallest_residual_df=1)
        design = np.column_stack([design[:, :-1], found.columns, design[:, -1:]])
    return benjamini_hochberg(moderate(fit_last_column(design, values)).p) < Q_CUT


METHODS: Mapping[str, Callable[[SimulatedCohort], Mask]] = {
    "robust": partial(_analyzed, robust=True),
    "default": _analyzed,
    "default, spike-ins": _spiked,
    "--hidden adjust": partial(_analyzed, hidden="adjust"),
    "--hidden sva": partial(_analyzed, hidden="sva"),
    "--hidden two-step": partial(_analyzed, hidden="two-step"),
    "--test mixed": partial(_analyzed, model="mixed"),
    "R: limma": _limma,
    "R: sva + limma": partial(_limma, surrogates=True),
}
ADJUSTED = "--hidden adjust"
SPIKES, SPIKE_NOISE = ("biob", "bioc", "biod", "cre", "dap"), 0.5
"""Noise of a spike-in between samples; the batch moves it by 1."""
LOST = 0.10


@dataclass(frozen=True)
class Work:
    """One cohort of a row."""

    row: int
    repeat: int
    folder: Path | None
    drawing: str


@cache
def residuals(folder: Path | None) -> Residuals:
    """Return what cohorts are made of."""
    if folder is None:
        return factor_residuals(60, 5_000, 0)
    return real_residuals(folder, SERIES)


def try_methods(work: Work) -> list[tuple[float, float]]:
    """Draw one cohort; return FDP (or whether anything is found) and power of each method."""
    scenario = ROWS[work.row].scenario
    outcomes = []
    with threadpool_limits(limits=1):
        cohort = simulate_cohort(
            scenario, residuals(work.folder), (work.row, work.repeat), work.drawing
        )
        affected = cohort.affected
        for find in METHODS.values():
            found = find(cohort)
            wrong = (found & ~affected).sum() / max(1, found.sum())
            power = found[affected].mean() if affected.any() else np.nan
            outcomes.append((float(wrong), float(power)))
    return outcomes


def judge(row: Row, fdp: Floats, power: Floats) -> str:
    """Return what is missed by the robust genes of the default, the first of the methods."""
    adjusted = list(METHODS).index(ADJUSTED)
    missed = []
    if fdp[0] > row.fdp:
        missed.append("FDP")
    if row.power and power[0] < power[adjusted] - LOST:
        missed.append("power")
    return ", ".join(missed) or "holds"


def run_study(
    rows: Sequence[int], repeats: int, folder: Path | None, drawing: str, jobs: int
) -> Iterator[tuple[str, ...]]:
    """Try the methods on all cohorts; yield the cells of each row."""
    number_of = {row: min(repeats, ROWS[row].most) for row in rows}
    work = [Work(row, r, folder, drawing) for row in rows for r in range(number_of[row])]
    with side_by_side(jobs) as run:
        outcomes = iter(run(try_methods, work))
        for number in rows:
            row = ROWS[number]
            tried = np.array([next(outcomes) for _ in range(number_of[number])])
            fdp, power = tried.mean(axis=0).T
            error = tried[:, :, 0].std(axis=0, ddof=1) / np.sqrt(len(tried))
            cells = [
                f"{f:.3f} ± {e:.3f}" + ("" if np.isnan(p) else f" / {p:.2f}")
                for f, e, p in zip(fdp, error, power, strict=True)
            ]
            bound = f"≤ {row.fdp:.2f}" + (f" / ≥ {row.power:.2f}" if row.power else "")
            yield (row.name, *cells, bound, judge(row, fdp, power))


HEADINGS = ("affected genes and groups", *METHODS, "bound", "robust")


def as_markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return the table as Markdown."""
    lines = ["| " + " | ".join(HEADINGS) + " |", "|" + "---|" * len(HEADINGS)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


COMPARED = ("robust", "default", "R: limma", "R: sva + limma")
CONTROLS = {"healthy": ("case", "healthy control"), "all": None}


@dataclass(frozen=True)
class Permutation:
    """One permutation."""

    folder: Path
    series: str
    controls: str
    seed: int


@cache
def cohort(folder: Path, series: str, controls: str) -> LinkedTable:
    """Return the samples compared."""
    table, roles = read_cohort(folder, series)
    wanted = CONTROLS[controls]
    rows = np.array([wanted is None or roles[s] in wanted for s in table.samples])
    return LinkedTable(
        table.trait,
        tuple(s for s, kept in zip(table.samples, rows, strict=True) if kept),
        table.trait_values[rows],
        {name: column[rows] for name, column in table.covariates.items()},
        table.genes,
        table.expression[rows],
    )


def count_findings(work: Permutation) -> list[int]:
    """Permute the labels, and return how many genes each method finds."""
    with threadpool_limits(limits=1):
        table = cohort(work.folder, work.series, work.controls)
        trait = np.random.default_rng(work.seed).permutation(table.trait_values)
        table = replace(table, trait_values=trait)
        options = AnalysisOptions(panel=False, q_cut=Q_CUT)
        genes = analyze_table(table, {}, Problem(table.trait), options).genes
        found = [int((genes["Grade"] == "robust").sum() or 0), int(genes["Significant"].sum())]
        whole = np.isfinite(table.expression).all(axis=0) & (np.ptp(table.expression, axis=0) > 0)
        values = table.expression[:, whole]
        covariates = [column - column.mean() for column in table.covariates.values()]
        design = np.column_stack([np.ones(len(trait)), *covariates, trait])
        found += [int(_habit(values, design, surrogates=with_).sum()) for with_ in (False, True)]
        return found


def permute_labels(folder: Path, permutations: int, jobs: int) -> None:
    """Run the permutations and print the table."""
    console = Console(width=160)
    table = Table("cohort", "controls", *COMPARED)
    with side_by_side(jobs) as run:
        for series in SERIES:
            for controls in CONTROLS:
                work = [Permutation(folder, series, controls, seed) for seed in range(permutations)]
                found = np.array(list(run(count_findings, work)))
                cells = [
                    f"{any_:.0%}, mean {mean:.1f}, most {most}"
                    for any_, mean, most in zip(
                        (found > 0).mean(axis=0), found.mean(axis=0), found.max(axis=0), strict=True
                    )
                ]
                console.print(series, controls, *cells, highlight=False)
                table.add_row(series, controls, *cells)
    console.print(table)


def main() -> None:
    """Run the study and print its table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--rows", default="", help="only rows whose name contains this text")
    parser.add_argument("--drawing", choices=("resampled", "factors"), default="resampled")
    parser.add_argument("--repeats", type=int, default=50)
    parser.add_argument("--permutations", type=int, help="permute the labels so often instead")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--markdown", type=Path, help="write the table to this file too")
    options = parser.parse_args()
    if options.permutations is not None:
        if options.folder is None:
            parser.error("--permutations needs FOLDER")
        permute_labels(options.folder, options.permutations, options.jobs)
        return
    console = Console(width=220)
    start = time.monotonic()
    chosen = [i for i, row in enumerate(ROWS) if options.rows in row.name]
    rows = []
    for cells in run_study(chosen, options.repeats, options.folder, options.drawing, options.jobs):
        rows.append(cells)
        console.print("  ".join(cells), highlight=False)
        if options.markdown is not None:
            options.markdown.write_text(as_markdown(rows), encoding="utf-8")
    table = Table(*HEADINGS)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    console.print(f"{time.monotonic() - start:.0f} s in {options.jobs} processes")
