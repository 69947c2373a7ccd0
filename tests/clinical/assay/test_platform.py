import pytest

from genotex.clinical import SeriesDescription, judge_expression


def test_human_rows_with_another_platforms_table_beside_them() -> None:
    verdict = judge_expression(
        SeriesDescription(
            title="Transcriptomes and methylomes",
            first_ids=("100009676_at", "10011_at"),
            annotation_columns=("ID", "Infinium_Design_Type"),
            annotation_preview={"ID": ("cg00000292", "cg00002426")},
        )
    )
    assert verdict.available


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"ID": ("1", "2"), "miRNA_ID_LIST": ("hsa-let-7a", "hsa-let-7b")}, "microRNA"),
        ({"ID": ("1", "2"), "NAME": ("hsa-miR-21-5p", "hsa-miR-22-3p")}, "microRNA"),
        ({"ID": ("1", "2"), "Relation_to_UCSC_CpG_Island": (None, None)}, "methylation"),
        ({"ID": ("1", "2"), "dbSNP RS ID": ("rs1", "rs2")}, "SNP"),
        ({"ID": ("1", "2"), "UniProt": ("P1", "P2")}, "protein"),
        ({"ID": ("1", "2"), "TargetFullName": ("", ""), "EntrezGeneSymbol": ("A", "B")}, "protein"),
        ({"ID": ("1", "2"), "GeneName": ("x-Parvoviridae-y", "z-Herpesviridae")}, "viruses"),
        ({"ID": ("1", "2"), "Description": ("predicted gene 14964", "oogenesin 3")}, "not human"),
        ({"ID": ("1", "2"), "CYTOBAND": ("mm|2qE1", "mm|4qA1")}, "not human"),
        ({"ID": ("1", "2"), "GENE_SYMBOL": ("Copg1", "Atp6v0d1")}, "not human"),
        ({"ID": ("1", "2"), "Organism": ("Sus scrofa", "Sus scrofa")}, "not human"),
    ],
)
def test_platform_tables_that_are_not_of_human_genes(
    columns: dict[str, tuple[str | None, ...]], reason: str
) -> None:
    verdict = judge_expression(
        SeriesDescription(
            first_ids=("1", "2"), annotation_columns=tuple(columns), annotation_preview=columns
        )
    )
    assert not verdict.available
    assert reason in verdict.reason


@pytest.mark.parametrize(
    "columns",
    [
        # an expression array that names proteins beside transcripts
        {"ID": ("3", "5"), "uniprot": ("sp|P01584", "sp|P01585"), "REFSEQ": ("NM_000576", None)},
        # Affymetrix: words of Gene Ontology, and a mouse homologue beside human names
        {
            "ID": ("1053_at", "117_at"),
            "Gene Ontology Biological Process": ("0016032 // virus host interaction", "---"),
            "Target Description": ("Homo sapiens, similar to Mus musculus Rfc2", "Hs.251577"),
        },
        # control probes come from other organisms on every array
        {"ID": ("AFFX-BioB-3_at", "ERCC-00002"), "Description": ("Mus musculus", "Sus scrofa")},
    ],
)
def test_platform_tables_that_may_be_of_human_genes(
    columns: dict[str, tuple[str | None, ...]],
) -> None:
    verdict = judge_expression(
        SeriesDescription(
            first_ids=("3", "5"), annotation_columns=tuple(columns), annotation_preview=columns
        )
    )
    assert verdict.available


@pytest.mark.parametrize(
    ("title", "available"),
    [
        ("[miRNA-4] Affymetrix Multispecies miRNA-4 Array", False),
        ("Illumina HumanMethylation450 BeadChip", False),
        ("Agilent-014693 Human Genome CGH Microarray 244A", False),
        ("[HG-U133_Plus_2] Affymetrix Human Genome U133 Plus 2.0 Array", True),
        ("Illumina HiSeq 2500 (Homo sapiens)", True),
        # two platforms: which one the rows are of is not told
        ("[HuGene-1_0-st] Human Gene 1.0 ST Exiqon miRCURY LNA microRNA array", True),
    ],
)
def test_titles_of_platforms(title: str, available: bool) -> None:
    assert judge_expression(SeriesDescription(platform_title=title)).available is available
