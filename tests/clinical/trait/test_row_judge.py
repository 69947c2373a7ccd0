"""Values that mean something by the company they keep."""

import pytest

from genotex.clinical import (
    ValueJudge,
    characteristic_candidates,
    is_number,
    judge_row,
    load_vocabulary,
    rest_as_cases,
    rest_as_controls,
)

from ..conftest import CodesOf, MakeDescription


@pytest.mark.parametrize("value", ["12", "1.5", "3-4", "1,5", "+", "45 %", ""])
def test_numbers_are_no_names_of_groups(value: str) -> None:
    assert is_number(value)


@pytest.mark.parametrize("value", ["IIA", "group 1b", "T cell"])
def test_names_that_hold_a_number(value: str) -> None:
    assert not is_number(value)


def test_plus_and_minus_of_one_name_are_forms_of_it(codes_of: CodesOf) -> None:
    assert codes_of("Bipolar_disorder", "group", ["BD(+)", "BD(-)", "control"]) == [1, 1, 0]
    assert codes_of("Bipolar_disorder", "group", ["BD (+)", "BD (\u2212)", "HC"]) == [1, 1, 0]
    assert codes_of("Schizophrenia", "group", ["SZ+", "SZ-", "HC"]) == [1, 1, 0]


def test_minus_alone_denies(codes_of: CodesOf) -> None:
    assert codes_of("COVID-19", "group", ["COVID-19 (+)", "influenza", "COVID-19 (-)"]) is not None
    assert codes_of("COVID-19", "group", ["COVID-19", "COVID-19 (-)"]) == [1, 0]


def test_dash_is_a_control_where_the_key_names_the_trait(codes_of: CodesOf) -> None:
    texts = {"title": "Epilepsy", "summary": "Patients and healthy controls"}
    values = ["-", "idiopathic", "cryptogenic"]
    assert codes_of("Epilepsy", "epilepsy type", values, **texts) == [0, 1, 1]
    assert codes_of("Epilepsy", "seizure drug", values, **texts) is None


def test_open_values_with_a_named_case_or_control(make_description: MakeDescription) -> None:
    vocabulary = load_vocabulary()
    judge = ValueJudge(vocabulary.trait("Asthma"), vocabulary, "Asthma", "Asthma")

    def judged(*values: str) -> tuple[object, object]:
        row = [f"group: {value}" for value in values]
        (candidate,) = characteristic_candidates(make_description(row))
        plain = judge_row(candidate, judge)
        return rest_as_controls(candidate, plain, judge), rest_as_cases(candidate, plain, judge)

    controls, cases = judged("asthma", "XQ7")
    assert cases is None and isinstance(controls, dict)
    assert [j.code for j in controls.values()] == [1, 0]
    assert controls["group: XQ7"].role == "unknown"  # a control of unknown health
    controls, cases = judged("healthy", "XQ7", "at risk", "3")
    assert controls is None and isinstance(cases, dict)
    assert [j.code for j in cases.values()] == [0, 1, None, None]
    assert judged("asthma", "healthy", "XQ7") == (None, None)


def test_tumour_that_the_texts_know_from_another_organ(codes_of: CodesOf) -> None:
    texts = {
        "title": "Metastases of colon and lung cancer",
        "summary": "Colon cancer, and small cell carcinoma of the lung (n = 9), were compared.",
    }
    values = ["colon cancer", "small cell carcinoma", "normal colon"]
    assert codes_of("Colon_and_Rectal_Cancer", "histology", values, **texts) == [1, 0, 0]


def test_tumour_whose_organ_the_texts_leave_open(codes_of: CodesOf) -> None:
    texts = {"title": "Lung cancer", "summary": "Adenocarcinoma and lung adenocarcinoma."}
    values = ["NSCLC", "adenocarcinoma", "normal lung"]
    assert codes_of("Lung_Cancer", "histology", values, **texts) == [1, 1, 0]
