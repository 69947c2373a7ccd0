import pytest

from genotex.clinical import SeriesDescription, judge_expression
from genotex.clinical.assay.platform import by_row_ids, same_platform


# Row ids as in the platform tables at GEO that are named next to them.
@pytest.mark.parametrize(
    ("first_ids", "reason"),
    [
        (("MIMAT0000062", "MIMAT0000063"), "microRNA"),  # GPL18402
        (("20500112", "20500113"), "microRNA"),  # GPL21572, Affymetrix miRNA 4.0
        (("hp_hsa-let-7a-1_st", "ACA10_st", "hsa-miR-21_st"), "microRNA"),  # GPL14613
        (("cg00000029_TC21", "cg00000109_TC21"), "methylation"),  # GPL33022, EPIC v2
        (("AATK_E63_R", "AATK_P519_R"), "methylation"),  # GPL9183, GoldenGate
        (("SNP_A-1780270", "SNP_A-1780271"), "SNP"),  # GPL6801, SNP 6.0
        (("AX-11086525", "AX-11086526"), "SNP"),  # Axiom
        (("A_14_P100001", "A_16_P15000916"), "copy number"),  # GPL4091, Agilent CGH
        (("RP11-34P13", "CTD-2026C7"), "copy number"),  # BAC clones
        (("chr1:10001-10500", "chr1:10501-11000"), "genome"),
        (("P12345", "Q9UNE7", "O43307"), "protein"),
        (("14-3-3_beta-R-V", "4E-BP1_pS65-R-V"), "protein"),  # reverse phase protein array
        (("10000-28", "10001-7"), "protein"),  # SomaScan
        (("OID00482", "OID00483"), "protein"),  # Olink
        (("ILMN_1212602", "ILMN_1212603"), "not human"),  # GPL6887, MouseWG-6 v2
        (("A_51_P100021", "A_52_P100090"), "not human"),  # GPL4134, Agilent mouse
        (("A_42_P453055", "A_43_P10002"), "not human"),  # GPL4135, Agilent rat
        (("1367452_at", "1367453_at"), "not human"),  # GPL1355, Rat 230
        (("92201_at", "92202_g_at"), "not human"),  # GPL81, Mouse U74
        (("244901_at", "244902_at"), "not human"),  # GPL198, Arabidopsis ATH1
        (("TC0100000014.mm.2", "TC0100000018.mm.2"), "not human"),  # GPL23038, Clariom S mouse
        (("ENSSSCG00000000002", "ENSSSCG00000000003"), "not human"),  # pig
        (("Bt.1.1.S1_at", "Bt.10.1.S1_at"), "not human"),  # GPL2112, cattle
        (("FBgn0000008", "FBgn0000014"), "not human"),
        (("Mm00446190_m1", "Mm00434228_m1"), "not human"),  # TaqMan
        (("Xkr4", "Rp1", "Sox17", "Mrpl15", "Gm1992"), "not human"),
        (("0610007P14Rik", "0610009B22Rik", "Aaas", "Aacs", "Aadat"), "not human"),
    ],
)
def test_row_ids_of_other_platforms(first_ids: tuple[str, ...], reason: str) -> None:
    verdict = judge_expression(SeriesDescription(first_ids=first_ids))
    assert not verdict.available
    assert reason in verdict.reason


@pytest.mark.parametrize(
    "first_ids",
    [
        ("11715100_at", "11715101_s_at"),  # GPL13667, U219
        ("1007_PM_s_at", "1053_PM_at"),  # GPL13158
        ("16650001", "16650003"),  # GPL16686, HuGene 2.0 ST
        ("2315554", "2315633"),  # GPL5175, exons: still messenger RNA
        ("TC0100006437.hg.1", "TC0100006476.hg.1"),  # GPL23126, Clariom D
        ("ASHGA5P000001", "ASHGA5P000002"),  # ArrayStar: lncRNA and mRNA
        ("A_19_P00315452", "A_23_P100001"),
        ("Hs00153133_m1", "Hs99999905_m1"),
        ("C1orf112", "C11orf52", "CXorf40A"),
        ("Mar-01", "Sep-02", "Dec-01"),
        ("Probe1", "Probe2", "Probe3"),
        ("LETM1", "LETMD1", "MIRLET7BHG"),
        ("RP11-34P13.7", "RP11-34P13.8"),
        # Illumina's array addresses are scattered over the numbers of rodent exon arrays
        ("6450255", "2570615", "6370619", "2600039", "5340672", "7050209", "10008"),
        ("(+)E1A_r60_1", "DarkCorner", "ERCC-00002", "AFFX-BioB-3_at"),
    ],
)
def test_row_ids_that_are_not_taken_for_another_assay(first_ids: tuple[str, ...]) -> None:
    assert judge_expression(SeriesDescription(first_ids=first_ids)).available


@pytest.mark.parametrize(
    ("rows", "table", "same"),
    [
        (("1007_s_at",), ("1053_at", None), True),
        (("1007_s_at",), ("cg00000292",), False),
        (("A_23_P100001", "(+)E1A_r60_1"), ("A_19_P00315452",), True),
        (("ABCF1", "A2M"), ("TP53",), True),
        (("ABCF1",), ("ILMN_1343291", "ILMN_1651199"), False),
        (("(+)E1A_r60_1",), ("A_23_P100001",), None),
        ((), ("A_23_P100001",), None),
    ],
)
def test_is_the_platform_table_that_of_the_rows(
    rows: tuple[str, ...], table: tuple[str | None, ...], same: bool | None
) -> None:
    assert same_platform(rows, table) is same


def test_control_probes_alone_decide_nothing() -> None:
    assert by_row_ids(("AFFX-BkGr-GC03_st", "(+)E1A_r60_1", "ILMN_1343291")) is None


def test_human_rows_with_another_platforms_table() -> None:
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
        # an expression array that names proteins as well as transcripts
        {"ID": ("3", "5"), "uniprot": ("sp|P01584", "sp|P01585"), "REFSEQ": ("NM_000576", None)},
        # Affymetrix: words of Gene Ontology, and a mouse homologue with human names
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
        # two platforms: which one the rows belong to is unknown
        ("[HuGene-1_0-st] Human Gene 1.0 ST Exiqon miRCURY LNA microRNA array", True),
    ],
)
def test_titles_of_platforms(title: str, available: bool) -> None:
    assert judge_expression(SeriesDescription(platform_title=title)).available is available
