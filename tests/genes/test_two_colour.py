"""Two-colour arrays against R limma 3.54 (`python -m benchmarks golden_two_colour`)."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.formats import read_two_colour
from genotex.genes import loess_curve, log_ratios, normexp

GOLDEN = Path(__file__).parents[1] / "fixtures" / "two_colour"


def golden(name: str) -> np.ndarray:
    table = pl.read_csv(
        GOLDEN / f"{name}.csv", null_values=["NA", " NA", "NaN"], infer_schema=False
    )
    return table.select(pl.all().str.strip_chars().cast(pl.Float64, strict=False)).to_numpy()


@pytest.fixture(scope="module")
def scans():
    return [read_two_colour(GOLDEN / f"GSM{i}.gpr") for i in (1, 2, 3)]


@pytest.mark.parametrize("background", ["subtract", "normexp"])
def test_ratios_and_levels_within_arrays_equal_limma(scans, background) -> None:
    ratio, level = log_ratios(scans, background=background)
    tolerance = {"rtol": 1e-6, "atol": 1e-6}
    np.testing.assert_allclose(level, golden(f"{background}_A"), **tolerance)
    np.testing.assert_allclose(ratio, golden(f"{background}_M"), **tolerance)


@pytest.mark.parametrize("background", ["subtract", "normexp"])
def test_normalisation_between_arrays_equals_limma(scans, background) -> None:
    _, level = log_ratios(scans, background=background, between="Aquantile")
    np.testing.assert_allclose(level, golden(f"{background}_Aquantile"), rtol=1e-6, atol=1e-6)
    ratio, _ = log_ratios(scans, background=background, between="scale")
    np.testing.assert_allclose(ratio, golden(f"{background}_scale"), rtol=1e-6, atol=1e-6)


def test_normexp_equals_limma_and_leaves_no_signal_below_zero(scans) -> None:
    red = np.column_stack([normexp(s.red - s.red_background) for s in scans]) + 50
    np.testing.assert_allclose(red, golden("normexp_red"), rtol=1e-6)
    assert (red > 50).all()


def test_spot_below_its_background_is_missing_when_subtracted(scans) -> None:
    ratio, _ = log_ratios(scans, background="subtract")
    assert np.isnan(ratio[6]).all() and np.isfinite(np.delete(ratio, 6, axis=0)).mean() > 0.95


def test_curve_of_nothing_is_missing() -> None:
    assert np.isnan(loess_curve(np.full(3, np.nan), np.ones(3))).all()
