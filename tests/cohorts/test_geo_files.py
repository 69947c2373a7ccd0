"""Annotation of the samples of a GEO series, and unusual file names."""

from pathlib import Path

import pytest

from genotex.clinical import ClinicalAnnotation, FeatureEncoding, GeneVerdict
from genotex.cohorts import preprocess, read_annotation, sample_facts, sample_texts
from genotex.errors import FormatError
from genotex.formats import read_evidence, read_series_matrix
from genotex.layout import GeoCohortFiles, OutputFolder
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
        tmp_path, ["disease state: a", "batch: 2", "disease state: a"], ["batch: 1", "", "batch: 3"]
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


def test_accession_and_samples_that_look_like_paths_write_nothing_elsewhere(tmp_path: Path) -> None:
    text = series_matrix("../../../evil", characteristics=asthma(24), platform="/etc/GPL1")
    text = text.replace('GSM1"', '../../GSM1"')
    source, target = tmp_path / "a" / "b" / "in", tmp_path / "a" / "b" / "out"
    write_gz(source / "GEO" / "Asthma" / "mine" / "GSE1_series_matrix.txt.gz", text)
    preprocess(source, target)
    assert OutputFolder(target).linked_csv("Asthma", "mine").is_file()
    written = {path for path in tmp_path.rglob("*") if path.is_file()}
    inside = {path for folder in (source, target) for path in folder.rglob("*") if path.is_file()}
    assert written == inside
    names = {path.name.partition(".")[0] for path in inside}
    assert names <= {"mine", "GSE1_series_matrix", "cohort_info", ""}


def test_file_of_another_series_is_refused(tmp_path: Path) -> None:
    text = series_matrix("GSE55235", characteristics=asthma(24))
    source, target = tmp_path / "in", tmp_path / "out"
    write_gz(source / "GEO" / "Asthma" / "GSE55457" / "GSE55457_series_matrix.txt.gz", text)
    (outcome,) = preprocess(source, target)
    assert outcome.error is not None
    assert "is a file of the series GSE55235, in the folder of GSE55457" in str(outcome.error)
    assert not OutputFolder(target).linked_csv("Asthma", "GSE55457").exists()


def test_file_that_states_no_series_is_taken_with_a_warning(tmp_path: Path) -> None:
    text = series_matrix("GSE1", characteristics=asthma(24))
    lines = [line for line in text.splitlines() if not line.startswith("!Series_geo_accession")]
    source, target = tmp_path / "in", tmp_path / "out"
    path = source / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz"
    write_gz(path, "\n".join(lines) + "\n")
    (outcome,) = preprocess(source, target)
    note = "GSE1_series_matrix.txt.gz does not state its series; GSE1 is taken from its folder"
    assert note in outcome.warnings
    assert note in read_evidence(OutputFolder(target).evidence("Asthma", "GSE1")).notes


def test_platform_table_of_another_series_family_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "GSE1"
    family = "^DATABASE = GeoMiame\n^SERIES = GSE2\n!Series_title = other\n^PLATFORM = GPL1\n"
    write_gz(folder / "GSE2_family.soft.gz", family)
    matrix = write_gz(
        folder / "GSE1_series_matrix.txt.gz", series_matrix(characteristics=asthma(2))
    )
    files = GeoCohortFiles(
        "Asthma", "GSE1", folder, (matrix,), (folder / "GSE2_family.soft.gz",), ()
    )
    with pytest.raises(FormatError, match="is a file of the series GSE2, in the folder of GSE1"):
        read_annotation(files, read_series_matrix(matrix))
