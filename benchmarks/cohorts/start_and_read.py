"""Start-up, help, and reading a series matrix: processor time, next to Python and gzip.

    python -m benchmarks start_and_read [--repeat 7]

Uses the cohort of preprocess_cohort and makes it when it is not there. All commands take turns,
each in a process of its own; the median of the repeats counts. What a command reads besides the
matrix, and its start, is part of its time.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from benchmarks.cohorts.array_cohort import ACCESSION, TRAIT, cached_cohort
from benchmarks.cohorts.solve_series import run_in_turn
from benchmarks.measuring import GENOTEX

READ = "import sys; from genotex.formats import read_series_matrix; read_series_matrix(sys.argv[1])"
SOLVE = "from genotex.cli import start_lean; start_lean(); from genotex.workflows import solve"
LIBRARIES = "import genotex.formats.geo.series_matrix"


def show(console: Console, title: str, commands: Mapping[str, Sequence[str]], repeat: int) -> None:
    """Measure the commands by turns and print each with its ratio to the first."""
    measured = run_in_turn({name: list(command) for name, command in commands.items()}, repeat)
    table = Table("", "processor", "ratio to the first", "peak memory", title=title)
    seconds = {name: median(run.processor for run in runs) for name, runs in measured.items()}
    first = next(iter(seconds.values()))
    for name, runs in measured.items():
        gib = max(run.peak_gib for run in runs)
        table.add_row(
            name, f"{seconds[name]:.3f} s", f"{seconds[name] / first:.1f}", f"{gib:.2f} GiB"
        )
    console.print(table)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=7)
    repeat = parser.parse_args().repeat
    console, python = Console(), [sys.executable, "-c"]
    starts = {
        "python -c pass": [*python, "pass"],
        "import genotex": [*python, "import genotex"],
        "genotex --version": [*GENOTEX, "--version"],
        "genotex --help, seen before": [*GENOTEX, "--help"],
        "genotex solve --help, seen before": [*GENOTEX, "solve", "--help"],
        "imports of solve": [*python, SOLVE],
    }
    show(console, "Start-up", starts, repeat)
    source = cached_cohort()
    matrix = str(source / "GEO" / TRAIT / ACCESSION / f"{ACCESSION}_series_matrix.txt.gz")
    with tempfile.TemporaryDirectory() as folder:
        preprocess = ["preprocess", str(source), str(Path(folder) / "out"), "--trait", TRAIT]
        reads = {
            "gzip -t of the matrix": ["gzip", "-t", matrix],
            "imports of the reader": [*python, LIBRARIES],
            "read_series_matrix": [*python, READ, matrix],
            "genotex preprocess --force": [*GENOTEX, *preprocess, "--force"],
        }
        show(console, "Reading a series matrix", reads, repeat)


if __name__ == "__main__":
    main()
