from pathlib import Path

import pytest

from genotex.cohorts import choose_folder
from genotex.layout import TcgaCohortFiles
from tests.clinical.tcga_traits import FOLDERS


def folders(names: list[str]) -> list[TcgaCohortFiles]:
    return [TcgaCohortFiles(name, Path(name), None, None, None) for name in names]


@pytest.mark.parametrize(
    ("trait", "code"),
    [
        ("Acute_Myeloid_Leukemia", "LAML"),
        ("Bile_Duct_Cancer", "CHOL"),
        ("Cholangiocarcinoma", "CHOL"),
        ("Colon_and_Rectal_Cancer", "COADREAD"),
        ("Colon Cancer", "COAD"),
        ("Rectal_Cancer", "READ"),
        ("Glioblastoma", "GBM"),
        ("Lower_Grade_Glioma", "LGG"),
        ("lower_grade_glioma_and_glioblastoma", "GBMLGG"),
        ("Large_B-cell_Lymphoma", "DLBC"),
        ("Liver_Cancer", "LIHC"),
        ("hepatocellular carcinoma", "LIHC"),
        ("Lung_Cancer", "LUNG"),
        ("LUAD", "LUAD"),
        ("Melanoma", "SKCM"),
        ("Ocular_Melanomas", "UVM"),
        ("Pheochromocytoma_and_Paraganglioma", "PCPG"),
        ("Sarcoma", "SARC"),
        ("Uterine_Corpus_Endometrial_Carcinoma", "UCEC"),
        ("Kidney_Clear_Cell_Carcinoma", "KIRC"),
    ],
)
def test_traits_that_a_folder_means(trait: str, code: str) -> None:
    choice = choose_folder(trait, folders(FOLDERS))
    assert choice.folder is not None and f"({code})" in choice.folder.name


@pytest.mark.parametrize(
    "trait",
    [
        "Kidney",
        "Kidney_stones",
        "Liver_cirrhosis",
        "Polycystic_Kidney_Disease",
        "Retinoblastoma",
        "Asthma",
    ],
)
def test_traits_that_only_share_a_word_with_a_folder(trait: str) -> None:
    choice = choose_folder(trait, folders(FOLDERS))
    assert choice.folder is None
    assert "no TCGA folder means" in choice.reason


def test_a_folder_broader_than_the_trait_is_not_chosen() -> None:
    choice = choose_folder("Inflammatory breast cancer", folders(["TCGA_Breast_Cancer_(BRCA)"]))
    assert choice.folder is None


def test_folders_that_fit_equally_well_are_named() -> None:
    choice = choose_folder("Kidney Cancer", folders(FOLDERS))
    assert choice.folder is None
    assert "equally well" in choice.reason and "KIRC" in choice.reason


def test_no_folders() -> None:
    assert choose_folder("Sarcoma", []).folder is None


def with_files(name: str, *names: str) -> TcgaCohortFiles:
    clinical, expression, pancan = (Path(name) / file if file else None for file in names)
    return TcgaCohortFiles(name, Path(name), clinical, expression, pancan)


def test_folder_of_any_name_is_known_by_its_files() -> None:
    files = ["TCGA.LIHC.sampleMap_LIHC_clinicalMatrix", "", "TCGA.LIHC.sampleMap_HiSeqV2_PANCAN.gz"]
    choice = choose_folder("hepatocellular carcinoma", [with_files("downloads", *files)])
    assert choice.folder is not None and choice.folder.name == "downloads"


def test_file_of_a_pancan_normalised_table_is_no_pancancer_study() -> None:
    name = "TCGA_Simulated_Carcinoma_(SIMC)"
    files = ["", "", "TCGA.SIMC.sampleMap_HiSeqV2_PANCAN.gz"]
    choice = choose_folder("Simulated Carcinoma", [with_files(name, *files)])
    assert choice.folder is not None and choice.folder.name == name
    assert choose_folder("pan-cancer", [with_files(name, *files)]).folder is None


def test_folder_with_all_files_comes_before_one_without() -> None:
    whole = with_files("b_LUAD", "clinicalMatrix", "HiSeqV2", "")
    choice = choose_folder("LUAD", [with_files("a_LUAD", "clinicalMatrix", "", ""), whole])
    assert choice.folder is whole
    assert "a_LUAD" in choice.reason
