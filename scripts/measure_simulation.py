"""Planted genes found, and false findings, on the whole road from simulated files.

    python scripts/measure_simulation.py [SEEDS]

Simulates a study for each seed from 1 to SEEDS (12), preprocesses and analyses each cohort of its
main trait, with and without surrogate variables and the known batch, and prints the table of
docs/calibration.md.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from genotex.analysis import solve_problem
from genotex.bench.problems import Problem
from genotex.cohorts import preprocess
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.simulate import score_against_truth, simulate_study

COHORTS = ("GSE90000001", "GSE90000002", "GSE90000003")
WAYS = {
    "as by default": AnalysisOptions(panel=False),
    "no surrogate variables": AnalysisOptions(panel=False, hidden="none"),
    "batch left out": AnalysisOptions(panel=False, batch=False),
    "neither": AnalysisOptions(panel=False, hidden="none", batch=False),
}


def main() -> None:
    """Measure and print."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    scores: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for seed in range(1, seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            study = simulate_study(Path(folder) / "study", seed=seed)
            trait, output = study.truth.trait, OutputFolder(Path(folder) / "output")
            preprocess(study.folder, output.root, traits=[trait], cohorts=COHORTS)
            for cohort in COHORTS:
                for way, options in WAYS.items():
                    options = replace(options, cohort=cohort)
                    result = solve_problem(output, Problem(trait), options)
                    score = score_against_truth(study.truth, result.significant["Variable"])
                    pair = (score.found, score.false_discovery_proportion)
                    scores.setdefault((cohort, way), []).append(pair)
    for (cohort, way), pairs in scores.items():
        found, false = np.array(pairs).T
        print(
            f"{cohort}, {way}: {found.min():.0f} to {found.max():.0f} of 60 found, FDP "
            f"{false.min():.2f} to {false.max():.2f}, mean {false.mean():.2f}"
        )


if __name__ == "__main__":
    main()
