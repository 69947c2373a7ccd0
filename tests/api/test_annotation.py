"""The annotation of samples as an object."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import genotex as gx
from tests.api.conftest import ARTHRITIS


def test_samples_and_evidence_are_those_of_the_rules(series: Path) -> None:
    found = gx.annotate(series, ARTHRITIS)
    assert found.samples["group"].value_counts().to_dict() == {"control": 12, "case": 12}
    assert found.trait.where == "row 3, key 'disease state'"
    assert any("names the trait" in row.evidence for row in found.trait.values)
    assert found.age.certainty is not None and found.sex.available
    assert "12 cases, 12 controls" in repr(found)


def test_an_anndata_object_is_annotated_as_its_files_are(series: Path, tmp_path: Path) -> None:
    import anndata

    adata = gx.read_geo(series)
    adata.write_h5ad(tmp_path / "cohort.h5ad")
    again = anndata.read_h5ad(tmp_path / "cohort.h5ad")
    pd.testing.assert_frame_equal(
        gx.annotate(again, ARTHRITIS).samples, gx.annotate(series, ARTHRITIS).samples
    )


def test_some_samples_of_an_anndata_object_can_be_annotated(series: Path) -> None:
    adata = gx.read_geo(series)[:10].copy()
    assert len(gx.annotate(adata, ARTHRITIS).samples) == 10


def test_samples_from_elsewhere_are_annotated_by_their_columns() -> None:
    import anndata

    obs = pd.DataFrame(
        {
            "diagnosis": ["rheumatoid arthritis"] * 5 + ["healthy"] * 5,
            "age": list(range(40, 50)),
            "Sex": ["F", "M"] * 5,
        },
        index=[f"s{i}" for i in range(10)],
    )
    found = gx.annotate(anndata.AnnData(obs=obs), "Rheumatoid Arthritis")
    assert found.samples["group"].tolist() == ["case"] * 5 + ["control"] * 5
    assert found.samples["sex"].tolist() == ["female", "male"] * 5


@pytest.mark.parametrize("healthy", [4, 5])
def test_fewer_than_five_healthy_controls_are_no_group_of_their_own(healthy: int) -> None:
    import anndata

    values = ["rheumatoid arthritis"] * 6 + ["healthy"] * healthy + ["osteoarthritis"] * 3
    names = [f"s{i}" for i in range(len(values))]
    obs = pd.DataFrame({"diagnosis": values}, index=names)
    found = gx.annotate(anndata.AnnData(obs=obs), "Rheumatoid Arthritis")
    groups = found.samples["group"].value_counts().to_dict()
    together = {"case": 6, "control": 7}
    assert groups == (together if healthy == 4 else {"case": 6, "control": 5, "other disease": 3})
    assert any("3 controls of another" in note for note in found.notes) is (healthy == 4)


def test_the_page_of_a_notebook_escapes_what_the_file_says(series: Path) -> None:
    found = gx.annotate(series, "Rheumatoid <b>Arthritis")
    page = found._repr_html_()
    assert "Rheumatoid &lt;b&gt;Arthritis" in page and "<b>Arthritis" not in page


def test_other_objects_are_refused() -> None:
    with pytest.raises(gx.UsageError, match="a int cannot be annotated"):
        gx.annotate(3, ARTHRITIS)  # type: ignore[arg-type]
