"""The TCGA folder of a trait: by meaning, never a proxy, always with a reason."""

import pytest

from genotex.clinical import choose_tcga_study, tcga_study_code
from genotex.clinical.tcga import tcga_studies
from tests.clinical.tcga_traits import FOLDERS, NO_STUDY, STUDY_OF_TRAIT


def choose(trait: str, *more: str, without: str = "(none)") -> tuple[str | None, str]:
    names = [name for name in (*FOLDERS, *more) if without not in name]
    choice = choose_tcga_study(trait, {name: tcga_study_code(name) for name in names})
    return (tcga_study_code(choice.folder) if choice.folder else None), choice.reason


def test_every_trait_of_the_benchmark_is_in_the_table() -> None:
    assert len(STUDY_OF_TRAIT) + len(NO_STUDY) == 132
    assert len(FOLDERS) == len({tcga_study_code(name) for name in FOLDERS})


@pytest.mark.parametrize(("trait", "code"), STUDY_OF_TRAIT.items())
def test_trait_that_tcga_studied(trait: str, code: str) -> None:
    chosen, reason = choose(trait)
    assert chosen == code
    assert f"({code})" in reason and "means" in reason


@pytest.mark.parametrize("trait", NO_STUDY)
def test_trait_that_tcga_did_not_study(trait: str) -> None:
    chosen, reason = choose(trait)
    assert chosen is None
    assert reason.startswith(f"no TCGA folder means {trait.replace('_', ' ')}: no TCGA study is of")


@pytest.mark.parametrize(
    ("trait", "code"),
    [
        ("HNSC", "HNSC"),
        ("gbm", "GBM"),
        ("TCGA-LUAD", "LUAD"),
        ("TCGA_LUNG", "LUNG"),
        ("HCC", "LIHC"),
        ("AML", "LAML"),
        ("ccRCC", "KIRC"),
        ("DLBCL", "DLBC"),
        ("NSCLC", "LUNG"),
        ("Glioblastoma (GBM)", "GBM"),
    ],
)
def test_codes_and_abbreviations(trait: str, code: str) -> None:
    assert choose(trait)[0] == code


@pytest.mark.parametrize("trait", ["Lung", "lung", "read", "Breast", "Kidney", "Ovary"])
def test_an_organ_or_a_word_is_no_study(trait: str) -> None:
    assert choose(trait)[0] is None


@pytest.mark.parametrize(
    ("trait", "code"),
    [
        ("lung squamous cell carcinoma", "LUSC"),
        ("Squamous cell carcinoma of the lung", "LUSC"),
        ("Carcinoma, Non-Small-Cell Lung", "LUNG"),  # MeSH
        ("Lung Neoplasms", "LUNG"),  # MeSH
        ("Carcinoma, Hepatocellular", "LIHC"),  # MeSH
        ("Uterine Cervical Neoplasms", "CESC"),  # MeSH
        ("malignant neoplasm of breast", "BRCA"),  # ICD-10
        ("cancer of the breast", "BRCA"),
        ("oesophageal cancer", "ESCA"),
        ("gastric adenocarcinoma", "STAD"),
        ("skin cancer", "SKCM"),
        ("malignant melanoma", "SKCM"),
        ("uveal melanoma", "UVM"),
        ("colorectal cancer", "COADREAD"),
        ("colon adenocarcinoma", "COAD"),
        ("clear-cell renal cell carcinoma", "KIRC"),
        ("papillary thyroid carcinoma", "THCA"),
        ("pancreatic ductal adenocarcinoma", "PAAD"),
        ("glioma", "GBMLGG"),
        ("acute myelogenous leukaemia", "LAML"),
        ("testicular germ cell tumours", "TGCT"),
        ("endometrial cancer", "UCEC"),
    ],
)
def test_names_as_people_and_vocabularies_write_them(trait: str, code: str) -> None:
    assert choose(trait)[0] == code


@pytest.mark.parametrize(
    ("trait", "proxy"),
    [
        ("Inflammatory breast cancer", "BRCA"),
        ("triple-negative breast cancer", "BRCA"),
        ("familial breast cancer", "BRCA"),
        ("small cell lung cancer", "LUNG"),
        ("esophageal adenocarcinoma", "ESCA"),
        ("seminoma", "TGCT"),
        ("metastatic melanoma", "SKCM"),
        ("pheochromocytoma", "PCPG"),
        ("oral cancer", "HNSC"),
        ("AML relapse", "LAML"),
        ("Lymphoma", "DLBC"),
        ("leukemia", "LAML"),
        ("uterine cancer", "UCEC"),
        ("brain cancer", "GBM"),
        ("retinoblastoma", "UVM"),
        ("Von_Hippel_Lindau", "KIRC"),
        ("Multiple_Endocrine_Neoplasia_Type_2", "THCA"),
        ("Hepatitis B", "LIHC"),
    ],
)
def test_a_narrower_wider_or_later_cancer_is_a_proxy(trait: str, proxy: str) -> None:
    chosen, reason = choose(trait)
    assert chosen is None
    assert f"{proxy} (" in reason and "prox" in reason


@pytest.mark.parametrize("trait", ["cancer", "Tumours", "carcinoma", "malignant neoplasms"])
def test_any_cancer_is_wider_than_every_study(trait: str) -> None:
    chosen, reason = choose(trait)
    assert chosen is None and "wider than any TCGA study" in reason


def test_kidney_cancer_is_the_union_and_no_single_subtype() -> None:
    assert choose("kidney cancer", "TCGA_Kidney_Cancer_(KIPAN)")[0] == "KIPAN"
    chosen, reason = choose("kidney cancer")
    assert chosen is None
    assert "KIPAN" in reason and "fit equally well" in reason
    for code in ("KICH", "KIRC", "KIRP"):
        assert f"({code})" in reason


def test_the_only_part_of_a_union_at_hand_is_not_taken_for_it() -> None:
    choice = choose_tcga_study("lung cancer", {"LUAD": "LUAD"})
    assert choice.folder is None and "LUAD is only a part of it" in choice.reason


def test_study_without_a_folder_is_not_replaced_by_the_union() -> None:
    chosen, reason = choose("rectal cancer", without="(READ)")
    assert chosen is None
    assert "of which there is no folder" in reason and "COADREAD" in reason and "wider" in reason


def test_folder_of_an_unknown_study_counts_by_its_words() -> None:
    name = "TCGA_Merkel_Cell_Carcinoma_(MCC)"
    assert tcga_study_code(name) is None
    choice = choose_tcga_study("merkel cell carcinoma", {name: None})
    assert choice.folder == name and "called the same" in choice.reason
    assert choose_tcga_study("merkel", {name: None}).folder is None


def test_of_two_folders_of_one_study_the_first_is_used_and_the_other_reported() -> None:
    choice = choose_tcga_study("GBM", {"b_GBM": "GBM", "a_GBM": "GBM"})
    assert choice.folder == "b_GBM" and "a_GBM" in choice.reason


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("TCGA_Lung_Cancer_(LUNG)", "LUNG"),
        ("TCGA-LUAD", "LUAD"),
        ("luad", "LUAD"),
        ("Lung_Squamous_Cell_Carcinoma", "LUSC"),
        ("LungAdenocarcinoma", "LUAD"),
        ("TCGA.SIMC.sampleMap_HiSeqV2_PANCAN.gz", None),
        ("TCGA.LIHC.sampleMap_HiSeqV2_PANCAN.gz", "LIHC"),
        ("KIRC_and_KIRP", None),
        ("CrohnsDisease", None),
        ("lung", None),
    ],
)
def test_study_of_a_folder_or_file_name(text: str, code: str | None) -> None:
    assert tcga_study_code(text) == code


def test_no_name_belongs_to_two_studies() -> None:
    seen: dict[object, str] = {}
    for code, study in tcga_studies().by_code.items():
        for name in {*study.names, *study.short, code.casefold()}:
            assert seen.setdefault(name, code) == code


def test_unions_join_studies_that_are_known() -> None:
    for study in tcga_studies().by_code.values():
        assert len(study.parts) != 1
        assert set(study.parts) <= set(tcga_studies().by_code)


def test_every_study_is_found_by_its_own_name_and_code() -> None:
    for code, study in tcga_studies().by_code.items():
        assert tcga_studies().named(code) is study
        assert tcga_studies().named(study.name) is study
