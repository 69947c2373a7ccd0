"""Denials of a disease, and the markers and treatments that only look like one."""

import pytest

from genotex.clinical import RuleExpert
from genotex.formats import Role

from ..conftest import MakeDescription

NAMES = {
    "Asthma": "asthma",
    "Breast_Cancer": "breast cancer",
    "COVID-19": "COVID-19",
    "Hepatitis": "hepatitis",
    "Lung_Cancer": "lung cancer",
    "Rheumatoid_Arthritis": "rheumatoid arthritis",
}


def role_of(make: MakeDescription, trait: str, value: str, key: str = "group") -> Role:
    """Role of a value in a series about the trait, next to a plain case and a healthy control."""
    name = NAMES[trait]
    row = [f"{key}: {name}", f"{key}: healthy donor", f"{key}: {value}"]
    encoding = RuleExpert().annotate(make(row, title=f"{name} expression"), trait).trait
    assert encoding is not None
    assert list(encoding.values.values())[:2] == [1, 0]
    return encoding.roles[row[2]]


@pytest.mark.parametrize(
    ("trait", "value"),
    [
        ("Breast_Cancer", "breast cancer ER negative"),
        ("Breast_Cancer", "breast cancer, HER2 negative"),
        ("Breast_Cancer", "breast cancer (PR negative)"),
        ("Breast_Cancer", "breast tumor ER-"),
        ("Breast_Cancer", "breast, HER2 negative tumor"),
        ("Rheumatoid_Arthritis", "RA, ACPA negative"),
        ("Rheumatoid_Arthritis", "rheumatoid arthritis RF-"),
        ("Rheumatoid_Arthritis", "RA (RF-), drug free"),
        ("Lung_Cancer", "lung cancer, ALK negative"),
        ("Lung_Cancer", "never-smoker lung cancer"),
        ("Asthma", "asthma drug free"),
        ("Asthma", "asthma; steroid-free"),
        ("Asthma", "non-smoker asthma"),
        ("Asthma", "normal weight asthma"),
        ("Hepatitis", "non-viral hepatitis"),
    ],
)
def test_negative_marker_or_missing_treatment_leaves_a_case(
    make_description: MakeDescription, trait: str, value: str
) -> None:
    assert role_of(make_description, trait, value) == "case"


@pytest.mark.parametrize(
    ("trait", "value"),
    [
        ("Asthma", "no history of asthma"),
        ("Asthma", "never had asthma"),
        ("Asthma", "neither COPD nor asthma"),
        ("COVID-19", "COVID-19 PCR negative"),
        ("COVID-19", "COVID-19 (negative)"),
        ("COVID-19", "COVID-19 (-)"),
        ("Breast_Cancer", "breast tissue without tumor"),
    ],
)
def test_denied_with_words_between(
    make_description: MakeDescription, trait: str, value: str
) -> None:
    assert role_of(make_description, trait, value) in ("healthy control", "other disease")


@pytest.mark.parametrize(
    ("trait", "value"),
    [
        ("Asthma", "no severe asthma"),  # mild asthma, or none?
        ("Rheumatoid_Arthritis", "RA, negative"),  # which test?
    ],
)
def test_what_is_denied_is_unclear(
    make_description: MakeDescription, trait: str, value: str
) -> None:
    assert role_of(make_description, trait, value) == "unknown"


def test_row_of_serology_codes_no_patient_as_control(make_description: MakeDescription) -> None:
    for key, positive, negative in (
        ("disease state", "RA, RF positive", "RA, RF negative"),
        ("rheumatoid arthritis", "RF positive", "RF negative"),
        ("rheumatoid arthritis patients", "RF positive", "RF negative"),
    ):
        row = [f"{key}: {positive}", f"{key}: {negative}", f"{key}: healthy control"]
        trait = RuleExpert().annotate(make_description(row), "Rheumatoid_Arthritis").trait
        assert trait is not None
        assert list(trait.values.values()) == [1, 1, 0]


def test_negative_under_the_key_of_a_marker_is_no_control(
    make_description: MakeDescription,
) -> None:
    for key in ("er status", "breast cancer er status", "rf status"):
        row = [f"{key}: breast cancer", f"{key}: positive", f"{key}: negative"]
        trait = RuleExpert().annotate(make_description(row), "Breast_Cancer").trait
        assert trait is None or trait.values[row[2]] is None


def test_denial_of_the_case_of_its_row(make_description: MakeDescription) -> None:
    row = ["condition: severe asthma", "condition: without severe asthma"]
    trait = RuleExpert().annotate(make_description(row), "Asthma").trait
    assert trait is not None
    assert list(trait.values.values()) == [1, 0]


def test_denied_other_disease_is_not_that_disease(make_description: MakeDescription) -> None:
    row = ["group: asthma", "group: healthy", "group: no hypertension", "group: hypertension"]
    trait = RuleExpert().annotate(make_description(row), "Asthma").trait
    assert trait is not None
    assert list(trait.roles.values())[2:] == ["unknown", "other disease"]
