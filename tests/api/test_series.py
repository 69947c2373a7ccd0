"""Series as AnnData: the numbers of `preprocess`, the annotation of the samples, user mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anndata
import numpy as np
import pytest

import genotex as gx
from genotex.cohorts import preprocess
from genotex.formats import read_linked_parquet
from genotex.layout import OutputFolder
from tests.api.conftest import ARTHRITIS


def record_of(adata: anndata.AnnData) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(adata.uns["genotex"]["record"])
    return found


@pytest.mark.parametrize("cohort", ["GSE90000001", "GSE90000002", "GSE90000007"])
def test_expression_is_that_of_the_linked_table(study: Path, cohort: str, tmp_path: Path) -> None:
    output = OutputFolder(tmp_path)
    preprocess(study, tmp_path, traits=[ARTHRITIS], cohorts=[cohort])
    linked = read_linked_parquet(output.linked_parquet("Simulated_Arthritis", cohort))
    adata = gx.read_geo(study / "GEO" / "Simulated_Arthritis" / cohort, ARTHRITIS)
    both = adata[list(linked.samples), list(linked.genes)]
    np.testing.assert_array_equal(np.asarray(both.X), linked.expression)
    cases = np.array([group == "case" for group in both.obs["group"]])
    np.testing.assert_array_equal(cases, linked.trait_values == 1)


def test_every_sample_of_a_series_is_there_with_group_age_and_sex(series: Path) -> None:
    adata = gx.read_geo(series, ARTHRITIS)
    assert adata.obs["group"].value_counts().to_dict() == {"control": 12, "case": 12}
    assert list(adata.obs["group"].cat.categories) == ["control", "case"]
    assert adata.obs["age"].dtype == float
    assert set(adata.obs["sex"]) == {"female", "male"}
    assert {"disease state", "tissue", "batch", "why"} <= set(adata.obs.columns)
    assert adata.var["entrez_id"].notna().mean() > 0.9


def test_controls_with_another_disease_have_their_role(study: Path) -> None:
    folder = study / "GEO" / "Simulated_Arthritis" / "GSE90000002"
    adata = gx.read_geo(folder, ARTHRITIS)
    assert adata.obs["group"].value_counts()["other disease"] == 5
    every = gx.read_geo(folder, ARTHRITIS, controls="all")
    assert every.obs["group"].value_counts().to_dict() == {"control": 12, "case": 7}
    assert any("another disease" in note for note in every.uns["genotex"]["notes"])


def test_without_a_trait_samples_have_age_and_sex_but_no_group(series: Path) -> None:
    adata = gx.read_geo(series)
    assert adata.obs["group"].isna().all() and "why" not in adata.obs.columns
    assert adata.obs["age"].notna().any() and adata.obs["sex"].notna().all()


def test_groups_can_be_chosen_by_hand(series: Path) -> None:
    adata = gx.read_geo(series, case="batch=1", control="batch=2", exclude="sample=GSM90000001")
    assert set(adata.obs["group"].dropna()) == {"case", "control"}
    assert adata.obs.loc["GSM90000001", "exclude"] == "yes"
    assert adata.obs["group"].isna().sum() == 1


def test_a_matrix_named_alone_uses_the_platform_files_of_its_folder(series: Path) -> None:
    files = sorted(series.iterdir())
    whole = gx.read_geo(series, ARTHRITIS)
    assert gx.read_geo([str(path) for path in files], ARTHRITIS).shape == whole.shape


def test_counts_are_a_layer(study: Path) -> None:
    adata = gx.read_geo(study / "GEO" / "Simulated_Arthritis" / "GSE90000007", ARTHRITIS)
    counts = np.asarray(adata.layers["counts"])
    sizes = record_of(adata)["counts"]["effective_library_sizes"]
    libraries = np.array([sizes[name] for name in adata.obs_names])[:, None]
    again = np.log2((counts + 0.5) / (libraries + 1.0) * 1e6)
    np.testing.assert_allclose(again, np.asarray(adata.X), atol=1e-6)


def test_provenance_survives_an_h5ad_file(series: Path, tmp_path: Path) -> None:
    adata = gx.read_geo(series, ARTHRITIS)
    adata.write_h5ad(tmp_path / "cohort.h5ad")
    again = anndata.read_h5ad(tmp_path / "cohort.h5ad")
    assert record_of(again) == record_of(adata)
    files = again.uns["genotex"]["files"]
    assert set(files) == {path.name for path in series.iterdir()}
    assert record_of(again)["header"]["samples"] == list(adata.obs_names)


def test_a_tcga_study_has_tumours_as_cases(study: Path) -> None:
    (folder,) = (study / "TCGA").iterdir()
    adata = gx.read_tcga(folder)
    assert set(adata.obs["group"].dropna()) == {"case", "control"}
    assert adata.obs["age"].notna().any() and "pathologic_stage" in adata.obs.columns


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"contrl": "x"}, "unknown option 'contrl'; the nearest are control"),
        ({"controls": "some"}, "use auto, healthy or all"),
        ({"case": "stage=iv"}, "no key is called 'stage'"),
        ({"scale": "ln"}, "unknown scale 'ln'"),
        ({"exclude": "GSM1"}, "GSM1"),
    ],
)
def test_a_mistake_in_an_option_is_named(
    series: Path, options: dict[str, str], message: str
) -> None:
    with pytest.raises(gx.UsageError, match=message):
        gx.read_geo(series, ARTHRITIS, **options)


def test_a_folder_of_several_series_is_refused(study: Path) -> None:
    with pytest.raises(gx.FormatError, match="folder of several series"):
        gx.read_geo(study / "GEO" / "Simulated_Arthritis", ARTHRITIS)


def test_a_series_without_gene_expression_is_refused(study: Path) -> None:
    folder = study / "GEO" / "Simulated_Carcinoma" / "GSE90000006"
    with pytest.raises(gx.FormatError, match="DNA methylation"):
        gx.read_geo(folder, "Simulated Carcinoma")


def test_an_empty_trait_is_refused(series: Path) -> None:
    with pytest.raises(gx.UsageError, match="the trait is empty"):
        gx.read_geo(series, " ")


def test_real_synovial_tissue_has_the_groups_that_the_series_records(shared_data: Path) -> None:
    folder = shared_data / "input" / "GEO" / "Rheumatoid_Arthritis" / "GSE55457"
    adata = gx.read_geo(folder, trait="Rheumatoid Arthritis")
    found = adata.obs["group"].value_counts().to_dict()
    assert found == {"case": 13, "control": 10, "other disease": 10}
    assert adata.obs.loc["GSM1337327", ["age", "sex"]].tolist() == [77.0, "female"]
    assert "CXCL9" in adata.var_names
