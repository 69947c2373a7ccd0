import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.features import parse_age_years, parse_sex, sex_legend, text_legend


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


@settings(deadline=None)
@given(st.floats(0, 120).map(lambda years: round(years, 2)))
def test_every_written_age_is_parsed_back(years: float) -> None:
    assert parse_age_years(f"{years} years") == pytest.approx(years)
    assert parse_age_years(f"{years:.2f}".replace(".", ",")) == pytest.approx(years)


# Trap 25 of the format traps, value for value.
@pytest.mark.parametrize(
    ("text", "years"),
    [("45", 45), ("45y", 45), ("45 years", 45), ("45 yr", 45), ("18 months", 1.5),
     ("6 weeks", 0.115), ("45-50", 47.5), (">89", 89), ("45.5", 45.5), ("45,5", 45.5),
     ("n/a", None), ("unknown", None), ("-16000", 43.8)],
)  # fmt: skip
def test_trap_25(text: str, years: float | None) -> None:
    read = parse_age_years(text, "age")
    assert read == (None if years is None else pytest.approx(years, abs=0.01))


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("65 y/o", 65),
        ("65 y.o.", 65),
        ("65 yrs.", 65),
        ("65-year-old female", 65),
        ("aged 65", 65),
        ("65 years at diagnosis", 65),
        ("65*", 65),
        ("~65", 65),
        ("45 a\u00f1os", 45),
        ("1 year infant", 1),
        ("newborn", 0),
        ("sixty", 60),
        ("forty-five years", 45),
        ("60s", 64.5),
        ("19-29", 24),
        ("[20,30)", 25),
        ("between 40 and 50", 45),
        ("18 months - 2 years", 1.75),
        ("6-12 mo", 0.75),
        ("<1", 1),
        ("\u226590", 90),
        ("90+ years", 90),
        ("90 or older", 90),
        ("over 90", 90),
        ("45.5 +/- 3", 45.5),
        ("45.5\u00b13 years", 45.5),
        ("3 yr 2 mo", 3 + 2 / 12),
        ("2y 5m", 2 + 5 / 12),
        ("2 years and 3 months", 2.25),
        ("21,300 days", 58.32),
        ("\u221216000", 43.81),
        ("35 <= age < 40", 37.5),
        ("35<=age<40", 37.5),
        ("18m, when sample taken", 1.5),
        ("2y, when sample taken", 2.0),
    ],
)
def test_rarer_ways_to_write_an_age(text: str, years: float) -> None:
    assert parse_age_years(text, "age") == pytest.approx(years, abs=0.01)


@pytest.mark.parametrize(
    "text",
    ["16 pcw", "12 weeks gestation", "12 at onset", "P7", "1950", "17.05.1952", "50-40",
     "40 and 50", "2 months 3 years", "3/12", "Grade 3", "-0.5", "130", "9" * 400, "45-"],
)  # fmt: skip
def test_what_looks_like_an_age_and_is_none(text: str) -> None:
    assert parse_age_years(text, "age") is None


@pytest.mark.parametrize(
    ("key", "text", "years"),
    [
        ("gender/age", "M/45", 45),
        ("age/sex", "45M", 45),
        ("age, gender", "45 / F", 45),
        ("sex-age", "F-45", 45),
        ("strain, sex, age", "C57BL/6, male, 45", 45),
        ("age/sex/race", "61 / Male / White", 61),
        ("age", "45 years; Sex: F", 45),
        ("sex", "F; age: 45", 45),
        ("patient", "male, 45 years", 45),
        ("patient", "age 45, sex F", 45),
        ("age", "45 Gender: M", 45),
        ("age", "45,5", 45.5),
        ("age, years", "45,5", 45.5),
    ],
)
def test_age_with_other_things_in_one_cell(key: str, text: str, years: float) -> None:
    assert parse_age_years(text, key) == years


@pytest.mark.parametrize(
    ("key", "text", "years"),
    [
        ("age (years)", "18 months", 1.5),
        ("ageInMonths", "18", 1.5),
        ("age_mths", "18", 1.5),
        ("age (m)", "18", 1.5),
        ("age_days", "21300", 58.32),
        ("days to birth", "16000", 43.81),
        ("age [d]", "7", 0.019),
        ("age at 6 months follow-up", "45", 45),
        ("age at 6 months follow-up (years)", "45", 45),
        ("age_yrs", "45", 45),
    ],
)
def test_unit_of_a_bare_number(key: str, text: str, years: float) -> None:
    assert parse_age_years(text, key) == pytest.approx(years, abs=0.01)


AGE_LIKE = st.text(alphabet="0123456789.,-+<>/ ymdwofFM()[]", max_size=24)


@settings(deadline=None)
@given(AGE_LIKE, st.sampled_from(["age", "age (months)", "gender/age", "age_days", ""]))
def test_age_that_was_parsed_is_parsed_again(text: str, key: str) -> None:
    years = parse_age_years(text, key)
    if years is not None:
        assert 0 <= years <= 125
        assert parse_age_years(f"{years:.6f}", "age") == pytest.approx(years, abs=1e-5)


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
