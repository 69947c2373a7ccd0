"""Scoring pairs of linked tables: genotex against the same formulas in plain pandas, side by side.

    python -m benchmarks evaluate_tables [--pairs 4] [--samples 167] [--genes 18500] [--jobs 1 2]
    python -m benchmarks evaluate_tables --cohorts 911 --pairs 24 --jobs 2

The tables are made once, in a temporary folder; every side runs in a process of its own on the same
files, in the page cache, its start included, and its memory is that of its largest process. Pairs
differ in noise, missing values, samples and genes, and in the order of both. The other side is a
transcription of the formulas as anybody would write it in pandas: `read_csv`, sets, and
`Series.corr` for each column. The scores of all sides must agree to 1e-12.

With --cohorts genotex alone scores so many cohorts, as many as the benchmark has: each pair under
several names, as hard links.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.measuring import GENOTEX, Measured, benchmark, measure

TRAIT = "Asthma"
FIGURES = ("aj", "sj", "correlation", "csc")


def make_folders(root: Path, pairs: int, samples: int, genes: int) -> None:
    """Write a reference and a perturbed prediction of as many cohorts."""
    from genotex.formats import LinkedTable, write_linked_csv
    from genotex.layout import OutputFolder

    for number in range(pairs):
        rng = np.random.default_rng(number)
        values = rng.normal(8, 2, (samples, genes))
        # A fiftieth of samples and genes is missing, the others stand in another order.
        rows, columns = (rng.permutation(n)[: n - n // 50] for n in (samples, genes))
        other = (values + rng.normal(size=values.shape))[rows][:, columns]
        other[rng.random(other.shape) < 0.001] = np.nan
        age, trait = rng.integers(20, 90, samples), rng.integers(0, 2, samples)
        sides = {
            "reference": (np.arange(samples), np.arange(genes), values),
            "prediction": (rows, columns, other),
        }
        for side, (kept, named, expression) in sides.items():
            table = LinkedTable(
                TRAIT,
                tuple(f"GSM{i}" for i in kept),
                trait[kept].astype(float),
                {"Age": age[kept].astype(float)},
                tuple(f"GENE{i}" for i in named),
                expression,
            )
            path = OutputFolder(root / side).linked_csv(TRAIT, f"GSE{number}")
            write_linked_csv(path, table)


def repeat_pairs(root: Path, cohorts: int) -> None:
    """Give the pairs more names, until there are so many cohorts."""
    for side in ("reference", "prediction"):
        made = sorted((root / side / "preprocess" / TRAIT).glob("*.csv"))
        for number in range(len(made), cohorts):
            path = made[number % len(made)]
            path.with_name(f"GSE{number}.csv").hardlink_to(path)


def score_by_pandas(root: Path) -> list[dict[str, Any]]:
    """Score every pair: the transcription."""
    import pandas as pd

    items = []
    for path in sorted((root / "reference" / "preprocess" / TRAIT).glob("*.csv")):
        reference = pd.read_csv(path, index_col=0)
        predicted = pd.read_csv(root / "prediction" / "preprocess" / TRAIT / path.name, index_col=0)
        found = {
            "aj": _jaccard(set(predicted.columns), set(reference.columns)),
            "sj": _jaccard(set(predicted.index), set(reference.index)),
            "correlation": _mean_correlation(predicted, reference),
        }
        found["csc"] = found["aj"] * found["sj"] * found["correlation"]
        items.append({"cohort": path.stem, **found})
    return items


def _jaccard(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b)


def _mean_correlation(predicted: Any, reference: Any) -> float:
    rows = predicted.index.intersection(reference.index)
    predicted, reference = predicted.loc[rows], reference.loc[rows]
    correlations = []
    for name in predicted.columns.intersection(reference.columns):
        a, b = predicted[name], reference[name]
        a, b = a.fillna(a.mean()).fillna(0), b.fillna(b.mean()).fillna(0)
        if a.max() > a.min() and b.max() > b.min():
            r = a.corr(b)
            correlations.append(0 if np.isnan(r) else r)
    return float(np.mean(correlations)) if correlations else 0.0


def run_pandas(root: Path) -> tuple[Measured, list[dict[str, Any]]]:
    """Measure the transcription."""
    measured = measure(benchmark("evaluate_tables", "--score", root))
    return measured, json.loads(measured.output)["linked"]


def run_genotex(root: Path, jobs: int) -> tuple[Measured, list[dict[str, Any]]]:
    """Measure the command line of genotex."""
    command = [*GENOTEX, "evaluate", "-j", str(jobs), "--json"]
    folders = ["-p", str(root / "prediction"), "-r", str(root / "reference")]
    measured = measure([*command, *folders, "-t", "preprocessing", "-s", "linked"])
    return measured, json.loads(measured.output)["preprocessing"]["linked"]


def apart(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> float:
    """Return the largest difference between two sides' figures.

    Raises
    ------
    SystemExit
        If they disagree by more than 1e-12, or about other tables.
    """
    if [item["cohort"] for item in first] != [item["cohort"] for item in second]:
        sys.exit("the two sides scored other tables")
    largest = max(
        abs(a[name] - b[name]) for a, b in zip(first, second, strict=True) for name in FIGURES
    )
    if largest > 1e-12:
        sys.exit(f"the two sides disagree by {largest:.1e}")
    return largest


def main() -> None:
    """Run all sides and print them side by side."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=4)
    parser.add_argument("--samples", type=int, default=167)
    parser.add_argument("--genes", type=int, default=18_500)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--cohorts", type=int, help="score so many, by genotex alone")
    parser.add_argument("--score", type=Path, help=argparse.SUPPRESS)
    choices = parser.parse_args()
    if choices.score:
        print(json.dumps({"linked": score_by_pandas(choices.score)}))
        return
    title = f"{choices.pairs} pairs of linked tables, {choices.samples} x {choices.genes:,}"
    heads = ("", "seconds", "per pair", "ratio", "processor", "ratio", "largest process", "scores")
    table = Table(*heads, title=title)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_folders(root, choices.pairs, choices.samples, choices.genes)
        if choices.cohorts:
            repeat_pairs(root, choices.cohorts)
            for jobs in choices.jobs:
                measured, items = run_genotex(root, jobs)
                print(
                    f"{len(items)} cohorts, -j {jobs}: {measured.seconds:.0f} s by the clock,",
                    end=" ",
                )
                print(f"{measured.processor:.0f} s of processor time, {measured.peak_gib:.2f} GiB")
            return
        theirs, expected = run_pandas(root)
        sides = {"plain pandas": (theirs, expected)}
        for jobs in choices.jobs:
            sides[f"genotex evaluate -j {jobs}"] = run_genotex(root, jobs)
    for name, (measured, items) in sides.items():
        table.add_row(
            name,
            f"{measured.seconds:.2f}",
            f"{measured.seconds / choices.pairs:.2f}",
            f"{theirs.seconds / measured.seconds:.1f}",
            f"{measured.processor:.1f}",
            f"{theirs.processor / measured.processor:.1f}",
            f"{measured.peak_gib:.2f} GiB",
            f"within {apart(items, expected):.0e}",
        )
    Console(width=120).print(table)
