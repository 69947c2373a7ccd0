"""How processor time, memory and bytes grow with samples, genes, and cohorts.

    python -m benchmarks growth [--samples 60 167 500 1000] [--genes 3750 7500 15000]
        [--traits 4 8 16] [--as-json]

Simulated studies in true GEO format, one thread. One size grows at a time: samples at 15,000 genes,
genes at 167 samples, traits of a small world (and with them cohorts, four each, and problems).
Processor time is less sensitive than the clock to what else the machine does; the start of the
program is taken off. Exponents are those of growth from the second largest size to the largest;
of memory they are of what is above the program's own. What a hundred times the largest size takes
is by that exponent, or in proportion where it is below 1.
"""

from __future__ import annotations

import argparse
import functools
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from benchmarks.measuring import GENOTEX, Measured, measure, size_of

SAMPLES, GENES = 167, 15_000
AHEAD = 100
"""The multiple of today's largest size that is looked at."""

Costs = dict[str, tuple[float, float]]
"""Of each step: processor seconds, and peak memory in GiB."""


def run(*words: object) -> Measured:
    """Run genotex on one thread; an answer without genes is one, too."""
    return measure([*GENOTEX, *map(str, words)], allowed=(0, 1))


@functools.cache
def of_cohort(samples: int, genes: int, folder: Path) -> Costs:
    """Return what each step of one cohort takes."""
    study, output = folder / f"s{samples}g{genes}", folder / f"o{samples}g{genes}"
    run("simulate", study, "--samples", samples, "--genes", genes)
    cohort = max((study / "GEO").glob("*/*"), key=size_of)
    trait = cohort.parent.name
    reading = run("preprocess", study, output, "--trait", trait, "--cohort", cohort.name)
    testing = run("analyze", output, "--trait", trait, "--no-panel")
    panel = run("analyze", output, "--trait", trait)
    audit = run("audit", cohort, "-o", folder / f"a{samples}g{genes}.html")
    found = {
        "read, map and link": reading,
        "test every gene, report": testing,
        "the same with the panel": panel,
        "audit": audit,
    }
    return {name: (each.processor, each.peak_gib) for name, each in found.items()}


def of_world(traits: int, folder: Path) -> Costs:
    """Return what a world of traits, their cohorts and their problems takes."""
    world, output = folder / f"w{traits}", folder / f"wo{traits}"
    run("simulate", world, "--world", "--seed", 1, "--cohorts", 4 * traits,
        "--traits", traits)  # fmt: skip
    tasks = ("--task-info", world / "task_info.json")
    found = {
        "read, map and link all": run("preprocess", world, output),
        "all problems": run("analyze", output, *tasks, "--no-panel"),
    }
    return {name: (each.processor, each.peak_gib) for name, each in found.items()}


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return how costs grow with size from the second largest to the largest."""
    if min(costs[-2:]) <= 0:
        return np.nan
    return float(np.log(costs[-1] / costs[-2]) / np.log(sizes[-1] / sizes[-2]))


def rows(
    axis: str, costs: Mapping[int, Costs], start: tuple[float, float]
) -> Iterator[dict[str, object]]:
    """Yield of each step: costs at each size, exponents, and what they say of a larger size."""
    sizes = list(costs)
    for step in costs[sizes[0]]:
        seconds = [max(costs[n][step][0] - start[0], 0.01) for n in sizes]
        above = [costs[n][step][1] - start[1] for n in sizes]
        slope, of_memory = exponent(sizes, seconds), exponent(sizes, above)
        yield {
            "axis": axis,
            "step": step,
            "sizes": sizes,
            "seconds": [round(s, 1) for s in seconds],
            "GiB": [round(costs[n][step][1], 2) for n in sizes],
            "exponent of time": round(slope, 2),
            "exponent of memory": round(of_memory, 2),
            f"hours at {AHEAD} times": round(seconds[-1] * AHEAD ** max(slope, 1) / 3600, 1),
            f"GiB at {AHEAD} times": round(start[1] + above[-1] * AHEAD ** max(of_memory, 1)),
        }


def main() -> None:
    """Print a table, or one line of JSON for each step."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, nargs="*", default=[60, 167, 500, 1000])
    parser.add_argument("--genes", type=int, nargs="*", default=[3_750, 7_500, 15_000])
    parser.add_argument("--traits", type=int, nargs="*", default=[4, 8, 16])
    parser.add_argument("--as-json", action="store_true")
    chosen = parser.parse_args()
    started = run("preprocess", "--help")
    start = (started.processor, started.peak_gib)
    found: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        by_axis = {
            "samples": {n: of_cohort(n, GENES, folder) for n in chosen.samples},
            "genes": {g: of_cohort(SAMPLES, g, folder) for g in chosen.genes},
            "traits": {k: of_world(k, folder) for k in chosen.traits},
        }
    for axis, costs in by_axis.items():
        found += rows(axis, costs, start) if len(costs) > 1 else ()
    if chosen.as_json:
        print(pl.DataFrame(found, strict=False).write_ndjson())
        return
    table = Table(*found[0])
    for row in found:
        table.add_row(*(", ".join(map(str, v)) if isinstance(v, list) else str(v)
                        for v in row.values()))  # fmt: skip
    Console(width=200).print(table)


if __name__ == "__main__":
    main()
