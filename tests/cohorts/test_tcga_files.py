"""The TCGA folder of a trait, and its columns that can be adjusted for."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import pytest

from genotex.cohorts import choose_folder, tcga_sample_facts
from genotex.cohorts.tcga.files import MOST_COLUMNS
from genotex.formats import ClinicalMatrix, read_clinical_matrix
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


SAMPLES = tuple(f"TCGA-{'AB'[i % 2]}{i % 3}-{i:04d}-01" for i in range(12))
STAGES = ["Stage I", "Stage II", "Stage III"] * 4


def facts(
    columns: Mapping[str, Sequence[str | None]],
    *,
    samples: Sequence[str] = SAMPLES,
    measured: Sequence[str] | None = None,
) -> dict[str, dict[str, str | None]]:
    table = pl.DataFrame({name: list(cells) for name, cells in columns.items()})
    clinical = ClinicalMatrix(Path("clinicalMatrix"), tuple(samples), table)
    return tcga_sample_facts(clinical, samples if measured is None else measured)


def kept(name: str, cells: Sequence[str | None]) -> bool:
    return name in facts({name: cells})


def test_groups_and_numbers_that_vary() -> None:
    packs = [str(i * 1.5) for i in range(12)]
    found = facts({"pathologic_stage": STAGES, "number_pack_years_smoked": packs})
    assert found["pathologic_stage"] == dict(zip(SAMPLES, STAGES, strict=True))
    assert found["number_pack_years_smoked"] == dict(zip(SAMPLES, packs, strict=True))


@pytest.mark.parametrize(
    "name",
    ["patient_id", "bcr_sample_barcode", "bcr_patient_uuid", "days_to_death", "case_id.samples",
     "day_of_form_completion", "form_completion_date", "pathology_report_file_name",
     "_PANCAN_miRNA_LUAD", "_OS", "_GENOMIC_ID_TCGA_LUAD_mutation"],
)  # fmt: skip
def test_ids_dates_days_and_columns_of_the_hub_are_left_out(name: str) -> None:
    assert not kept(name, STAGES)
    assert not kept(name, [str(i) for i in range(12)])


@pytest.mark.parametrize("name", ["sample_type", "sample_type_id", "sample_type.samples"])
def test_sample_type_is_the_trait_and_no_covariate(name: str) -> None:
    assert not kept(name, ["01", "11"] * 6)


@pytest.mark.parametrize(
    "name", ["gender", "gender.demographic", "age_at_initial_pathologic_diagnosis", "days_to_birth"]
)
def test_age_and_gender_are_read_elsewhere(name: str) -> None:
    assert not kept(name, [str(40 + i) for i in range(12)])


def test_remarks_are_left_out() -> None:
    assert not kept("site_of_lesion", [f"upper lobe, see report {i}" for i in range(12)])


@pytest.mark.parametrize(
    "cells",
    [
        ["NO"] * 12,
        ["NO"] * 11 + ["YES"],  # one sample is no group
        ["[Not Available]"] * 6 + ["NO"] * 6,
        ["[Not Available]"] * 7 + ["NO", "YES", "NO", "YES", "NO"],
    ],
)
def test_columns_that_hardly_vary_or_are_mostly_missing_are_left_out(cells: list[str]) -> None:
    assert not kept("radiation_therapy", cells)


def test_words_for_missing_become_none() -> None:
    found = facts({"radiation_therapy": ["[Not Available]", "", None] + ["NO", "YES", "NO"] * 3})
    values = list(found["radiation_therapy"].values())
    assert values == [None, None, None] + ["NO", "YES", "NO"] * 3


def test_what_counts_is_what_samples_with_expression_have() -> None:
    cells = ["YES", "NO", "YES", "NO"] + [""] * 8
    assert "radiation_therapy" not in facts({"radiation_therapy": cells})
    found = facts({"radiation_therapy": cells}, measured=SAMPLES[:4])
    assert len(found["radiation_therapy"]) == len(SAMPLES)


def test_source_site_is_read_from_the_barcode_without_a_column() -> None:
    found = facts({"pathologic_stage": STAGES})
    assert found["tissue_source_site"] == {sample: sample[5:7] for sample in SAMPLES}
    found = facts({"tissue_source_site": ["05", "17"] * 6})
    assert list(found["tissue_source_site"].values()) == ["05", "17"] * 6


def test_ids_that_are_no_barcodes_have_no_source_site() -> None:
    assert facts({"stage": STAGES}, samples=[f"S{i}" for i in range(12)]).keys() == {"stage"}


def test_number_of_columns_is_bounded_by_the_fullest() -> None:
    columns: dict[str, list[str]] = {f"x{i}": list(STAGES) for i in range(MOST_COLUMNS + 5)}
    for name in ("x0", "x1"):
        columns[name][0] = ""
    found = facts(columns)
    assert len(found) == MOST_COLUMNS
    assert not {"x0", "x1"} & set(found)
    assert list(found) == sorted(found, key=list(columns).index)


def test_luad_clinical_matrix_as_published(shared_data: Path) -> None:
    clinical = read_clinical_matrix(
        shared_data / "tcga" / "TCGA.LUAD.sampleMap_LUAD_clinicalMatrix.gz"
    )
    found = tcga_sample_facts(clinical, clinical.samples)
    usual = {
        "pathologic_stage", "pathologic_T", "tobacco_smoking_history", "tissue_source_site",
        "year_of_initial_pathologic_diagnosis", "number_pack_years_smoked", "radiation_therapy",
        "histological_type", "vital_status",
    }  # fmt: skip
    assert usual <= set(found)
    assert not any(name.startswith("_") or "barcode" in name or "days_" in name for name in found)
    assert found["pathologic_stage"]["TCGA-05-4244-01"] == "Stage IV"  # first row of the file
    assert "[Discrepancy]" not in found["person_neoplasm_cancer_status"].values()
