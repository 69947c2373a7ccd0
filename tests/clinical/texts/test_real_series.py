"""Titles, source names and descriptions of real series, as NCBI published them.

The expected values are in the files: GSE781 counts 9 tumours and 8 normal kidneys by source names,
GSE30528 9 diabetic and 13 control glomeruli, GSE157103 100 patients with COVID-19 and 26 without,
GSE55235 ten joints each.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from genotex.clinical import ClinicalAnnotation, RuleExpert, apply_encoding, describe_series
from genotex.formats import Series, read_family_soft, read_series_matrix


def annotate_without_characteristics(series: Series, trait: str) -> ClinicalAnnotation:
    description = replace(describe_series(series), characteristics=(), cells=None)
    return RuleExpert().annotate(description, trait)


def test_gse781_age_sex_and_tumours_without_any_characteristics(shared_data: Path) -> None:
    path = shared_data / "traps" / "GSE781_family.soft.gz"
    for series in read_family_soft(path, expression=False):
        reading = RuleExpert().annotate(describe_series(series), "Kidney_Clear_Cell_Carcinoma")
        assert reading.trait is not None and reading.age is not None
        assert reading.gender is not None and reading.certainty is not None
        trait = apply_encoding(reading.trait, series, procedure="sound")
        assert Counter(trait.roles) == {"case": 9, "healthy control": 8}
        ages = apply_encoding(reading.age, series, procedure="sound").codes
        assert np.nanmin(ages) >= 50 and np.nanmax(ages) <= 72
        assert np.isnan(ages).sum() <= 1
        # Three samples are "normal tissue" by source name and "carcinoma" by title.
        assert any("contradict it for 3 samples" in line for line in reading.trait.evidence)
        assert reading.trait.confidence == "arguable"


def test_gse781_keywords_of_every_sample_are_no_trait(shared_data: Path) -> None:
    path = shared_data / "traps" / "GSE781_family.soft.gz"
    for series in read_family_soft(path, expression=False):
        reading = RuleExpert().annotate(describe_series(series), "renal cell carcinoma")
        if reading.trait is not None:
            codes = apply_encoding(reading.trait, series, procedure="sound").codes
            assert {0.0, 1.0} <= set(codes.tolist())


@pytest.mark.parametrize(
    ("name", "trait", "roles"),
    [
        ("GSE30528", "Chronic_kidney_disease", {"case": 9, "healthy control": 13}),
        ("GSE157103", "COVID-19", {"case": 100, "healthy control": 26}),
        ("GSE83521", "Stomach_Cancer", {"case": 6, "healthy control": 6}),
    ],
)
def test_series_whose_characteristics_were_taken_away(
    shared_data: Path, name: str, trait: str, roles: dict[str, int]
) -> None:
    path = shared_data / "traps" / f"{name}_series_matrix.txt.gz"
    series = read_series_matrix(path, expression=False)
    read = annotate_without_characteristics(series, trait).trait
    told = RuleExpert().annotate(describe_series(series), trait).trait
    assert read is not None and told is not None and read.row is None and told.row is not None
    by_titles = apply_encoding(read, series, procedure="sound")
    assert Counter(by_titles.roles) == roles
    by_characteristics = apply_encoding(told, series, procedure="sound")
    np.testing.assert_array_equal(by_titles.codes, by_characteristics.codes)


def test_gse157103_ages_and_sexes_in_titles(shared_data: Path) -> None:
    path = shared_data / "traps" / "GSE157103_series_matrix.txt.gz"
    series = read_series_matrix(path, expression=False)
    told = RuleExpert().annotate(describe_series(series), "COVID-19")
    read = annotate_without_characteristics(series, "COVID-19")
    for name in ("age", "gender"):
        ours, theirs = (
            apply_encoding(getattr(reading, name), series, procedure="sound").codes
            for reading in (read, told)
        )
        both = ~np.isnan(ours) & ~np.isnan(theirs)
        assert both.sum() >= 124
        # One title in a hundred may differ from the characteristics: they were typed separately.
        assert (ours[both] == theirs[both]).mean() > 0.98


@pytest.mark.parametrize("trait", ["Osteoarthritis", "Rheumatoid_Arthritis"])
@pytest.mark.parametrize("name", ["GSE55235", "GSE55457"])
def test_synovial_tissue_of_three_groups(shared_data: Path, trait: str, name: str) -> None:
    path = shared_data / "input" / "GEO" / trait / name / f"{name}_series_matrix.txt.gz"
    series = read_series_matrix(path, expression=False)
    read = annotate_without_characteristics(series, trait).trait
    told = RuleExpert().annotate(describe_series(series), trait).trait
    assert read is not None and told is not None
    by_titles = apply_encoding(read, series, procedure="sound")
    by_characteristics = apply_encoding(told, series, procedure="sound")
    assert by_titles.roles == by_characteristics.roles
