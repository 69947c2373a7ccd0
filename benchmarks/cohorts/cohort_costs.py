"""Processor seconds, memory and bytes of one cohort by its number of samples.

    python -m benchmarks cohort_costs --samples 60 167 500 1000

Simulated cohorts in true GEO format. Processor time is less sensitive than the clock to what else
the machine does.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from benchmarks.measuring import GENOTEX, measure


def measured(*words: str) -> tuple[float, float]:
    """Run genotex; return processor seconds and the peak of its memory in GB."""
    found = measure([*GENOTEX, *words], allowed=(0, 1))
    return found.processor, found.peak_gib * 2**30 / 1e9


def size(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def costs(samples: int, genes: int, folder: Path) -> dict[str, object]:
    """Preprocess the largest cohort of a study, and solve its trait."""
    study, output = folder / f"study{samples}", folder / f"output{samples}"
    measured("simulate", str(study), "--samples", str(samples), "--genes", str(genes))
    cohort = max((study / "GEO").glob("*/*"), key=size)
    trait = cohort.parent.name
    start, _ = measured("preprocess", "--help")
    only = ("--trait", trait, "--cohort", cohort.name)
    seconds, memory = measured("preprocess", str(study), str(output), *only)
    solving, most = measured("analyze", str(output), "--trait", trait)
    largest = max(path.stat().st_size for path in cohort.iterdir())
    return {
        "samples": samples,
        "genes": genes,
        "input_mb": round(size(cohort) / 1e6, 1),
        "largest_file_mb": round(largest / 1e6, 1),
        "output_mb": round(size(output / "preprocess") / 1e6, 1),
        "preprocess_cpu_seconds": round(seconds - start, 1),
        "preprocess_gb": round(memory, 2),
        "problem_cpu_seconds": round(solving - start, 1),
        "problem_gb": round(most, 2),
        "start_cpu_seconds": round(start, 1),
    }


def main() -> None:
    """Print one line of JSON for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, nargs="+", default=[60, 167, 500, 1000])
    parser.add_argument("--genes", type=int, default=15_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for samples in chosen.samples:
            print(json.dumps(costs(samples, chosen.genes, Path(name))), flush=True)
