"""A whole simulated benchmark: traits, cohorts, a task list, and a reference to score by."""

from genotex.bench.simulated.benchmark import (
    BenchmarkTruth,
    SimulatedBenchmark,
    TraitTruth,
    answers_of,
    load_benchmark_truth,
    simulate_benchmark,
)

__all__ = [
    "BenchmarkTruth",
    "SimulatedBenchmark",
    "TraitTruth",
    "answers_of",
    "load_benchmark_truth",
    "simulate_benchmark",
]
