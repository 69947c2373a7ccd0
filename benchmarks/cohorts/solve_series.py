"""From the downloaded files of one series to its genes: `genotex solve` against GEOquery and limma.

    python -m benchmarks solve_series INPUT TRAIT GSE [--repeat 5]

INPUT is an input folder (GEO/<Trait>/<GSE>/). R reads the series matrix with GEOquery, compares the
two largest groups of the characteristic that --groups names with limma, and prints its ten first
genes; genotex does all that `solve` does, the panel and the report with its figures included. The
two take turns, each in a process of its own, start-up included; the median of the repeats counts.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from benchmarks.measuring import GENOTEX, Measured, measure, show_starts

STARTS = {
    "command line": "from genotex.cli.commands import app",
    "and reading of cohorts": "from genotex.cli.commands import app; import genotex.cohorts",
    "and analysis": "import genotex.cli.commands, genotex.cohorts, genotex.analysis.sound",
    "and report": "import genotex.cli.commands, genotex.cohorts, genotex.analysis.sound, "
    "genotex.reports.problem.report",
}
R = """
suppressMessages({library(GEOquery); library(limma)})
arguments <- commandArgs(TRUE)
series <- suppressMessages(getGEO(filename = arguments[1], getGPL = FALSE))
group <- pData(series)[[arguments[2]]]
largest <- names(sort(table(group), decreasing = TRUE))[1:2]
kept <- group %in% largest
values <- exprs(series)[, kept]
if (max(values, na.rm = TRUE) > 50) values <- log2(pmax(values, 1))
fit <- eBayes(lmFit(values, model.matrix(~ factor(group[kept], largest))))
print(topTable(fit, coef = 2, number = 10))
"""


def run_in_turn(sides: dict[str, list[str]], repeat: int) -> dict[str, list[Measured]]:
    """Measure the commands by turns, so that a busy machine is busy for all of them."""
    found: dict[str, list[Measured]] = {name: [] for name in sides}
    for _ in range(repeat):
        for name, command in sides.items():
            found[name].append(measure(command))
    return found


def main() -> None:
    """Measure both sides, print times and ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("trait")
    parser.add_argument("cohort")
    parser.add_argument("--groups", default="clinical status:ch1", help="GEOquery's column")
    parser.add_argument("--repeat", type=int, default=5)
    chosen = parser.parse_args()
    matrix = next(chosen.source.glob(f"GEO/*/{chosen.cohort}/*series_matrix*"))
    rscript = shutil.which("Rscript")
    asked = [rscript or "", "-e", "library(GEOquery); library(limma)"]
    if rscript is None or subprocess.run(asked, capture_output=True).returncode != 0:
        sys.exit("R with GEOquery and limma is needed (Debian: r-bioc-geoquery, r-bioc-limma)")
    console = Console(width=100)
    with tempfile.TemporaryDirectory() as name:
        script = Path(name) / "rank.R"
        script.write_text(R)
        solve = [str(chosen.source), f"{name}/output", "--trait", chosen.trait]
        options = ["--cohort", chosen.cohort, "--force", "--json"]
        sides = {
            "R": [rscript, str(script), str(matrix), chosen.groups],
            "genotex": [*GENOTEX, "solve", *solve, *options],
        }
        found = run_in_turn(sides, chosen.repeat)
    table = Table("", "seconds (median)", "least", "processor seconds", "peak GiB", box=None)
    for name, runs in found.items():
        table.add_row(
            name,
            f"{median(run.seconds for run in runs):.2f}",
            f"{min(run.seconds for run in runs):.2f}",
            f"{median(run.processor for run in runs):.2f}",
            f"{max(run.peak_gib for run in runs):.2f}",
        )
    console.print(table)
    ratios = [
        ours.seconds / theirs.seconds
        for ours, theirs in zip(found["genotex"], found["R"], strict=True)
    ]
    console.print(f"genotex takes {median(ratios):.2f} times R's time (median of the turns)")
    show_starts(console, STARTS)
