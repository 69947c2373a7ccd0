"""One simulated benchmark of the default shape, with few genes and samples, for all tests here."""

import pytest

from genotex.bench import SimulatedBenchmark, simulate_benchmark
from genotex.layout import OutputFolder


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> SimulatedBenchmark:
    folder = tmp_path_factory.mktemp("simulated") / "simulated"
    return simulate_benchmark(folder, seed=3, samples=24, genes=400)


@pytest.fixture(scope="session")
def symbols() -> list[str]:
    return ["XIST", "RPS4Y1", "DDX3Y", *(f"GENE{i}" for i in range(2500))]


@pytest.fixture(scope="session")
def reference(simulated: SimulatedBenchmark) -> OutputFolder:
    return OutputFolder(simulated.reference)
