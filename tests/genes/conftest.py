"""A gene table small enough to read: every rule of ambiguity has its gene."""

from pathlib import Path

import pytest

from genotex.genes import GeneTable

HEADER = (
    "#tax_id GeneID Symbol LocusTag Synonyms dbXrefs chromosome map_location description "
    "type_of_gene Symbol_from_nomenclature_authority Full_name_from_nomenclature_authority "
    "Nomenclature_status Other_designations Modification_date Feature_type"
).replace(" ", "\t")

GENES = (
    (2, "A2M", "A2MD|SHARED", "Ensembl:ENSG00000175899", "protein-coding"),
    (7157, "TP53", "P53|LFS1", "MIM:191170|Ensembl:ENSG00000141510", "protein-coding"),
    (50, "TAKEN", "-", "-", "protein-coding"),
    (51, "OTHER", "TAKEN|SHARED", "-", "protein-coding"),
    (91894, "C11orf52", "-", "Ensembl:ENSG00000149179", "protein-coding"),
    (989, "SEPTIN7", "SEPT7|CDC10", "-", "protein-coding"),
    (55016, "MARCHF1", "MARCH1", "-", "protein-coding"),
    (64757, "MTARC1", "MARC1", "-", "protein-coding"),
    (162333, "MARCHF10", "MARCH10|RNF190", "-", "protein-coding"),
    (6206, "RPS12", "S12", "-", "protein-coding"),
    (387522, "TMEM189-UBE2V1", "-", "-", "protein-coding"),
    (7335, "UBE2V1", "UEV1", "-", "protein-coding"),
    (780, "DDR1", "CAK", "-", "protein-coding"),
    (100616237, "MIR4640", "-", "-", "ncRNA"),
    (100528019, "HSPB2-C11orf52", "C11orf52", "-", "protein-coding"),
)


def gene_info_text(genes=GENES, tax="9606") -> str:
    lines = [HEADER]
    for gene_id, symbol, synonyms, refs, kind in genes:
        cells = [tax, str(gene_id), symbol, "-", synonyms, refs, "1", "1p", "a gene", kind]
        lines.append("\t".join([*cells, symbol, "a gene", "O", "-", "20200113", "-"]))
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="session")
def gene_info(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("genes") / "Homo_sapiens.gene_info"
    path.write_text(gene_info_text())
    return path


@pytest.fixture(scope="session")
def small(gene_info) -> GeneTable:
    return GeneTable.load(gene_info)


@pytest.fixture(scope="session")
def packaged() -> GeneTable:
    return GeneTable.load()
