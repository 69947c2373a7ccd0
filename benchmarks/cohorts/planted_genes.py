"""Planted genes found, and false findings, on the whole road from simulated files.

    python -m benchmarks planted_genes study [--seeds 12]
    python -m benchmarks planted_genes benchmark [--seeds 5] [--samples 40]

For each seed from 1 on, preprocesses and analyses either a study, each cohort of its main trait
with and without surrogate variables and the known batch; or a simulated benchmark, its largest
cohorts with so many samples, where features that differ from the truth are printed too. These are
the tables of docs/calibration.md.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from genotex.analysis import solve_problem, solve_problems
from genotex.bench.simulated import SimulatedBenchmark, simulate_benchmark
from genotex.cohorts import preprocess
from genotex.formats import read_clinical_csv, read_cohort_info
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem, TaskInfo
from genotex.simulate import score_against_truth, simulate_study

COHORTS = ("GSE90000001", "GSE90000002", "GSE90000003")
WAYS = {
    "as by default": AnalysisOptions(panel=False),
    "--hidden adjust": AnalysisOptions(panel=False, hidden="adjust"),
    "batch left out": AnalysisOptions(panel=False, batch=False),
    "--hidden adjust, batch left out": AnalysisOptions(panel=False, hidden="adjust", batch=False),
}


def measure_studies(seeds: int) -> None:
    """Print a row for each cohort and way of analysing it."""
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


def misread(simulated: SimulatedBenchmark, output: OutputFolder) -> Iterator[str]:
    """Yield the features of cohorts that differ from the truth."""
    reference = OutputFolder(simulated.reference)
    for trait in reference.traits():
        ours = read_cohort_info(output.cohort_info(trait))
        for cohort, info in read_cohort_info(reference.cohort_info(trait)).items():
            if ours[cohort].is_usable != info.is_usable:
                yield f"{trait}, {cohort}: usable {info.is_usable}, read as the opposite"
            path = reference.clinical_csv(trait, cohort)
            read = output.clinical_csv(trait, cohort)
            if not path.is_file() or not read.is_file():
                continue
            features = read_clinical_csv(read)[1]
            for name, codes in read_clinical_csv(path)[1].items():
                same = name in features and np.allclose(
                    features[name], codes, atol=0.01, equal_nan=True
                )
                if not same:
                    yield f"{trait}, {cohort}: {name} differs"


def measure_benchmarks(seeds: int, samples: int) -> None:
    """Print what was misread, and a row for each kind of problem."""
    scores: dict[str, list[tuple[float, float]]] = {}
    for seed in range(1, seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            simulated = simulate_benchmark(Path(folder) / "simulated", seed=seed, samples=samples)
            output = OutputFolder(Path(folder) / "output")
            preprocess(simulated.folder, output.root)
            for difference in misread(simulated, output):
                print(f"seed {seed}: {difference}")
            tasks = TaskInfo.load(simulated.task_info)
            options = AnalysisOptions(panel=False)
            answered = set()
            for outcome in solve_problems(output, tasks.problems(), options, tasks):
                if outcome.result is None:
                    continue
                problem = outcome.problem
                answered.add(problem)
                score = simulated.truth.score(
                    outcome.result.significant["Variable"], problem.trait, problem.condition
                )
                pair = (score.found / score.planted, score.false_discovery_proportion)
                scores.setdefault(str(problem.kind), []).append(pair)
            if answered != set(simulated.answered):
                off = len(answered ^ set(simulated.answered))
                print(f"seed {seed}: {off} answers too many or few")
    for kind, pairs in scores.items():
        found, false = np.array(pairs).T
        print(
            f"{kind}: {len(pairs)} problems, {found.mean():.0%} of the planted genes found "
            f"({found.min():.0%} to {found.max():.0%}), FDP mean {false.mean():.3f}, "
            f"at most {false.max():.2f}"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("study", "benchmark"))
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--samples", type=int, default=40)
    chosen = parser.parse_args()
    if chosen.what == "study":
        measure_studies(chosen.seeds or 12)
    else:
        measure_benchmarks(chosen.seeds or 5, chosen.samples)
