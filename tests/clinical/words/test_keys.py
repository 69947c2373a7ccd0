import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.clinical import kind_of_key, load_vocabulary
from genotex.clinical.words.keys import asks, asks_plainly, asks_trait, lists_diseases, names_trait

ASTHMA = load_vocabulary().trait("Asthma")


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("Sex", "never"),
        ("batch", "never"),
        ("age at diagnosis", "never"),
        ("patient id", "identifier"),
        ("treatment", "treatment"),
        ("drug dose", "treatment"),
        ("time point", "time"),
        ("disease duration", "time"),
        ("overall survival", "outcome"),
        ("response to placebo", "outcome"),
        ("tumor stage", "stage"),
        ("family history", "relatives"),
        ("smoking status", "relatives"),
        ("cell line", "culture"),
        ("disease state", "disease"),
        ("histology", "disease"),
        ("group", "status"),
        ("tissue", "tissue"),
        ("biopsy site", "tissue"),
        ("colour", "other"),
        ("", "other"),
    ],
)
def test_kind_of_key(key: str, kind: str) -> None:
    assert kind_of_key(key) == kind


@pytest.mark.parametrize("key", ["asthma", "Asthma status", "has asthma", "asthma (yes/no)"])
def test_key_that_asks_for_the_trait(key: str) -> None:
    assert asks_trait(ASTHMA, key)


@pytest.mark.parametrize(
    "key",
    ["asthma severity", "asthma duration", "family asthma", "age of asthma onset",
     "asthma medication", "maternal asthma", "asthma risk allele", "allergy"],
)  # fmt: skip
def test_key_that_asks_something_about_the_trait(key: str) -> None:
    assert not asks_trait(ASTHMA, key)


def test_key_that_names_the_trait_in_patients_not_their_family() -> None:
    assert names_trait(ASTHMA, "asthma severity")
    assert not names_trait(ASTHMA, "family history of asthma")


def test_marker_with_the_disease_is_not_asked_plainly() -> None:
    assert asks_plainly(ASTHMA, "current asthma status")
    assert not asks_plainly(ASTHMA, "asthma ige status")


def test_keys_whose_values_are_diseases() -> None:
    assert asks("comorbidity", "a disease") and asks("disease state", "a disease")
    assert not asks("tissue", "a disease")
    assert asks("medical history", "other diseases") and not asks("diagnosis", "other diseases")
    assert lists_diseases("final diagnosis") and not lists_diseases("disease duration")
    assert asks("initial diagnosis", "a first guess") and not asks("diagnosis", "a first guess")


@given(st.text(max_size=40))
def test_every_key_has_one_kind(key: str) -> None:
    assert kind_of_key(key) == kind_of_key(f"  {key} ")
