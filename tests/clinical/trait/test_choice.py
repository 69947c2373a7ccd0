"""Whole readings by situation: who is a case or a control, and which rows are not the trait."""

import itertools
from dataclasses import replace

import pytest

from genotex.clinical import RuleExpert, annotation_notes, describe_series

from ..conftest import CodesOf, MakeDescription, MakeSeries


@pytest.mark.parametrize(
    ("trait", "case", "control"),
    [
        ("Osteoporosis", "osteoporosis", "non-osteoporotic"),
        ("Asthma", "asthma", "free of asthma"),
        ("Asthma", "asthma", "no evidence of asthma"),
        ("Endometriosis", "endometriosis", "women without endometriosis"),
        ("Celiac_Disease", "coeliac disease", "non-coeliac"),
        ("Coronary_artery_disease", "CAD", "non-CAD"),
        ("Cystic_Fibrosis", "CF", "non-CF"),
        ("Liver_cirrhosis", "cirrhosis", "non-cirrhotic"),
        ("Hypertension", "hypertensive", "normotensive"),
        ("Atrial_Fibrillation", "atrial fibrillation", "sinus rhythm"),
        ("Obesity", "obese", "lean"),
        ("Underweight", "underweight", "normal weight"),
        ("Longevity", "centenarian", "control"),
        ("Stomach_Cancer", "gastric cancer", "adjacent normal mucosa"),
        ("Lung_Cancer", "NSCLC", "matched adjacent normal lung"),
        ("Eczema", "lesional", "non-lesional"),
        ("Depression", "depressed suicide", "non-depressed control"),
    ],
)
def test_case_and_its_control(codes_of: CodesOf, trait: str, case: str, control: str) -> None:
    assert codes_of(trait, "group", [case, control]) == [1, 0]


@pytest.mark.parametrize("control", ["healthy donor", "unaffected", "healthy volunteer", "HC"])
def test_words_for_healthy_people(codes_of: CodesOf, control: str) -> None:
    assert codes_of("Asthma", "group", ["asthma", control]) == [1, 0]


@pytest.mark.parametrize(
    ("trait", "values", "codes"),
    [
        ("Type_1_Diabetes", ["type 1 diabetes", "type 2 diabetes", "healthy"], [1, 0, 0]),
        ("Type_2_Diabetes", ["T2DM", "T1DM", "non-diabetic"], [1, 0, 0]),
        ("Crohns_Disease", ["Crohn's disease", "ulcerative colitis", "control"], [1, 0, 0]),
        ("Crohns_Disease", ["CD", "UC", "control"], [1, 0, 0]),
        ("Glioblastoma", ["glioblastoma", "oligodendroglioma", "astrocytoma grade II"], [1, 0, 0]),
        ("Glioblastoma", ["GBM", "LGG"], [1, 0]),
        ("Lower_Grade_Glioma", ["GBM", "oligodendroglioma", "normal brain"], [0, 1, 0]),
        ("Psoriasis", ["psoriasis", "psoriatic arthritis", "healthy"], [1, 0, 0]),
        ("Psoriatic_Arthritis", ["psoriasis", "psoriatic arthritis", "healthy"], [0, 1, 0]),
        ("Rectal_Cancer", ["rectal cancer", "colon cancer", "normal rectum"], [1, 0, 0]),
        ("Ocular_Melanomas", ["uveal melanoma", "cutaneous melanoma"], [1, 0]),
        ("Melanoma", ["melanoma", "nevus", "basal cell carcinoma", "normal skin"], [1, 0, 0, 0]),
        ("Kidney_Clear_Cell_Carcinoma", ["clear cell", "papillary", "chromophobe"], [1, 0, 0]),
        ("Kidney_Papillary_Cell_Carcinoma", ["ccRCC", "pRCC", "chRCC"], [0, 1, 0]),
        ("Kidney_Chromophobe", ["chromophobe RCC", "oncocytoma", "normal kidney"], [1, 0, 0]),
        ("Hypertrophic_Cardiomyopathy", ["HCM", "DCM", "donor heart"], [1, 0, 0]),
        ("Alzheimers_Disease", ["AD", "MCI", "control"], [1, 0, 0]),
        ("Rheumatoid_Arthritis", ["RA", "undifferentiated arthritis", "healthy"], [1, 0, 0]),
        ("Prostate_Cancer", ["prostate cancer", "BPH", "normal prostate"], [1, 0, 0]),
        ("Thyroid_Cancer", ["papillary thyroid carcinoma", "follicular adenoma"], [1, 0]),
        ("Pancreatic_Cancer", ["PDAC", "chronic pancreatitis", "normal pancreas"], [1, 0, 0]),
        ("Multiple_sclerosis", ["RRMS", "OND", "HC"], [1, 0, 0]),
        ("Hypothyroidism", ["hypothyroid", "hyperthyroid", "euthyroid"], [1, 0, 0]),
        ("Stroke", ["ischemic stroke", "TIA", "control"], [1, 0, 0]),
    ],
)
def test_near_miss_is_another_disease(
    codes_of: CodesOf, trait: str, values: list[str], codes: list[float]
) -> None:
    assert codes_of(trait, "diagnosis", values) == codes


@pytest.mark.parametrize(
    ("trait", "values", "codes"),
    [
        # Remission, activity, severity and complications: patients all of them.
        ("Asthma", ["asthma in remission", "healthy"], [1, 0]),
        ("Rheumatoid_Arthritis", ["RA in remission", "RA active", "healthy"], [1, 1, 0]),
        ("Crohns_Disease", ["CD remission", "CD active", "healthy"], [1, 1, 0]),
        ("Celiac_Disease", ["celiac disease on gluten free diet", "healthy"], [1, 0]),
        ("Chronic_kidney_disease", ["CKD stage 3", "CKD stage 5", "healthy"], [1, 1, 0]),
        ("Lupus_(Systemic_Lupus_Erythematosus)", ["SLE without nephritis", "healthy"], [1, 0]),
        # Unknown whether these have it, or will.
        ("Asthma", ["asthma", "at risk", "healthy"], [1, None, 0]),
        ("Breast_Cancer", ["breast cancer", "BRCA1 carrier", "control"], [1, None, 0]),
        ("Hepatitis", ["chronic hepatitis B", "asymptomatic carrier", "healthy"], [1, None, 0]),
        ("Type_1_Diabetes", ["T1D", "first degree relative", "healthy"], [1, None, 0]),
        ("Type_1_Diabetes", ["T1D", "sibling of T1D patient", "healthy"], [1, None, 0]),
    ],
)
def test_people_with_and_around_the_disease(
    codes_of: CodesOf, trait: str, values: list[str], codes: list[float | None]
) -> None:
    assert codes_of(trait, "group", values) == codes


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("treatment", ["placebo", "prednisone"]),
        ("therapy", ["none", "methotrexate"]),
        ("time", ["0h", "24h"]),
        ("dose", ["0 mg", "5 mg"]),
        ("response", ["responder", "non-responder"]),
        ("outcome", ["died", "survived"]),
        ("vital status", ["dead", "alive"]),
        ("relapse", ["yes", "no"]),
        ("severity", ["mild", "severe"]),
        ("subtype", ["eosinophilic", "neutrophilic"]),
        ("batch", ["normal", "asthma"]),
        ("cell line", ["A549", "BEAS-2B"]),
        ("smoking", ["smoker", "never smoker"]),
        ("severity", ["mild asthma", "severe asthma"]),
    ],
)
def test_row_of_patients_alone_is_not_the_trait(
    codes_of: CodesOf, key: str, values: list[str]
) -> None:
    assert codes_of("Asthma", key, values) is None


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("subtype", ["luminal A", "basal-like", "HER2-enriched"]),
        ("er status", ["ER+", "ER-"]),
        ("receptors", ["ER+/PR+/HER2-", "ER-/PR-/HER2-", "ER+ PR- HER2+"]),
        ("cell line", ["MCF7", "T47D"]),
        ("hormone receptors", ["ER positive", "ER negative"]),
    ],
)
def test_forms_of_breast_cancer_are_all_cases(
    codes_of: CodesOf, key: str, values: list[str]
) -> None:
    assert codes_of("Breast_Cancer", key, values) is None


@pytest.mark.parametrize(
    "state", ["ER+PR+HER2-", "ER-/PR-/HER2-", "ER negative", "HER2+", "HR+/HER2-", "TNBC"]
)
def test_receptor_states_with_normal_tissue(codes_of: CodesOf, state: str) -> None:
    assert codes_of("Breast_Cancer", "type", [state, "normal breast"]) == [1, 0]


@pytest.mark.parametrize(
    ("trait", "values"),
    [
        ("Hepatocellular_Carcinoma", ["hepatocallular carcinoma", "normal liver"]),
        ("Schizophrenia", ["schizophrenai", "control"]),
        ("Osteoarthritis", ["ostoearthritis", "normal"]),
        ("Lung_Cancer", ["lung adenocaricnoma", "normal lung"]),
    ],
)
def test_slip_of_the_pen_in_a_long_word(codes_of: CodesOf, trait: str, values: list[str]) -> None:
    assert codes_of(trait, "diagnosis", values) == [1, 0]


def test_abbreviation_that_the_texts_explain(codes_of: CodesOf) -> None:
    summary = "Children with severe eosinophilic asthma (SEA), and febrile controls (FC)."
    assert codes_of("Asthma", "group", ["SEA", "FC"], title="Airways", summary=summary) == [1, 0]


def test_key_whose_abbreviation_the_texts_explain(codes_of: CodesOf) -> None:
    summary = "Children with doctor diagnosed asthma (DDA) were compared."
    found = codes_of("Asthma", "dda", ["yes", "no"], title="Airways", summary=summary)
    assert found == [1, 0]
    assert codes_of("Asthma", "dda", ["yes", "no"], title="Airways") is None


def test_cells_under_shifted_keys(make_description: MakeDescription) -> None:
    description = make_description(
        ["tissue: blood", "disease: asthma", "disease: healthy"],
        ["disease: asthma", "disease: healthy", "age: 40", "age: 41"],
        title="Asthma",
    )
    reading = RuleExpert().annotate(description, "Asthma")
    assert reading.trait is not None
    assert reading.trait.values == {"disease: asthma": 1, "disease: healthy": 0}
    assert any("shifted" in note for note in annotation_notes(reading))


def test_other_rows_and_their_order_change_no_code(make_description: MakeDescription) -> None:
    told = ["disease: asthma", "disease: COPD", "disease: healthy", "disease: at risk"]
    rows = [told, ["sex: F", "sex: M"], ["age: 45", "age: 51", "age: 60"]]
    seen = []
    for order in itertools.permutations(rows):
        description = make_description(*order, title="Airways in asthma")
        trait = RuleExpert().annotate(description, "Asthma").trait
        assert trait is not None and trait.row == order.index(told)
        seen.append((dict(trait.values), dict(trait.roles), trait.certainty))
    assert all(s == seen[0] for s in seen)


def test_order_of_cells_changes_no_code(make_description: MakeDescription) -> None:
    cells = ["disease: asthma", "disease: COPD", "disease: healthy", "disease: at risk"]
    for order in itertools.permutations(cells):
        trait = RuleExpert().annotate(make_description(order, title="Asthma"), "Asthma").trait
        assert trait is not None
        assert trait.values == dict(zip(cells, (1, 0, 0, None), strict=True))


def test_same_answer_from_every_expert_every_time(make_description: MakeDescription) -> None:
    description = make_description(
        ["group: asthma", "group: control"],
        ["disease: asthma", "disease: healthy"],
        ["status: patient", "status: HC"],
        title="Asthma",
    )
    first = RuleExpert().annotate(description, "Asthma")
    expert = RuleExpert()
    assert all(expert.annotate(description, "Asthma") == first for _ in range(3))


STATE = ["disease: asthma", "disease: asthma", "disease: normal", "disease: normal"]
SAME = ["diagnosis: asthma", "diagnosis: asthma", "diagnosis: normal", "diagnosis: normal"]
OTHER = ["diagnosis: asthma", "diagnosis: normal", "diagnosis: normal", "diagnosis: normal"]


def test_rows_of_the_same_words_pass_a_threshold_together(make_series: MakeSeries) -> None:
    description = describe_series(make_series(STATE, SAME))
    reading = RuleExpert(least_certainty=0.8).annotate(description, "Asthma")
    assert reading.trait is not None and reading.runner_up is None
    assert reading.certainty is not None and reading.certainty > 0.8
    assert any("would give every sample the same code" in line for line in reading.trait.evidence)


def test_rows_that_differ_in_one_sample_stay_two_answers(make_series: MakeSeries) -> None:
    description = describe_series(make_series(STATE, OTHER))
    assert RuleExpert(least_certainty=0.8).annotate(description, "Asthma").trait is None
    reading = RuleExpert().annotate(description, "Asthma")
    assert reading.certainty is not None and reading.certainty < 0.65
    assert reading.runner_up is not None and reading.runner_up.row == 1


def test_levels_written_otherwise_are_the_same_numbers(make_series: MakeSeries) -> None:
    tall = ["height (m): 1.72", "height (m): 1.85", "height (m): 1.74", "height (m): 1.6"]
    again = [cell.replace("height (m)", "height").replace("1.6", "1.60") for cell in tall]
    reading = RuleExpert().annotate(describe_series(make_series(tall, again)), "Height")
    assert reading.trait is not None and reading.runner_up is None


def test_unique_values_alone_do_not_show_that_rows_agree(make_series: MakeSeries) -> None:
    known = describe_series(make_series(STATE, SAME))
    reading = RuleExpert().annotate(replace(known, cells=None), "Asthma")
    assert reading.certainty is not None and reading.certainty < 0.65
    assert reading.runner_up is not None


@pytest.mark.parametrize(
    ("trait", "told", "of_cases", "of_controls"),
    [
        ("Liver_Cancer", "disease: hepatocellular carcinoma", "liver tumor", "liver non-tumor"),
        ("Liver_Cancer", "tumor stage: II", "liver tumor", "liver non-tumor"),
        ("Lung_Cancer", "disease state: NSCLC", "lung tumor", "normal lung"),
        ("Psoriasis", "disease state: psoriasis", "psoriatic lesional skin", "non-lesional skin"),
    ],
)
def test_donors_without_a_diagnosis_are_not_the_only_controls(
    make_series: MakeSeries, trait: str, told: str, of_cases: str, of_controls: str
) -> None:
    tissue = [*[of_cases] * 6, *[of_controls] * 5, "normal control"]
    title = f"{trait.replace('_', ' ')} and controls"
    series = make_series([f"tissue: {each}" for each in tissue], [told] * 11 + [None], title=title)
    reading = RuleExpert().annotate(describe_series(series), trait)
    assert reading.trait is not None and reading.trait.row == 0
    assert reading.runner_up is None or reading.runner_up.row != 1
