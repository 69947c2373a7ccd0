"""The trait in titles, source names and descriptions: titles as submitters of GEO write them."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.clinical import (
    ClinicalAnnotation,
    FeatureEncoding,
    RuleExpert,
    SeriesDescription,
    annotation_notes,
    apply_encoding,
    describe_series,
    load_annotations,
    load_vocabulary,
    reason_texts,
    save_annotations,
)

from ..conftest import MakeSeries


def read(
    trait: str, titles: list[str], title: str = "", summary: str = "", **fields: object
) -> FeatureEncoding | None:
    description = SeriesDescription(
        title=title or trait.replace("_", " "),
        summary=summary,
        titles=tuple(titles),
        **fields,  # type: ignore[arg-type]
    )
    return RuleExpert().annotate(description, trait).trait


def codes(
    trait: str, titles: list[str], title: str = "", summary: str = ""
) -> list[float | None] | None:
    encoding = read(trait, titles, title, summary)
    return None if encoding is None else [encoding.values[cell] for cell in titles]


@pytest.mark.parametrize(
    ("trait", "title", "titles"),
    [
        ("Lung_Cancer", "Lung cancer", ["Patient 12, normal", "Patient 13, normal",
                                        "Patient 12, tumor", "Patient 13, tumor"]),
        ("Alzheimers_Disease", "Alzheimer's disease", ["GSM1_CTRL_03", "GSM2_CTRL_04",
                                                       "GSM3_AD_05", "GSM4_AD_06"]),
        ("Asthma", "Asthma", ["control_rep1", "control_rep2", "asthma_rep1", "asthma_rep2"]),
        ("Asthma", "Asthma of adults", ["Control 1", "Control 2", "Case 4", "Case 5"]),
        ("Asthma", "Asthma in PBMC", ["PBMC from healthy donor HD5", "PBMC from healthy donor HD6",
                                      "PBMC from patient 3", "PBMC from patient 4"]),
        ("Kidney_Clear_Cell_Carcinoma", "Clear cell renal cell carcinoma",
         ["Normal kidney 2", "Normal kidney 3", "ccRCC 1", "ccRCC 2"]),
        ("Lupus_(Systemic_Lupus_Erythematosus)", "Systemic lupus erythematosus",
         ["HC12", "HC13", "SLE_34_V2", "SLE_35_V1"]),
        ("Chronic_kidney_disease", "Diabetic nephropathy (DN)", ["NC-3", "NC-4", "DN-3", "DN-4"]),
        ("Lung_Cancer", "Lung adenocarcinoma and adjacent normal lung", ["N1", "N2", "T1", "T2"]),
        ("Liver_Cancer", "Hepatocellular carcinoma (HCC) and adjacent normal liver",
         ["HCC_N_1", "HCC_N_2", "HCC_T_1", "HCC_T_2"]),
        ("Alzheimers_Disease", "Alzheimer's disease and controls", ["C1", "C2", "AD1", "AD2"]),
        ("Lung_Cancer", "Lung adenocarcinoma", ["Lung adenocarcinoma patient 1, normal",
                                                "Lung adenocarcinoma patient 2, normal",
                                                "Lung adenocarcinoma patient 1, tumor",
                                                "Lung adenocarcinoma patient 2, tumor"]),
        ("COVID-19", "COVID-19", ["NONCOVID_01_ICU", "NONCOVID_02_ICU", "COVID_01", "COVID_02"]),
        ("Obesity", "Obesity", ["lean 1", "lean 2", "obese 1", "obese 2"]),
        ("Kawasaki_Disease", "Kawasaki disease (KD)", ["control 1", "control 2", "KD 1", "KD 2"]),
        ("Schizophrenia", "Schizophrenia", ["control 1", "control 2",
                                            "SCZ drug-naive 1", "SCZ drug-naive 2"]),
    ],
)  # fmt: skip
def test_cases_and_controls_in_titles(trait: str, title: str, titles: list[str]) -> None:
    assert codes(trait, titles, title) == [0, 0, 1, 1]


def test_other_diseases_are_controls_of_their_own_role() -> None:
    titles = ["RA-1", "RA-2", "OA-1", "OA-2", "NC-1", "NC-2"]
    encoding = read("Rheumatoid_Arthritis", titles, "Rheumatoid arthritis (RA) and OA")
    assert encoding is not None
    assert [encoding.roles[t] for t in titles] == [
        "case", "case", "other disease", "other disease", "healthy control", "healthy control"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("trait", "title", "titles"),
    [
        ("Breast_Cancer", "Breast cancer", ["breast cancer cells siESR1 rep 1",
            "breast cancer cells siESR1 rep 2", "siCtrl rep 1", "siCtrl rep 2"]),
        ("Breast_Cancer", "Breast cancer", ["breast cancer cells drug 1",
            "breast cancer cells drug 2", "control breast cancer cells 1",
            "control breast cancer cells 2"]),
        ("Asthma", "Asthma", ["asthma, drug X, 24 h, 1", "asthma, drug X, 24 h, 2",
                              "untreated control 1", "untreated control 2"]),
        ("Asthma", "Asthma", ["asthma, drug X, 24 h, 1", "asthma, drug X, 24 h, 2",
                              "control 1", "control 2"]),
        ("Prostate_Cancer", "Prostate cancer", ["prostate tumor, ADT 1", "prostate tumor, ADT 2",
            "prostate tumor, control 1", "prostate tumor, control 2"]),
        ("COVID-19", "SARS-CoV-2", ["SARS-CoV-2 A549 24h 1", "SARS-CoV-2 A549 24h 2",
                                    "mock A549 24h 1", "mock A549 24h 2"]),
        ("Asthma", "Asthma", ["asthma 1", "asthma 2", "vector control 1", "vector control 2"]),
        ("Asthma", "Asthma", ["asthma 1", "asthma 2", "scramble control 1", "WT control 2"]),
        ("Asthma", "Asthma", ["asthma 1", "asthma 2", "control, 0 h, 1", "control, time 0"]),
        ("Lung_Cancer", "Lung cancer", ["primary tumor 1", "primary tumor 2",
                                        "metastasis 1", "metastasis 2"]),
        ("Lung_Cancer", "Lung cancer and normal lung", ["CD8 T cells 1", "CD8 T cells 2",
                                                        "N1", "N2"]),
    ],
)  # fmt: skip
def test_arms_of_an_experiment_are_no_disease(trait: str, title: str, titles: list[str]) -> None:
    assert codes(trait, titles, title) is None


def test_control_in_a_series_of_treated_cells_is_no_healthy_person() -> None:
    titles = ["asthma, dexamethasone 1", "asthma, dexamethasone 2", "control 1", "control 2"]
    cells = "Epithelial cells were treated with dexamethasone."
    assert codes("Asthma", titles, "Asthma", cells) is None
    people = f"{cells} They came from patients with asthma and healthy volunteers."
    assert codes("Asthma", titles, "Asthma", people) == [1, 1, 0, 0]


def test_healthy_people_stay_controls_in_an_experiment() -> None:
    titles = ["RA patient 1, LPS", "RA patient 2", "Healthy donor 1, LPS", "Healthy donor 2"]
    assert codes("Rheumatoid_Arthritis", titles, "Rheumatoid arthritis (RA)") == [1, 1, 0, 0]


def test_letters_mean_what_the_series_defines() -> None:
    titles = ["PD_1", "PD_2", "HD_1", "HD_2"]
    summary = "Brains with Parkinson's disease (PD) and Huntington's disease (HD)."
    encoding = read("Parkinsons_Disease", titles, "Parkinson's disease", summary)
    assert encoding is not None
    assert encoding.roles["HD_1"] == "other disease"
    assert codes("Parkinsons_Disease", ["AS 1", "AS 2", "HC 1", "HC 2"]) is None
    assert codes("Angelman_Syndrome", ["AS 1", "AS 2", "HC 1", "HC 2"], "Oligos") is None


def test_short_name_of_another_disease_counts_where_the_series_names_it() -> None:
    titles = ["OA 1", "OA 2", "RA 1", "RA 2"]
    both = "Osteoarthritis and rheumatoid arthritis"
    assert codes("Osteoarthritis", titles, both) == [1, 1, 0, 0]
    assert codes("Osteoarthritis", titles, "Osteoarthritis") is None


def test_cell_lines_of_a_disease_are_no_patients() -> None:
    titles = [
        "lung cancer cell line 1",
        "lung cancer cell line 2",
        "normal lung 1",
        "normal lung 2",
    ]
    assert codes("Lung_Cancer", titles, "Lung cancer") is None


@pytest.mark.parametrize(
    ("titles", "told"),
    [
        (["asthma 1", "asthma 2", "healthy 1"], False),
        (["asthma 1", "asthma 2", "healthy 1", "healthy 2"], True),
        (["asthma 1", "asthma 2", "healthy 1", "healthy 2", "x", "y"], True),
        (["asthma 1", "asthma 2", "healthy 1", "healthy 2", "x", "y", "z"], False),
        (["asthma 1", "asthma 2", "asthma 3"], False),
        (["Case 1", "Case 2", "x 1", "x 2"], False),
    ],
)
def test_two_on_each_side_and_most_samples_coded(titles: list[str], told: bool) -> None:
    assert (codes("Asthma", titles, "Asthma") is not None) is told


def test_patients_of_another_series_are_no_cases() -> None:
    titles = ["patient 1", "patient 2", "healthy 1", "healthy 2"]
    assert codes("Asthma", titles, "Psoriasis") is None
    assert codes("Lung_Cancer", ["tumor 1", "tumor 2", "normal 1", "normal 2"], "Colon") is None


def test_level_is_not_taken_from_titles() -> None:
    assert codes("Height", ["high 1", "high 2", "low 1", "low 2"]) is None


def test_source_names(make_series: MakeSeries) -> None:
    names = ["lung, COPD patient"] * 3 + ["lung, healthy smoker"] * 2
    series = make_series(title="COPD", source_name_ch1=[names])
    encoding = RuleExpert().annotate(describe_series(series), "COPD").trait
    assert encoding is not None and encoding.sample_field == "source_name_ch1"
    assert apply_encoding(encoding, series, procedure="sound").codes.tolist() == [1, 1, 1, 0, 0]


def test_second_line_of_descriptions(make_series: MakeSeries) -> None:
    lines = [["see paper"] * 4, ["asthma a", "asthma b", "healthy c", "healthy d"]]
    series = make_series(title="Asthma", description=lines)
    encoding = RuleExpert().annotate(describe_series(series), "Asthma").trait
    assert encoding is not None and encoding.sample_field == "description"
    encoded = apply_encoding(encoding, series, procedure="sound")
    assert encoded.codes.tolist() == [1, 1, 0, 0]
    assert encoded.raw == tuple(lines[1])


def test_pairs_in_descriptions_need_most_samples() -> None:
    rows = (("disease = asthma", "disease = asthma", "disease = healthy", "disease = healthy"),)
    encoding = read("Asthma", [], descriptions=rows)
    assert encoding is not None and encoding.confidence == "inferred"
    assert encoding.evidence[0] == "inferred from the sample descriptions: key 'disease'"
    assert read("Asthma", [], descriptions=((*rows[0], None, None, None),)) is None


def test_marked_as_inferred_with_titles_quoted() -> None:
    titles = ["Asthma 1", "Asthma 2", "healthy 1", "healthy 2", "unclear"]
    description = SeriesDescription(title="Asthma", titles=tuple(titles))
    reading = RuleExpert().annotate(description, "Asthma")
    assert reading.trait is not None and reading.certainty is not None
    assert reading.trait.certainties["healthy 1"] > reading.trait.certainties["unclear"]
    assert reading.trait.confidence == "inferred"
    assert reading.trait.evidence == (
        "inferred from the sample titles: 'Asthma 1', 'healthy 1'",
        "known for 4 of 5 samples",
    )
    assert reason_texts(reading.trait) == [
        "case: 'Asthma' names the trait ('asthma')",
        "healthy control: 'healthy' names a control ('healthy')",
        *(
            ["unknown: has no information about the trait"]
            if "unclear" in reading.trait.reasons
            else []
        ),
    ]
    assert set(titles[:4]) <= set(reading.trait.reasons)
    note = "trait: inferred from the sample titles: 'Asthma 1', 'healthy 1'"
    assert annotation_notes(reading) == (note,)
    assert reading.trait.values["unclear"] is None


KEYWORDS = [
    ("Keywords = kidney",) * 4,
    ("Keywords = cancer; Status = asthma",) * 2 + ("Keywords = cancer; Status = healthy",) * 2,
    ("Keywords = asthma",) * 4,
]


def test_key_with_several_values_in_one_sample_has_no_trait(make_series: MakeSeries) -> None:
    series = make_series(description=[KEYWORDS[0], KEYWORDS[2]], title="Asthma")
    assert RuleExpert().annotate(describe_series(series), "Asthma").trait is None


def test_key_next_to_a_list_of_keywords_has_both_sides(make_series: MakeSeries) -> None:
    series = make_series(description=KEYWORDS, title="Asthma")
    encoding = RuleExpert().annotate(describe_series(series), "Asthma").trait
    assert encoding is not None and encoding.key == "Status"
    assert apply_encoding(encoding, series, procedure="sound").codes.tolist() == [1, 1, 0, 0]


def test_pair_that_occurs_twice_in_a_sample_counts_it_once(make_series: MakeSeries) -> None:
    lines = [("Status = asthma", "Status = healthy", "Status = healthy", "Status = healthy"),
             ("status = asthma", None, None, None)]  # fmt: skip
    description = describe_series(make_series(description=lines, title="Asthma"))
    assert RuleExpert().annotate(description, "Asthma").trait is None, "one case is no side"


def test_patients_by_context_are_arguable() -> None:
    encoding = read("Asthma", ["Case 1", "Case 2", "Control 1", "Control 2"], "Asthma")
    assert encoding is not None and encoding.confidence == "arguable"


def test_source_names_that_contradict_titles_are_reported() -> None:
    encoding = read(
        "Asthma",
        ["asthma 1", "asthma 2", "healthy 1", "healthy 2", "healthy 3"],
        source_names=("asthma", "asthma", "healthy", "healthy", "asthma"),
    )
    assert encoding is not None and encoding.confidence == "arguable"
    assert "contradict it for 1 sample, as" in encoding.evidence[-1]


TITLES_OF_FOUR = ("asthma 1", "asthma 2", "healthy 1", "healthy 2")


def test_row_that_titles_confirm_is_chosen_and_more_certain() -> None:
    cells = (("group: patient",) * 2 + ("group: control",) * 2,)
    description = SeriesDescription(title="Asthma", characteristics=cells, cells=cells)
    alone = RuleExpert().annotate(description, "Asthma")
    confirmed = RuleExpert().annotate(replace(description, titles=TITLES_OF_FOUR), "Asthma")
    assert confirmed.trait is not None and confirmed.trait.row == 0
    assert alone.certainty is not None and confirmed.certainty is not None
    assert confirmed.certainty > alone.certainty and annotation_notes(confirmed) == ()
    also = "the sample titles would give every sample the same code"
    assert also in confirmed.trait.evidence


def test_row_that_a_title_contradicts_says_so() -> None:
    cells = (("disease: asthma",) * 6 + ("disease: healthy",) * 6,)
    titles = tuple(f"{'asthma' if n < 7 else 'healthy'} {n}" for n in range(12))
    description = SeriesDescription(
        title="Asthma", characteristics=cells, cells=cells, titles=titles
    )
    trait = RuleExpert().annotate(description, "Asthma").trait
    assert trait is not None and trait.row == 0
    assert trait.evidence[-1] == "the sample titles contradict it for 1 sample, as 'asthma 6'"


@pytest.mark.parametrize(
    ("trait", "title", "titles"),
    [
        ("Autism_spectrum_disorder_(ASD)", "Autism and controls", ["C_AN1_T", "C_AN2_F",
                                                                   "A_AN3_T", "A_AN4_F"]),
        ("Rheumatoid_Arthritis", "Rheumatoid arthritis and controls",
         ["023_HC_507_CD14+", "137_HC_518_CD14+", "153_RA_105_CD14+_wk0", "173_RA_108_CD14+_wk1"]),
        ("Ulcerative_colitis_(UC)", "Ulcerative colitis and controls",
         ["11 Normal Uninflamed ileum", "12 Normal Uninflamed colon", "13 UC Uninflamed ileum",
          "14 UC Uninflamed colon"]),
        ("Abdominal_Aortic_Aneurysm", "Abdominal aortic aneurysm (AAA) and healthy aorta",
         ["Donor (Sample 1)", "Donor (Sample 2)", "AAA neck (Sample 3)", "AAA neck (Sample 4)"]),
    ],
)  # fmt: skip
def test_words_at_one_place_of_each_title(trait: str, title: str, titles: list[str]) -> None:
    assert codes(trait, titles, title) == [0, 0, 1, 1]


def test_open_titles_are_cases_in_a_series_of_patients_and_controls() -> None:
    titles = ["healthy 1", "healthy 2", "stage III 1", "stage III 2"]
    assert codes("Asthma", titles, "Asthma") is None
    people = "We compared patients with asthma to healthy controls."
    assert codes("Asthma", titles, "Asthma", people) == [0, 0, 1, 1]


def test_without_looking_beyond_characteristics() -> None:
    description = SeriesDescription(title="Asthma", titles=TITLES_OF_FOUR)
    assert RuleExpert(beyond_characteristics=False).annotate(description, "Asthma").trait is None
    assert RuleExpert().annotate(description, "Asthma").trait is not None


def test_annotation_by_titles_is_saved_and_replayed(
    make_series: MakeSeries, tmp_path: Path
) -> None:
    series = make_series(source_name_ch1=[["asthma, F_45", "asthma, M_62", "healthy, F_33",
                                           "healthy, M_51"]], title="Asthma")  # fmt: skip
    reading = RuleExpert().annotate(describe_series(series), "Asthma")
    path = tmp_path / "mine.json"
    save_annotations(path, {"GSE1": reading}, trait="Asthma")
    again: ClinicalAnnotation = load_annotations(path).annotations["GSE1"]
    for name in ("trait", "age", "gender"):
        before, after = getattr(reading, name), getattr(again, name)
        # Certainties are saved rounded.
        assert replace(after, certainties={}) == replace(before, certainties={})
        first = apply_encoding(before, series, procedure="sound")
        assert apply_encoding(after, series, procedure="sound").codes.tolist() == (
            first.codes.tolist()
        )
    assert again.trait is not None
    assert apply_encoding(again.trait, series, procedure="sound").roles == (
        "case", "case", "healthy control", "healthy control"
    )  # fmt: skip


TITLES = st.lists(
    st.one_of(
        st.text(max_size=40),
        st.sampled_from(["asthma 1", "control", "T1", "N-2", "siCtrl", "45y M", "", "non-asthma"]),
    ),
    max_size=8,
)


@settings(max_examples=150, deadline=None)
@given(TITLES, st.sampled_from(["Asthma", "Lung_Cancer", "Height", "x"]), st.text(max_size=60))
def test_no_titles_break_the_expert(titles: list[str], trait: str, title: str) -> None:
    cells = tuple(cell or None for cell in titles)
    description = SeriesDescription(
        title=title, titles=cells, source_names=cells, descriptions=(cells, cells)
    )
    reading = RuleExpert().annotate(description, trait)
    if reading.trait is not None:
        assert reading.trait.confidence != "explicit"
        assert set(reading.trait.values.values()) >= {0.0, 1.0}


def test_control_words_of_the_users_own_count_in_titles(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[words]\nhealthy = ["sano"]\nopen_control = ["testigo"]\n', encoding="utf-8")
    titles = ("sano 1", "sano 2", "asthma 1", "asthma 2")
    description = SeriesDescription(title="Asthma in PBMC", titles=titles)
    assert RuleExpert().annotate(description, "Asthma").trait is None
    encoding = RuleExpert(load_vocabulary(path)).annotate(description, "Asthma").trait
    assert encoding is not None
    assert [encoding.values[title] for title in titles] == [0, 0, 1, 1]


def test_words_for_a_control_only_under_a_key_are_none_in_titles() -> None:
    titles = ["mucosa 1", "mucosa 2", "gastric cancer 1", "gastric cancer 2"]
    assert codes("Stomach_Cancer", titles, "Gastric cancer") is None
    titles = [title.replace("mucosa", "normal mucosa") for title in titles]
    assert codes("Stomach_Cancer", titles, "Gastric cancer") == [0, 0, 1, 1]
