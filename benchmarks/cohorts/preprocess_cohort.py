"""From raw files to the linked table: genotex against the published steps, one after the other.

    python -m benchmarks preprocess_cohort [--repeat N] [--keep]

Makes the cohort once under benchmarks/data (which git ignores), then runs each side in a process of
its own and measures wall-clock time, processor time and peak resident memory of that process and
its children. The transcription runs once, genotex several times, of which the median counts.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from benchmarks.cohorts.array_cohort import ACCESSION, PROBES, SAMPLES, TRAIT, cached_cohort
from benchmarks.measuring import DATA, GENOTEX, Measured, measure, show_starts
from genotex.genes import GeneTable
from genotex.layout import OutputFolder

PUBLISHED_SECONDS = {"annotation": 27.5, "missing values": 14.7, "writing": 12.0}
PUBLISHED_TOTAL, PUBLISHED_GIB = 58.7, 6.2 * 1e9 / 2**30
TOLERANCE = 1e-6
STARTS = {"genotex": "from genotex.cli.commands import app; import genotex.cohorts"}


def run_published(source: Path, target: Path, synonyms: Path) -> Measured:
    """Measure the transcription of the published steps."""
    cohort = source / "GEO" / TRAIT / ACCESSION
    steps = [sys.executable, "-m", "benchmarks.cohorts.published_steps"]
    return measure([*steps, str(cohort), str(target), TRAIT, str(synonyms)])


def run_genotex(source: Path, target: Path, kept_in: Path | None = None) -> Measured:
    """Measure the command line of genotex, its start included."""
    shutil.rmtree(target, ignore_errors=True)
    options = ["--trait", TRAIT, "--procedure", "benchmark"]
    command = [*GENOTEX, "preprocess", str(source), str(target), *options]
    return measure(command, kept_in=kept_in)


def compare(published: Path, ours: Path) -> str:
    """Return in words whether both sides made the same linked table.

    Raises
    ------
    SystemExit
        If they did not.
    """
    left, right = (pl.read_csv(path, infer_schema_length=0) for path in (published, ours))
    if left.columns[1:] != right.columns[1:]:
        only = set(left.columns[1:]) ^ set(right.columns[1:])
        sys.exit(f"the tables differ in {len(only)} columns, such as {sorted(only)[:5]}")
    if left.to_series(0).to_list() != right.to_series(0).to_list():
        sys.exit("the tables differ in their samples")
    a, b = (
        table[:, 1:].cast(pl.Float64).fill_null(float("nan")).to_numpy() for table in (left, right)
    )
    worst = float(np.max(np.abs(a - b) / np.maximum(np.abs(a), 1e-300)))
    if not worst <= TOLERANCE:
        sys.exit(f"values differ by up to {worst:.2e} of their size")
    return (
        f"Same linked table: {a.shape[0]} samples, {a.shape[1]} columns, in the same order; "
        f"largest relative difference {worst:.1e}."
    )


def show(console: Console, published: Measured, ours: Measured) -> None:
    """Print stage times, totals, memory and ratios."""
    table = Table(title=f"Raw files to linked table, {PROBES:,} probes x {SAMPLES} samples")
    table.add_column("")
    for name in ("published tool,\nas reported", "transcription\n(pandas)", "genotex"):
        table.add_column(name, justify="right", no_wrap=True)
    for stage, seconds in published.stages.items():
        reported = PUBLISHED_SECONDS.get(stage)
        mine = ours.stages.get(stage)
        table.add_row(
            stage,
            f"{reported:.1f} s" if reported else "",
            f"{seconds:.2f} s",
            f"{mine:.2f} s" if mine is not None else "",
        )
    table.add_section()
    table.add_row(
        "total, with start-up",
        f"{PUBLISHED_TOTAL:.1f} s",
        f"{published.seconds:.2f} s",
        f"{ours.seconds:.2f} s",
    )
    table.add_row("processor time", "", f"{published.processor:.2f} s", f"{ours.processor:.2f} s")
    table.add_row(
        "peak memory",
        f"{PUBLISHED_GIB:.2f} GiB",
        f"{published.peak_gib:.2f} GiB",
        f"{ours.peak_gib:.2f} GiB",
    )
    console.print(table)
    faster, smaller = published.seconds / ours.seconds, published.peak_gib / ours.peak_gib
    leaner = published.processor / ours.processor
    console.print(
        f"genotex: {faster:.1f} times faster by the clock, {leaner:.1f} times by processor time, "
        f"1/{smaller:.1f} of the memory."
    )


def show_again(console: Console, source: Path, target: Path) -> None:
    """Print what the first reading of the matrix costs where it is kept, and the second one."""
    with tempfile.TemporaryDirectory() as kept:
        first, again = (run_genotex(source, target, Path(kept)) for _ in range(2))
    took = (f"{run.seconds:.2f} s, processor {run.processor:.2f} s" for run in (first, again))
    console.print("Keeping the matrix: {}; reading it from there: {}".format(*took))


def main() -> None:
    """Make the data, run both sides, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3, help="how often genotex runs")
    parser.add_argument("--keep", action="store_true", help="leave the output tables")
    parser.add_argument("--only-published", action="store_true", help="skip genotex")
    choices = parser.parse_args()
    console = Console()
    start = time.monotonic()
    source = cached_cohort()
    console.print(f"Cohort ready after {time.monotonic() - start:.1f} s: {sizes(source)}")
    synonyms = DATA / "gene_synonym.json"
    GeneTable.load().to_synonym_json(synonyms)
    theirs, ours = DATA / "published", DATA / "genotex"
    for folder in (theirs, ours):
        shutil.rmtree(folder, ignore_errors=True)
    published = run_published(source, theirs, synonyms)
    if choices.only_published:
        console.print(published.stages, f"{published.seconds:.1f} s, {published.peak_gib:.2f} GiB")
        return
    runs = sorted(
        (run_genotex(source, ours) for _ in range(choices.repeat)), key=lambda run: run.seconds
    )
    show(console, published, runs[len(runs) // 2])
    console.print(f"All runs of genotex: {', '.join(f'{run.seconds:.2f} s' for run in runs)}")
    show_again(console, source, ours)
    show_starts(console, STARTS)
    linked = OutputFolder(ours).linked_csv(TRAIT, ACCESSION)
    console.print(compare(theirs / "linked.csv", linked))
    if not choices.keep:
        for folder in (theirs, ours):
            shutil.rmtree(folder)


def sizes(source: Path) -> str:
    """Return names and sizes of the input files."""
    files = [path for path in sorted(source.rglob("*")) if path.is_file()]
    return ", ".join(f"{p.name} {p.stat().st_size / 2**20:.0f} MiB" for p in files)
