"""A reading summed up, and why something is not available."""

import pytest

from genotex.clinical import (
    RuleExpert,
    describe_series,
    reading_table,
    reading_to_json,
    recorded_reading,
    sum_up,
    tell_role,
    values_by_key,
)

from .conftest import MakeDescription, MakeSeries

DISEASE = ["disease: asthma", "disease: asthma", "disease: COPD", "disease: healthy", None]
SEX = ["sex: F", "sex: M", "sex: F", "sex: F", "sex: F"]


def test_groups_are_counted_by_samples(make_series: MakeSeries) -> None:
    series = make_series(DISEASE, SEX)
    reading = RuleExpert().read(describe_series(series), "Asthma")
    trait, age, gender = sum_up(reading, reading_table(reading, series)).features
    assert trait.amount == "2 cases, 2 controls (1 with another disease), 1 missing"
    assert gender.amount == "4 female, 1 male, 0 missing"
    assert not age.available and age.why_not == "no key and no text about the samples tells it"


@pytest.mark.parametrize(
    ("ages", "told"),
    [
        ([45, 51, 2, 62], "4 of 4 samples, 2 to 62 years, median 48; doubtful: 2 among adults"),
        ([4, 5, 2, 62], "4 of 4 samples, 2 to 62 years, median 4.5"),
        ([2, 14, 45, 51], "4 of 4 samples, 2 to 51 years, median 29.5"),
    ],
)
def test_child_among_adults_is_doubtful(
    make_series: MakeSeries, ages: list[int], told: str
) -> None:
    series = make_series([f"age: {age}" for age in ages])
    reading = RuleExpert().read(describe_series(series), "Asthma")
    assert sum_up(reading, reading_table(reading, series)).features[1].amount == told


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (["sex: F", "sex: F "], "it does not vary: row 0, key 'sex', says 'F'"),
        (["sex: 1", "sex: 2"], "row 0, key 'sex', cannot be read: '1', '2'"),
        (["tissue: lung", "tissue: nose"], "no key and no text"),
    ],
)
def test_why_gender_is_not_available(
    make_description: MakeDescription, row: list[str], why: str
) -> None:
    assert RuleExpert().read(make_description(row), "Asthma").untold["gender"].startswith(why)


def test_record_of_before_is_summed_up_all_the_same(make_series: MakeSeries) -> None:
    series = make_series(DISEASE, SEX)
    reading = RuleExpert().read(describe_series(series), "Asthma")
    data = reading_to_json(reading)
    rows = reading_table(reading, series)
    assert sum_up(recorded_reading(data), rows).features[0].amount.startswith("2 cases")
    old = {"gene": {"available": True}, "trait": {"key": "sample type code", "row": None}}
    trait = sum_up(recorded_reading(old), []).features[0]
    assert trait.where == "the sample barcodes, column 'sample type code'"
    assert sum_up(recorded_reading({}), []).features[0].available is False


def test_who_only_lacks_the_trait_is_not_called_healthy() -> None:
    assert tell_role("healthy control", 0.0) == "control"
    assert tell_role("unknown", 0.0) == "control, health unknown"
    assert tell_role("unknown", None) == ""


def test_values_by_key_name_controls_and_possible_cases(make_series: MakeSeries) -> None:
    series = make_series(["group: kobold lung", "group: healthy"], ["age: 30", "age: 41"])
    group, age = values_by_key(describe_series(series), "Asthma")
    assert (group.controls, group.others) == (("healthy",), ("kobold lung",))
    assert not age.controls and not age.others


def test_values_by_key_name_cases_beside_another_disease(make_series: MakeSeries) -> None:
    series = make_series(["group: asthma", "group: lupus", "group: healthy"])
    (group,) = values_by_key(describe_series(series), "Asthma")
    assert (group.cases, group.controls) == (("asthma",), ("healthy",))
