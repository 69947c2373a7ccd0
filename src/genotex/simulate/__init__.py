"""Simulated studies and worlds in true GEO and TCGA format, whose answers are known."""

from genotex.simulate.record import TRUTH_FILE
from genotex.simulate.study import SimulatedStudy, simulate_study
from genotex.simulate.truth import (
    CohortTruth,
    Score,
    Truth,
    load_truth,
    score_against_truth,
)
from genotex.simulate.world import (
    SimulatedWorld,
    TraitTruth,
    WorldTruth,
    load_world,
    simulate_world,
)

__all__ = [
    "TRUTH_FILE",
    "CohortTruth",
    "Score",
    "SimulatedStudy",
    "SimulatedWorld",
    "TraitTruth",
    "Truth",
    "WorldTruth",
    "load_truth",
    "load_world",
    "score_against_truth",
    "simulate_study",
    "simulate_world",
]
