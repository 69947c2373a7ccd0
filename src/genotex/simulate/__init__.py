"""Simulated studies in true GEO and TCGA format, with known truth."""

from genotex.simulate.record import TRUTH_FILE
from genotex.simulate.study import SimulatedStudy, simulate_study
from genotex.simulate.truth import (
    CohortTruth,
    Score,
    Truth,
    load_truth,
    score_against_truth,
)

__all__ = [
    "TRUTH_FILE",
    "CohortTruth",
    "Score",
    "SimulatedStudy",
    "Truth",
    "load_truth",
    "score_against_truth",
    "simulate_study",
]
