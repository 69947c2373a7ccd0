from pathlib import Path

import pytest

from genotex.errors import UsageError
from genotex.layout import InputFolder, OutputFolder, series_at, trait_folder_name


@pytest.mark.parametrize(
    ("trait", "folder"),
    [
        # the two examples of the benchmark's README, section 2
        ("Crohn's Disease", "Crohns_Disease"),
        ("Large B-cell Lymphoma", "Large_B-cell_Lymphoma"),
        ("Sjögren\N{RIGHT SINGLE QUOTATION MARK}s  Syndrome", "Sjögrens_Syndrome"),
        ("Rheumatoid_Arthritis", "Rheumatoid_Arthritis"),
    ],
)
def test_trait_folder_name(trait: str, folder: str) -> None:
    assert trait_folder_name(trait) == folder


@pytest.mark.parametrize("trait", ["", "  ", "'", "../x", "a/b", ".hidden", "a\\b", "a\0b"])
def test_trait_names_that_would_leave_their_folder_are_refused(trait: str) -> None:
    with pytest.raises(UsageError, match="trait name"):
        trait_folder_name(trait)


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_geo_files_are_distinguished_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "GEO" / "Asthma" / "GSE10"
    for name in (
        "GSE10-GPL96_series_matrix.txt.gz",
        "GSE10-GPL97_series_matrix.txt.gz",
        "GSE10_family.soft.gz",
        "GPL96.txt.gz",
        "GPL97.annot.gz",
        ".DS_Store",
        "notes.txt",
    ):
        touch(folder / name)
    touch(tmp_path / "GEO" / "Asthma" / "GSE9" / "GSE9_series_matrix.txt")
    first, second = InputFolder(tmp_path).geo_cohorts("Asthma")
    assert (first.cohort, second.cohort) == ("GSE9", "GSE10")
    assert [p.name for p in second.matrices] == [
        "GSE10-GPL96_series_matrix.txt.gz",
        "GSE10-GPL97_series_matrix.txt.gz",
    ]
    assert [p.name for p in second.family_soft] == ["GSE10_family.soft.gz"]
    assert [p.name for p in second.platforms] == ["GPL96.txt.gz", "GPL97.annot.gz"]


def test_tcga_files_with_and_without_pancan(tmp_path: Path) -> None:
    folder = tmp_path / "TCGA" / "TCGA_Liver_Cancer_(LIHC)"
    for name in (
        "TCGA.LIHC.sampleMap_LIHC_clinicalMatrix",
        "TCGA.LIHC.sampleMap_HiSeqV2_PANCAN.gz",
        "TCGA.LIHC.sampleMap_HiSeqV2.gz",
    ):
        touch(folder / name)
    (files,) = InputFolder(tmp_path).tcga_folders()
    assert files.clinical is not None and files.clinical.name.endswith("clinicalMatrix")
    assert files.expression is not None and files.expression.name.endswith("HiSeqV2.gz")
    assert files.expression_pancan is not None and "PANCAN" in files.expression_pancan.name


def test_series_in_any_folder_are_of_the_trait_that_is_asked_for(tmp_path: Path) -> None:
    touch(tmp_path / "GSE9-GPL96_series_matrix.txt.gz")
    touch(tmp_path / "GSE10_family.soft.gz")
    touch(tmp_path / "GSE11_counts.txt")
    touch(tmp_path / "gse8" / "GSE8_series_matrix.txt")
    touch(tmp_path / "gse8" / "GSE7_counts.txt")
    for name in ("GPL96.annot.gz", "notes.xlsx", "hgu133a.cdf.gz"):
        touch(tmp_path / name)
    folder = InputFolder(tmp_path)
    assert folder.traits() == [] and list(folder.series()) == ["GSE8", "GSE9", "GSE10"]
    first, second, third = folder.geo_cohorts("Crohn's disease")
    assert {files.trait for files in (first, second, third)} == {"Crohns_disease"}
    assert [p.name for p in first.supplementary] == ["GSE7_counts.txt", "hgu133a.cdf.gz"]
    assert [p.name for p in second.platforms] == ["GPL96.annot.gz"]
    assert [p.name for p in third.supplementary] == ["hgu133a.cdf.gz"]


def test_folder_of_one_series_holds_all_its_files(tmp_path: Path) -> None:
    for name in ("GSE1_series_matrix.txt.gz", "counts.csv", "GPL96.txt"):
        touch(tmp_path / "download" / name)
        touch(tmp_path / "GSE5" / name)
    for folder, cohort in (("download", "GSE1"), ("GSE5", "GSE5")):
        ((name, files),) = series_at(tmp_path / folder).items()
        assert name == files.cohort == cohort and len(files.inputs) == 3


def test_tables_without_a_series_are_none(tmp_path: Path) -> None:
    touch(tmp_path / "count_matrix.csv")
    assert series_at(tmp_path) == {}


def test_input_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="neither GEO/ nor TCGA/"):
        InputFolder(tmp_path)
    with pytest.raises(UsageError, match="is not a folder"):
        InputFolder(tmp_path / "absent")


def test_output_paths_are_the_benchmarks(tmp_path: Path) -> None:
    output = OutputFolder(tmp_path)
    where = tmp_path / "preprocess" / "Crohns_Disease"
    assert output.linked_csv("Crohn's Disease", "GSE1") == where / "GSE1.csv"
    assert output.gene_csv("Crohns_Disease", "GSE1") == where / "gene_data" / "GSE1.csv"
    assert output.clinical_csv("Crohns_Disease", "GSE1") == where / "clinical_data" / "GSE1.csv"
    regress = tmp_path / "regress" / "Crohns_Disease"
    assert output.significant_genes("Crohns_Disease", None) == (
        regress / "significant_genes_condition_None.json"
    )
    assert output.significant_genes("Crohns_Disease", "Age").name.endswith("condition_Age.json")


def test_output_folder_that_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "output"
    file.write_text("mine", encoding="utf-8")
    for root in (file, file / "deeper"):
        with pytest.raises(UsageError, match="output is a file, where a folder is needed"):
            OutputFolder(root)


def test_a_trait_is_found_in_any_case_but_the_exact_folder_first(tmp_path: Path) -> None:
    touch(tmp_path / "GEO" / "Breast_Cancer" / "GSE1" / "GSE1_series_matrix.txt.gz")
    (found,) = InputFolder(tmp_path).geo_cohorts("Breast cancer")
    assert (found.trait, found.cohort) == ("Breast_cancer", "GSE1")
    touch(tmp_path / "GEO" / "Breast_cancer" / "GSE2" / "GSE2_series_matrix.txt.gz")
    if len(InputFolder(tmp_path).traits()) == 2:  # Not where the disk ignores case
        (found,) = InputFolder(tmp_path).geo_cohorts("Breast cancer")
        assert found.cohort == "GSE2"
        assert InputFolder(tmp_path).geo_cohorts("BREAST CANCER") == []


def test_a_preprocessed_trait_is_found_in_any_case_but_the_exact_one_first(tmp_path: Path) -> None:
    output = OutputFolder(tmp_path)
    assert output.trait_named("Breast Cancer") == "Breast_Cancer"
    for name in ("rheumatoid_arthritis", "asthma", "Asthma", "ASTHMA"):
        (tmp_path / "preprocess" / name).mkdir(parents=True, exist_ok=True)
    assert output.trait_named("Rheumatoid Arthritis") == "rheumatoid_arthritis"
    if len(output.traits()) == 4:  # Not where the disk ignores case
        assert [output.trait_named(name) for name in ("asthma", "AsThMa")] == ["asthma", "AsThMa"]


def test_file_of_a_series_is_read_with_the_platforms_and_counts_next_to_it(tmp_path: Path) -> None:
    names = ("GSE1_series_matrix.txt.gz", "GSE2_series_matrix.txt.gz", "GPL96.annot.gz",
             "GSE1_raw_counts_GRCh38.p13_NCBI.tsv.gz", "Human.GRCh38.p13.annot.tsv.gz")  # fmt: skip
    paths = [touch(tmp_path / name) for name in names]
    (files,) = InputFolder(paths[0]).geo_cohorts("Gout")
    assert (files.trait, files.cohort) == ("Gout", "GSE1")
    assert set(files.inputs) == {paths[0], *paths[2:]}
    with pytest.raises(UsageError, match="neither GEO/ nor TCGA/ nor a series"):
        InputFolder(touch(tmp_path / "table.csv"))
