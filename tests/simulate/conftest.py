"""One small simulated study for all tests of this room."""

from pathlib import Path

import pytest

from genotex.simulate import SimulatedStudy, simulate_study

SYMBOLS = ["XIST", "RPS4Y1", "DDX3Y", *(f"GENE{i}" for i in range(2500))]


@pytest.fixture(scope="session")
def symbols() -> list[str]:
    return SYMBOLS


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> SimulatedStudy:
    folder = tmp_path_factory.mktemp("simulated") / "input"
    return simulate_study(folder, seed=3, samples=40, genes=600, symbols=SYMBOLS)


@pytest.fixture(scope="session")
def full_studies(tmp_path_factory: pytest.TempPathFactory) -> list[SimulatedStudy]:
    """Several with the default number of samples, for questions of power."""
    folder: Path = tmp_path_factory.mktemp("simulated")
    return [
        simulate_study(folder / f"full{seed}", seed=seed, genes=1500, symbols=SYMBOLS)
        for seed in (1, 2, 3, 4)
    ]
