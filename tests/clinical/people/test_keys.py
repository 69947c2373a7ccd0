import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.features import PLAIN, SAMPLING, age_rank, key_unit, sex_rank
from genotex.features.known.people_words import DEATH, DIAGNOSIS, GROUP, plain_words


@pytest.mark.parametrize(
    "key",
    ["age", "Age (y)", "patient age", "PatientAge", "age_years", "age in years", "Age.yrs",
     "patient's age", "recipient age", "\u00c2ge", "edad (a\u00f1os)", "ages"],
)  # fmt: skip
def test_plain_keys_of_an_age(key: str) -> None:
    assert age_rank(key) == PLAIN


@pytest.mark.parametrize(
    ("key", "rank"),
    [("age_at_sampling", SAMPLING), ("age.at.visit", SAMPLING), ("age at surgery (yrs)", SAMPLING),
     ("age at diagnosis (yrs)", DIAGNOSIS), ("AgeAtDx", DIAGNOSIS),
     ("age at first diagnosis", DIAGNOSIS), ("ageatdeath", DEATH),
     ("age at last follow-up", DEATH), ("age group", GROUP), ("AgeRange", GROUP)],
)  # fmt: skip
def test_age_nearer_to_the_sample_comes_first(key: str, rank: float) -> None:
    assert age_rank(key) == rank


@pytest.mark.parametrize(
    "key",
    ["agebrain", "donor age", "gender/age", "age at relapse", "age at bone marrow transplant"],
)
def test_other_keys_of_a_persons_age(key: str) -> None:
    assert age_rank(key) is not None


@pytest.mark.parametrize(
    "key",
    ["Stage", "lineage", "dosage", "passage", "percentage", "image", "agent", "gestational age",
     "age at onset", "ageatonset", "disease duration", "post-conception weeks", "cell age",
     "days in culture", "year of birth", "ageusia", "age-related macular degeneration", "DNAm age",
     "bone age", "maternal age", "age at menarche", "age at first birth", "age of first use",
     "age started smoking", "mouse age",
     "age of block", "age matched", "age acceleration"],
)  # fmt: skip
def test_keys_that_are_no_age_of_the_person(key: str) -> None:
    assert age_rank(key) is None


@pytest.mark.parametrize(
    "key",
    ["sex", "Gender", "sexe", "patient sex", "recipient sex", "PatientGender", "gender_code",
     "sex (self-reported)", "is_male", "female", "m/f", "sex (female=1, male=0)", "geschlecht"],
)  # fmt: skip
def test_plain_keys_of_a_sex(key: str) -> None:
    assert sex_rank(key) == PLAIN


def test_sex_of_the_patient_comes_before_others() -> None:
    keys = ["recipient sex", "sex at birth", "predicted sex", "donor sex"]
    ranks = [sex_rank(key) or 0 for key in keys]
    assert ranks == sorted(set(ranks), reverse=True)
    assert min(ranks) > 0


@pytest.mark.parametrize(
    "key",
    ["sex hormone use", "sexual activity", "sexual orientation", "gender history", "sex mismatch",
     "number of males", "male to female ratio", "male pattern baldness", "essex", "sex of partner"],
)  # fmt: skip
def test_keys_that_are_no_sex_of_the_person(key: str) -> None:
    assert sex_rank(key) is None


@pytest.mark.parametrize(
    ("key", "unit"),
    [("age", "years"), ("age (mo)", "months"), ("ageweeks", "weeks"), ("days_to_birth", "days"),
     ("age (years, months)", "years"), ("age at 3 months", "years"), ("days of life", "days")],
)  # fmt: skip
def test_unit_that_a_key_names(key: str, unit: str) -> None:
    assert key_unit(key) == unit


@settings(deadline=None)
@given(st.text())
def test_no_key_breaks_the_ranks(key: str) -> None:
    for rank in (age_rank(key), sex_rank(key)):
        assert rank is None or 0 < rank <= PLAIN
    assert plain_words(plain_words(key)) == plain_words(key)
