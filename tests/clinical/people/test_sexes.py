import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.clinical import parse_sex
from genotex.clinical.people.values import sex_legend, text_legend


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


# Trap 26 of the format traps, value for value.
@pytest.mark.parametrize(
    ("text", "key", "sex"),
    [("M", "sex", 1), ("F", "sex", 0), ("male", "sex", 1), ("Female", "sex", 0), ("m", "sex", 1),
     ("f", "sex", 0), ("1", "sex", None), ("2", "sex", None), ("1", "sex (1=male, 2=female)", 1),
     ("2", "sex (1=male, 2=female)", 0), ("boy", "sex", 1), ("woman", "sex", 0),
     ("unknown", "sex", None)],
)  # fmt: skip
def test_trap_26(text: str, key: str, sex: int | None) -> None:
    assert parse_sex(text, key) == sex


@pytest.mark.parametrize(
    ("text", "sex"),
    [("weiblich", 0), ("m\u00e4nnlich", 1), ("femme", 0), ("homme", 1), ("mujer", 0),
     ("var\u00f3n", 1), ("Femal", 0), ("46,XY", 1), ("XX", 0), ("\u2640", 0), ("Male*", 1),
     ("F.", 0), ("1 (male)", 1), ("male=1", 1), ("male (1)", 1), ("0 - female", 0),
     ("female (XX)", 0), ("adult male", 1), ("healthy female donor", 0), ("castrated male", 1),
     ("45/F", 0), ("M45", 1), ("male, 45 years", 1), ("Female, 63 yrs", 0), ("age: 45; sex: M", 1)],
)  # fmt: skip
def test_rarer_ways_to_write_a_sex(text: str, sex: int) -> None:
    assert parse_sex(text) == sex


@pytest.mark.parametrize(
    "text",
    ["pooled", "both", "mixed", "n/a", "M/F", "male and female", "2 males, 1 female", "FTM",
     "female -> male transplant", "female (transgender)", "not male", "male?", "F1",
     "M0 macrophage", "female mouse", "mother of male child", "xxy", "sex: " * 999],
)  # fmt: skip
def test_no_sex_or_no_single_one(text: str) -> None:
    assert parse_sex(text, "sex") is None


@pytest.mark.parametrize(
    ("key", "text", "sex"),
    [
        ("is_male", "TRUE", 1),
        ("GenderMale", "0", 0),
        ("sexFemale", "1", 0),
        ("sex (male)", "yes", 1),
        ("gender (1 for male, 2 for female)", "2", 0),
        ("sex (1->male; 2->female)", "1", 1),
        ("gender (male coded as 1, female coded as 0)", "0", 0),
        ("strain, sex", "C57BL/6, male", 1),
        ("gender/age", "M/45", 1),
        ("age/sex", "45F", 0),
        ("gender (m/f)", "m", 1),
        ("gender (m/f)", "m/f", None),
        ("age", "45 years; Sex: F", 0),
        ("age", "45 Gender: M", 1),
        ("patient", "age 45, sex F", 0),
        ("age", "45", None),
    ],
)
def test_sex_by_its_key(key: str, text: str, sex: int | None) -> None:
    assert parse_sex(text, key) == sex


@pytest.mark.parametrize(
    ("text", "legend"),
    [
        ("Recorded were age and gender: 0=female, 1=male.", {"0": 0, "1": 1}),
        ("Sex (1 = male, 2 = female)", {"1": 1, "2": 0}),
        ("Gender is coded as 1 for male and 2 for female", {"1": 1, "2": 0}),
        ("gender (male/female: 1/2)", {"1": 1, "2": 0}),
        ("matched for age and sex (45 male, 43 female)", {}),
        ("Sex was recorded. Group 1: male, group 2: female", {}),
        ("1=male, 2=female", {}),
        ("sex: 1=male", {}),
        ("Sex 1=male, 2=female\nIn cohort B, sex 1=female, 2=male", {}),
    ],
)
def test_legend_in_the_text_of_a_series(text: str, legend: dict[str, int]) -> None:
    assert text_legend(text) == legend


def test_legend_of_a_key_that_is_a_sex() -> None:
    assert sex_legend("female")["1"] == 0
    assert sex_legend("female")["no"] == 1
    assert sex_legend("female fertility") == {}


@settings(deadline=None)
@given(st.text(), st.text())
def test_no_text_breaks_the_parser_of_sexes(text: str, key: str) -> None:
    sex = parse_sex(text, key)
    assert sex in (None, 0, 1)
    if sex is not None:
        assert parse_sex(("female", "male")[sex]) == sex
    assert set(text_legend(text).values()) in (set(), {0, 1})
