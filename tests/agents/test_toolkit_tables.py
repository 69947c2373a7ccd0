"""What generated code sees of the things that are passed on."""

from pathlib import Path

import numpy as np
import pytest

from genotex.agents import ClinicalTable, SeriesText, Task
from genotex.agents import toolkit as t
from genotex.cohorts import RawSeries
from genotex.errors import UsageError
from genotex.formats import Series
from genotex.layout import GeoCohortFiles
from tests.agents.conftest import cohort_task
from tests.geo_text import GENES, write_asthma


@pytest.fixture
def series(tmp_path: Path) -> SeriesText:
    write_asthma(tmp_path / "in")
    task = cohort_task(tmp_path / "in", tmp_path / "out", "Asthma", "GSE1", "sound")
    return t.read_series(t.find_files(task))


@pytest.fixture
def clinical(series: SeriesText) -> ClinicalTable:
    trait = t.encode_feature(
        series, "trait", 0, {"disease state: asthma": 1, "disease state: healthy control": 0}
    )
    age = t.encode_feature(series, "age", 1, lambda cell: float(cell.split(":")[1]))
    return t.clinical_table(series, trait, age)


def test_background_and_values_as_in_the_file(series: SeriesText) -> None:
    assert series.background.startswith("Title: Gene expression in blood of patients with asthma")
    assert "Overall design: Cases and controls." in series.background
    values = t.unique_values(series, limit=2)
    assert values[0] == ["disease state: healthy control", "disease state: asthma"]
    assert values[1] == ["age: 30", "age: 31"]
    assert t.unique_values(series, "title", 1) == {"title": ["sample GSM1"]}
    assert t.looks_like_gene_expression(series).available


def test_clinical_table_is_features_by_samples(clinical: ClinicalTable) -> None:
    assert clinical.rows == ("Asthma", "Age") and clinical.columns[:2] == ("GSM1", "GSM2")
    assert clinical.values[0].tolist() == [0, 1] * 6
    assert clinical.values[1].tolist() == list(range(30, 42))
    assert "Asthma: 0: 6 samples, 1: 6 samples; missing in 0 of 12 samples" in repr(clinical)
    assert "Age: 30 to 41, mean 35.5" in repr(clinical)


def test_tables_become_tables_of_pandas(series: SeriesText, clinical: ClinicalTable) -> None:
    pytest.importorskip("pandas")
    genes = t.normalise_symbols(t.read_expression(series))
    frame = genes.to_pandas()
    assert frame.shape == genes.shape == (30, 12) and sorted(GENES) == list(frame.index)
    linked = t.link(clinical, genes).to_pandas()
    assert list(linked.columns[:3]) == ["Asthma", "Age", "A1BG"]
    assert linked.loc["GSM2", "Asthma"] == 1
    np.testing.assert_array_equal(linked["A2M"], frame.loc["A2M", list(linked.index)])


def test_preview_shows_the_corner_of_a_table(series: SeriesText) -> None:
    shown = t.preview(t.read_expression(series), rows=2).splitlines()
    assert shown[0].split("\t")[1:3] == ["GSM1", "GSM2"] and shown[0].endswith("7 more columns")
    assert shown[1].split("\t")[:2] == ["A1BG", "7"] and len(shown) == 3


def test_roles_that_are_not_given_are_reported_by_the_words(series: SeriesText) -> None:
    codes = {"disease state: asthma": 1, "disease state: healthy control": 0}
    trait = t.encode_feature(series, "trait", 0, codes)
    assert trait.encoded.roles[:2] == ("healthy control", "case")
    other = {"disease state: healthy control": "other disease"}
    trait = t.encode_feature(series, "trait", 0, codes, roles=other)  # type: ignore[arg-type]
    assert trait.encoded.roles[:2] == ("other disease", "case")


def test_feature_is_read_from_titles(series: SeriesText) -> None:
    age = t.encode_feature(series, "age", "title", lambda cell: int(cell.split("GSM")[1]))
    assert age.codes.tolist() == list(range(1, 13))
    assert age.encoding.sample_field == "title" and age.encoding.row is None


def test_two_rows_that_are_one_column() -> None:
    rows = (
        ("disease state: HCM",) * 3 + ("age: 40",) * 3,
        ("age: 60",) * 3 + ("sample type: control",) * 3,
    )
    texts = {"title": ("Hypertrophic cardiomyopathy (HCM)",)}
    samples = tuple(f"GSM{number}" for number in range(6))
    series = Series(Path("GSE1"), samples, texts, {"characteristics_ch1": rows})
    task = Task("geo", "Hypertrophic_Cardiomyopathy", "/in", "/out", "sound", cohort="GSE1")
    files = GeoCohortFiles(task.trait, "GSE1", Path("/in"), (), (), ())
    text = SeriesText(task, files, RawSeries(series, ()))
    codes = {"disease state: HCM": 1, "sample type: control": 0}
    assert t.encode_feature(text, "trait", [0, 1], codes).codes.tolist() == [1, 1, 1, 0, 0, 0]
    assert t.encode_feature(text, "trait", 0, codes).known == 3
    with pytest.raises(UsageError, match="no row 2"):
        t.encode_feature(text, "trait", [0, 2], codes)
