import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.clinical import (
    FeatureEncoding,
    RuleExpert,
    SeriesDescription,
    annotation_notes,
    description_from_case,
    load_vocabulary,
)
from genotex.errors import UsageError
from genotex.features import simplify

from .conftest import MakeDescription


def roles(encoding: FeatureEncoding | None) -> list[str]:
    assert encoding is not None
    return list(encoding.roles.values())


def trait_of(make: MakeDescription, trait: str, *rows: list[str], **fields: str) -> FeatureEncoding:
    encoding = RuleExpert().annotate(make(*rows, **fields), trait).trait
    assert encoding is not None
    return encoding


def test_disease_healthy_and_other_disease(make_description: MakeDescription) -> None:
    row = ["disease: OA", "disease: Control", "disease: Rheumatoid arthritis", "disease: n/a"]
    encoding = trait_of(make_description, "Osteoarthritis", ["tissue: synovium"], row)
    assert encoding.row == 1
    assert encoding.key == "disease"
    assert list(encoding.values.values()) == [1, 0, 0, None]
    assert roles(encoding) == ["case", "healthy control", "other disease", "unknown"]
    assert encoding.reasons["disease: OA"].startswith("'OA' names the trait")
    assert "healthy" not in encoding.reasons["disease: Rheumatoid arthritis"]


def test_inconsistent_spellings(make_description: MakeDescription) -> None:
    row = [
        "state: osteoarthritis",
        "state: Osteoarthritis ",
        "state: synovial tissue isolated from osteoarthritic joint",
        "state: rheumatoid arthritis patient",
        "state: healthy",
    ]
    encoding = trait_of(make_description, "Osteoarthritis", row)
    assert list(encoding.values.values()) == [1, 1, 1, 0, 0]


@pytest.mark.parametrize(
    "value",
    ["No PTSD", "non-PTSD", "without PTSD", "PTSD negative", "not PTSD", "PTSD-free",
     "free of PTSD", "negative for PTSD", "control"],
)  # fmt: skip
def test_denied_trait_is_a_control(make_description: MakeDescription, value: str) -> None:
    row = ["group: PTSD", f"group: {value}"]
    encoding = trait_of(make_description, "Post-Traumatic_Stress_Disorder", row)
    assert encoding.values == {"group: PTSD": 1, f"group: {value}": 0}
    assert roles(encoding) == ["case", "healthy control"]


@pytest.mark.parametrize(
    ("yes", "no"), [("yes", "no"), ("1", "0"), ("Y", "N"), ("case", "control")]
)
def test_key_that_asks_for_the_trait(make_description: MakeDescription, yes: str, no: str) -> None:
    row = [f"asthma status: {no}", f"asthma status: {yes}", "asthma status: NA"]
    encoding = trait_of(make_description, "Asthma", row)
    assert list(encoding.values.values()) == [0, 1, None]


def test_unknown_words_are_missing_never_a_guess(make_description: MakeDescription) -> None:
    row = ["group: asthma", "group: healthy", "group: XQ7", "group: at risk of asthma"]
    encoding = trait_of(make_description, "Asthma", row)
    assert list(encoding.values.values()) == [1, 0, None, None]


def test_normal_tissue_of_patients_is_a_control(make_description: MakeDescription) -> None:
    row = ["tissue: lung adenocarcinoma", "tissue: normal tissue adjacent to lung adenocarcinoma",
           "tissue: colon carcinoma"]  # fmt: skip
    encoding = trait_of(make_description, "Lung_Cancer", row)
    assert roles(encoding) == ["case", "healthy control", "other disease"]


def test_tumour_and_normal_mean_the_cancer_the_series_is_about(
    make_description: MakeDescription,
) -> None:
    row = ["tissue: tumor", "tissue: normal"]
    encoding = trait_of(make_description, "Breast_Cancer", row, title="Breast cancer expression")
    assert encoding.confidence == "inferred"
    other = RuleExpert().annotate(make_description(row, title="Colon cancer"), "Breast_Cancer")
    assert other.trait is None


@pytest.mark.parametrize(
    "row",
    [
        ["disease: asthma"],
        ["disease: asthma", None],
        ["severity: mild asthma", "severity: severe asthma"],
        ["treatment: placebo", "treatment: prednisone"],
        ["gold stage: 1", "gold stage: 2"],
    ],
)
def test_rows_that_separate_no_cases_from_controls(
    make_description: MakeDescription, row: list[str]
) -> None:
    assert RuleExpert().annotate(make_description(row, title="Asthma"), "Asthma").trait is None


def test_measured_level(make_description: MakeDescription) -> None:
    row = ["height (m): 1.72", "height (m): 1.85", "height (m): 1.74", "height (m): NA"]
    encoding = trait_of(make_description, "Height", row)
    assert (encoding.kind, encoding.parser, encoding.row) == ("continuous", "number", 0)


def test_trait_that_is_not_listed_is_found_by_its_name(make_description: MakeDescription) -> None:
    row = ["diagnosis: Kawasaki disease", "diagnosis: healthy control", "diagnosis: influenza"]
    encoding = trait_of(make_description, "Kawasaki_Disease", row)
    assert list(encoding.values.values()) == [1, 0, 0]
    assert roles(encoding)[2] == "other disease"


def test_shifted_columns_give_the_row_with_most_ages(make_description: MakeDescription) -> None:
    reading = RuleExpert().annotate(
        make_description(
            ["gender: male", "gender: female", "age: 33"],
            ["age: 45", "age: 51", "age: 60", "tissue: blood"],
        ),
        "Asthma",
    )
    assert reading.age is not None and reading.age.row == 1
    assert reading.gender is not None and reading.gender.row == 0
    assert (reading.age.shifted, reading.gender.shifted) == ((0,), ())
    assert "age: cells are shifted: values of this key are also in row 0" in annotation_notes(
        reading
    )


@pytest.mark.parametrize(
    "row",
    [
        ["age: 45", "age: 45 years"],
        ["age of onset: 12", "age of onset: 15"],
        ["passage: 3", "passage: 5"],
        ["disease stage: 1", "disease stage: 2"],
        ["gestational age (weeks): 20", "gestational age (weeks): 30"],
        ["age: unknown", "age: n/a"],
    ],
)
def test_no_age(make_description: MakeDescription, row: list[str]) -> None:
    assert RuleExpert().annotate(make_description(row), "Asthma").age is None


def test_age_and_gender_of_mice_are_not_available(make_description: MakeDescription) -> None:
    description = make_description(
        ["age: 8 weeks", "age: 12 weeks"], ["sex: male", "sex: female"], taxids=("10090",)
    )
    reading = RuleExpert().annotate(description, "Asthma")
    assert not reading.gene.available
    assert reading.age is None
    assert reading.gender is None


def test_source_name_and_description_are_used_when_characteristics_are_silent() -> None:
    description = SeriesDescription(
        source_names=("RNA from normal tissue adjacent to Renal Cell Carcinoma",) * 2
        + ("RNA from Renal Clear Cell Carcinoma tissue",) * 2,
        descriptions=(
            ("Age = 70; Gender = Female; Right Kidney", "Age = 58; Gender = Male", None, "RCC"),
        ),
    )
    reading = RuleExpert().annotate(description, "Kidney_Clear_Cell_Carcinoma")
    assert reading.trait is not None and reading.trait.sample_field == "source_name_ch1"
    assert reading.trait.confidence == "inferred"
    assert list(reading.trait.values.values()) == [0, 1]
    assert reading.age is not None
    assert (reading.age.sample_field, reading.age.key) == ("description", "Age")
    assert reading.gender is not None
    assert dict(reading.gender.values) == {"Gender = Female": 0, "Gender = Male": 1}


CELLS = st.lists(st.one_of(st.none(), st.text(max_size=40)), max_size=5)
KEYED = st.builds(
    "{}: {}".format,
    st.sampled_from(["age", "sex", "disease state", "asthma", "group", "treatment", "height (m)"]),
    st.one_of(
        st.text(max_size=15), st.sampled_from(["asthma", "control", "1", "no asthma", "(-)"])
    ),
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.one_of(CELLS, st.lists(KEYED, max_size=4)), max_size=4),
    st.one_of(st.sampled_from(["Asthma", "Height", "Lung_Cancer"]), st.text(max_size=20)),
    st.text(alphabet=string.printable, max_size=60),
)
def test_no_text_breaks_the_expert(rows: list[list[str | None]], trait: str, title: str) -> None:
    case = {
        "background": {"title": title},
        "sample_characteristics": {str(n): row for n, row in enumerate(rows)},
    }
    if not simplify(trait) or len(load_vocabulary().names.meant(trait)) > 1:
        with pytest.raises(UsageError):
            RuleExpert().annotate(description_from_case(case), trait)
        return
    reading = RuleExpert().annotate(description_from_case(case), trait)
    for encoding in (reading.trait, reading.age, reading.gender):
        assert encoding is None or encoding.evidence
    if reading.trait is not None and reading.trait.kind == "binary":
        assert {0.0, 1.0} <= set(reading.trait.values.values())


def test_tumour_with_the_named_cancer_is_a_case_unless_other_cancers_are_there(
    make_description: MakeDescription,
) -> None:
    row = ["tissue: bladder cancer", "tissue: normal bladder", "tissue: recurrent invasive tumor"]
    alone = trait_of(make_description, "Bladder_Cancer", row, title="Bladder cancer")
    assert list(alone.values.values()) == [1, 0, 1]
    row = [*row[:2], "tissue: colon carcinoma", "tissue: neuroendocrine cancer"]
    among = trait_of(make_description, "Bladder_Cancer", row, title="Bladder cancer")
    assert list(among.values.values()) == [1, 0, 0, 0]


def test_wider_name_with_the_exact_one_stays_open(make_description: MakeDescription) -> None:
    row = ["type: papillary renal cell carcinoma", "type: renal cell carcinoma", "type: normal"]
    encoding = trait_of(make_description, "Kidney_Papillary_Cell_Carcinoma", row)
    assert list(encoding.values.values()) == [1, None, 0]


def test_denial_with_healthy_controls_is_another_disease(make_description: MakeDescription) -> None:
    row = ["group: COVID-19", "group: non-COVID-19", "group: healthy"]
    encoding = trait_of(make_description, "COVID-19", row)
    assert roles(encoding) == ["case", "other disease", "healthy control"]


def test_normal_karyotype_is_no_healthy_control(make_description: MakeDescription) -> None:
    row = ["class: normal karyotype", "class: complex karyotype", "class: AML"]
    description = make_description(row)
    assert RuleExpert().annotate(description, "Acute_Myeloid_Leukemia").trait is None


CODED = st.lists(
    st.builds(
        "{}: {}".format,
        st.sampled_from(["disease", "group", "asthma", "tissue", "bmd", "epilepsy type"]),
        st.sampled_from(
            ["asthma", "no asthma", "healthy", "COPD", "at risk", "-", "+", "-9", "low", "high",
             "1", "0", "lung", "BD(+)", "BD(-)", "?", "patient", "3.5", "4,5", "hippocampus"]
        )
        | st.text(max_size=12),
    ),
    min_size=1,
    max_size=6,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    st.lists(CODED, min_size=1, max_size=4),
    st.sampled_from(
        ["Asthma", "Bone_Density", "Epilepsy", "Breast_Cancer", "Dupuytren contracture"]
    ),
    st.sampled_from(["", "Asthma (AS) and controls", "Epilepsy with hippocampal sclerosis"]),
)
def test_every_annotation_is_consistent(rows: list[list[str]], trait: str, title: str) -> None:
    case = {
        "background": {"title": title},
        "sample_characteristics": {str(n): row for n, row in enumerate(rows)},
    }
    description = description_from_case(case)
    reading = RuleExpert().annotate(description, trait)
    assert reading == RuleExpert().annotate(description, trait)
    assert reading.certainty is None or 0 <= reading.certainty <= 1
    for found in (reading.trait, reading.runner_up):
        if found is None:
            continue
        assert found.certainty is None or 0 <= found.certainty <= 1
        if found.kind == "binary":
            assert set(found.values.values()) <= {0.0, 1.0, None}
            assert found.row is not None
            own = [c for c in description.characteristics[found.row] if c is not None]
            same_key = [c for c in own if c.partition(":")[0] == found.key]
            assert set(same_key) <= set(found.values)
            assert set(found.roles) == set(found.values)
