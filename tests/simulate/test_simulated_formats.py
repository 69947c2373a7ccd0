"""The package's own readers see what the plain ones see."""

from pathlib import Path

import numpy as np
import pytest

from genotex.formats import read_family_soft, read_platforms, read_series_matrix
from genotex.simulate import SimulatedStudy
from tests.simulate.plain_geo import geo_path, read_matrix, read_soft_sections

ARTHRITIS = "Simulated_Arthritis"
COHORTS = ["GSE90000001", "GSE90000002", "GSE90000003"]


@pytest.mark.parametrize("accession", COHORTS)
def test_series_matrix(study: SimulatedStudy, accession: str) -> None:
    path = geo_path(study.folder, ARTHRITIS, accession, "matrix")
    plain, series = read_matrix(path), read_series_matrix(path)
    assert series.accession == accession
    assert list(series.samples) == plain.samples
    expected = [tuple(cell or None for cell in row) for row in plain.sample["characteristics_ch1"]]
    assert list(series.characteristics) == expected
    assert series.expression is not None
    assert list(series.expression.ids) == plain.ids
    np.testing.assert_allclose(series.expression.values, plain.values, rtol=1e-6)


@pytest.mark.parametrize("accession", COHORTS)
def test_platform_table(study: SimulatedStudy, accession: str) -> None:
    path: Path = geo_path(study.folder, ARTHRITIS, accession, "soft")
    (platform,) = read_platforms(path)
    assert platform.accession == study.truth.cohorts[accession].platform
    header, *rows = read_soft_sections(path)[2][3]
    assert platform.table.columns == header
    assert platform.table.rows() == [tuple(cell or None for cell in row) for row in rows]


def test_family_soft_alone(study: SimulatedStudy) -> None:
    path = geo_path(study.folder, ARTHRITIS, "GSE90000001", "soft")
    (series,) = read_family_soft(path)
    plain = read_matrix(geo_path(study.folder, ARTHRITIS, "GSE90000001", "matrix"))
    assert list(series.samples) == plain.samples
    assert series.expression is not None
    np.testing.assert_allclose(series.expression.values, plain.values, rtol=1e-6)
