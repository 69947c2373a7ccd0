"""A reading summed up, and why something is not available."""

import pytest

from genotex.clinical import (
    RuleExpert,
    annotation_rows,
    annotation_to_json,
    certainty_meaning,
    certainty_text,
    describe_series,
    recorded_annotation,
    role_text,
    sum_up,
    values_by_key,
)

from .conftest import MakeDescription, MakeSeries

DISEASE = ["disease: asthma", "disease: asthma", "disease: COPD", "disease: healthy", None]
SEX = ["sex: F", "sex: M", "sex: F", "sex: F", "sex: F"]


def test_groups_are_counted_by_samples(make_series: MakeSeries) -> None:
    series = make_series(DISEASE, SEX)
    reading = RuleExpert().annotate(describe_series(series), "Asthma")
    trait, age, gender = sum_up(reading, annotation_rows(reading, series)).features
    assert trait.amount == "2 cases, 2 controls (1 with another disease), 1 missing"
    assert gender.amount == "4 female, 1 male, 0 missing"
    assert not age.available and age.why_not == "not recorded under any key or in any sample text"


@pytest.mark.parametrize(
    ("ages", "told"),
    [
        ([45, 51, 2, 62], "4 of 4 samples, 2 to 62 years, median 48; flagged: 2 among adults"),
        ([4, 5, 2, 62], "4 of 4 samples, 2 to 62 years, median 4.5"),
        ([2, 14, 45, 51], "4 of 4 samples, 2 to 51 years, median 29.5"),
        ([2, 15, 45, 51], "4 of 4 samples, 2 to 51 years, median 30; flagged: 2 among adults"),
        ([9, 15, 45, 51], "4 of 4 samples, 9 to 51 years, median 30; flagged: 9 among adults"),
        ([10, 15, 45, 51], "4 of 4 samples, 10 to 51 years, median 30"),
        (
            [3, 4, *range(20, 58)],
            "40 of 40 samples, 3 to 57 years, median 37.5; flagged: 3 among adults, 4 among adults",
        ),
        ([3, 4, 5, *range(20, 57)], "40 of 40 samples, 3 to 56 years, median 36.5"),
        ([40, 110, 50, 60], "4 of 4 samples, 40 to 110 years, median 55"),
        ([112, 111, 40, 50], "4 of 4 samples, 40 to 112 years, median 80.5; flagged: 111, 112"),
    ],
)
def test_child_among_adults_is_flagged(make_series: MakeSeries, ages: list[int], told: str) -> None:
    series = make_series([f"age: {age}" for age in ages])
    reading = RuleExpert().annotate(describe_series(series), "Asthma")
    assert sum_up(reading, annotation_rows(reading, series)).features[1].amount == told


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (["sex: F", "sex: F "], "it does not vary: row 0, key 'sex', is 'F'"),
        (["sex: 1", "sex: 2"], "row 0, key 'sex', cannot be read: '1', '2'"),
        (["tissue: lung", "tissue: nose"], "not recorded under any key"),
    ],
)
def test_why_gender_is_not_available(
    make_description: MakeDescription, row: list[str], why: str
) -> None:
    assert (
        RuleExpert().annotate(make_description(row), "Asthma").unavailable["gender"].startswith(why)
    )


def test_record_of_before_is_summed_up_all_the_same(make_series: MakeSeries) -> None:
    series = make_series(DISEASE, SEX)
    reading = RuleExpert().annotate(describe_series(series), "Asthma")
    data = annotation_to_json(reading)
    rows = annotation_rows(reading, series)
    assert sum_up(recorded_annotation(data), rows).features[0].amount.startswith("2 cases")
    old = {"gene": {"available": True}, "trait": {"key": "sample type code", "row": None}}
    trait = sum_up(recorded_annotation(old), []).features[0]
    assert trait.where == "the sample barcodes, column 'sample type code'"
    assert sum_up(recorded_annotation({}), []).features[0].available is False


def test_who_only_lacks_the_trait_is_not_called_healthy() -> None:
    assert role_text("healthy control", 0.0) == "control"
    assert role_text("unknown", 0.0) == "control, health unknown"
    assert role_text("unknown", None) == ""


def test_values_by_key_name_controls_and_possible_cases(make_series: MakeSeries) -> None:
    series = make_series(["group: kobold lung", "group: healthy"], ["age: 30", "age: 41"])
    group, age = values_by_key(describe_series(series), "Asthma")
    assert (group.controls, group.others) == (("healthy",), ("kobold lung",))
    assert not age.controls and not age.others


def test_values_by_key_name_cases_and_another_disease(make_series: MakeSeries) -> None:
    series = make_series(["group: asthma", "group: lupus", "group: healthy"])
    (group,) = values_by_key(describe_series(series), "Asthma")
    assert (group.cases, group.controls) == (("asthma",), ("healthy",))


@pytest.mark.parametrize(
    ("certainty", "text", "meaning"),
    [
        (0.0049, "< 1 %", "less than once"), (0.005, "< 1 %", "less than once"),
        (0.0051, "1 %", "about 1 times"), (0.634, "63 %", "about 63 times"),
        (0.994, "99 %", "about 99 times"), (0.995, "> 99 %", "more than 99 times"),
    ],
)  # fmt: skip
def test_certainty_in_whole_percents(certainty: float, text: str, meaning: str) -> None:
    assert certainty_text(certainty) == text
    assert certainty_meaning(certainty) == f"annotations marked {text} are right {meaning} in 100"
