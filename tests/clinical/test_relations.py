"""Relations between samples, in the words of submitters to GEO."""

from collections.abc import Sequence

import pytest

from genotex.clinical import SeriesDescription, find_relations


def series(
    titles: Sequence[str] = (),
    about: str = "",
    source: str | Sequence[str] = (),
    **rows: Sequence[str],
) -> SeriesDescription:
    """A series from titles and characteristics; a key's ``_`` stands for a space."""
    count = len(titles) or len(next(iter(rows.values()), ()))
    sources = [source] * count if isinstance(source, str) and source else list(source)
    cells = tuple(tuple(f"{k.replace('_', ' ')}: {v}" for v in row) for k, row in rows.items())
    return SeriesDescription(
        cohort="GSE1",
        summary=about,
        titles=tuple(titles),
        source_names=tuple(sources),
        cells=cells,
        characteristics=cells,
        samples=tuple(f"GSM{n + 1}" for n in range(count)),
    )


def stated(description: SeriesDescription, kind: str) -> list[str | None]:
    """The value of each sample, None where nothing is stated."""
    found = find_relations(description).values(kind)  # type: ignore[arg-type]
    return [found.get(sample) for sample in description.samples]


def each(texts: str) -> list[str]:
    return [text.strip() for text in texts.split("|")]


# --- Time points


@pytest.mark.parametrize(
    ("title", "value"),
    [
        ("MCF7 cells, estradiol, 24 h, rep1", "hour 24"),
        ("A549_IFNg_6hr_2", "hour 6"),
        ("Subject 12 Day 7 whole blood", "day 7"),
        ("PBMC_donor3_day14", "day 14"),
        ("Whole blood, patient 4, week 12", "week 12"),
        ("CF lung transplant BAL, visit 2", "visit 2"),
        ("Monocytes 30 min LPS", "minute 30"),
        ("Skin biopsy, patient 3, baseline", "baseline"),
        ("Colon biopsy patient 8 before treatment", "before treatment"),
        ("Muscle, subject 5, post-training", "after training"),
        ("TB patient 6, month 6 of therapy", "month 6"),
        ("Patient 9 follow-up", "follow-up"),
        # Nothing: ages, durations, survival and the like.
        ("Fetal brain, gestational week 12", None),
        ("12 month old girl, blood", None),
        ("Glioma, survival 14 months", None),
        ("Breast tumour, relapse after 36 months", None),
        ("Neuroblastoma cells passage 12 day", None),
        ("Monozygotic twin 1, 64 years", None),
        ("RA synovial tissue, disease duration 6 months", None),
        ("Endometrium, cycle day 14", None),
        ("3h and 24h pooled LPS response", None),
        ("HOMA-IR baseline level high", None),
        ("Patient 12, visit date 2012-03-04", None),
        ("ICU patient 3 day -1", None),
        ("36 weeks term placenta", None),
        ("24-hour fasted subject 3", None),
    ],
)
def test_time_points_in_titles(title: str, value: str | None) -> None:
    assert stated(series([title]), "time point") == [value]


@pytest.mark.parametrize(
    ("key", "values", "expected"),
    [
        ("time point", "0h|3h|24 hours", ["hour 0", "hour 3", "hour 24"]),
        ("timepoint", "pre|post|Baseline", ["before", "after", "baseline"]),
        ("visit", "V1|visit 2|Screening", ["visit 1", "visit 2", "screening"]),
        ("week", "W0|W12|24", ["week 0", "week 12", "week 24"]),
        ("time (hours)", "0|6", ["hour 0", "hour 6"]),
        ("time", "DAY14|DAY4", ["day 14", "day 4"]),
        ("time post infection", "Day 3 post infection|7 days", ["day 3", "day 7"]),
        # Nothing
        ("overall survival (months)", "12|30", [None, None]),
        ("time to relapse (days)", "100|211", [None, None]),
        ("age (weeks)", "8|12", [None, None]),
        ("disease duration", "6 months|12 months", [None, None]),
        ("time at diagnosis", "43355|43341", [None, None]),
        ("time of sampling", "Morning, after overnight fasting|7 PM", [None, None]),
        ("follow-up (months)", "21|66", [None, None]),
        ("time", "12.2|14.1|55|100.5|7|8.25", [None] * 6),
    ],
)
def test_time_points_under_keys(key: str, values: str, expected: list[str | None]) -> None:
    row = {key.replace(" ", "_"): values.split("|")}
    assert stated(series(**row), "time point") == expected  # type: ignore[arg-type]


# --- Treatments


@pytest.mark.parametrize(
    ("key", "value", "treatment", "group"),
    [
        ("treatment", "DMSO", "dmso", "control treatment"),
        (
            "treatment",
            "0.1% DMSO (vehicle) for 24 h",
            "0.1% dmso (vehicle) for 24 h",
            "control treatment",
        ),
        ("agent", "SY-1365", "sy-1365", "treated"),
        ("treatment", "untreated control", "untreated", "untreated"),
        ("treatment", "none", "untreated", "untreated"),
        ("treated with", "none (control)", "untreated", "untreated"),
        ("treatment", "Placebo", "placebo", "control treatment"),
        ("transfection", "control siRNA", "control sirna", "control treatment"),
        ("treatment", "scrambled shRNA", "scrambled shrna", "control treatment"),
        ("treatment", "empty vector", "empty vector", "control treatment"),
        ("infection", "Mock infection (control)", "mock infection (control)", "control treatment"),
        ("stimulation", "unstimulated", "untreated", "untreated"),
        ("treatment", "TNF in DMSO", "tnf in dmso", "treated"),
        ("treatment", "methotrexate", "methotrexate", "treated"),
        ("treatment group", "fenofibric acid + statin", "fenofibric acid + statin", "treated"),
        ("treatment", "yes", "treated", "treated"),
        # Nothing: people, responses, times, and infections that are diseases.
        ("treatment", "healthy control", None, None),
        ("treatment", "pre-treatment", None, None),
        ("treatment", "NA", None, None),
        ("treatment response", "responder", None, None),
        ("infection", "HIV", None, None),
        ("infection status", "uninfected", None, None),
        ("smoking treatment site", "clinic A", None, None),
        ("treatment", "24 h", None, None),
        ("drug response", "sensitive", None, None),
    ],
)
def test_treatments_under_keys(
    key: str, value: str, treatment: str | None, group: str | None
) -> None:
    found = series(**{key.replace(" ", "_"): [value]})
    assert stated(found, "treatment") == [treatment]
    assert stated(found, "treatment group") == [group]


@pytest.mark.parametrize(
    ("title", "treatment", "group"),
    [
        ("MCF7_DMSO_rep1", "dmso", "control treatment"),
        ("HUVEC, vehicle-treated, 24h", "vehicle", "control treatment"),
        ("A375 treated with vehicle (0.1% DMSO) 24h", "vehicle", "control treatment"),
        ("untreated or mock, 3", None, None),
        ("HepG2 siCtrl 2", "sictrl", "control treatment"),
        ("Monocytes, untreated, donor 3", "untreated", "untreated"),
        ("PBMC unstimulated donor 2", "untreated", "untreated"),
        ("Macrophages treated with IL-4", "il-4", "treated"),
        ("LPS-stimulated monocytes, donor 1", "lps", "treated"),
        ("THP-1 treated with 10 nM estradiol", "estradiol", "treated"),
        ("Keratinocytes stimulated with interferon gamma", "interferon gamma", "treated"),
        # Nothing
        ("JQ1 in DMSO, rep 2", None, None),
        ("Never treated patient 3", None, None),
        ("Newly treated patient 4", None, None),
        ("Patient 3, pre-treated", None, None),
        ("PBS lavage fluid cells", None, None),
        ("TNF + DMSO", None, None),
        ("Macrophages treated with IL-4 and IL-13", None, None),
        ("Heat-treated plasma", None, None),
        ("DMSO or PBS", None, None),
        ("Normal mammary tissue 3", None, None),
    ],
)
def test_treatments_in_titles(title: str, treatment: str | None, group: str | None) -> None:
    assert stated(series([title]), "treatment") == [treatment]
    assert stated(series([title]), "treatment group") == [group]


def test_title_that_differs_from_a_vehicle_control_in_one_word_names_a_treatment() -> None:
    titles = each("A549_DMSO_1 | A549_DMSO_2 | A549_JQ1_1 | A549_JQ1_2 | A549 input 1")
    assert stated(series(titles), "treatment") == ["dmso", "dmso", "jq1", "jq1", None]


def test_remission_next_to_untreated_patients_is_no_treatment() -> None:
    titles = each("RA_untreated_1 | RA_untreated_2 | RA_remission_1 | RA_remission_2")
    assert stated(series(titles), "treatment") == ["untreated", "untreated", None, None]


def test_control_under_treatment_is_a_control_treatment_but_not_next_to_patients() -> None:
    assert stated(series(treatment=["control", "LPS"]), "treatment group") == [
        "control treatment",
        "treated",
    ]
    assert stated(series(treatment=["control", "psoriasis patient"]), "treatment group") == [
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("rows", "doses"),
    [
        ({"dose": ["10nM", "1 nM", "0"]}, ["10 nM", "1 nM", "0"]),
        ({"concentration": ["0.03 uM", "NA", "0.25%"]}, ["0.03 uM", None, "0.25 %"]),
        ({"hepatitis b average concentration": ["31.14", "5"]}, [None, None]),
        ({"RNA concentration": ["31.14", "5"]}, [None, None]),
    ],
)
def test_doses(rows: dict[str, list[str]], doses: list[str | None]) -> None:
    assert stated(series(**rows), "dose") == doses


def test_dose_in_a_title() -> None:
    titles = each("MCF7 E2 10 nM rep1 | MCF7 E2 100nM rep1 | patient 10 M")
    assert stated(series(titles), "dose") == ["10 nM", "100 nM", None]


# --- Cell lines


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("cell line", "MCF-7", "MCF7"),
        ("cell line", "AML cell line  THP-1", "aml thp-1"),
        ("cell line", "HEY_SNS032-resistant", "hey_sns032-resistant"),
        ("cell type", "HeLa cells", "HELA"),
        ("cell line", "KHYG-1", "khyg-1"),
        # Nothing: primary cells of people are no lines.
        ("cell line", "primary keratinocytes", None),
        ("cell line", "PBMC", None),
        ("cell line", "none", None),
        ("cell line", "human dermal fibroblasts", None),
        ("cell type", "CD4+ T cells", None),
        ("tissue", "primary breast tumour", None),
        ("cell type", "PBMC co-cultured with HeLa", None),
    ],
)
def test_cell_lines_under_keys(key: str, value: str, line: str | None) -> None:
    assert stated(series(**{key.replace(" ", "_"): [value]}), "cell line") == [line]


@pytest.mark.parametrize(
    ("titles", "about", "lines"),
    [
        ("MDA-MB-231_siFOXM1_1 | MCF7_siFOXM1_1", "Breast cancer cell lines", ["MDAMB231", "MCF7"]),
        ("THP-1 macrophages LPS", "Cells were stimulated", ["THP1"]),
        # Nothing
        ("PC1 | PC2 | PC3", "Prostate cancer cells of patients", [None, None, None]),
        ("HepG2", "A tumour called so", [None]),
        ("Patient 3 tumour, HT29 score", "cells", [None]),
    ],
)
def test_cell_lines_in_titles(titles: str, about: str, lines: list[str | None]) -> None:
    assert stated(series(each(titles), about), "cell line") == lines


# --- Pools


@pytest.mark.parametrize(
    ("title", "pool"),
    [
        ("Normal kidney pool 1", "yes"),
        ("Pooled RNA of 5 healthy donors", "yes"),
        ("Universal Human Reference RNA", "yes"),
        ("Lung, pool of 3 individuals", "yes"),
        # Nothing
        ("A549 siRNA pool against TP53", None),
        ("Pooled library, lane 3", None),
        ("HeLa SMARTpool siControl", None),
        ("Unpooled sample 4", None),
        ("Stable pool of HEK293 clones", None),
        ("Liverpool cohort, sample 3", None),
    ],
)
def test_pools(title: str, pool: str | None) -> None:
    assert stated(series([title]), "pool") == [pool]


# --- People


def test_donors_of_a_characteristic() -> None:
    found = series(patient_id=["AML-1", "AML-1", "AML-2", "AML-3"])
    assert stated(found, "donor") == ["AML-1", "AML-1", "AML-2", "AML-3"]


@pytest.mark.parametrize(
    "rows",
    [
        {"patient": ["yes", "no", "yes", "no"]},
        {"subject": ["healthy volunteer", "asthmatic", "COPD patient", "smoker"]},
        {"donor": ["alive", "brain-dead donor", "heart-beating", "alive"]},
        {"patient": ["1", "2", "3", "1"], "Sex": ["F", "M", "M", "M"]},
        {"subject": ["1", "2", "3", "1"], "age": ["45", "33", "21", "60"]},
        {"patient status": ["1", "2", "3", "1"]},
        {"donor age": ["1", "2", "3", "1"]},
    ],
)
def test_kinds_of_people_and_numbers_that_start_again_are_no_donors(
    rows: dict[str, list[str]],
) -> None:
    assert stated(series(**rows), "donor") == [None] * 4


@pytest.mark.parametrize(
    ("titles", "people"),
    [
        (
            "Patient 12, lesional | Patient 12, non-lesional | Patient 13, lesional | Patient_14",
            ["patient 12", "patient 12", "patient 13", "patient 14"],
        ),
        (
            "CD4 donor A | CD8 donor A | CD4 donor C | CD8 donor D",
            ["donor a", "donor a", "donor c", "donor d"],
        ),
        (
            "Healthy volunteer 1 | Asthma volunteer 1 | Asthma volunteer 2 | Asthma volunteer 3",
            [
                "healthy volunteer 1",
                "asthma volunteer 1",
                "asthma volunteer 2",
                "asthma volunteer 3",
            ],
        ),
        # Nothing: numbers that start again in each group, ages, words.
        ("RA patient 1 | OA patient 1 | RA patient 2 | OA patient 2", [None] * 4),
        ("tumor patient 1 | normal patient 1 | tumor patient 2 | normal patient 3", [None] * 4),
        ("Subject 1, asthma | Subject 1, healthy | Subject 2 | Subject 3", [None] * 4),
        ("patient 45 years | patient 52 years | patient 61 years", [None] * 3),
        ("donor T cells | donor B cells | donor NK cells", [None] * 3),
        ("patient 1a | patient 1b | patient 2a | patient 2b", [None] * 4),
        ("Patient 3 | Patient 4", [None] * 2),
    ],
)
def test_donors_in_titles(titles: str, people: list[str | None]) -> None:
    assert stated(series(each(titles)), "donor") == people


@pytest.mark.parametrize(
    ("titles", "about", "pairs"),
    [
        (
            "4711_T | 4711_N | 4805_T | 4805_N | 5012_T | 5012_N",
            "Tumor and normal tissue of the colon",
            ["4711", "4711", "4805", "4805", "5012", "5012"],
        ),
        (
            "1 tumor | 1 adjacent normal | 2 tumor | 2 adjacent normal | 3 tumor"
            " | 3 adjacent normal",
            "Paired samples of 3 patients",
            ["1", "1", "2", "2", "3", "3"],
        ),
        (
            "S1 lesional skin | S1 non-lesional skin | S2 lesional skin | S2 non-lesional skin"
            " | S3 lesional skin | S3 non-lesional skin",
            "",
            ["s1 skin", "s1 skin", "s2 skin", "s2 skin", "s3 skin", "s3 skin"],
        ),
        (
            "P1 pre-treatment | P1 post-treatment | P2 pre-treatment | P2 post-treatment"
            " | P3 pre-treatment | P3 post-treatment",
            "",
            ["p1", "p1", "p2", "p2", "p3", "p3"],
        ),
        # Nothing: numbers of each group, too few pairs, one side, single words.
        (
            "Tumor 1 | Tumor 2 | Tumor 3 | Normal 1 | Normal 2 | Normal 3",
            "Tumours and age-matched controls; paired-end sequencing",
            [None] * 6,
        ),
        ("4711_T | 4711_N | 4805_T | 4805_N", "Tumor and normal tissue", [None] * 4),
        ("4711_T | 4805_T | 5012_T | 5013_T", "Tumor and normal tissue", [None] * 4),
        ("T cells 1 | NK cells 1 | T cells 2 | NK cells 2", "cells of donors", [None] * 4),
        ("before | after | before | after", "", [None] * 4),
    ],
)
def test_pairs_in_titles(titles: str, about: str, pairs: list[str | None]) -> None:
    assert stated(series(each(titles), about), "pair") == pairs


def test_pairs_of_different_sex_are_no_pairs() -> None:
    titles = each("P1 pre | P1 post | P2 pre | P2 post | P3 pre | P3 post")
    assert stated(series(titles, gender=["F", "M", "F", "F", "M", "M"]), "pair") == [None] * 6


@pytest.mark.parametrize(
    ("titles", "about", "replicates"),
    [
        (
            "Tumor 7 technical replicate 1 | Tumor 7 technical replicate 2 | Tumor 8",
            "",
            ["tumor 7", "tumor 7", None],
        ),
        ("HeLa biorep1 tech rep 1 | HeLa biorep1 tech rep 2", "", ["hela biorep1"] * 2),
        (
            "Patient 1 rep 1 | Patient 1 rep 2 | Patient 2 | Patient 3",
            "",
            ["patient 1", "patient 1", None, None],
        ),
        # Nothing: biological replicates.
        ("MCF7_E2_rep1 | MCF7_E2_rep2", "", [None] * 2),
        ("Liver biological replicate 1 | Liver biological replicate 2", "", [None] * 2),
        ("Tumor 7 technical replicate 1 | Tumor 8 technical replicate 1", "", [None] * 2),
        (
            "Patient 1 rep 1 | Patient 1 rep 2 | Patient 2 | Patient 3",
            "Three biological replicates",
            [None] * 4,
        ),
    ],
)
def test_technical_replicates(titles: str, about: str, replicates: list[str | None]) -> None:
    assert stated(series(each(titles), about), "technical replicate") == replicates


def test_statements_name_their_place_and_words() -> None:
    found = find_relations(series(["MCF7_DMSO_6h_rep1"], "Cell lines", cell_line=["MCF-7"]))
    assert found.texts("GSM1") == [
        "cell line: MCF7 (characteristic 'cell line': 'MCF-7')",
        "treatment: dmso (title: 'DMSO')",
        "treatment group: control treatment (title: 'DMSO')",
        "time point: hour 6 (title: '6h')",
    ]
    assert found.lines()[0] == "cell line: MCF7 (1); characteristic 'cell line'"
    assert found.as_record()["time point"] == [
        {"value": "hour 6", "place": "title", "words": "6h", "samples": ["GSM1"]}
    ]


@pytest.mark.parametrize(
    "titles",
    [
        "Control 1 | Control 2 | Case 1 | Case 2",
        "OA_synovium_01 | OA_synovium_02 | RA_synovium_01 | RA_synovium_02",
        "GSM1332201 | GSM1332202 | GSM1332203",
        "Brain, prefrontal cortex, AD, M, 78 | Brain, prefrontal cortex, control, F, 81",
        "Colon cancer stage III sample 12 | Colon cancer stage II sample 14 | T3N1M0 sample 15",
        "T0N0M0 tumour | T2N1M0 tumour | T1N0M0 tumour",
        "lung adenocarcinoma 23T | lung adenocarcinoma 24T | lung squamous 25T",
        "Whole blood, septic shock, survivor | Whole blood, septic shock, non-survivor",
        "HLA-B27+ AS 1 | HLA-B27- AS 2 | healthy 3",
        "Hep 3 | Hep 4 | Hep 5",
    ],
)
def test_titles_that_state_no_relation(titles: str) -> None:
    stated = find_relations(series(each(titles), "Patients and controls")).stated
    assert not stated.keys() - {"stage"}


def test_series_without_samples_states_nothing() -> None:
    assert not find_relations(SeriesDescription(titles=("MCF7_DMSO",))).stated
