"""GSE55457 on GPL96: the figures that data/README.md of the real files records."""

import numpy as np
import pytest

from genotex.formats import read_platforms, read_series_matrix
from genotex.genes import GeneTable, gene_rows, map_to_genes, scan_column


@pytest.fixture(scope="module")
def folder(shared_data):
    return shared_data / "input" / "GEO" / "Osteoarthritis" / "GSE55457"


@pytest.fixture(scope="module")
def series(folder):
    return read_series_matrix(folder / "GSE55457_series_matrix.txt.gz")


@pytest.fixture(scope="module")
def platforms(folder):
    return read_platforms(folder / "GPL96.txt.gz")


@pytest.fixture(scope="module")
def genes_2020(shared_data):
    return GeneTable.load(shared_data / "genes" / "Homo_sapiens.gene_info.2020-01.gz")


def test_benchmark_gives_the_published_numbers(series, platforms, genes_2020):
    found = map_to_genes(series.expression, platforms, procedure="benchmark", table=genes_2020)
    assert found.counts["rows"] == 22_283
    assert found.counts["rows_with_symbol"] == 20_995
    assert found.mapped == 13_192
    assert found.counts["genes"] == len(found.expression.ids) == 12_988
    assert found.expression.samples[:3] == ("GSM1337304", "GSM1337305", "GSM1337306")
    rows = {gene: found.expression.ids.index(gene) for gene in ("A2M", "TP53")}
    first = found.expression.values[:, :3]
    np.testing.assert_allclose(first[rows["A2M"]], [9714.1, 9137.0, 10259.8], atol=0.05)
    np.testing.assert_allclose(first[rows["TP53"]], [719.7, 645.3, 553.6], atol=0.05)


def test_the_first_genes_after_mapping(platforms):
    cells = platforms[0].table["Gene Symbol"].drop_nulls()
    first = ["A1CF", "A2BP1", "A2M", "A4GALT", "A4GNT", "AAAS", "AACS", "AADAC", "AAK1", "AAMP"]
    assert list(gene_rows(scan_column(cells)).genes[:10]) == first


def test_a_newer_gene_table_changes_the_number_by_a_few_dozen(series, platforms, packaged):
    found = map_to_genes(series.expression, platforms, procedure="benchmark", table=packaged)
    assert found.mapped == 13_192
    assert abs(found.counts["genes"] - 12_988) < 60


def test_sound_takes_the_log2_of_mas5_values(series, platforms, packaged):
    found = map_to_genes(series.expression, platforms, procedure="sound", table=packaged)
    assert found.scale == "linear"
    assert 4 < np.nanmedian(found.expression.values) < np.nanmax(found.expression.values) < 20
    assert list(found.expression.ids) == sorted(found.expression.ids)


def test_trap_a_platform_of_other_probes_is_passed_over(shared_data, platforms, packaged):
    other = read_platforms(shared_data / "traps" / "GPL97.annot.gz")
    series = read_series_matrix(shared_data / "traps" / "GSE30528_series_matrix.txt.gz")
    found = map_to_genes(
        series.expression,
        [*other, *platforms],
        procedure="sound",
        table=packaged,
        own=series.platform,
    )
    assert any("GPL96 is not the series' own GPL571" in note for note in found.notes)
    assert found.scale == "log2"
