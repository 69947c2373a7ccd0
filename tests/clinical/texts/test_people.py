"""Ages and sexes in free texts of samples."""

import pytest

from genotex.clinical import (
    RuleExpert,
    SeriesDescription,
    apply_encoding,
    describe_series,
    encode_cell,
)

from ..conftest import MakeSeries

Codes = list[float | None] | None


def ages_and_sexes(texts: list[str]) -> tuple[Codes, Codes]:
    description = SeriesDescription(descriptions=(tuple(texts),))
    reading = RuleExpert().annotate(description, "Asthma")
    age, sex = (
        None if e is None else [encode_cell(e, cell) for cell in texts]
        for e in (reading.age, reading.gender)
    )
    return age, sex


@pytest.mark.parametrize(
    ("texts", "ages", "sexes"),
    [
        (["65 year old male with RCC", "45-year-old female with RCC"], [65, 45], [1, 0]),
        (["Age: 50, Gender: F", "Age: 61, Gender: M"], [50, 61], [0, 1]),
        (["female, 62 yrs", "male, 44 yrs"], [62, 44], [0, 1]),
        (["COVID_01_39y_male_ICU", "COVID_02_63y_female"], [39, 63], [1, 0]),
        (["58yo M, lung", "71 y.o. F, lung"], [58, 71], [1, 0]),
        (["boy, 18 months old", "girl, 6 years of age"], [1.5, 6], [1, 0]),
        (["tumour, aged 45 M", "tumour, aged 51 M"], [45, 51], None),
        (["femme, 62 ans: female", "homme, 44 ans: male"], [62, 44], [0, 1]),
        (["woman aged 33", "man, age at diagnosis 61.5"], [33, 61.5], [0, 1]),
        (["a patient of age 45-50 (men)", "patient of age 60 (women)"], [47.5, 60], [1, 0]),
    ],
)
def test_one_person_in_words(texts: list[str], ages: Codes, sexes: Codes) -> None:
    assert ages_and_sexes(texts) == (ages, sexes)


@pytest.mark.parametrize(
    "texts",
    [
        ["5 years after surgery", "7 years after surgery"],
        ["passage 12", "passage 15"],
        ["stage 3", "stage 4"],
        ["gestational age 20 weeks", "gestational age 30 weeks"],
        ["age at onset 12", "age at onset 20"],
        ["pool of 45 year old and 50 year old", "pool of 33 year old and 34 year old"],
        ["sample 45", "sample 62"],
        ["follow-up of 3 yrs", "follow-up of 4 yrs"],
        ["24 h", "48 h"],
    ],
)
def test_numbers_that_are_no_age(texts: list[str]) -> None:
    assert ages_and_sexes(texts)[0] is None


@pytest.mark.parametrize(
    "texts",
    [
        ["male donor, female recipient", "female donor, male recipient"],
        ["mother of a boy", "mother of a girl"],
        ["M", "F"],
        ["M1", "F1"],
        ["human", "woman-like"],
        ["pool of men and women", "pool of women and men"],
    ],
)
def test_sex_that_is_not_stated(texts: list[str]) -> None:
    assert ages_and_sexes([*texts, *(f"{text} b" for text in texts)])[1] is None


def test_letter_and_age_in_titles() -> None:
    titles = ["F_45_control", "M_62_control", "F_33_asthma", "M_51_asthma"]
    reading = RuleExpert().annotate(SeriesDescription(titles=tuple(titles)), "Asthma")
    assert reading.age is not None and reading.gender is not None
    assert [reading.age.values[t] for t in titles] == [45, 62, 33, 51]
    assert [reading.gender.values[t] for t in titles] == [0, 1, 0, 1]
    assert reading.age.confidence == "inferred"
    assert reading.age.evidence == (
        "inferred from the sample titles: 'F_45_control' gives 45 years",
        "known for 4 of 4 samples",
    )


@pytest.mark.parametrize(
    "titles",
    [
        ["F21", "F22", "F23", "M21", "M22", "M23"],
        ["F01", "F55", "M02", "M77"],
        ["M45", "M51", "M62", "M33"],
        ["F45", "M62", "control a", "control b"],
    ],
)
def test_numbered_samples_are_no_ages(titles: list[str]) -> None:
    reading = RuleExpert().annotate(SeriesDescription(titles=tuple(titles)), "Asthma")
    assert reading.age is None and reading.gender is None


def test_most_samples_need_a_value() -> None:
    told = ["45 year old male", "50 year old female", "33 year old male"]
    assert ages_and_sexes([*told, "x", "y"]) == ([45, 50, 33, None, None], [1, 0, 1, None, None])
    assert ages_and_sexes([*told, "x", "y", "z"]) == (None, None)


def test_characteristics_and_pairs_come_first(make_series: MakeSeries) -> None:
    series = make_series(
        ["age: 40", "age: 41", "age: 42"],
        description=[["Gender = Male; age 1", "Gender = Female; age 2", "Gender = Male; age 3"]],
    )
    reading = RuleExpert().annotate(describe_series(series), "Asthma")
    assert reading.age is not None and reading.age.row == 0
    assert reading.gender is not None and reading.gender.key == "Gender"


def test_applied_to_the_series(make_series: MakeSeries) -> None:
    lines = [["62 year old woman", None, "45 year old man", "50 year old man"]]
    series = make_series(description=lines)
    reading = RuleExpert().annotate(describe_series(series), "Asthma")
    assert reading.age is not None and reading.gender is not None
    encoded = apply_encoding(reading.age, series, procedure="sound")
    assert encoded.codes[[0, 2, 3]].tolist() == [62, 45, 50]
    assert encoded.notes == ()
    sexes = apply_encoding(reading.gender, series, procedure="sound").codes
    assert sexes[[0, 2, 3]].tolist() == [0, 1, 1]
