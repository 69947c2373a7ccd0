""""""

import gzip
import json

import polars as pl
import pytest

from genotex.errors import FormatError, NotDataError, TruncatedFileError
from genotex.genes import AMBIGUOUS, GENE_SCHEMA, GeneSource, GeneTable
from genotex.id_kinds import IdKind

from .conftest import gene_info_text


def test_the_packaged_table_names_its_source(packaged):
    assert packaged.source.date == "2022-09-12"
    assert "NCBI" in packaged.source.name
    assert packaged.source.genes == packaged.genes.height == 77_614  # org.Hs.eg.db, map_counts
    assert len(packaged.source.sha256) == 64


def test_the_packaged_table_is_read_once(packaged):
    assert GeneTable.load() is packaged


@pytest.mark.parametrize(
    ("kind", "number"),
    [  # NCBI Gene 7157, 2597 and 2
        (IdKind.ENTREZ, {"7157": "TP53", "2597.0": "GAPDH", "GeneID:2": "A2M"}),
        (IdKind.ENSEMBL, {"ENSG00000141510": "TP53", "ENSG00000175899.15": "A2M"}),
        (IdKind.ENSEMBL, {"ENST00000269305.9": "TP53"}),
        (IdKind.REFSEQ, {"NM_000546": "TP53", "NM_000546.6": "TP53", "nm_002046": "GAPDH"}),
        (IdKind.GENBANK, {"M87338": "RFC2", "X69699.1": "PAX8"}),
        (IdKind.SYMBOL, {"TP53": "TP53", "p53": "TP53"}),
    ],
)
def test_ids_of_other_databases(packaged, kind, number):
    assert packaged.lookup(kind, number) == number


def test_ids_that_are_not_in_the_table_are_left_out(packaged):
    assert packaged.lookup(IdKind.ENTREZ, ["4", "x"]) == {}  # NCBI has no human gene 4
    assert packaged.lookup(IdKind.REFSEQ, ["NM_000000", "TP53"]) == {}
    assert packaged.lookup(IdKind.UCSC, ["uc001abc.1"]) == {}


def test_locus_types_are_those_of_ncbi(packaged):
    types = dict(packaged.genes.select("symbol", "type").iter_rows())
    assert types["TP53"] == "protein-coding"
    assert types["MIR21"] == "ncRNA"


def test_official_symbol_wins_over_a_synonym(small):
    assert small.official_symbol("TAKEN", "sound") == "TAKEN"
    assert small.official_symbol("taken", "benchmark") == "TAKEN"


def test_alias_of_several_genes(small):
    assert small.official_symbol("SHARED", "benchmark") == "OTHER"  # the gene that comes last
    assert small.official_symbol("SHARED", "sound") is None
    assert small.symbols("sound")["SHARED"] == AMBIGUOUS


def test_mixed_case_symbol_that_is_a_later_gene_s_synonym(small):
    assert small.official_symbol("C11ORF52", "benchmark") == "HSPB2-C11orf52"
    assert small.official_symbol("C11ORF52", "sound") == "C11orf52"


def test_four_mixed_case_symbols_lose_in_the_published_table(shared_data):
    # spec/preprocessing.md, step 7: "four mixed-case symbols such as C11orf52 do not"
    table = GeneTable.load(shared_data / "genes" / "Homo_sapiens.gene_info.2020-01.gz")
    published = table.symbols("benchmark")
    losers = [s for upper, s in table.official.items() if published[upper] != s]
    assert len(losers) == 4
    assert "C11orf52" in losers
    assert table.source.genes == 61_649  # data/README.md


def test_synonym_json_goes_out_and_comes_back(small, tmp_path):
    path = tmp_path / "gene_synonym.json"
    small.to_synonym_json(path)
    written = json.loads(path.read_text())
    assert written["P53"] == "TP53"
    assert written["SHARED"] == "OTHER"
    back = GeneTable.load(path)
    assert dict(back.symbols("benchmark")) == written
    assert back.official_symbol("p53", "sound") == "TP53"
    assert back.lookup(IdKind.ENTREZ, ["7157"]) == {}


def test_gene_info_gzip_and_plain_are_the_same(gene_info, tmp_path, small):
    path = tmp_path / "gene_info.gz"
    path.write_bytes(gzip.compress(gene_info.read_bytes()))
    assert GeneTable.load(path).genes.equals(small.genes)


def test_a_changed_file_is_read_again(tmp_path):
    path = tmp_path / "gene_info"
    path.write_text(gene_info_text())
    assert "NEWGENE" not in GeneTable.load(path)
    path.write_text(gene_info_text([(1, "NEWGENE", "-", "-", "ncRNA")]))
    assert "NEWGENE" in GeneTable.load(path)


def packed(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        (b"<html>captcha</html>", NotDataError, "HTML"),
        (b"a\tb\n1\t2\n", FormatError, "lacks"),
        (b"", TruncatedFileError, "empty"),
        (
            gzip.compress(gene_info_text().encode(), mtime=0)[:80],
            TruncatedFileError,
            "end too early",
        ),
        (gene_info_text(tax="10090").encode(), FormatError, "no human gene"),
    ],
)
def test_files_that_are_no_gene_table(tmp_path, content, error, words):
    path = tmp_path / "gene_info.gz"
    path.write_bytes(content)
    with pytest.raises(error, match=words):
        GeneTable.load(path)


@pytest.mark.parametrize("content", ["{", "[1]", '{"A": 1}'])
def test_json_that_is_no_synonym_file(tmp_path, content):
    path = tmp_path / "gene_synonym.json"
    path.write_text(content)
    with pytest.raises(FormatError, match=r"gene_synonym\.json"):
        GeneTable.load(path)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(FormatError, match="cannot be read"):
        GeneTable.load(tmp_path / "absent")
    with pytest.raises(FormatError, match="cannot be read"):
        GeneTable.load(tmp_path)


def table_of(*genes):
    """Make a table of (symbol, synonyms), in this order."""
    rows = [(i, symbol, synonyms, "", "") for i, (symbol, synonyms) in enumerate(genes, 1)]
    frame = pl.DataFrame(rows, schema=GENE_SCHEMA, orient="row")
    return GeneTable(frame, GeneSource("made by hand", "", "", frame.height))


def test_alias_shared_and_alias_named_twice_by_one_gene():
    table = table_of(("A", "X|Y"), ("B", "Y|Z|z"), ("C", ""))
    assert table.shared_aliases == {"Y": ("A", "B")}
    assert table.alias_genes == {"X": ("A",), "Y": ("A", "B"), "Z": ("B",)}
    assert dict(table.symbols("sound"))["Y"] == AMBIGUOUS
    assert dict(table.symbols("benchmark"))["Y"] == "B"


def test_mixed_case_symbol_before_and_after_the_gene_that_has_it_as_alias():
    early = table_of(("C1orf2", ""), ("B", "C1orf2"))
    late = table_of(("B", "C1orf2"), ("C1orf2", ""))
    assert early.official_symbol("C1ORF2", "benchmark") == "B"
    assert late.official_symbol("C1ORF2", "benchmark") == "C1orf2"
    assert early.official_symbol("C1ORF2") == late.official_symbol("C1ORF2") == "C1orf2"


def test_mixed_case_symbol_that_another_gene_has_in_capitals():
    table = table_of(("Ab", ""), ("B", "AB"), ("AB", ""), ("C", "ab"))
    assert table.official_symbol("ab", "benchmark") == "AB"


def test_synonyms_with_an_empty_one_between():
    table = table_of(("A", "X||Y"))
    assert table.official_symbol("Y", "benchmark") == "A"
    assert table.official_symbol("", "benchmark") is None
