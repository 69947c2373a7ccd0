from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from genotex.clinical import (
    FeatureEncoding,
    RuleExpert,
    apply_encoding,
    characteristic_candidates,
    describe_series,
    encode_cell,
    find_person_feature,
)
from genotex.features import table_features

from ..conftest import MakeDescription, MakeSeries

find_age, find_gender = (partial(find_person_feature, f) for f in table_features())

Read = Callable[..., Any]


@pytest.fixture
def age_of(make_description: MakeDescription) -> Read:
    """Return how the age of a series with these rows is read."""

    def read(*rows: Sequence[str | None]) -> FeatureEncoding | None:
        return find_age(characteristic_candidates(make_description(*rows)))

    return read


@pytest.fixture
def sex_of(make_description: MakeDescription) -> Read:
    """Return how the sex of a series with these rows is read."""

    def read(*rows: Sequence[str | None], text: str = "") -> FeatureEncoding | None:
        return find_gender(characteristic_candidates(make_description(*rows)), text)

    return read


def cells(key: str, *values: object) -> list[str | None]:
    return [f"{key}: {value}" for value in values]


@pytest.mark.parametrize(
    ("first", "second", "chosen"),
    [
        ("age at death", "age", 1),
        ("age at diagnosis", "age at sampling", 1),
        ("age at death", "age at diagnosis", 1),
        ("donor age", "recipient age", 1),
        ("age (months)", "age (years)", 1),
        ("age", "age at diagnosis", 0),
        ("age at onset", "age at diagnosis", 1),
        ("age group", "age", 1),
        ("age", "age", 0),  # equal in all: the first row
    ],
)
def test_of_two_ages_the_one_nearer_to_the_sample(
    age_of: Read, first: str, second: str, chosen: int
) -> None:
    ages = ("20-29", "30-39") if first == "age group" else (41, 52, 63)
    encoding = age_of(cells(first, *ages), cells(second, 40, 50, 60))
    assert encoding.row == chosen
    assert encoding.evidence


def test_age_of_a_few_samples_yields_to_one_of_all(make_series: MakeSeries) -> None:
    series = make_series(
        ["age: 40", "age: 41", *["age: NA"] * 18],
        [f"age at diagnosis: {30 + n}" for n in range(20)],
    )
    encoding = find_age(characteristic_candidates(describe_series(series)))
    assert encoding is not None
    assert encoding.key == "age at diagnosis"


def test_evidence_names_what_is_missing_and_what_was_not_chosen(age_of: Read) -> None:
    encoding = age_of(cells("age at death", 70, 80), cells("age", 61, "unknown", 72))
    assert any("2 of 3 values are ages" in line for line in encoding.evidence)
    assert "left missing: 'unknown'" in encoding.evidence
    assert any("'age at death' (row 0)" in line for line in encoding.evidence)


def test_evidence_lists_other_keys_alone_and_up_to_three_unread_values(age_of: Read) -> None:
    encoding = age_of(cells("age", 61, 72, "x", "y", "z"), ["male, 40 years", "female 30"])
    assert "left missing: 'x', 'y', 'z'" in encoding.evidence
    assert not any("preferred" in line for line in encoding.evidence)
    encoding = age_of(cells("age", 61, 72, 73, 74, 75, 76, "a", "b", "c", "d"))
    assert "left missing: 'a', 'b', 'c' and others" in encoding.evidence


def test_row_with_one_age_under_each_of_two_keys_varies(make_series: MakeSeries) -> None:
    series = make_series(["age: 40", "age: 40", "age (yrs): 51", "age (yrs): 51"])
    encoding = find_age(characteristic_candidates(describe_series(series)))
    assert encoding is not None
    codes = apply_encoding(encoding, series, procedure="sound").codes.tolist()
    assert codes == [40, 40, 51, 51]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "not recorded under any key or in any sample text"),
        ([cells("age", 40, 40)], "it does not vary: row 0, key 'age', is '40' wherever it is"),
        (
            [cells("age at death", "x", "y"), cells("age", "young", "old", "older", "oldest")],
            "row 1, key 'age', cannot be read: 'young', 'old', 'older'",
        ),
    ],
)
def test_reason_why_no_age_is_known_is_that_of_the_nearest_key(
    make_description: MakeDescription, rows: list[list[str | None]], reason: str
) -> None:
    reading = RuleExpert().annotate(make_description(*rows), "Asthma")
    assert reading.age is None
    assert reading.unavailable["age"].startswith(reason)


def test_key_that_changes_halfway_down_a_row(make_series: MakeSeries) -> None:
    series = make_series(
        ["age (yrs): 30", "age (yrs): 31", "age (yrs): 32", "age: 40.5", "age at onset: 12"]
    )
    encoding = RuleExpert().annotate(describe_series(series), "Asthma").age
    assert encoding is not None
    assert any("under another key in this row" in line for line in encoding.evidence)
    sound = apply_encoding(encoding, series, procedure="sound").codes.tolist()
    assert sound[:4] == [30, 31, 32, 40.5]
    assert sound[4] != sound[4]
    # The published procedure takes the first integer, under any key.
    assert apply_encoding(encoding, series, procedure="benchmark").codes.tolist()[:4] == [
        30, 31, 32, 40
    ]  # fmt: skip


def test_donor_and_patient_in_one_row_are_not_mixed(sex_of: Read) -> None:
    encoding = sex_of([*cells("sex", "F", "M"), *cells("donor sex", "M", "F")])
    assert dict(encoding.values) == {"sex: F": 0, "sex: M": 1}


def test_most_values_with_digits_must_be_ages(age_of: Read) -> None:
    assert age_of(cells("age", 61, 72, 73, "V1", "V2")) is not None
    assert age_of(cells("age", 61, 72, "V1", "V2", "x")) is None


@pytest.mark.parametrize(
    "values",
    [
        (1, 2, 3),  # numbers of groups
        ("young", "old"),
        ("<60", ">=60"),  # two bounds, one number
    ],
)
def test_age_groups_without_ages(age_of: Read, values: tuple[object, ...]) -> None:
    assert age_of(cells("age group", *values)) is None


def test_age_groups_as_ranges(make_series: MakeSeries) -> None:
    series = make_series(cells("age group", "20-29", "30-39", "60+"))
    encoding = find_age(characteristic_candidates(describe_series(series)))
    assert encoding is not None
    codes = apply_encoding(encoding, series, procedure="sound").codes.tolist()
    assert codes == [24.5, 34.5, 60]


def test_letter_behind_an_age_is_a_sex_when_others_are_female(make_series: MakeSeries) -> None:
    series = make_series(cells("age", "45F", "50M", "61M"))
    reading = RuleExpert().annotate(describe_series(series), "Asthma")
    assert reading.age is not None
    codes = apply_encoding(reading.age, series, procedure="sound").codes.tolist()
    assert codes == [45, 50, 61]
    months = make_series(cells("age", "45m", "50m"))
    encoding = RuleExpert().annotate(describe_series(months), "Asthma").age
    assert encoding is not None
    assert apply_encoding(encoding, months, procedure="sound").codes[0] == pytest.approx(3.75)


@pytest.mark.parametrize(
    "row",
    [
        cells("gender/age", "M/45", "F/51"),
        cells("Age", "45 years; Sex: M", "51 years; Sex: F"),
        cells("patient", "45-year-old male", "51-year-old female"),
        ["male, 45 years", "female, 51 years"],
        cells("donor", "age 45, male", "age 51, female"),
        cells("age", "Male 45", "Female 51"),
        ["male, 45 years, FAB M3, CEBPA wild type", "female, 51 years, FAB M1, NPM1 mutated"],
        cells("Sex", "M, Age 45, pN0", "F, Age 51, pN1"),
        ["a patient (male, aged 45 years), blood", "a patient (female, aged 51 years), blood"],
    ],
)
def test_age_and_sex_in_one_cell(make_series: MakeSeries, row: list[str | None]) -> None:
    series = make_series(row)
    reading = RuleExpert().annotate(describe_series(series), "Asthma")
    assert reading.age is not None
    assert reading.gender is not None
    assert apply_encoding(reading.age, series, procedure="sound").codes.tolist() == [45, 51]
    assert apply_encoding(reading.gender, series, procedure="sound").codes.tolist() == [1, 0]


def test_sexes_without_any_key(sex_of: Read) -> None:
    encoding = sex_of(["asthma", "healthy"], ["male", "female", "unknown"])
    assert encoding.row == 1
    assert dict(encoding.values) == {"male": 1, "female": 0, "unknown": None}
    assert encoding.confidence == "inferred"


@pytest.mark.parametrize(
    ("row", "ages"),
    [
        (["6 years", "9 years", "4 years", "11 years"], [6, 9, 4, 11]),
        (["male, 34", "female 27", "female/41"], [34, 27, 41]),
    ],
)
def test_ages_without_any_key(age_of: Read, row: list[str], ages: list[float]) -> None:
    encoding = age_of(["asthma", "healthy"], row)
    assert encoding.row == 1
    codes = [encode_cell(encoding, cell) for cell in row]
    assert codes == ages


@pytest.mark.parametrize("row", [["2 years", "5 years"], ["male 34 %", "female 2 %"], ["34", "27"]])
def test_numbers_without_any_key_are_no_ages(age_of: Read, row: list[str]) -> None:
    assert age_of(["asthma", "healthy"], row) is None


@pytest.mark.parametrize(
    "row",
    [
        cells("sex", 1, 2),
        cells("sex", "M", "M"),
        cells("sex", "pooled", "mixed"),
        cells("tissue", "female breast", "male breast"),
        ["M", "F"],  # letters alone, without an explanation
        cells("mother", "female", "male"),
        cells("animal", "female", "male"),
        cells("mother", "sex: F", "sex: M"),
    ],
)
def test_no_sex(sex_of: Read, row: list[str | None]) -> None:
    assert sex_of(row) is None


def test_legend_in_the_series_text(sex_of: Read) -> None:
    encoding = sex_of(cells("gender", 0, 1, 9), text="Covariates: gender (0=female, 1=male), age.")
    assert dict(encoding.values) == {"gender: 0": 0, "gender: 1": 1, "gender: 9": None}
    assert encoding.confidence == "inferred"
    assert any("text explains its codes" in line for line in encoding.evidence)
    # The cells and the key come first.
    encoding = sex_of(cells("gender (1=female, 0=male)", 0, 1), text="gender: 0=female, 1=male")
    assert list(encoding.values.values()) == [1, 0]


def test_recipient_is_the_patient(sex_of: Read) -> None:
    encoding = sex_of(cells("donor sex", "M", "F"), cells("recipient sex", "F", "M"))
    assert encoding.key == "recipient sex"
    assert sex_of(cells("donor sex", "M", "F")).key == "donor sex"


def test_certainty_falls_with_the_kind_of_evidence(sex_of: Read, age_of: Read) -> None:
    plain = sex_of(cells("sex", "F", "M")).certainty
    donor = sex_of(cells("donor sex", "F", "M")).certainty
    text = sex_of(cells("sex", 1, 2), text="sex: 1=male, 2=female").certainty
    assert 1 >= plain > donor > text >= 0.5
    assert sex_of(cells("sex", "F", "M")).confidence == "explicit"
    assert sex_of(cells("sex", 1, 2), text="sex: 1=male, 2=female").confidence == "inferred"
    ages = [age_of(row) for row in (cells("age", 1, 2), cells("age at death", 1, 2))]
    assert ages[0].confidence == "explicit"
    assert ages[0].certainty > ages[1].certainty > 0.5


@pytest.mark.parametrize(
    "row",
    [
        cells("mother", "age: 30", "age: 40"),
        cells("age at onset", "12 years old", "15 years old"),
        cells("treatment", "2 years", "3 years"),
        ["2 years", "3 years"],  # of what?
    ],
)
def test_no_age_of_the_person(age_of: Read, row: list[str | None]) -> None:
    assert age_of(row) is None


def test_number_of_a_group_between_ranges_stays_missing(make_series: MakeSeries) -> None:
    series = make_series(cells("age group", "20-29", "30-39", "4"))
    encoding = find_age(characteristic_candidates(describe_series(series)))
    assert encoding is not None
    codes = apply_encoding(encoding, series, procedure="sound").codes
    assert codes[:2].tolist() == [24.5, 34.5]
    assert codes[2] != codes[2]


@pytest.mark.parametrize("gap", ["n.d.", "N/A", "?", "--", "not recorded", "x"])
def test_missing_values_with_ages_without_a_key(
    make_description: MakeDescription, gap: str
) -> None:
    row = ["45 years old", "51 years old", gap]
    age = find_age(characteristic_candidates(make_description(row)))
    assert age is not None


def test_word_in_another_script_is_no_missing_value(make_description: MakeDescription) -> None:
    row = ["45 years old", "51 years old", "\u809d\u810f"]
    assert find_age(characteristic_candidates(make_description(row))) is None
