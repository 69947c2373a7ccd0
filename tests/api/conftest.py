"""A small simulated study, and the folder that examples run in."""

from __future__ import annotations

from pathlib import Path

import pytest

from genotex import simulate_study

ARTHRITIS = "Simulated Arthritis"


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated study with a cohort of counts; nothing may write into it."""
    folder = tmp_path_factory.mktemp("api") / "study"
    simulate_study(folder, samples=24, genes=400, rna_seq=True)
    return folder


@pytest.fixture
def series(study: Path) -> Path:
    """A series with age, sex and a batch."""
    return study / "GEO" / "Simulated_Arthritis" / "GSE90000001"
