"""What the team of agents costs beside the direct road, where the built-in rules play all roles.

    python benchmarks/team_overhead.py [--samples 80] [--genes 4000] [--repeat 3]

Both preprocess the same cohorts of a simulated study, one after another: `genotex preprocess` and
`genotex agent run --model rules`, which plans, writes code, runs it in a confined session and
reviews it. Seconds are those that each command states for a cohort; whole processes are beside.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from genotex.simulate import simulate_study

TRAIT = "Simulated_Arthritis"


def timed(*words: str) -> tuple[float, Any]:
    """Run genotex; return the seconds it took and the JSON that it printed."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "genotex", *words, "--json"], capture_output=True, check=True
    )
    return time.perf_counter() - start, json.loads(done.stdout)


def direct(study: Path, out: Path) -> tuple[float, dict[str, float]]:
    """Return seconds of the whole command and of each cohort, by the direct road."""
    whole, outcomes = timed("preprocess", str(study), str(out), "--trait", TRAIT)
    return whole, {outcome["cohort"]: outcome["seconds"] for outcome in outcomes}


def team(study: Path, out: Path) -> tuple[float, dict[str, float]]:
    """Return seconds of the whole command and of each cohort, by the team."""
    whole, _ = timed("agent", "run", str(study), str(out), "--trait", TRAIT, "--model", "rules")
    _, rows = timed("agent", "show", str(out))
    return whole, {row["notebook"]: row["seconds"] for row in rows}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=80)
    parser.add_argument("--genes", type=int, default=4000)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    table = Table(title=f"{given.samples} samples in the largest cohort, {given.genes} genes")
    for column in ("cohort", "direct, s", "team, s", "ratio"):
        table.add_column(column, justify="right")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = simulate_study(folder / "study", samples=given.samples, genes=given.genes).folder
        pairs = [
            (direct(study, folder / f"direct{i}"), team(study, folder / f"team{i}"))
            for i in range(given.repeat)
        ]
    sums = [0.0, 0.0]
    for cohort in pairs[0][0][1]:
        one = median(road[1][cohort] for road, _ in pairs)
        other = median(notebooks[1][cohort] for _, notebooks in pairs)
        sums = [sums[0] + one, sums[1] + other]
        # A trait without a TCGA study takes the direct road no time.
        ratio = f"{other / one:.1f}" if one > 0.05 else "-"
        table.add_row(cohort, f"{one:.2f}", f"{other:.2f}", ratio)
    table.add_row("all", f"{sums[0]:.2f}", f"{sums[1]:.2f}", f"{sums[1] / sums[0]:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
