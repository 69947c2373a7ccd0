"""A whole simulated benchmark: traits, cohorts, a task list, and a reference to score by."""

from genotex.bench.simulated.making import SimulatedBenchmark, simulate_benchmark
from genotex.bench.simulated.truth import BenchmarkTruth, TraitTruth, load_benchmark_truth

__all__ = [
    "BenchmarkTruth",
    "SimulatedBenchmark",
    "TraitTruth",
    "load_benchmark_truth",
    "simulate_benchmark",
]
