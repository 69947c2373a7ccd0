"""Age and gender columns of clinical matrices, as the hubs name and fill them."""

from functools import partial

import pytest

from genotex.clinical import find_tcga_column, read_tcga_cell
from genotex.features import table_features

AGE, SEX = table_features()
find_age_column, find_gender_column = (partial(find_tcga_column, f) for f in (AGE, SEX))


@pytest.mark.parametrize(
    "name",
    [
        "age_at_initial_pathologic_diagnosis",  # Xena, TCGA hub
        "age_at_index.demographic",  # Xena, GDC hub
        "demographic.age_at_index",  # GDC portal
        "patient.age_at_initial_pathologic_diagnosis",  # Firehose
        "years_to_birth",  # FireBrowse
        "Diagnosis Age",  # cBioPortal
        "AGE",
        "age (years)",
    ],
)
def test_age_in_years_by_its_names(name: str) -> None:
    column = find_age_column({"sample": ["a", "b"], name: ["61", "70.5"]})
    assert column is not None
    assert (column.name, column.unit, column.values) == (name, "years", (61, 70.5))


@pytest.mark.parametrize(
    "name",
    ["age_began_smoking_in_years", "age_at_menarche", "percentage", "stage", "year_of_birth"],
)
def test_other_ages_are_not_the_age_at_diagnosis(name: str) -> None:
    assert find_age_column({name: ["16", "17"]}) is None


def test_age_at_diagnosis_in_days_becomes_years() -> None:
    column = find_age_column({"age_at_diagnosis.diagnoses": ["22280", "25933", ""]})  # GDC hub
    assert column is not None and column.unit == "days"
    assert column.values[:2] == pytest.approx((61.0, 71.0), abs=0.01)
    assert column.values[2] is None


def test_days_to_birth_are_negative_days() -> None:
    column = find_age_column({"days_to_birth": ["-16000", "[Not Available]"]})
    assert column is not None and column.unit == "days"
    assert column.values == (pytest.approx(43.8, abs=0.05), None)  # trap 25


def test_years_before_days_when_both_are_recorded() -> None:
    table = {"days_to_birth": ["-20000", "-20000"], "age_at_diagnosis": ["54", ""]}
    column = find_age_column(table)
    assert column is not None and column.name == "age_at_diagnosis"


def test_nearly_empty_years_give_way_to_days() -> None:
    table = {
        "age_at_initial_pathologic_diagnosis": ["54", "", "", "[Unknown]"],
        "days_to_birth": ["-20000", "-20000", "-21000", ""],
    }
    column = find_age_column(table)
    assert column is not None and column.name == "days_to_birth"


def test_column_that_holds_no_age_does_not_count_as_full() -> None:
    table = {"age_at_diagnosis": ["see file", "see file"], "age_at_index": ["50", ""]}
    column = find_age_column(table)
    assert column is not None and column.name == "age_at_index"


def test_column_with_the_fewest_missing_ages() -> None:
    table = {
        "age_at_initial_pathologic_diagnosis": ["54", "[Not Available]", "60"],
        "age_at_index": ["54", "58", "60"],
    }
    column = find_age_column(table)
    assert column is not None and column.name == "age_at_index"


def test_tie_goes_to_the_better_name() -> None:
    table = {"age": ["1", "2"], "age_at_initial_pathologic_diagnosis": ["54", "60"]}
    column = find_age_column(table)
    assert column is not None and column.name == "age_at_initial_pathologic_diagnosis"


def test_tie_goes_to_years_under_any_names() -> None:
    table = {"age_at_diagnosis.diagnoses": ["22280"], "age_at_index.demographic": ["61"]}
    column = find_age_column(table)
    assert column is not None and column.values == (61,)


@pytest.mark.parametrize(
    "name",
    ["gender", "Sex", "_gender", "gender.demographic", "demographic.gender", "patient.gender"],
)
def test_gender_by_its_names(name: str) -> None:
    column = find_gender_column({name: ["MALE", "female", "not reported", "[Not Available]"]})
    assert column is not None and column.values == (1, 0, None, None)


def test_gender_codes_by_the_legend_in_the_name() -> None:
    column = find_gender_column({"gender (1=male, 2=female)": ["1", "2", "9"]})
    assert column is not None and column.values == (1, 0, None)


def test_gender_codes_without_a_legend_are_no_gender() -> None:
    assert find_gender_column({"gender": ["1", "2"]}) is None


def test_fuller_gender_column_wins() -> None:
    table = {"gender": ["MALE", "", ""], "sex": ["M", "F", ""]}
    column = find_gender_column(table)
    assert column is not None and (column.name, column.known) == ("sex", 2)


def test_no_columns() -> None:
    assert find_age_column({}) is None and find_gender_column({}) is None


@pytest.mark.parametrize(
    "cell",
    [None, "", " ", "[Not Available]", "[Not Applicable]", "[Unknown]", "[Discrepancy]",
     "[Not Evaluated]", "[Completed]", "[Pending]", "not reported", "Unknown", "--", "'--", "nan"],
)  # fmt: skip
def test_words_for_missing(cell: str | None) -> None:
    assert read_tcga_cell(cell) is None


@pytest.mark.parametrize("cell", ["NO", "none", "M0", "0", "Stage I", "Normal"])
def test_words_with_a_meaning(cell: str) -> None:
    assert read_tcga_cell(cell) == cell
