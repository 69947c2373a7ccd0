"""The pipeline on simulated benchmarks: features that differ from the truth, and genes found.

    python scripts/measure_world.py [SEEDS] [SAMPLES]

Simulates a benchmark for each seed from 1 to SEEDS (5), its largest cohorts with SAMPLES (40)
samples, preprocesses and analyses it, and prints the figures of docs/calibration.md.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from genotex.analysis import solve_problems
from genotex.bench.problems import TaskInfo
from genotex.bench.simulated import SimulatedBenchmark, simulate_benchmark
from genotex.cohorts import preprocess
from genotex.formats import read_clinical_csv, read_cohort_info
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions


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


def main() -> None:
    """Measure and print."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 40
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
                score = simulated.truth.score(outcome.result.significant["Variable"], problem.trait)
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


if __name__ == "__main__":
    main()
