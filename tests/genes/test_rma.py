"""RMA against R affy 1.76 (`python -m benchmarks golden_rma tests/fixtures/rma`)."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.formats import read_cdf, read_cel
from genotex.genes import rma_background, rma_values
from genotex.outside import stored_file

GOLDEN = Path(__file__).parents[1] / "fixtures" / "rma"


def golden(name: str) -> pl.DataFrame:
    table = pl.read_csv(GOLDEN / f"{name}.csv", infer_schema=False)
    return table.with_columns(pl.all().str.strip_chars())


@pytest.fixture(scope="module")
def scans():
    return [read_cel(stored_file(GOLDEN / f"GSM{i}_text.CEL.gz")) for i in range(1, 6)]


def test_background_equals_affy(scans) -> None:
    expected = golden("background").cast(pl.Float64).to_numpy()
    cells = expected[:, 0].astype(int)
    for j in (0, 1):
        found = rma_background(scans[j].intensities[cells])
        np.testing.assert_allclose(found, expected[:, j + 1], rtol=1e-10)


def test_expression_of_probe_sets_equals_affy(scans) -> None:
    layout = read_cdf(stored_file(GOLDEN / "Made-Chip.cdf.gz"))
    matches = np.column_stack([scan.intensities[layout.cells] for scan in scans])
    found = dict(zip(layout.probe_sets, rma_values(matches, layout.sizes), strict=True))
    expected = golden("rma")
    assert sorted(found) == sorted(expected["probe_set"])
    values = expected.drop("probe_set").cast(pl.Float64).to_numpy()
    mine = np.array([found[name] for name in expected["probe_set"]])
    np.testing.assert_allclose(mine, values, atol=1e-6)


def test_array_without_signal_stays_as_it_is() -> None:
    np.testing.assert_array_equal(rma_background(np.full(5, 7.0)), np.full(5, 7.0))
