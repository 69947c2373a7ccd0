import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.clinical import parse_age_years, parse_number, parse_sex
from genotex.clinical.values import split_cell, split_pairs


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("45", 45),
        ("45y", 45),
        ("45 years", 45),
        ("45 yr", 45),
        ("45 years old", 45),
        ("45-year-old", 45),
        ("18 months", 1.5),
        ("6 weeks", 0.115),
        ("45-50", 47.5),
        ("55 - 59", 57),
        ("60 to 64 years", 62),
        (">89", 89),
        ("89+", 89),
        ("45.5", 45.5),
        ("45,5", 45.5),
        ("-16000", 43.8),
        ("0", 0),
        ("62Y", 62),
        ("45\u00a0years", 45),
    ],
)
def test_ages_in_the_ways_submitters_write_them(text: str, years: float) -> None:
    assert parse_age_years(text) == pytest.approx(years, abs=0.01)


@pytest.mark.parametrize(
    "text",
    ["n/a", "unknown", "", "--", "Young", "Day 45", "adult", "-9", "-99", "-999", "999", "150",
     "Young (<40 years)", "1985-03-02", "45 kg", "M", "45; 50", "12 passages", "E14"],
)  # fmt: skip
def test_no_age_is_missing(text: str) -> None:
    assert parse_age_years(text) is None


def test_unit_in_the_key_holds_for_bare_numbers_only() -> None:
    assert parse_age_years("15.277", "age (months)") == pytest.approx(1.273, abs=0.001)
    assert parse_age_years("30 years", "age (months)") == 30
    assert parse_age_years("26", "age (weeks)") == pytest.approx(0.498, abs=0.001)
    assert parse_age_years("26", "age at surgery (yrs)") == 26


@pytest.mark.parametrize(
    ("text", "sex"),
    [("M", 1), ("F", 0), ("male", 1), ("Female", 0), ("m", 1), ("f", 0), ("boy", 1), ("woman", 0),
     ("Man", 1), ("FEMALE", 0), (" male ", 1), ("male (M)", 1), ("1", None), ("2", None),
     ("unknown", None), ("", None), ("male/female", None), ("not determined", None), ("NA", None),
     ("mixed", None), ("female to male transsexual", None)],
)  # fmt: skip
def test_sexes_in_the_ways_submitters_write_them(text: str, sex: int | None) -> None:
    assert parse_sex(text) == sex


@pytest.mark.parametrize(
    ("key", "text", "sex"),
    [
        ("gender (1=male, 2=female)", "1", 1),
        ("gender (1=male, 2=female)", "2", 0),
        ("sex (female=1, male=0)", "1", 0),
        ("sex (female=1, male=0)", "0", 1),
        ("sex (0: male; 1: female)", "1", 0),
        ("gender (M=1;F=2)", "2", 0),
        ("female", "1", 0),
        ("female", "0", 1),
        ("male", "yes", 1),
        ("gender", "1", None),
        ("gender (1=male, 2=female)", "3", None),
        ("gender (1=male, 2=female)", "Female", 0),
        ("sex, 0 female 1 male", "1", 1),
        ("sex, 0 female 1 male", "0", 0),
        ("gender code 1 female 2 male", "2", 1),
        ("gender code 1 female 2 male", "1", 0),
        ("gender 1 male 2 female", "2", 0),
        ("sex male/female (1/2)", "1", 1),
        ("sex male/female (1/2)", "2", 0),
        ("sex (f/m: 0/1)", "1", 1),
        ("sex (1/2 male/female)", "1", None),  # not one of the forms: never a guess
        ("gender (male 1, female 2)", "1", None),
        ("sex male (1) female (2)", "1", 1),
        ("sex: male is 1, female is 2", "2", 0),
        ("gender (M-1, F-2)", "2", 0),
        ("sex_1=male", "1", None),  # one code of two
        ("sex (1=male, 2=male)", "1", None),
    ],
)
def test_numbers_for_sexes_need_the_legend_of_their_key(
    key: str, text: str, sex: int | None
) -> None:
    assert parse_sex(text, key) == sex


@pytest.mark.parametrize(
    ("text", "number"),
    [("1.72", 1.72), ("1,72", 1.72), ("-0.5", -0.5), ("172 cm", 172), ("3e2", 300), ("<0.1", 0.1),
     ("25.1 kg/m2", 25.1), ("12%", 12), ("none", None), ("", None), ("1.2.3", None), ("4; 5", None),
     ("9e999", None), ("1-2", None)],
)  # fmt: skip
def test_measured_numbers(text: str, number: float | None) -> None:
    assert parse_number(text) == number


def test_cell_is_split_at_its_first_colon_only() -> None:
    assert split_cell("treatment: dose: 5 mg") == ("treatment", "dose: 5 mg")
    assert split_cell("strain, sex: C57BL/6, male") == ("strain, sex", "C57BL/6, male")
    assert split_cell("synovial tissue") == ("", "synovial tissue")


def test_description_is_split_into_pairs() -> None:
    assert split_pairs("Age = 70; Gender: Female; Right Kidney") == [
        ("Age", "70", "Age = 70"),
        ("Gender", "Female", "Gender: Female"),
    ]


@settings(deadline=None)
@given(st.text(), st.text())
def test_no_text_breaks_a_parser(text: str, key: str) -> None:
    age = parse_age_years(text, key)
    assert age is None or 0 <= age <= 125
    assert parse_sex(text, key) in (None, 0, 1)
    number = parse_number(text)
    assert number is None or abs(number) < float("inf")
    split_pairs(text)


@settings(deadline=None)
@given(st.floats(0, 120).map(lambda years: round(years, 2)))
def test_every_written_age_is_read_back(years: float) -> None:
    assert parse_age_years(f"{years} years") == pytest.approx(years)
    assert parse_age_years(f"{years:.2f}".replace(".", ",")) == pytest.approx(years)
