"""Memory and processor time of the largest cohort: 10,000 samples x 20,000 genes.

    python -m benchmarks largest_cohort [--samples 10000] [--probes 20000] [--keep FOLDER] [--panel]

Writes a series matrix with about as many probes as there are genes, then reads, maps and links it
and tests its genes; with --panel they are tested with the panel, and it is solved from input to
report, which takes long with 10,000 samples. Each step is a process of its own.
"""

from __future__ import annotations

import argparse
import io
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from benchmarks.cohorts.array_cohort import (
    ACCESSION,
    TRAIT,
    coding_symbols,
    family_soft,
    platform_table,
    series_head,
    write,
)
from benchmarks.measuring import GENOTEX, Measured, measure, size_of

SEED = 20261129
BLOCK = 500
HIDDEN = 3
"""Factors that samples share without a record."""
WITH_GAPS = 0.05
"""The share of probes that some samples lack."""


def write_large(root: Path, samples: int, probes: int) -> None:
    """Write the input folder, a block of probes at a time."""
    folder = root / "GEO" / TRAIT / ACCESSION
    folder.mkdir(parents=True)
    rng = np.random.default_rng(SEED)
    symbols = coding_symbols()
    platform = platform_table(rng, symbols, probes)
    genes = [symbols[i % len(symbols)] for i in range(probes)]
    platform = platform.with_columns(pl.Series("Gene Symbol", genes))
    names = [f"GSM{99_000_000 + i}" for i in range(samples)]
    case = rng.random(samples) < 0.5
    factors = rng.normal(size=(HIDDEN, samples))

    def rows() -> Iterator[bytes]:
        yield series_head(rng, names, case)
        header = True
        for at in range(0, probes, BLOCK):
            ids = platform["ID"][at : at + BLOCK]
            size = (len(ids), samples)
            values = np.clip(rng.gamma(4.0, 1.7, (len(ids), 1)), 2.5, 14.5)
            values = values + rng.normal(0, 0.4, size)
            values += (rng.normal(0, 0.2, (len(ids), HIDDEN))) @ factors
            values[rng.random(len(ids)) < 0.02] += 0.1 * case
            gaps = np.flatnonzero(rng.random(len(ids)) < WITH_GAPS)
            values[gaps] = np.where(rng.random((len(gaps), samples)) < 1e-3, np.nan, values[gaps])
            frame = pl.DataFrame(values, schema=names, nan_to_null=True)
            out = io.BytesIO()
            frame.insert_column(0, ids.rename("ID_REF")).write_csv(
                out,
                separator="\t",
                quote_style="non_numeric",
                float_precision=4,
                include_header=header,
            )
            header = False
            yield out.getvalue()
        yield b"!series_matrix_table_end\n"

    write(folder / f"{ACCESSION}_series_matrix.txt.gz", rows())
    nobody = pl.DataFrame({"ID_REF": platform["ID"]})
    write(folder / f"{ACCESSION}_family.soft.gz", family_soft(nobody, platform))


def steps(source: Path, output: Path, *, panel: bool) -> Iterator[tuple[str, Measured]]:
    """Yield what each step takes."""

    def run(*words: object) -> Measured:
        return measure([*GENOTEX, *map(str, words)])

    yield "read, map and link", run("preprocess", source, output, "--trait", TRAIT)
    yield "test every gene", run("analyze", output, "--trait", TRAIT, "--no-panel")
    if not panel:
        return
    yield "the same with the panel asked for", run("analyze", output, "--trait", TRAIT, "--panel")
    yield "solve, from input to report", run("solve", source, output, "--trait", TRAIT, "--force")


def main() -> None:
    """Make the cohort, run every step, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--probes", type=int, default=20_000)
    parser.add_argument("--keep", type=Path, help="folder of the files, which stay there")
    parser.add_argument("--panel", action="store_true", help="fit the panel and solve it as well")
    chosen = parser.parse_args()
    console = Console(width=100)
    table = Table("", "seconds", "processor seconds", "peak GiB", box=None)
    place = tempfile.TemporaryDirectory() if chosen.keep is None else nullcontext(chosen.keep)
    with place as name:
        source = Path(name) / "input"
        if not source.is_dir():
            write_large(source, chosen.samples, chosen.probes)
        console.print(f"{chosen.samples:,} x {chosen.probes:,}: {size_of(source) / 1e6:,.0f} MB")
        for step, found in steps(source, Path(name) / "output", panel=chosen.panel):
            row = (f"{v:.2f}" for v in (found.seconds, found.processor, found.peak_gib))
            table.add_row(step, *row)
    console.print(table)
