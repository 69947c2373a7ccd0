"""The two worked examples of the GenoTEX paper, appendix C: texts and values as printed there.

Where the paper prints values cut ("...") the printed ones are used; where it gives no counts for
single values, any that sum to the counts in its text must do. Passages of the summaries are left
out where "[...]" is.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from genotex.clinical import RuleExpert, apply_encoding, describe_series
from genotex.formats import Series
from genotex.procedure import Procedure

from .conftest import MakeSeries

BREAST = {
    "title": "Unlocking Molecular mechanisms and identifying druggable targets in matched-paired "
    "brain metastasis of Breast and Lung cancers",
    "summary": "Introduction: The incidence of brain metastases in cancer patients is increasing, "
    "with lung and breast cancer being the most common sources. [...] Methods: To that aim, a "
    "cohort of 44 FFPE tissue samples, including 22 breast cancer and 22 lung adenocarcinoma "
    "(LUAD) and their matched-paired brain metastases were collected. Targeted gene expression "
    "profiles of primary tumors were compared to their matched-paired brain metastases samples "
    "[...] We found that upregulated differentially expressed genes in breast cancer brain "
    "metastasis (BM-BC) and brain metastasis from lung adenocarcinoma (BM-LUAD) were associated "
    "with the metabolic stress pathway, particularly related to the glycolysis.",
    "overall_design": "RNA was extracted from FFPE samples of (primary LUAD and their matched "
    "paired brain metastasis n=22, primary BC and their matched paired brain metastasis n=22)",
}
BREAST_VALUES = (
    "TNBC", "ER+ PR+ HER2-", "ER- PR- HER2+", "ER+ PR-HER2+", "ER+ PR- HER2-", "ER- PR+ HER2-"
)  # fmt: skip

EPILEPSY = {
    "title": "Integrated analysis of expression profile and potential pathogenic mechanism of "
    "temporal lobe epilepsy with hippocampal sclerosis",
    "summary": "To investigate the potential pathogenic mechanism of temporal lobe epilepsy with "
    "hippocampal sclerosis (TLE+HS), we have employed analyzing of the expression profiles of "
    "microRNA/ mRNA/ lncRNA/ DNA methylation in brain tissues of hippocampal sclerosis (TLE+HS) "
    "patients. Brain tissues of six patients with TLE+HS and nine of normal temporal or parietal "
    "cortices (NTP) of patients undergoing internal decompression for traumatic brain injury "
    "(TBI) were collected. [...] The cDNA was labeled and hybridized to the Agilent LncRNA+mRNA "
    "Human Gene Expression Microarray V3.0, 4x180K. [...]",
    "overall_design": "Brain tissues of six patients with TLE+HS and nine of normal temporal or "
    "parietal cortices (NTP) of patients undergoing internal decompression for traumatic brain "
    "injury (TBI) were collected.",
}
AGES = (23, 29, 37, 26, 16, 13, 62, 58, 63, 68, 77, 59, 50, 39)

PROCEDURES: tuple[Procedure, ...] = ("sound", "benchmark")


def with_texts(series: Series, texts: dict[str, str]) -> Series:
    return replace(series, series_fields={k: (text,) for k, text in texts.items()})


def cells(key: str, values: Sequence[object]) -> list[str]:
    return [f"{key}: {value}" for value in values]


def breast_series(make: MakeSeries) -> Series:
    """44 samples: 22 with one of the receptor states, the others LUAD or of unknown histology."""
    histology = [*BREAST_VALUES[:1] * 7, *BREAST_VALUES[1:] * 3, *["Unknown"] * 4,
                 *["adenocarcinoma"] * 18]  # fmt: skip
    count = len(histology)
    smoking = ["n.a", "former-smoker", "smoker", "Never smoking", "unknown", "former-roker"]
    treatment = [
        "surgery + chemotherpy",
        "surgery + chemotherpy + Radiotherapy",
        "surgery + chemotherapy + Radiotherapy",
        "surgery",
    ]
    series = make(
        cells("age at diagnosis", [(49, 44, 41, 40)[n % 4] for n in range(count)]),
        cells("Sex", ["female"] * 30 + ["male"] * (count - 30)),
        cells("histology", histology),
        cells("smoking status", [smoking[n % 6] for n in range(count)]),
        cells("treatment after surgery of bm", [treatment[n % 4] for n in range(count)]),
    )
    return with_texts(series, BREAST)


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_breast_cancer_by_histology(make_series: MakeSeries, procedure: Procedure) -> None:
    """GenoTEX paper, appendix C.2 and C.4: 22 cases; adenocarcinoma is that of the lung."""
    series = breast_series(make_series)
    reading = RuleExpert().annotate(describe_series(series), "Breast_Cancer")
    assert reading.gene.available
    assert reading.trait is not None
    assert (reading.trait.row, reading.trait.key) == (2, "histology")
    assert reading.trait.values == {
        **{f"histology: {value}": 1 for value in BREAST_VALUES},
        "histology: Unknown": None,
        "histology: adenocarcinoma": 0,
    }
    assert reading.trait.roles["histology: adenocarcinoma"] == "other disease"
    coded = Counter(apply_encoding(reading.trait, series, procedure=procedure).codes.tolist())
    assert coded[1.0] == 22
    assert coded[0.0] == 18
    assert reading.age is not None and reading.age.row == 0
    assert reading.gender is not None and reading.gender.row == 1


def test_the_same_series_annotated_for_lung_cancer(make_series: MakeSeries) -> None:
    """The other side of C.2: adenocarcinoma is the case, receptor states are another cancer."""
    trait = RuleExpert().annotate(describe_series(breast_series(make_series)), "Lung_Cancer").trait
    assert trait is not None and trait.row == 2
    assert trait.values["histology: adenocarcinoma"] == 1
    assert trait.values["histology: Unknown"] is None
    assert all(trait.values[f"histology: {value}"] == 0 for value in BREAST_VALUES)


def epilepsy_series(make: MakeSeries, hippocampus: int, temporal: int) -> Series:
    """15 samples; the paper prints 14 different ages, so that one of them appears twice."""
    parietal = 15 - hippocampus - temporal
    tissue = ["Hippocampus"] * hippocampus + ["Temporal lobe"] * temporal
    series = make(
        cells("tissue", [*tissue, *["Parietal lobe"] * parietal]),
        cells("gender", ["Female", "Male"] * 7 + ["Female"]),
        cells("age", [f"{age}y" for age in (*AGES, AGES[-1])]),
    )
    return with_texts(series, EPILEPSY)


def test_epilepsy_by_tissue_is_left_to_a_person(make_series: MakeSeries) -> None:
    """GenoTEX paper, appendix C.3: no value names the trait; the row that divides is offered."""
    design = epilepsy_series(make_series, hippocampus=6, temporal=4)
    reading = RuleExpert().annotate(describe_series(design), "Epilepsy")
    assert reading.trait is None
    assert "'tissue' (6 Hippocampus, 5 Parietal lobe, 4 Temporal lobe)" in reading.notes[-1]


def test_ages_and_sexes_of_the_epilepsy_example(make_series: MakeSeries) -> None:
    series = epilepsy_series(make_series, 6, 4)
    reading = RuleExpert().annotate(describe_series(series), "Epilepsy")
    assert reading.age is not None and reading.gender is not None
    assert (reading.age.row, reading.gender.row) == (2, 1)
    ages = apply_encoding(reading.age, series, procedure="sound").codes
    assert tuple(ages.tolist()) == (*AGES, AGES[-1])
    sexes = apply_encoding(reading.gender, series, procedure="sound").codes
    assert sexes[:2].tolist() == [0, 1]
