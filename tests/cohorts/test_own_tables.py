"""Own tables: what is read, and what is stated about it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.cohorts import keep_expressed, preprocess, read_own_tables
from genotex.formats import read_gene_csv, sample_quantiles
from genotex.layout import OutputFolder
from tests.geo_text import write_asthma_on_probes
from tests.own_tables import GENES, SAMPLES, count_values, log2_values, write_samples, write_table


def test_a_csv_of_log2_values_and_a_sample_table(tmp_path: Path) -> None:
    values = log2_values()
    tables = read_own_tables(
        write_table(tmp_path / "my data.csv", values), write_samples(tmp_path / "s.csv")
    )
    assert tables.name == "my_data"
    assert (tables.genes, tables.samples) == (GENES, SAMPLES)
    assert np.array_equal(tables.expression, values.T)
    assert tables.sample_table.columns == ["sample", "group", "age"]
    assert tables.sample_table["age"].to_list() == [40, 41, 42, 43, 44, 45]
    assert (tables.warnings, dict(tables.counts), tables.raw_counts) == ((), {}, None)
    assert any("genes in rows" in note for note in tables.notes)


def test_counts_are_recorded_as_they_were_given(tmp_path: Path) -> None:
    counts = count_values()
    tables = read_own_tables(
        write_table(tmp_path / "counts.tsv", counts, sign="\t"), write_samples(tmp_path / "s.csv")
    )
    given = tables.record["distributions"]
    assert (given["scale"], given["rows"]) == ("counts", len(GENES))
    expected = sample_quantiles(counts)
    assert np.allclose(list(given["by_sample"].values()), expected, rtol=1e-4)


def test_samples_in_rows_give_the_same_cohort(tmp_path: Path) -> None:
    values = log2_values()
    wide = write_table(
        tmp_path / "wide.tsv", values.T, genes=SAMPLES, samples=GENES, sign="\t", corner=None
    )
    tables = read_own_tables(wide, write_samples(tmp_path / "s.csv"))
    assert tables.genes == GENES
    assert np.array_equal(tables.expression, values.T)
    assert any("samples in rows" in note for note in tables.notes)


def test_rows_of_the_sample_table_follow_the_expression_table(tmp_path: Path) -> None:
    samples = write_samples(tmp_path / "s.tsv", SAMPLES[::-1], column="id", sign="\t")
    tables = read_own_tables(write_table(tmp_path / "e.csv", log2_values()), samples)
    assert tables.sample_table["sample"].to_list() == list(SAMPLES)
    assert tables.sample_table["age"].to_list() == [45, 44, 43, 42, 41, 40]


def test_counts_become_log2_counts_per_million_and_can_be_recovered(tmp_path: Path) -> None:
    counts = count_values()
    tables = read_own_tables(
        write_table(tmp_path / "counts.tsv", counts, sign="\t"), write_samples(tmp_path / "s.csv")
    )
    assert tables.raw_counts is not None
    assert np.array_equal(tables.raw_counts, counts.T)
    sizes = np.array([tables.counts["effective_library_sizes"][name] for name in SAMPLES])
    recovered = np.exp2(tables.expression) / 1e6 * (sizes[:, None] + 1) - 0.5
    assert recovered == pytest.approx(counts.T, abs=1e-6)
    assert any("scale: counts" in note for note in tables.notes)


def test_the_filter_of_counts_waits_for_the_design(tmp_path: Path) -> None:
    counts = count_values()
    counts[3] = [0, 0, 0, 0, 0, 30]
    tables = read_own_tables(
        write_table(tmp_path / "counts.csv", counts), write_samples(tmp_path / "s.csv")
    )
    assert GENES[3] in tables.genes
    kept = keep_expressed(tables, least=3)
    assert GENES[3] not in kept.genes
    assert kept.raw_counts is not None
    assert kept.raw_counts.shape == kept.expression.shape == (6, len(kept.genes))
    assert kept.counts["filtered"] == kept.counts["genes"] - kept.counts["kept"] >= 1


def test_data_frames_in_memory(tmp_path: Path) -> None:
    values = log2_values()
    frame = pl.DataFrame({"gene": GENES, **{name: values[:, j] for j, name in enumerate(SAMPLES)}})
    people = pl.DataFrame({"id": SAMPLES, "dose": [0.0, 1.5, 0.0, 1.5, 0.0, None]})
    tables = read_own_tables(frame, people)
    assert np.array_equal(tables.expression, values.T)
    assert tables.sample_table["dose"].to_list() == [0.0, 1.5, 0.0, 1.5, 0.0, None]


def test_the_same_numbers_as_preprocessing_of_a_series(tmp_path: Path) -> None:
    write_asthma_on_probes(tmp_path / "input")
    output = OutputFolder(tmp_path / "output")
    preprocess(tmp_path / "input", output.root)
    expected = read_gene_csv(output.gene_csv("Asthma", "GSE1"))
    folder = tmp_path / "input" / "GEO" / "Asthma" / "GSE1"
    tables = read_own_tables(
        folder / "GSE1_series_matrix.txt.gz",
        write_samples(tmp_path / "s.csv", expected.samples),
        platform=folder / "GPL1.txt.gz",
    )
    assert (tables.genes, tables.samples) == (expected.ids, expected.samples)
    assert tables.expression == pytest.approx(expected.values.T, abs=1e-12)
