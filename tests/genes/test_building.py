"""A gene table of today's symbols, with accessions from where they are known."""

import pytest

from genotex.errors import FormatError
from genotex.genes import IdKind
from genotex.genes.building import build_gene_table
from genotex.genes.sources import read_packaged_genes

from .conftest import GENES, gene_info_text

REFSEQ = {"NM_000546": "TP53", "NM_000014": "A2M"}
"""NCBI's RefSeq transcripts of GeneID 7157 and GeneID 2."""


def test_accessions_follow_their_gene_to_its_new_symbol_and_row(tmp_path, packaged):
    assert packaged.lookup(IdKind.REFSEQ, REFSEQ) == REFSEQ
    renamed = [(7157, "TP53NEW", "TP53", "-", "protein-coding"), GENES[0]]
    path = tmp_path / "gene_info"
    path.write_text(gene_info_text(renamed))
    built = build_gene_table(path, tmp_path / "table", packaged)
    found = built.lookup(IdKind.REFSEQ, [*REFSEQ, "NM_000014.6"])
    assert found == {"NM_000546": "TP53NEW", "NM_000014": "A2M", "NM_000014.6": "A2M"}
    assert built.official_symbol("TP53") == "TP53NEW"
    assert 0 < built.source.accessions < packaged.source.accessions
    assert packaged.source.date in built.source.name


def test_genes_that_are_gone_take_their_accessions_along(tmp_path, packaged):
    path = tmp_path / "gene_info"
    path.write_text(gene_info_text(GENES[:1]))
    built = build_gene_table(path, tmp_path / "table", packaged)
    assert built.lookup(IdKind.REFSEQ, REFSEQ) == {"NM_000014": "A2M"}


def test_built_table_equals_its_source(gene_info, small, packaged, tmp_path):
    built = build_gene_table(gene_info, tmp_path, packaged)
    assert built.genes.equals(small.genes)
    assert built.symbols("benchmark") == small.symbols("benchmark")
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    build_gene_table(gene_info, tmp_path, packaged)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == first


def test_table_without_accessions_gives_none(gene_info, small, tmp_path):
    assert small.accessions is None
    built = build_gene_table(gene_info, tmp_path, small)
    assert built.source.accessions == 0


def test_nothing_is_written_for_a_file_that_is_no_gene_info(tmp_path, packaged):
    path = tmp_path / "gene_info.gz"
    path.write_text("<html>Are you a robot?</html>")
    with pytest.raises(FormatError, match="HTML"):
        build_gene_table(path, tmp_path / "table", packaged)
    assert not (tmp_path / "table").exists()


@pytest.mark.parametrize("missing", ["genes.json", "genes.parquet"])
def test_half_a_table_is_no_table(gene_info, packaged, tmp_path, missing):
    build_gene_table(gene_info, tmp_path, packaged)
    (tmp_path / missing).unlink()
    with pytest.raises(FormatError, match="fetch genes"):
        read_packaged_genes(tmp_path)


def test_killed_build_leaves_no_genes_with_accessions_of_others(
    gene_info, packaged, tmp_path, monkeypatch
):
    build_gene_table(gene_info, tmp_path, packaged)

    def full(*_arguments, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("polars.DataFrame.write_parquet", full)
    with pytest.raises(OSError, match="No space"):
        build_gene_table(gene_info, tmp_path, packaged)
    assert not (tmp_path / "genes.parquet").exists()
