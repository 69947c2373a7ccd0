"""An atlas of three traits; nothing may write into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from genotex.atlas import AtlasReader, build_atlas
from tests.atlas.result_folders import GENES, write_cohort

ASTHMA = {gene: 4.0 if i % 2 else -4.0 for i, gene in enumerate(GENES[:20])}
"""Genes that change in asthma and eczema; the other way round in psoriasis."""


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Output folders: each cohort solved by itself."""
    place = tmp_path_factory.mktemp("atlas")
    reverse = {gene: -size for gene, size in ASTHMA.items()}
    given = [
        ("Asthma", "GSE1", ASTHMA),
        ("Asthma", "GSE2", ASTHMA),
        ("Asthma", "GSE3", ASTHMA),
        ("Eczema", "GSE4", ASTHMA),
        ("Psoriasis", "GSE5", reverse),
        *((f"Trait_{i}", f"GSE{i}", {}) for i in range(6, 16)),
    ]
    for seed, (trait, cohort, changed) in enumerate(given):
        write_cohort(place / "results" / cohort, trait, cohort, seed=seed, changed=changed)
    return place / "results"


@pytest.fixture(scope="session")
def atlas_folder(folders: Path) -> Path:
    """The atlas."""
    build_atlas([folders], folders.parent / "atlas")
    return folders.parent / "atlas"


@pytest.fixture
def atlas(atlas_folder: Path) -> AtlasReader:
    """The same, to be asked."""
    return AtlasReader(atlas_folder)
