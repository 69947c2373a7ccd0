"""Rows that separate patients from controls without naming the trait."""

import pytest

from genotex.clinical import RuleExpert, apply_encoding, describe_series, rule_expert

from ..conftest import CodesOf, MakeDescription, MakeSeries

PATIENTS = "Blood of patients with asthma and of healthy volunteers was profiled."


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("stage", ["I", "II", "III", "healthy"]),
        ("visit", ["baseline", "week 4", "week 12", "healthy control"]),
        ("disease duration", ["<1y", "1-5y", ">5y", "healthy volunteer"]),
        ("severity", ["mild", "moderate", "severe", "healthy donor"]),
    ],
)
def test_patients_by_how_they_are_next_to_healthy_people(
    codes_of: CodesOf, key: str, values: list[str]
) -> None:
    wanted = [*([1] * (len(values) - 1)), 0]
    assert codes_of("Asthma", key, values, summary=PATIENTS) == wanted


@pytest.mark.parametrize(
    ("trait", "key", "values", "codes"),
    [
        ("Osteoarthritis", "disease", ["OA", "RA"], [1, 0]),
        ("Breast_Cancer", "type", ["T", "N"], [1, 0]),
        ("Asthma", "group", ["P", "C"], [1, 0]),
        ("Takayasu_Arteritis", "dx", ["TAK", "ND"], [1, 0]),
        ("Dilated_Cardiomyopathy", "dcm", ["Y", "N"], [1, 0]),
        ("Sarcoidosis", "subject", ["SARC1", "SARC2", "HC1", "HC2"], [1, 1, 0, 0]),
    ],
)
def test_codes(
    codes_of: CodesOf, trait: str, key: str, values: list[str], codes: list[float]
) -> None:
    assert codes_of(trait, key, values, summary="Patients and healthy controls.") == codes


def test_letters_of_a_drug_are_no_groups(codes_of: CodesOf) -> None:
    assert codes_of("Asthma", "treatment", ["P", "C"], summary=PATIENTS) is None


def test_code_of_a_series_about_something_else(make_description: MakeDescription) -> None:
    description = make_description(["dx: MDD", "dx: ASD", "dx: control"], title="Depression")
    assert RuleExpert().annotate(description, "Chronic_kidney_disease").trait is None


def test_cases_with_one_key_and_controls_with_another(make_description: MakeDescription) -> None:
    row = ["psc stage: I", "psc stage: II", "psc stage: IV", "liver source: donor"]
    description = make_description(
        row,
        title="Primary sclerosing cholangitis (PSC)",
        summary="Explants of patients with PSC and livers of deceased donors.",
    )
    trait = RuleExpert().annotate(description, "Primary_sclerosing_cholangitis").trait
    assert trait is not None
    assert [trait.values.get(cell) for cell in row] == [1, 1, 1, 0]


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("ldlr", ["p.W23X het", "wt"]),
        ("ldlr genotype", ["c.313+1G>A", "wild type"]),
        ("LDLR", ["E207K", "WT/WT"]),
    ],
)
def test_genotype_of_the_gene_of_a_disease(codes_of: CodesOf, key: str, values: list[str]) -> None:
    assert codes_of("Familial_Hypercholesterolemia", key, values) == [1, 0]


def test_a_disease_that_was_excluded_is_not_studied(make_description: MakeDescription) -> None:
    description = make_description(
        ["group: M1", "group: M2", "group: healthy"],
        title="Monocytes in infarction",
        summary="Monocytes of people after infarction. Patients with asthma were excluded.",
    )
    assert RuleExpert().annotate(description, "Asthma").trait is None


@pytest.mark.parametrize("other", [None, "diagnosis: NA"])
def test_samples_without_the_diagnosis_that_others_have_are_controls(
    make_description: MakeDescription, other: str | None
) -> None:
    row = ["diagnosis: asthma", other]
    described = make_description(row, title="Asthma", summary=PATIENTS)
    found = RuleExpert().annotate(described, "Asthma").trait
    assert found is not None
    assert found.values == {"diagnosis: asthma": 1, other or "": 0}
    silent = make_description(row, title="Asthma", summary="Patients with asthma.")
    assert RuleExpert().annotate(silent, "Asthma").trait is None


def test_unknown_diagnosis_is_no_control(make_description: MakeDescription) -> None:
    described = make_description(
        ["diagnosis: asthma", "diagnosis: unknown"], title="Asthma", summary=PATIENTS
    )
    assert RuleExpert().annotate(described, "Asthma").trait is None


DETAILS = [
    ("illness duration (years)", ["3", "8.5", "N/A"], [1, 1, 0]),
    ("age of onset", ["19", "24 yr", "-"], [1, 1, 0]),
    ("asthma duration", ["6 months", "0", "14 months"], [1, 0, 1]),
    ("disease extent", ["small airways", "whole lung", "none"], [1, 1, 0]),
]


@pytest.mark.parametrize(("key", "values", "codes"), DETAILS)
def test_what_patients_alone_have(
    codes_of: CodesOf, key: str, values: list[str], codes: list[float]
) -> None:
    assert codes_of("Asthma", key, values, summary=PATIENTS) == codes


def test_a_word_for_nothing_under_age_as_well_says_that_nothing_is_known(
    make_description: MakeDescription,
) -> None:
    key, values, _ = DETAILS[0]
    row = [f"{key}: {value}" for value in values]
    described = make_description(row, ["age: 40", "age: NA"], title="Asthma", summary=PATIENTS)
    assert RuleExpert().annotate(described, "Asthma").trait is not None
    described = make_description(row, ["age: 40", "age: N/A"], title="Asthma", summary=PATIENTS)
    assert RuleExpert().annotate(described, "Asthma").trait is None


def test_key_that_names_case_and_control_is_no_key_of_controls(
    make_description: MakeDescription,
) -> None:
    row = ["cancer/normal: C", "cancer/normal: N", "tissue bank: healthy"]
    title = "Breast cancer and healthy breast"
    trait = RuleExpert().annotate(make_description(row, title=title), "Breast_Cancer").trait
    assert trait is not None and [trait.values[cell] for cell in row] == [1, 0, 0]


@pytest.mark.parametrize(
    ("trait", "values", "codes"),
    [
        ("Crohns_Disease", ["normal", "inflamed", "non-inflamed"], [0, 1, 1]),
        ("Crohns_Disease", ["healthy individual, non-inflamed", "normal", "inflamed"], [0, 0, 1]),
        ("Psoriasis", ["normal", "lesional", "non-lesional"], [0, 1, 0]),
        ("Breast_Cancer", ["normal", "breast cancer", "uninvolved"], [0, 1, 0]),
    ],
)
def test_unaffected_tissue_of_patients(
    codes_of: CodesOf, trait: str, values: list[str], codes: list[float]
) -> None:
    name = trait.replace("_", " ")
    texts = {"title": f"{name} and controls", "summary": f"Patients with {name}, healthy controls."}
    assert codes_of(trait, "tissue", values, **texts) == codes


def test_cells_that_list_several_keys(make_description: MakeDescription) -> None:
    row = ["Gender: female, Age: 38, Disease: asthma", "Gender: female, Age: 40, Disease: none"]
    found = RuleExpert().annotate(make_description(row, title="Asthma", summary=PATIENTS), "Asthma")
    assert found.trait is not None and list(found.trait.values.values()) == [1, 0]


def test_codes_that_the_key_explains(codes_of: CodesOf) -> None:
    key = "tissue (t=tumor, nt=non-tumor)"
    assert codes_of("Lung_Cancer", key, ["T", "NT"], title="Lung cancer") == [1, 0]


def test_two_rows_that_are_one_column(make_series: MakeSeries) -> None:
    series = make_series(
        ["tissue: heart"] * 4,
        ["disease state: HCM", "disease state: HCM", "age: 40", "age: 50"],
        ["age: 60", "age: 30", "sample type: control", "sample type: control"],
        title="Hypertrophic cardiomyopathy (HCM)",
    )
    trait = "Hypertrophic_Cardiomyopathy"
    found = RuleExpert().annotate(describe_series(series), trait).trait
    assert found is not None
    assert apply_encoding(found, series, procedure="sound").codes.tolist() == [1, 1, 0, 0]
    assert rule_expert("benchmark").annotate(describe_series(series), trait).trait is None


def test_two_keys_of_one_sample_are_not_one_column(make_series: MakeSeries) -> None:
    series = make_series(
        ["disease state: HCM", "disease state: HCM", None, None],
        [None, "sample type: control", "sample type: control", "sample type: control"],
        title="Hypertrophic cardiomyopathy (HCM)",
    )
    found = RuleExpert().annotate(describe_series(series), "Hypertrophic_Cardiomyopathy").trait
    assert found is None
