"""A whole simulated benchmark: traits, cohorts, a task list, and a reference to score by."""

from genotex.simulate.world.making import SimulatedWorld, simulate_world
from genotex.simulate.world.truth import TraitTruth, WorldTruth, load_world

__all__ = ["SimulatedWorld", "TraitTruth", "WorldTruth", "load_world", "simulate_world"]
