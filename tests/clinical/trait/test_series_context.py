"""The texts of a series, for one trait."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.clinical import RuleExpert, load_vocabulary
from genotex.clinical.trait.series_context import SeriesContext, explained_abbreviations

from ..conftest import CodesOf, MakeDescription


def context(trait: str, title: str, summary: str = "") -> SeriesContext:
    vocabulary = load_vocabulary()
    return SeriesContext(vocabulary.trait(trait), vocabulary, title, f"{title}\n{summary}")


@pytest.mark.parametrize(
    ("trait", "title", "summary", "about"),
    [
        ("Asthma", "Airways of asthmatic children", "", True),
        ("Asthma", "Airways", "Asthma is common. We studied asthma.", True),
        ("Asthma", "Airways", "Unlike asthma, COPD is a disease of the old.", False),
        ("Asthma", "", "", False),
        ("Breast_Cancer", "Tumours of the breast", "", True),
        ("Breast_Cancer", "Normal breast", "", False),
        # One of several tumours of its organ: the organ alone does not make it the topic.
        ("Kidney_Chromophobe", "Kidney cancer", "", False),
    ],
)
def test_whether_a_series_is_about_the_trait(
    trait: str, title: str, summary: str, about: bool
) -> None:
    assert context(trait, title, summary).about is about


def test_controls_and_cell_lines_in_the_texts() -> None:
    people = context("Asthma", "Asthma", "Patients and healthy donors")
    assert people.mentions_controls and not people.is_of_cells
    cells = context("Asthma", "Asthma", "A549 cell line, transfected")
    assert cells.is_of_cells and not cells.mentions_controls


def test_abbreviations_are_spelt_out_in_values_and_keys() -> None:
    found = context("Asthma", "Airways", "severe eosinophilic asthma (SEA), mild disease (MD)")
    assert found.spelt_out("SEA, female") == "severe eosinophilic asthma, female"
    assert found.spelt_out("healthy") is None
    assert found.spelt_out("sea") is None  # values as they are written
    assert found.spelt_key("sea status") == "severe eosinophilic asthma status"
    assert found.spelt_key("group") == "group"


@pytest.mark.parametrize(
    ("summary", "meant"),
    [
        ("Status: 1 = healthy controls; 2 = patients.", ["healthy controls", "patients"]),
        ("1: controls, 2: asthmatics", ["controls", "asthmatics"]),
        ("Controls (group 1) and asthma (group 2)", ["Controls", "and asthma"]),
        ("Group 1 (healthy) was compared with group 2 (asthma)", ["healthy", "asthma"]),
        ("1 = mild and 3 = severe", []),  # 2 is not explained
        ("(1) healthy people (2) patients", []),  # what is numbered may come before or after
        ("12 of 21 patients (n = 2)", []),
    ],
)
def test_legend_of_codes_in_the_texts(summary: str, meant: list[str]) -> None:
    found = context("Asthma", "Airways", summary).legend(["1", "2"])
    assert [found[code] for code in sorted(found)] == meant


def test_row_of_codes_is_read_by_the_legend(codes_of: CodesOf) -> None:
    texts = {"title": "Asthma", "summary": "Group A: controls; group B: severe asthma."}
    assert codes_of("Asthma", "group", ["A", "B"], **texts) == [0, 1]
    assert codes_of("Asthma", "group", ["A", "D"], **texts) is None


def test_only_a_key_that_asks_for_the_tissue(codes_of: CodesOf) -> None:
    summary = "Putamen of Parkinson's disease patients was compared with normal cerebellum."
    values = ["putamen", "cerebellum"]
    assert codes_of("Parkinsons_Disease", "batch", values, summary=summary) is None


def test_short_forms_get_their_long_forms() -> None:
    text = (
        "We compared idiopathic environmental intolerance (IEI) with heart failure with preserved "
        "ejection fraction (HFpEF), and (n = 12) controls (HC; unrelated)."
    )
    assert explained_abbreviations(text) == {
        "IEI": "idiopathic environmental intolerance",
        "HFpEF": "heart failure with preserved ejection fraction",
    }


def test_parentheses_that_explain_nothing() -> None:
    assert explained_abbreviations("twelve weeks (GSE1) and total RNA (Qiagen), see (A).") == {}


def test_clause_of_an_abbreviation_begins_behind_the_one_before() -> None:
    text = "asthma (AS, chronic obstructive disease (COD)"
    assert explained_abbreviations(text) == {"AS": "asthma", "COD": "chronic obstructive disease"}


def test_values_mean_what_the_texts_explain(make_description: MakeDescription) -> None:
    description = make_description(
        ["class: QTC", "class: QTA"],
        title="Follicular tumours",
        summary="quick thyroid cancer (QTC) and quiet thyroid adenoma (QTA)",
    )
    trait = RuleExpert().annotate(description, "Thyroid_Cancer").trait
    assert trait is not None
    assert list(trait.roles.values()) == ["case", "other disease"]
    assert any("as the texts explain 'QTC'" in line for line in trait.reasons.values())


@settings(deadline=None)
@given(st.text(alphabet="ab AB()-;", max_size=60))
def test_no_text_breaks_the_search(text: str) -> None:
    for short, long in explained_abbreviations(text).items():
        assert len(long) > len(short)


def test_the_s_of_a_possessive_begins_no_long_form() -> None:
    found = explained_abbreviations("criteria for primary Sjogren\u2019s syndrome (SS) were met")
    assert found == {"SS": "Sjogren\u2019s syndrome"}


def test_explanations_in_either_order() -> None:
    text = "Groups: NMC = non-manifesting carriers; HV (healthy volunteers)."
    assert explained_abbreviations(text) == {
        "NMC": "non-manifesting carriers", "HV": "healthy volunteers"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("summary", "tumour", "organ"),
    [
        ("lung adenocarcinoma (LUAD) was compared", "adenocarcinoma", "lung"),
        ("adenocarcinoma of the lung was compared", "Adenocarcinoma", "lung"),
        ("lung adenocarcinoma was compared", "adenocaricnoma", "lung"),
        ("lung adenocarcinoma and breast adenocarcinoma", "adenocarcinoma", None),
        ("lung adenocarcinoma; adenocarcinoma is common", "adenocarcinoma", None),
        ("nothing of the kind", "adenocarcinoma", None),
        ("lung tumors were compared", "tumor", None),  # every cancer is a tumour
        ("breast adenocarcinoma", "adenocarcinoma", None),
    ],
)
def test_tumour_of_another_organ(summary: str, tumour: str, organ: str | None) -> None:
    assert context("Breast_Cancer", "Breast cancer", summary).organ_elsewhere(tumour) == organ


def test_only_a_cancer_has_tumours_elsewhere() -> None:
    found = context("Asthma", "Asthma", "lung adenocarcinoma")
    assert found.organ_elsewhere("adenocarcinoma") is None
