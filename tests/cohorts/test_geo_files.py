"""Annotation of the samples of a GEO series, and unusual file names."""

from pathlib import Path

from genotex.clinical import ClinicalAnnotation, FeatureEncoding, GeneVerdict
from genotex.cohorts import preprocess, sample_facts, sample_texts
from genotex.formats import read_series_matrix
from genotex.layout import OutputFolder
from tests.geo_text import asthma, series_matrix, write_gz


def facts(tmp_path, *rows):  # type: ignore[no-untyped-def]
    path = write_gz(tmp_path / "GSE1_series_matrix.txt.gz", series_matrix(characteristics=rows))
    trait = FeatureEncoding("trait", 0, "disease state", "binary")
    reading = ClinicalAnnotation(GeneVerdict(True, ""), trait, None, None)
    return sample_facts(read_series_matrix(path, expression=False), reading)


def test_what_varies_is_kept_but_for_the_trait(tmp_path) -> None:  # type: ignore[no-untyped-def]
    found = facts(
        tmp_path,
        ["disease state: a", "disease state: b", "disease state: a"],
        ["batch: 1", "batch: 2", "batch: 1"],
        ["tissue: lung", "tissue: lung", "tissue: lung"],
        ["patient id: P1", "patient id: P1", "patient id: P2"],
        ["bmi: 20", "bmi: 21", "bmi: 22"],
    )
    assert found == {
        "batch": {"GSM1": "1", "GSM2": "2", "GSM3": "1"},
        "patient id": {"GSM1": "P1", "GSM2": "P1", "GSM3": "P2"},
        "bmi": {"GSM1": "20", "GSM2": "21", "GSM3": "22"},
    }


def test_shifted_rows_are_read_by_key(tmp_path) -> None:  # type: ignore[no-untyped-def]
    found = facts(
        tmp_path,
        ["disease state: a", "batch: 2", "disease state: a"],
        ["batch: 1", "", "batch: 3"],
    )
    assert found == {"batch": {"GSM1": "1", "GSM2": "2", "GSM3": "3"}}


def test_key_of_the_trait_is_not_a_fact(tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert facts(tmp_path, ["disease state: a", "disease state: b"]) == {}


def test_titles_and_the_raw_trait_are_kept_as_texts(tmp_path) -> None:  # type: ignore[no-untyped-def]
    rows = [["disease state: a", "", "disease state: pool of b"], ["age: 3", "age: 4", "age: 5"]]
    text = series_matrix(characteristics=rows).replace('"sample GSM2"', '""')
    path = write_gz(tmp_path / "GSE1_series_matrix.txt.gz", text)
    trait = FeatureEncoding("trait", 0, "Disease state", "binary")
    series = read_series_matrix(path, expression=False)
    assert sample_texts(series, ClinicalAnnotation(GeneVerdict(True, ""), trait, None, None)) == {
        "title": {"GSM1": "sample GSM1", "GSM2": None, "GSM3": "sample GSM3"},
        "trait": {"GSM1": "a", "GSM2": None, "GSM3": "pool of b"},
    }
    without_trait = sample_texts(
        series, ClinicalAnnotation(GeneVerdict(True, ""), None, None, None)
    )
    assert list(without_trait) == ["title"]


def test_accession_and_samples_that_look_like_paths_write_nothing_elsewhere(
    tmp_path: Path,
) -> None:
    text = series_matrix("../../../evil", characteristics=asthma(24), platform="/etc/GPL1")
    text = text.replace('GSM1"', '../../GSM1"')
    source, target = tmp_path / "a" / "b" / "in", tmp_path / "a" / "b" / "out"
    write_gz(source / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz", text)
    preprocess(source, target)
    assert OutputFolder(target).linked_csv("Asthma", "GSE1").is_file()
    written = {path for path in tmp_path.rglob("*") if path.is_file()}
    inside = {path for folder in (source, target) for path in folder.rglob("*") if path.is_file()}
    assert written == inside
    names = {path.name.partition(".")[0] for path in inside}
    assert names <= {"GSE1", "GSE1_series_matrix", "cohort_info", ""}
