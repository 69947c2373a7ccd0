"""The procedure ``benchmark``: the published analysis, with the same answer in less time."""

from genotex.analysis.benchmark.procedure import analyze_benchmark

__all__ = ["analyze_benchmark"]
