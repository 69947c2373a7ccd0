"""Two-step problems and blocked samples on the page."""

from __future__ import annotations

import re

import pytest

from genotex.reports import condition_methods, model_methods, render_page
from tests.reports.report_cohort import vary
from tests.reports.report_steps import page_of, plain, remark, view, with_condition, with_pairs

pytestmark = pytest.mark.usefixtures("undrawn")


def test_facts_show_the_cohort_of_the_condition() -> None:
    facts = dict(page_of(with_condition(plain())).facts)
    assert facts["Condition"] == "Obesity (predicted)"
    assert facts["Condition's cohort"] == "GSE2"
    assert facts["Covariates"] == "Age"


def test_section_lists_cohort_score_and_every_regressor_gene() -> None:
    page = page_of(with_condition(plain()))
    (section,) = page.sections
    assert section.title == "How Obesity was predicted"
    assert "learnt in cohort GSE2 (40 samples) from 2 genes" in section.lead
    words = " ".join(section.remarks)
    assert "logistic regression with an L2 penalty" in words
    assert "it reached AUROC 0.81; 0.5 is chance" in words
    assert "they were not tested" in words
    assert "1 more gene did not vary" in words
    assert section.genes == ("LEP", "FTO")
    html = render_page(page)
    assert "LEP, FTO" in html
    assert '<section id="condition">' in html


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"score": 0.55}, "AUROC 0.55; 0.5 is chance"),
        ({"score_name": "R2", "score": 0.04}, "R\N{SUPERSCRIPT TWO} 0.04; 0 is chance"),
    ],
)
def test_weak_prediction_is_reported_as_such(record: dict[str, object], told: str) -> None:
    section = view("condition", with_condition(plain(), **record))
    assert section is not None
    assert told in section.remarks[0]
    assert "hardly better than chance" in section.remarks[0]


def test_condition_learnt_in_the_same_cohort_is_not_called_unknown_there() -> None:
    findings = with_condition(plain(), cohort="GSE55457")
    section = view("condition", findings)
    assert section is not None
    assert (
        "The training samples of the prediction are among those that it is used for."
        in section.lead
    )


def test_answer_and_methods_call_it_a_prediction() -> None:
    findings = with_condition(plain())
    page = page_of(findings)
    assert page.answer.contrast.endswith("adjusted for age and the prediction of Obesity.")
    assert remark("condition", findings) == (
        "Obesity is a prediction from 2 genes learnt in GSE2, with a cross-validated AUROC 0.81."
    )
    text = condition_methods(findings)
    assert "logistic regression with an L2 penalty trained on 40 samples of GSE2" in text
    assert "These genes were not tested." in text
    assert "and no related gene of the trait" in condition_methods(
        with_condition(plain(), rule="exclusive")
    )


def test_benchmark_records_neither_score_nor_cohort() -> None:
    record = {"cohort": None, "score": None, "score_name": None, "constant_regressors": None}
    findings = vary(with_condition(plain(), **record), method={"procedure": "benchmark"})
    section = view("condition", findings)
    assert section is not None
    words = " ".join([section.lead, *section.remarks])
    assert "None" not in words
    assert "was not measured: this procedure does not score it" in words
    assert "stay among those that the Lasso may select" in words


def test_measured_condition_has_no_such_section() -> None:
    assert view("condition", plain()) is None
    assert remark("condition", plain()) == condition_methods(plain()) == ""


def test_pairs_are_counted_in_contrast_facts_and_methods() -> None:
    findings = with_pairs(plain())
    page = page_of(findings)
    assert re.match(
        "10 pairs by .donor.: 13 cases against 10 healthy controls", page.answer.contrast
    )
    assert dict(page.facts)["Blocked by"] == "donor"
    assert "Samples were compared within 10 pairs by 'donor'" in model_methods(findings, 120)


def test_blocks_that_are_no_pairs_are_not_called_so() -> None:
    assert "10 blocks by" in page_of(with_pairs(plain(), samples=23)).answer.contrast


def test_samples_outside_the_pairs_are_not_counted_as_compared() -> None:
    findings = plain()
    fewer = findings.tested[:-3]
    page = page_of(with_pairs(type(findings)(**{**vars(findings), "tested": fewer})))
    groups = page.answer.groups
    assert sum(group.compared for group in groups) == len(fewer)
    assert sum(group.samples for group in groups) == 33
    partly = next(g for g in groups if 0 < g.compared < g.samples)
    assert f"({partly.compared} compared)" in render_page(page)


def test_averaged_samples_are_reported_as_means() -> None:
    findings = with_pairs(plain(), design="averaged", samples=12)
    assert page_of(findings).answer.contrast.startswith("Means of repeated samples by")
    assert "were averaged before any test: 23 samples became 12." in model_methods(findings, 120)
