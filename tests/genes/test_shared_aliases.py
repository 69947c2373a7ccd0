import polars as pl

from genotex.genes.sources import GENE_SCHEMA, GeneSource
from genotex.genes.table import AMBIGUOUS, GeneTable


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
