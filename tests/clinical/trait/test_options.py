"""Levels as numbers and as groups, and cells whose number means missing."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.clinical import (
    RuleExpert,
    SeriesDescription,
    ValueJudge,
    characteristic_candidates,
    encode_cell,
    load_vocabulary,
    why_no_trait,
)
from genotex.clinical.trait import options as ways
from genotex.clinical.trait.scoring import load_weights, score_options, weigh_evidence

from ..conftest import CodesOf, MakeDescription


@pytest.mark.parametrize(
    ("trait", "key", "values", "codes"),
    [
        ("Height", "height (cm)", ["150", "160.5", "182"], [150, 160.5, 182]),
        ("Height", "body height", ["150 cm", "160 cm", "182 cm"], [150, 160, 182]),
        ("Bone_Density", "lumbar spine bmd", ["0.91", "1.02", "0.7"], [0.91, 1.02, 0.7]),
        ("Bone_Density", "bmd (g/cm2)", ["0.91", "1.02", "0.7"], [0.91, 1.02, 0.7]),
        ("LDL_Cholesterol_Levels", "ldl (mg/dl)", ["91", "102", "88"], [91, 102, 88]),
        ("LDL_Cholesterol_Levels", "ldl-c (mmol/l)", ["2,1", "3,5", "4"], [2.1, 3.5, 4]),
        ("Telomere_Length", "telomere length (kb)", ["5.1", "6.2", "7"], [5.1, 6.2, 7]),
        ("Heart_rate", "resting heart rate", ["61 bpm", "72 bpm", "95 bpm"], [61, 72, 95]),
        ("Vitamin_D_Levels", "25-hydroxyvitamin d", ["21.5", "32", "10"], [21.5, 32, 10]),
        ("Metabolic_Rate", "rmr (kcal/day)", ["1400", "1500", "1800"], [1400, 1500, 1800]),
        # "-9" where nothing can be negative is a gap; a dash and words are gaps anyway.
        ("Height", "height (cm)", ["150", "160", "182", "-9"], [150, 160, 182, None]),
        ("Height", "height (cm)", ["150", "160", "182", "-999"], [150, 160, 182, None]),
        ("Height", "height (cm)", ["150", "160", "182", "unknown"], [150, 160, 182, None]),
    ],
)
def test_measured_level(
    make_description: MakeDescription, trait: str, key: str, values: list[str], codes: list[float]
) -> None:
    row = [f"{key}: {value}" for value in values]
    found = RuleExpert().annotate(make_description(row, title=trait.replace("_", " ")), trait).trait
    assert found is not None and found.kind == "continuous"
    assert [encode_cell(found, cell) for cell in row] == codes


def test_numbers_do_not_tell_who_has_a_disease(make_description: MakeDescription) -> None:
    row = [f"systolic blood pressure: {value}" for value in (120, 145, 160)]
    described = make_description(row, title="Hypertension")
    assert RuleExpert().annotate(described, "Hypertension").trait is None


def test_negative_levels_are_no_gaps(make_description: MakeDescription) -> None:
    row = [f"height z-score: {value}" for value in ("-1", "-0.5", "0.2", "1.1")]
    found = RuleExpert().annotate(make_description(row, title="Height"), "Height").trait
    assert found is not None
    assert [encode_cell(found, cell) for cell in row] == [-1, -0.5, 0.2, 1.1]


@pytest.mark.parametrize(
    ("trait", "key", "values", "codes"),
    [
        ("Bone_Density", "bone density", ["low", "high"], [0, 1]),
        ("Bone_Density", "bmd", ["low BMD", "high BMD"], [0, 1]),
        ("Bone_Density", "bone mineral density", ["low", "mid", "high"], [0, 1, 2]),
        ("LDL_Cholesterol_Levels", "ldl cholesterol", ["high", "low"], [1, 0]),
        ("Telomere_Length", "telomere length", ["short", "long"], [0, 1]),
        ("Vitamin_D_Levels", "vitamin d status", ["deficient", "sufficient"], [0, 1]),
        ("Metabolic_Rate", "resting metabolic rate", ["low", "high"], [0, 1]),
        ("Heart_rate", "resting heart rate", ["lowest", "highest"], [0, 1]),
        # In a deficiency the low end is the disease.
        ("High-Density_Lipoprotein_Deficiency", "group", ["low HDL", "normal HDL"], [1, 0]),
        ("High-Density_Lipoprotein_Deficiency", "group", ["Low HDL-C", "High HDL-C"], [1, 0]),
    ],
)
def test_level_in_groups(
    codes_of: CodesOf, trait: str, key: str, values: list[str], codes: list[float]
) -> None:
    assert codes_of(trait, key, values) == codes


def test_another_level_is_not_the_trait(codes_of: CodesOf) -> None:
    values = ["51", "52", "60", "48"]
    assert codes_of("LDL_Cholesterol_Levels", "hdl (mg/dl)", values) is None
    assert codes_of("Height", "weight (kg)", values) is None


def test_minus_nine_under_the_key_of_the_trait_is_missing(codes_of: CodesOf) -> None:
    assert codes_of("Asthma", "asthma", ["1", "0", "-9"]) == [1, 0, None]
    assert codes_of("Depression", "depression", ["yes", "no", "-9"]) == [1, 0, None]


NAMED = ["disease state: asthma", "disease state: healthy control"]
VAGUE = ["group: patient", "group: control"]
TREATED = ["treatment: asthma drug", "treatment: control"]


def options_of(
    make: MakeDescription, *rows: list[str], title: str = "Asthma"
) -> tuple[list[ways.TraitOption], ways.RowsSeen, ValueJudge]:
    vocabulary = load_vocabulary()
    judge = ValueJudge(vocabulary.trait("Asthma"), vocabulary, title, title)
    return *ways.read_rows(characteristic_candidates(make(*rows)), judge), judge


def test_without_evidence_all_answers_are_equally_likely(make_description: MakeDescription) -> None:
    """Conditional logit with all weights 0: options, none and an overlooked one share alike."""
    options, seen, judge = options_of(make_description, NAMED, VAGUE)
    scores = score_options(options, seen, judge, weights={})
    share = 1 / (len(options) + 2)
    assert scores.none == pytest.approx(share)
    assert [entry.probability for entry in scores.options] == pytest.approx([share] * len(options))


@given(st.floats(-700, 700), st.floats(-700, 700))
@settings(deadline=None)
def test_probabilities_add_up_for_any_weights(any_weight: float, overlooked: float) -> None:
    def make(*rows: list[str]) -> SeriesDescription:
        return SeriesDescription(characteristics=tuple(map(tuple, rows)))

    options, seen, judge = options_of(make, NAMED, VAGUE)
    weights = {"any": any_weight, "overlooked": overlooked}
    scores = score_options(options, seen, judge, weights)
    told = sum(entry.probability for entry in scores.options) + scores.none
    assert 0 <= told <= 1 + 1e-9
    assert math.isfinite(scores.none)


def test_no_option_leaves_none_and_overlooked(make_description: MakeDescription) -> None:
    options, seen, judge = options_of(make_description, ["batch: 1", "batch: 2"])
    assert options == []
    scores = score_options(options, seen, judge)
    assert scores.options == [] and 0.5 < scores.none < 1


def test_row_that_names_the_trait_beats_one_by_context(make_description: MakeDescription) -> None:
    options, seen, judge = options_of(make_description, VAGUE, NAMED, TREATED)
    scored = score_options(options, seen, judge).options
    assert scored[0].candidate.row == 1
    assert scored[0].probability == max(entry.probability for entry in scored)


def test_equally_likely_rows_keep_their_order(make_description: MakeDescription) -> None:
    options, seen, judge = options_of(make_description, NAMED, NAMED)
    scored = score_options(options, seen, judge).options
    assert [entry.candidate.row for entry in scored] == [0, 1]
    assert scored[0].probability == scored[1].probability


def test_evidence_speaks_of_what_is_there(make_description: MakeDescription) -> None:
    options, _, judge = options_of(make_description, NAMED)
    found = weigh_evidence(options[0], judge)
    assert found["case named"] == found["healthy controls"] == found["key: disease"] == 1
    assert "case by context" not in found and "how: level" not in found
    assert 0 not in found.values()


def test_every_weight_is_a_finite_number() -> None:
    assert all(math.isfinite(weight) for weight in load_weights().values())


def test_better_evidence_is_more_certain(make_description: MakeDescription) -> None:
    expert = RuleExpert()
    certainty = [
        expert.annotate(make_description(row, title="Asthma"), "Asthma").certainty
        for row in (NAMED, VAGUE)
    ]
    assert certainty[0] is not None and certainty[1] is not None
    assert certainty[0] > certainty[1]


@pytest.mark.parametrize(
    ("title", "rows", "why"),
    [
        ("Asthma", [["age: 30", "age: 41"]], "nothing differs between samples"),
        ("Wound healing", [["site: arm", "site: leg"]], "names the trait"),
        (
            "Asthma patients before and after therapy",
            [["disease: asthma"], ["time: before", "time: after"]],
            "all samples have it",
        ),
        ("Asthma", [["drug: placebo", "drug: budesonide"]], "treatment, time or course"),
        ("Asthma: all patients gave sputum", [["sex: f", "site: arm", "site: leg"]], "what all"),
        ("circRNA profiles of asthma", [["site: arm", "site: leg"]], "circular RNA"),
    ],
)
def test_absent_trait_has_a_reason(
    make_description: MakeDescription, title: str, rows: list[list[str]], why: str
) -> None:
    annotation = RuleExpert().annotate(make_description(*rows, title=title), "Asthma")
    assert annotation.trait is None
    assert why in why_no_trait(annotation)


def test_group_of_another_name_is_the_patients_that_the_title_names(
    make_description: MakeDescription, codes_of: CodesOf
) -> None:
    """Only where the texts compare patients to controls and do not name the other disease."""
    title = "Blood of patients with Behcet's disease and healthy controls"
    values = ["healthy", "Bechets_disease"]
    assert codes_of("Behcet's Disease", "disease status", values, title=title) == [0, 1]
    row = ["disease: healthy", "disease: Parkinson's disease"]
    title = "Patients with depression, Parkinson's disease, and healthy controls"
    assert RuleExpert().annotate(make_description(row, title=title), "Depression").trait is None
