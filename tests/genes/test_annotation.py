import polars as pl
import pytest

from genotex.genes import CellForm, choose_annotation, matching_share
from genotex.id_kinds import IdKind

AFFYMETRIX = {
    "ID": ["1007_s_at", "1053_at", "117_at", "121_at", "1255_g_at"],
    "GB_ACC": ["U48705", "M87338", "X51757", "X69699", "L36861"],
    "SPOT_ID": [None] * 5,
    "Species Scientific Name": ["Homo sapiens"] * 5,
    "Gene Title": ["discoidin domain receptor", "replication factor C", "HSP", "paired box 8", "g"],
    "Gene Symbol": ["DDR1 /// MIR4640", "RFC2", "HSPA6", "PAX8", "GUCA1A"],
    "ENTREZ_GENE_ID": ["780 /// 100616237", "5982", "3310", "7849", "2978"],
}


def choose(columns, table, ids=("1007_s_at", "1053_at"), procedure="sound"):
    return choose_annotation(ids, columns, table, procedure)


def test_symbols_come_before_ids(packaged):
    choice = choose(AFFYMETRIX, packaged)
    assert (choice.id_column, choice.gene_column) == ("ID", "Gene Symbol")
    assert (choice.kind, choice.form) == (IdKind.SYMBOL, CellForm.LIST)
    assert "Gene Symbol" in choice.reason


@pytest.mark.parametrize("column", ["Assay", "x", "Column 7"])
def test_a_column_is_known_by_its_content(packaged, column):
    columns = {"ID": AFFYMETRIX["ID"], "SEQUENCE": ["ACGT"] * 5, column: AFFYMETRIX["Gene Symbol"]}
    assert choose(columns, packaged).gene_column == column


def test_a_misleading_name_loses_on_a_whole_table(packaged):
    symbols = packaged.genes["symbol"].head(300).to_list()
    columns = {
        "ID": [f"p{i}" for i in range(300)],
        "Symbol": [f"clone {i}" for i in range(300)],
        "target": symbols,
    }
    assert choose(columns, packaged, ["p1", "p2"]).gene_column == "target"


def test_a_preview_of_control_probes_goes_by_the_name(packaged):
    columns = {
        "ID": ["ILMN_1", "ILMN_2", "ILMN_3"],
        "Species": [None] * 3,
        "ILMN_Gene": [None] * 3,
        "Symbol": ["phage_lambda_genome", "thrB", "low"],
        "Synonyms": [None] * 3,
    }
    assert choose(columns, packaged, ["ILMN_1"]).gene_column == "Symbol"


def test_synonyms_are_not_the_symbol(packaged):
    columns = {
        "ID": ["ILMN_1", "ILMN_2", "ILMN_3"],
        "Synonyms": ["P53; LFS1", "G3PD; GAPD", "RANBP13; IMP13"],
        "Symbol": ["TP53", "GAPDH", "IPO13"],
    }
    assert choose(columns, packaged, ["ILMN_1"]).gene_column == "Symbol"


def test_gene_assignment(packaged):
    columns = {
        "ID": ["7896736", "7896738", "7896740"],
        "gene_assignment": [
            "---",
            "ENST00000328113 // OR4G2P // olfactory receptor // --- // ---",
            "NM_001004195 // OR4F4 // olfactory receptor, family 4 // 15q26.3 // 26682",
        ],
        "mrna_assignment": ["---", "ENST00000328113 // ENSEMBL // havana", "NM_1 // RefSeq // x"],
        "category": ["main"] * 3,
    }
    choice = choose(columns, packaged, ["7896738"])
    assert (choice.gene_column, choice.form) == ("gene_assignment", CellForm.ASSIGNMENT)


def test_symbols_in_descriptions(packaged):
    cells = [
        "NM_001005484 // RefSeq // Homo sapiens olfactory receptor, 5 (OR4F5), mRNA. // chr1",
        "NM_152486 // RefSeq // Homo sapiens sterile alpha motif containing 11 (SAMD11), mRNA.",
    ]
    columns = {
        "ID": ["TC01.hg.1", "TC02.hg.1"],
        "SPOT_ID": ["Coding", "Multiple_Complex"],
        "SPOT_ID_duplicated_1": cells,
    }
    choice = choose(columns, packaged, ["TC01.hg.1"])
    assert (choice.gene_column, choice.form) == ("SPOT_ID_duplicated_1", CellForm.TEXT)


RE_ANNOTATED = {
    "ID": ["1_at", "10_at", "100_at", "1000_at", "7157_at"],
    "SPOT_ID": ["1", "10", "100", "1000", "7157"],
    "Description": ["alpha-1-B glycoprotein", "N-acetyltransferase 2", "x", "cadherin 2", "p53"],
}


def test_entrez_ids_without_a_telling_name(packaged):
    choice = choose(RE_ANNOTATED, packaged, ["7157_at"])
    assert (choice.gene_column, choice.kind) == ("SPOT_ID", IdKind.ENTREZ)


def test_benchmark_scans_the_description_rather_than_take_numbers(packaged):
    choice = choose(RE_ANNOTATED, packaged, ["7157_at"], "benchmark")
    assert (choice.gene_column, choice.kind) == ("Description", IdKind.SYMBOL)
    columns = {**RE_ANNOTATED, "Ensembl": ["ENSG00000141510", "ENSG00000175899", *[None] * 3]}
    choice = choose(columns, packaged, ["7157_at"], "benchmark")
    assert (choice.gene_column, choice.kind) == ("Ensembl", IdKind.ENSEMBL)


@pytest.mark.parametrize(
    ("name", "cells", "kind"),
    [
        ("ENTREZ_GENE_ID", ["780 /// 100616237", "5982", "3310.0"], IdKind.ENTREZ),
        ("Ensembl", ["ENSG00000141510", "ENSG00000175899.3", "---"], IdKind.ENSEMBL),
        ("RefSeq", ["NM_000546.6", "NM_000014,NM_001347423", None], IdKind.REFSEQ),
        ("GB_ACC", ["M87338", "X69699.1", "AI650595.1"], IdKind.GENBANK),
        ("GB_ACC", ["M87338", "ZZ000001", "ZZ000002"], IdKind.GENBANK),  # two ESTs
        ("GENE", ["780", "5982", "3310"], IdKind.ENTREZ),
    ],
)
def test_ids_of_databases_serve_where_there_are_no_symbols(packaged, name, cells, kind):
    columns = {"ID": ["p1", "p2", "p3"], "SEQUENCE": ["ACGT", "ACGG", "ACCC"], name: cells}
    choice = choose(columns, packaged, ["p1", "p2"])
    assert (choice.gene_column, choice.kind) == (name, kind)


def test_a_whole_column_of_accessions_needs_no_telling_name(packaged):
    accessions = ["ENSG00000141510", "ENSG00000175899", "ENSG00000204580"] * 10
    columns = {"ID": [f"p{n}" for n in range(30)], "Reporter": accessions}
    choice = choose(columns, packaged, ["p1", "p2"])
    assert (choice.gene_column, choice.kind) == ("Reporter", IdKind.ENSEMBL)


def test_running_numbers_are_no_entrez_ids(packaged):
    columns = {"ID": ["p1", "p2", "p3"], "Row": ["1", "2", "3"], "SPOT_ID": ["9", "10", "11"]}
    assert choose(columns, packaged, ["p1"]) is None


def test_ids_in_another_column_and_another_case(packaged):
    columns = {
        "ID": ["1", "2", "3"],
        "NAME": ["a_23_p1", "a_23_p2", "a_23_p3"],
        "GENE_SYMBOL": ["TP53", "GAPDH", "A2M"],
    }
    assert choose(columns, packaged, ["A_23_P1", "A_23_P3"]).id_column == "NAME"
    assert matching_share(["A_23_P1", "x"], pl.Series(columns["NAME"])) == 0.5


def test_ids_found_nowhere_fall_back_to_id(packaged):
    columns = {"Name": ["a", "b"], "ID": ["1", "2"], "Symbol": ["TP53", "GAPDH"]}
    assert choose(columns, packaged, ["zzz"]).id_column == "ID"


@pytest.mark.parametrize("columns", [{}, {"ID": ["p1"]}, {"ID": ["p1"], "SEQUENCE": ["ACGT"]}])
def test_annotations_without_genes(packaged, columns):
    assert choose(columns, packaged, ["p1"]) is None


def test_micro_rna_and_circular_rna_annotations_have_no_genes(packaged):
    columns = {
        "ID": ["20500000", "20500001"],
        "Accession": ["MIMAT0000001", "MIMAT0015091"],
        "Sequence": ["UGAGGUAG", "CAAGCUCG"],
        "miRNA_ID": ["cel-let-7-5p", "cel-let-7-3p"],
    }
    assert choose(columns, packaged, ["20500000"]) is None


def test_chromosomes_are_not_the_ids_of_a_preview(packaged):
    columns = {
        "ID": ["1", "10", "100", "1000", "10000"],
        "CHR": ["19", "8", "20", "18", "1"],
        "ORF": ["A1BG", "NAT2", "ADA", "CDH2", "AKT3"],
    }
    ids = ["1", "2", "9", "10", "12", "18", "19", "20"]
    assert choose(columns, packaged, ids).id_column == "ID"


def test_repeated_numbers_are_not_the_ids_of_a_table(packaged):
    rows = [str(i) for i in range(1, 101)]
    columns = {
        "ID": [f"x{i}" for i in rows],
        "Block": [str(1 + i % 4) for i in range(100)],
        "Spot": rows,
        "Symbol": packaged.genes["symbol"].head(100).to_list(),
    }
    assert choose(columns, packaged, ["1", "2", "3", "4"]).id_column == "Spot"
