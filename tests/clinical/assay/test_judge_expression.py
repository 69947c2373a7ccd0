from pathlib import Path

import pytest

from genotex.clinical import (
    RuleExpert,
    SeriesDescription,
    describe_series,
    judge_expression,
    load_signs,
)
from genotex.formats import Series


@pytest.mark.parametrize(
    ("first_ids", "reason"),
    [
        (("hsa-let-7a-3p", "hsa-miR-21-5p"), "microRNA"),
        (("cg00000029", "cg00000108"), "methylation"),
        (("rs10096633", "rs10109480"), "SNP"),
        (("hsa_circ_0000001", "hsa_circ_0000002"), "circular RNA"),
        (("ASCRP000002", "ASCRP000004"), "circular RNA"),
        (("HCE000104", "HCE000342"), "protein"),
        (("ENSMUSG00000000001", "ENSMUSG00000000003"), "not human"),
        (("1415670_at", "1415671_at"), "not human"),
        (("10338001", "10338002"), "not human"),
    ],
)
def test_rows_that_are_no_human_genes(first_ids: tuple[str, ...], reason: str) -> None:
    verdict = judge_expression(SeriesDescription(first_ids=first_ids))
    assert not verdict.available
    assert reason in verdict.reason
    assert verdict.evidence


@pytest.mark.parametrize(
    "first_ids",
    [
        ("1007_s_at", "1053_at"),
        ("ILMN_1343291", "ILMN_1651209"),
        ("A1BG", "A2M"),
        ("ENSG00000000003", "ENSG00000000005"),
        ("7892501", "7892502"),
        ("MIR21", "A1BG", "TP53"),
        (),
    ],
)
def test_rows_that_may_be_human_genes(first_ids: tuple[str, ...]) -> None:
    assert judge_expression(SeriesDescription(first_ids=first_ids)).available


def test_other_organism_wins_over_everything() -> None:
    verdict = judge_expression(
        SeriesDescription(
            taxids=("10090",),
            organisms=("Mus musculus",),
            series_type=("Expression profiling by array",),
        )
    )
    assert not verdict.available
    assert verdict.reason == "the organism is not human: Mus musculus"


def test_series_type_of_non_coding_rna() -> None:
    verdict = judge_expression(
        SeriesDescription(
            title="Circular RNA in gastric cancer",
            series_type=("Non-coding RNA profiling by array",),
        )
    )
    assert not verdict.available
    assert "circular RNA" in verdict.reason


def test_methylation_array_in_a_super_series_of_expression() -> None:
    verdict = judge_expression(
        SeriesDescription(
            series_type=("Expression profiling by array", "Methylation profiling by array"),
            first_ids=("cg00000029", "cg00000108"),
        )
    )
    assert not verdict.available


def test_platform_of_another_species() -> None:
    verdict = judge_expression(
        SeriesDescription(
            annotation_columns=("ID", "Species Scientific Name", "Gene Symbol"),
            annotation_preview={"Species Scientific Name": ("Mus musculus", "Mus musculus")},
        )
    )
    assert not verdict.available


def test_illumina_control_probes_are_no_species() -> None:
    verdict = judge_expression(
        SeriesDescription(
            annotation_columns=("ID", "Species", "ILMN_Gene"),
            annotation_preview={"Species": ("ILMN Controls", "ILMN Controls")},
        )
    )
    assert verdict.available


def test_baboons_only_in_the_design() -> None:
    verdict = judge_expression(
        SeriesDescription(
            summary="Bone loss in humans",
            overall_design="blood of a nonhuman primate (Papio hamadryas)",
            first_ids=("ILMN_1343291",),
        )
    )
    assert not verdict.available


def test_rule_expert_and_judge_agree() -> None:
    for ids in (("hsa-let-7a-3p", "hsa-miR-21-5p"), ("1007_s_at", "1053_at")):
        description = SeriesDescription(first_ids=ids)
        assert RuleExpert().annotate(description, "Asthma").gene == judge_expression(description)


def test_stroma_of_a_xenograft_on_a_mouse_array() -> None:
    verdict = judge_expression(
        SeriesDescription(organisms=("Homo sapiens",), first_ids=("10338001", "10338002"))
    )
    assert not verdict.available


def test_human_by_taxonomy_lines_despite_the_words() -> None:
    description = SeriesDescription(
        title="A baboon lectin in mice",
        organisms=("Homo sapiens",),
        first_ids=("Actb", "Gapdh", "Tp53"),
        characteristics=(("strain: C57BL/6",),),
    )
    assert judge_expression(description).available


def test_shown_samples_are_mice_though_the_super_series_holds_people_too() -> None:
    verdict = judge_expression(
        SeriesDescription(taxids=("9606", "10090"), organisms=("Mus musculus",))
    )
    assert not verdict.available


def test_several_organisms_with_people_among_them() -> None:
    verdict = judge_expression(
        SeriesDescription(organisms=("Homo sapiens", "Mus musculus"), first_ids=("A1BG", "A2M"))
    )
    assert verdict.available
    assert any("Mus musculus" in line for line in verdict.evidence)


def test_molecule_and_library_of_the_raw_file() -> None:
    series = Series(
        path=Path("GSE1_series_matrix.txt"),
        samples=("GSM1", "GSM2"),
        series_fields={"title": ("Profiles",), "type": ("Other",)},
        sample_fields={
            "organism_ch1": (("Homo sapiens", "Homo sapiens"),),
            "molecule_ch1": (("genomic DNA", "genomic DNA"),),
            "library_strategy": (("ChIP-Seq", "ATAC-seq"),),
        },
    )
    description = describe_series(series)
    assert description.library_strategy == ("ChIP-Seq", "ATAC-seq")
    verdict = judge_expression(description)
    assert not verdict.available
    assert "genomic DNA" in verdict.reason


def test_wrong_molecule_in_a_series_of_expression() -> None:
    verdict = judge_expression(
        SeriesDescription(molecule=("genomic DNA",), series_type=("Expression profiling by array",))
    )
    assert verdict.available


@pytest.mark.parametrize(
    "title",
    [
        "ATAC-seq of T cells in asthma",
        "Plasma metabolomics",
        "A CRISPR screen of leukaemia",
        "Gut microbiome",
    ],
)
def test_assays_only_in_the_title(title: str) -> None:
    assert not judge_expression(SeriesDescription(title=title)).available


def test_mice_only_in_the_texts() -> None:
    assert not judge_expression(SeriesDescription(title="Liver fibrosis in mice")).available
    assert judge_expression(SeriesDescription(title="Tumor xenografts in mice")).available
    assert judge_expression(SeriesDescription(title="Fibrosis in patients and mice")).available


@pytest.mark.parametrize(
    ("title", "summary"),
    [
        ("Renal cell carcinoma", "Sections were stained with a mouse monoclonal antibody."),
        ("Ductal carcinomas", "Tumours were profiled. A mouse model confirmed the role of FOXA1."),
        ("Melanoma cells", "Cells were grown on mouse feeder cells and profiled."),
        ("RNA of brains", "Ribosomal RNA was removed with the Human/Mouse Isolation Kit."),
    ],
)
def test_animal_that_was_not_sampled_makes_no_animals_of_people(title: str, summary: str) -> None:
    assert judge_expression(SeriesDescription(title=title, summary=summary)).human


def test_animal_that_a_sentence_says_was_sampled() -> None:
    text = "Total RNA was extracted from the liver of mice fed a high-fat diet."
    assert not judge_expression(SeriesDescription(title="Diet", summary=text)).human


def test_host_of_a_tumour_is_not_the_sample() -> None:
    rows = (("host species: mouse",), ("tissue: patient-derived xenograft",))
    assert judge_expression(SeriesDescription(title="Glioma", characteristics=rows)).human


SILENT_PLATFORM = {"first_ids": ("1", "2", "3"), "annotation_columns": ("ID", "SEQUENCE")}


@pytest.mark.parametrize(
    "title",
    [
        "circRNA expression profile of gastric cancer",
        "Expression profile of circRNAs in hepatocellular carcinoma",
        "Exosomal miRNA sequencing in Alzheimer disease",
    ],
)
def test_assay_that_the_title_says_was_made_counts_where_rows_are_silent(title: str) -> None:
    text = "These RNAs regulate gene expression; mRNA may be sponged."
    verdict = judge_expression(SeriesDescription(title=title, summary=text, **SILENT_PLATFORM))
    assert not verdict.available


@pytest.mark.parametrize(
    ("title", "design"),
    [
        ("MicroRNA-21 drives fibrosis of the lung", "mRNA-seq of lung tissue"),
        ("DNA methylation regulates FOXP3 in asthma", "RNA-seq of T cells"),
        ("Gene and miRNA expression in thyroid carcinomas", ""),
        ("GE/miRNA expression profile of adipose tissue", ""),
        ("circRNAs and mRNAs in psoriasis: expression profiles", ""),
    ],
)
def test_expression_next_to_what_a_series_is_about(title: str, design: str) -> None:
    assert judge_expression(SeriesDescription(title=title, overall_design=design)).available


def test_certainty_follows_the_evidence() -> None:
    by_rows = judge_expression(SeriesDescription(first_ids=("1007_s_at", "1053_at")))
    by_nothing = judge_expression(SeriesDescription())
    by_title = judge_expression(SeriesDescription(title="Methylomes of asthma"))
    assert by_rows.certainty is not None
    assert by_nothing.certainty is not None
    assert by_title.certainty is not None
    assert by_rows.certainty > by_title.certainty > by_nothing.certainty
    assert all(0.5 <= c <= 1 for c in load_signs().value("certainty").values())
