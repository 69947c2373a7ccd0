"""A TCGA folder from the command line: its columns serve as covariates."""

import csv
import gzip
import json
from pathlib import Path

import numpy as np

from tests.geo_text import GENES, write_asthma

TRAIT = "lung adenocarcinoma"
FOLDER = "Lung_Adenocarcinoma"


def write_folder(root: Path) -> Path:
    """Write 40 tumours and 20 normal tissues from four source sites, with pack years."""
    rng = np.random.default_rng(1)
    kinds = ["01"] * 40 + ["11"] * 20
    samples = [f"TCGA-{10 + i % 4}-{i:04d}-{kind}" for i, kind in enumerate(kinds)]
    folder = root / "TCGA" / "LUAD"
    folder.mkdir(parents=True)
    head = ["sampleID", "age_at_initial_pathologic_diagnosis", "gender", "number_pack_years_smoked"]
    rows = [head] + [
        [sample, str(50 + i % 17), ("MALE", "FEMALE")[i // 2 % 2], str((i * 7) % 41)]
        for i, sample in enumerate(samples)
    ]
    with (folder / "TCGA.LUAD.sampleMap_LUAD_clinicalMatrix").open("w", newline="") as lines:
        csv.writer(lines, delimiter="\t", lineterminator="\n").writerows(rows)
    table = [["sample", *samples]] + [
        [gene, *(f"{value:.3f}" for value in rng.normal(8, 1, len(samples)))] for gene in GENES
    ]
    text = "".join("\t".join(row) + "\n" for row in table)
    path = folder / "TCGA.LUAD.sampleMap_HiSeqV2.gz"
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    return root


def test_columns_of_the_clinical_matrix_as_covariates(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    source, output = write_folder(tmp_path / "in"), tmp_path / "out"
    assert genotex("preprocess", source, output, "--trait", TRAIT.title())[0] == 0
    covariates = "Age,Gender,number_pack_years_smoked,Tissue_Source_Site"
    code, *_ = genotex("analyze", output, "--trait", TRAIT.title(), "--covariates", covariates)
    assert code in (0, 1)  # 1: no gene significant, as the expression is noise
    path = output / "regress" / FOLDER / "significant_genes_condition_None.json"
    method = json.loads(path.read_text())["method"]
    assert {"number_pack_years_smoked", "tissue_source_site 11"} <= set(method["covariates"])
    assert sum(name.startswith("tissue_source_site ") for name in method["covariates"]) == 3


def test_column_that_tcga_does_not_tell(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    source, output = write_folder(tmp_path / "in"), tmp_path / "out"
    genotex("preprocess", source, output, "--trait", TRAIT.title())
    code, _, told = genotex("analyze", output, "--trait", TRAIT.title(), "--covariates", "Age,bmi")
    assert code == 2
    assert "'bmi'" in told and "number_pack_years_smoked" in told.replace("\n", "")


def test_trait_without_a_folder_says_why(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    source = write_folder(tmp_path / "in")
    code, _, told = genotex("preprocess", source, tmp_path / "out", "--trait", "lung cancer")
    words = " ".join(told.replace("│", " ").split())
    assert code == 2
    assert "LUNG (Lung cancer: LUAD, LUSC), of which there is no folder" in words
    assert "LUAD is only a part of it" in words


def test_name_is_not_told_where_barcodes_and_no_words_are_read(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    source = write_folder(tmp_path / "in")
    arguments = ("preprocess", source, tmp_path / "out", "--trait", "LUAD")
    code, _, told = genotex(*arguments)
    assert code == 0 and "not listed" not in told
    write_asthma(tmp_path / "other")
    (tmp_path / "other" / "GEO" / "Asthma").rename(tmp_path / "other" / "GEO" / "LUAD")
    (tmp_path / "other" / "GEO").rename(source / "GEO")
    _, _, told = genotex(*arguments)
    assert "'LUAD' is not listed" in told
    _, _, told = genotex(*arguments, "--cohort", "TCGA")
    assert "not listed" not in told


def test_misspelt_name_is_reported_next_to_a_tcga_folder(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    source = write_folder(tmp_path / "in")
    code, _, told = genotex("preprocess", source, tmp_path / "out", "--trait", "Athsma")
    assert code == 2 and "perhaps Asthma" in told
