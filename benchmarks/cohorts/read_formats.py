"""Reading a series matrix and a platform table, and writing the linked CSV: genotex and pandas.

    python -m benchmarks read_formats [--repeat N]

Uses the cohort of preprocess_cohort and makes it when it is not there. Each number is the best
of the repeats, in this process, files in the page cache.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

from benchmarks.cohorts.array_cohort import ACCESSION, SAMPLES, TRAIT, cached_cohort
from benchmarks.cohorts.published_steps import read_annotation, read_expression
from benchmarks.measuring import best
from genotex.formats import LinkedTable, read_platforms, read_series_matrix, write_linked_csv

GENES = 20_000


def linked_table() -> LinkedTable:
    """Return a linked table of real size."""
    rng = np.random.default_rng(1)
    return LinkedTable(
        TRAIT,
        tuple(f"GSM{i}" for i in range(SAMPLES)),
        rng.integers(0, 2, SAMPLES).astype(float),
        {"Age": rng.integers(20, 90, SAMPLES).astype(float)},
        tuple(f"GENE{i}" for i in range(GENES)),
        rng.normal(8, 2, (SAMPLES, GENES)),
    )


def main() -> None:
    """Time each step on both sides."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-annotation", action="store_true", help="skip pandas on the SOFT file")
    choices = parser.parse_args()
    cohort = cached_cohort() / "GEO" / TRAIT / ACCESSION
    matrix = cohort / f"{ACCESSION}_series_matrix.txt.gz"
    soft = cohort / f"{ACCESSION}_family.soft.gz"
    linked = linked_table()
    frame = pd.DataFrame(linked.expression, index=linked.samples, columns=linked.genes)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "linked.csv"
        steps: list[tuple[str, Callable[[], object], Callable[[], object] | None]] = [
            (
                "read the series matrix",
                lambda: read_series_matrix(matrix),
                lambda: read_expression(matrix),
            ),
            (
                "read the platform table",
                lambda: read_platforms(soft),
                None if choices.no_annotation else lambda: read_annotation(soft),
            ),
            (
                f"write {SAMPLES} x {GENES:,} as CSV",
                lambda: write_linked_csv(target, linked),
                lambda: frame.to_csv(target),
            ),
        ]
        table = Table("step", "genotex", "pandas", "ratio")
        for name, ours, theirs in steps:
            mine = best(ours, choices.repeat)
            other = best(theirs, 1) if theirs else None
            ratio = f"{other / mine:.1f}" if other else ""
            table.add_row(name, f"{mine:.2f} s", f"{other:.2f} s" if other else "", ratio)
    Console().print(table)
