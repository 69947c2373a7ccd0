"""A gene table of today's symbols, with accessions from where they are known."""

import sqlite3
from pathlib import Path

import pytest
from benchmarks.maintenance import build_gene_table as script

import genotex.genes
from genotex.errors import FormatError
from genotex.genes import AMBIGUOUS, GeneTable, build_gene_table, read_packaged_genes
from genotex.id_kinds import IdKind

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


def load(folder):
    genes, source = read_packaged_genes(folder)
    return GeneTable(genes, source, _accession_file=folder / "accessions.parquet")


def run(monkeypatch, *words):
    monkeypatch.setattr("sys.argv", ["build_gene_table", *map(str, words)])
    script.main()


def test_build_from_gene_info(gene_info, tmp_path, small, capsys, monkeypatch):
    run(monkeypatch, gene_info, tmp_path)
    built = load(tmp_path)
    assert built.genes.equals(small.genes)
    assert built.source == small.source
    assert built.lookup(IdKind.REFSEQ, ["NM_000546"]) == {}
    assert "15 genes, 0 accessions" in capsys.readouterr().out


def test_build_from_org_hs_eg_db(tmp_path, monkeypatch):
    path = tmp_path / "org.Hs.eg.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(
            """
            CREATE TABLE metadata (name, value);
            INSERT INTO metadata VALUES ('EGSOURCEDATE', '2022-Sep12');
            CREATE TABLE genes (_id, gene_id);
            INSERT INTO genes VALUES (1, '7157'), (2, '2');
            CREATE TABLE gene_info (_id, symbol);
            INSERT INTO gene_info VALUES (1, 'TP53'), (2, 'A2M');
            CREATE TABLE genetype (_id, gene_type);
            INSERT INTO genetype VALUES (1, 'protein-coding'), (2, 'protein-coding');
            CREATE TABLE alias (_id, alias_symbol);
            INSERT INTO alias VALUES (1, 'P53'), (1, 'TP53'), (2, 'A2M');
            CREATE TABLE ensembl (_id, ensembl_id);
            INSERT INTO ensembl VALUES (1, 'ENSG00000141510');
            CREATE TABLE accessions (_id, accession);
            INSERT INTO accessions VALUES (1, 'NM_000546'), (1, 'NP_000537'), (2, 'M11313'),
              (2, 'P01023'), (1, 'AB000001'), (2, 'AB000001'), (1, 'U94788');
            CREATE TABLE ensembl_trans (_id, trans_id);
            INSERT INTO ensembl_trans VALUES (1, 'ENST00000269305');
            CREATE TABLE ucsc (_id, ucsc_id);
            INSERT INTO ucsc VALUES (1, 'ENST00000420246.6'), (1, 'uc060aur.1');
            """
        )
    db.close()
    folder = tmp_path / "data"
    run(monkeypatch, path, folder)
    built = load(folder)
    assert built.genes["symbol"].to_list() == ["A2M", "TP53"]  # NCBI's order is that of GeneIDs
    assert built.official_symbol("p53") == "TP53"
    assert built.source.date == "2022-09-12"
    accessions = {"NM_000546.6": "TP53", "M11313": "A2M", "AB000001": AMBIGUOUS, "U94788": "TP53"}
    for kind in (IdKind.REFSEQ, IdKind.GENBANK):
        assert built.lookup(kind, [*accessions, "P01023", "NP_000537"]) == accessions
    transcripts = ["ENST00000269305.9", "ENST00000420246"]
    assert built.lookup(IdKind.ENSEMBL, transcripts) == dict.fromkeys(transcripts, "TP53")


def test_wrong_use_of_the_script(capsys, monkeypatch):
    with pytest.raises(SystemExit) as end:
        run(monkeypatch)
    assert end.value.code == 2
    assert "SOURCE" in capsys.readouterr().err.upper()


def test_the_packaged_files_stay_small():
    folder = Path(genotex.genes.__file__).with_name("data")
    assert sum(path.stat().st_size for path in folder.iterdir()) < 6_000_000
