"""One world of the usual shape, with few genes and samples, for all tests of this folder."""

import pytest

from genotex.layout import OutputFolder
from genotex.simulate import SimulatedWorld, simulate_world


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> SimulatedWorld:
    folder = tmp_path_factory.mktemp("simulated") / "world"
    return simulate_world(folder, seed=3, samples=24, genes=400)


@pytest.fixture(scope="session")
def reference(world: SimulatedWorld) -> OutputFolder:
    return OutputFolder(world.reference)
