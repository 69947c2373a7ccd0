"""Values that name a disease without being a case of it."""

import pytest

from genotex.clinical import RuleExpert
from genotex.formats import Role

from ..conftest import MakeDescription


def role_of(make: MakeDescription, trait: str, value: str) -> Role:
    """Role of a value next to a plain case and, so that the row is used, an unrelated control."""
    name = trait.replace("_", " ").lower()
    row = [f"group: {name}", "group: unaffected", f"group: {value}"]
    encoding = RuleExpert().annotate(make(row, title=f"{name} expression"), trait).trait
    assert encoding is not None
    return encoding.roles[row[2]]


@pytest.mark.parametrize("value", ["not healthy", "non-healthy", "not a healthy person"])
def test_not_healthy_is_no_healthy_control(make_description: MakeDescription, value: str) -> None:
    assert role_of(make_description, "Rheumatoid_Arthritis", value) == "unknown"


@pytest.mark.parametrize(
    "value", ["osteoarthritis control", "control (osteoarthritis)", "OA control", "gout controls 2"]
)
def test_control_with_another_disease(make_description: MakeDescription, value: str) -> None:
    assert role_of(make_description, "Rheumatoid_Arthritis", value) == "other disease"


@pytest.mark.parametrize(
    "value",
    ["control", "non-diabetic control", "healthy control, no osteoarthritis", "control negative"],
)
def test_control_without_another_disease(make_description: MakeDescription, value: str) -> None:
    assert role_of(make_description, "Rheumatoid_Arthritis", value) == "healthy control"


def test_control_group_of_the_trait(make_description: MakeDescription) -> None:
    for value in ("asthma control", "asthma controls", "asthma healthy control 3", "Asthma_Ctrl"):
        row = ["group: asthma", f"group: {value}"]
        trait = RuleExpert().annotate(make_description(row), "Asthma").trait
        assert trait is not None
        assert list(trait.roles.values()) == ["case", "healthy control"]
    assert role_of(make_description, "Asthma", "asthma control siRNA") == "case"


@pytest.mark.parametrize(
    ("value", "role"),
    [
        ("benign breast tumor", "other disease"),
        ("benign tissue of breast cancer patient", "other disease"),
        ("breast tumor, fibroadenoma", "other disease"),
        ("breast carcinoma with hyperplasia", "case"),
        ("malignant, not benign, breast tumor", "case"),
        ("non-metastatic breast cancer", "case"),
        ("non-invasive breast cancer", "case"),
    ],
)
def test_benign_tumour_is_no_cancer(
    make_description: MakeDescription, value: str, role: Role
) -> None:
    assert role_of(make_description, "Breast_Cancer", value) == role


@pytest.mark.parametrize(
    ("value", "role"),
    [
        ("mother of asthma patient", "unknown"),
        ("asthma patient's sibling", "unknown"),
        ("family history of asthma", "unknown"),
        ("healthy mother of asthma patient", "healthy control"),
        ("asthma patient's unaffected brother", "healthy control"),
        ("healthy first degree relative of asthma patient", "healthy control"),
        ("non-asthmatic father", "healthy control"),
    ],
)
def test_relatives_are_never_cases(
    make_description: MakeDescription, value: str, role: Role
) -> None:
    found = role_of(make_description, "Asthma", value)
    assert found == role or (role == "healthy control" and found == "other disease")


def test_relative_under_the_key_of_the_trait_is_no_case(make_description: MakeDescription) -> None:
    key = "asthma group"
    row = [f"{key}: severe", f"{key}: healthy control", f"{key}: mother", f"{key}: suspected"]
    trait = RuleExpert().annotate(make_description(row), "Asthma").trait
    assert trait is not None
    assert list(trait.values.values()) == [1, 0, None, None]


@pytest.mark.parametrize(
    ("value", "role"),
    [
        ("COVID-19 negative, influenza", "other disease"),
        ("non-COVID-19 pneumonia", "other disease"),
        ("no COVID-19 or influenza", "healthy control"),
        ("no influenza or COVID-19", "healthy control"),
        ("no COVID-19, healthy", "healthy control"),
    ],
)
def test_another_disease_instead_of_the_denied_one(
    make_description: MakeDescription, value: str, role: Role
) -> None:
    row = ["group: COVID-19", f"group: {value}"]
    trait = (
        RuleExpert().annotate(make_description(row, title="COVID-19 expression"), "COVID-19").trait
    )
    assert trait is not None
    assert trait.roles[row[1]] == role


def test_primary_disease_of_an_organ_is_no_primary_tumour(
    make_description: MakeDescription,
) -> None:
    row = ["condition: primary biliary cirrhosis", "condition: healthy"]
    assert RuleExpert().annotate(make_description(row), "Bile_Duct_Cancer").trait is None


def test_wider_word_in_a_title_does_not_name_the_organ_of_a_cancer(
    make_description: MakeDescription,
) -> None:
    row = ["tissue: renal cell carcinoma", "tissue: normal kidney"]
    description = make_description(row, title="Adenocarcinoma and carcinoma of the kidney")
    assert RuleExpert().annotate(description, "Lung_Cancer").trait is None
    assert RuleExpert().annotate(description, "Uterine_Corpus_Endometrial_Carcinoma").trait is None


def test_number_can_answer_the_key(make_description: MakeDescription) -> None:
    trait = RuleExpert().annotate(make_description(["asthma: 1", "asthma: 0"]), "Asthma").trait
    assert trait is not None
    assert list(trait.roles.values()) == ["case", "healthy control"]
