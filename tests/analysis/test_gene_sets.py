import pytest

from genotex.analysis.gene_sets import match_gene_sets
from genotex.errors import AnalysisError
from genotex.formats import GeneSet

GENES = ["TP53", "MYC", "C1orf43", "HLA-DRA", "IL6", "TNF"]


def gene_set(name: str, genes: str) -> GeneSet:
    return GeneSet(name, "", tuple(genes.split()))


def test_places_and_counts() -> None:
    sets = [gene_set("A", "TNF TP53 NOWHERE"), gene_set("B", "MYC"), gene_set("C", " ".join(GENES))]
    matched = match_gene_sets(sets, GENES, 2, 500)
    assert [s.name for s in matched.sets] == ["A"]
    assert matched.members == ((0, 5),)
    assert matched.record == {
        "sets": 3,
        "tested": 1,
        "too_small": 1,
        "too_large": 1,
        "genes": 7,
        "genes_tested": 6,
    }


def test_symbols_are_taken_as_they_are_written() -> None:
    matched = match_gene_sets([gene_set("A", "C1orf43 C1ORF43 HLA-DRA IL6")], GENES, 1, 9)
    assert matched.members == ((2, 3, 4),)


@pytest.mark.parametrize(
    ("genes", "words"),
    [
        ("7157 4609 3569 7124", r"0 of the 4 genes .* numbers, as Entrez ids are; .*symbols\.gmt"),
        ("ENSG00000141510 ENSG00000136997", "Ensembl ids"),
        ("Tp53 Myc Il6", "genes of the mouse"),
        ("AT1G01010 AT1G01020", "names AT1G01010, AT1G01020, the result C1orf43, HLA-DRA, IL6"),
        ("7157 4609 3569 TP53", "1 of the 4 genes .*Entrez"),
    ],
)
def test_other_ids_than_official_symbols(genes: str, words: str) -> None:
    with pytest.raises(AnalysisError, match=words):
        match_gene_sets([gene_set("A", genes)], GENES, 1, 500)


def test_a_few_unknown_genes_do_not_matter() -> None:
    matched = match_gene_sets([gene_set("A", "7157 TP53 MYC IL6")], GENES, 1, 500)
    assert matched.record["genes_tested"] == 3


def test_no_set_of_a_fitting_size() -> None:
    with pytest.raises(AnalysisError, match=r"none of the 2 gene sets has 4 to 5 .*have 1 to 2"):
        match_gene_sets([gene_set("A", "TP53"), gene_set("B", "MYC IL6")], GENES, 4, 500)


def test_sets_without_genes() -> None:
    with pytest.raises(AnalysisError, match="name no gene"):
        match_gene_sets([gene_set("A", "")], GENES, 1, 500)
