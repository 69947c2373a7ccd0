"""Golden values of R edgeR: made by scripts/golden_rna_seq.R, versions in VERSIONS.txt."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.genes.scale import detect_scale, to_log2, zero_offset

GOLDEN = Path(__file__).parents[1] / "fixtures" / "rna_seq"
BY_LIBRARY = pytest.mark.parametrize("name", ["cpm", "tmm"])


def read(name: str) -> np.ndarray:
    # R pads numbers with spaces; strings first, so that those are read as numbers too.
    table = pl.read_csv(GOLDEN / f"zeros_{name}.csv", infer_schema=False).drop("gene")
    return table.with_columns(pl.all().str.strip_chars().cast(pl.Float64)).to_numpy()


def two_reads(values: np.ndarray) -> float:
    """Return what edgeR's prior count of 2 is in counts per million of these libraries."""
    gene = values.sum(axis=1).argmax()
    libraries = read("counts")[gene] / values[gene] * 1e6
    return 2e6 / libraries.mean()


def centred(logged: np.ndarray) -> np.ndarray:
    differences = logged - logged.mean(axis=1, keepdims=True)
    return differences - np.median(differences, axis=0)


@BY_LIBRARY
def test_prior_count_is_one_offset_for_the_whole_table(name: str) -> None:
    values, golden = read(name), read(f"log_{name}")
    logged, lost = to_log2(values, two_reads(values))
    assert lost == 0
    shift = logged - golden
    np.testing.assert_allclose(shift, shift.mean(), atol=1e-10)


@BY_LIBRARY
def test_offset_found_in_the_table_is_about_two_reads(name: str) -> None:
    values = read(name)
    assert 0.7 < zero_offset(values) / two_reads(values) < 1.4
    logged, _ = to_log2(values, zero_offset(values))
    shift = logged - read(f"log_{name}")
    assert np.abs(shift - np.median(shift)).max() < 0.4


@pytest.mark.parametrize(
    ("name", "close"), [("cpm", 0.1), ("tmm", 0.05), ("fpkm", 0.25), ("tpm", 0.25)]
)
def test_logarithms_differ_between_samples_as_edgers_do(name: str, close: float) -> None:
    values, golden = read(name), centred(read("log_tmm"))
    assert detect_scale(values).scale == "linear"
    logged, lost = to_log2(values, zero_offset(values))
    assert lost == 0 and np.isfinite(logged).all()
    off = np.sqrt(((centred(logged) - golden) ** 2).mean())
    smallest, _ = to_log2(values, values[values > 0].min() / 2)
    assert off < close < np.sqrt(((centred(smallest) - golden) ** 2).mean())
