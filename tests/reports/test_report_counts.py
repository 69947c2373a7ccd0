"""RNA-seq cohorts on the page: the mark, the section, the log and the methods."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from genotex.formats import Evidence
from genotex.reports import Findings, log_steps, methods_paragraph, model_methods, render_page
from tests.analysis.counted_tables import draw_counted
from tests.analysis.test_counted_cohorts import solve
from tests.reports.report_cohort import make_evidence, make_table, vary
from tests.reports.report_steps import page_of, plain, view

RECORD: dict[str, Any] = {
    "weights": "voom",
    "span": 0.5,
    "unweighted": ["surrogate variables", "mixed model", "sparse panel"],
    "reads": {"lowest": 4_246_936, "median": 11_066_992, "highest": 30_987_214},
    "genes": 6000,
    "filtered": 2089,
    "kept": 3911,
    "rule": "at least 10 counts in 31 samples or more",
    "normalisation": "TMM",
}
TOLD = (
    "RNA-seq counts, TMM, voom weights: 2,089 of 6,000 genes left out for few counts; 4.2 to 31.0 "
    "million reads a library."
)


pytestmark = pytest.mark.usefixtures("undrawn")


def counted() -> Findings:
    return vary(plain(), method={"counts": RECORD})


def counted_evidence() -> Evidence:
    evidence = make_evidence(*make_table(genes=120))
    counts = {**RECORD, "totals": {"GSM1": 5_000_000, "GSM2": 9_000_000}}
    return replace(evidence, counts=counts, mapping={**evidence.mapping, "scale": "counts"})


def test_page_is_marked_and_leads_to_the_section() -> None:
    page = page_of(counted())
    assert dict(page.facts)["Expression"] == "RNA-seq counts, TMM, voom weights"
    (remark,) = [r for r in page.answer.remarks if r.section == "counts"]
    assert remark.text == TOLD
    html = render_page(page)
    assert '<section id="counts">' in html and '<a href="#counts">Counts</a>' in html
    assert "30,987,214" in html


def test_section_states_filter_weights_and_unweighted_steps() -> None:
    section = view("counts", counted())
    assert section is not None and section.lead == TOLD
    words = " ".join(section.remarks)
    assert "Kept were genes with at least 10 counts in 31 samples or more." in words
    assert "without weights are surrogate variables, mixed model and sparse panel" in words
    assert section.tables[0].rows[0] == ("lowest", "4,246,936")


def test_unweighted_tests_are_reported_as_such() -> None:
    record = {**RECORD, "weights": "none", "reads": {}}
    section = view("counts", vary(plain(), method={"counts": record}))
    assert section is not None and section.tables == ()
    assert section.lead.startswith("RNA-seq counts, TMM, no weights: ")
    assert not any("weight" in remark for remark in section.remarks)


def test_page_of_arrays_does_not_mention_counts() -> None:
    page = page_of(plain())
    assert "Expression" not in dict(page.facts)
    assert "RNA-seq" not in render_page(page)


def test_log_and_methods_state_how_counts_were_processed() -> None:
    findings, evidence = counted(), counted_evidence()
    steps = {step.name: (step.value, step.remark) for step in log_steps(evidence, findings, 100)}
    assert steps["Genes with few counts"] == (
        "2,089", "kept: at least 10 counts in 31 samples or more",
    )  # fmt: skip
    assert steps["Reads of a library"] == ("5,000,000 to 9,000,000", "2 libraries")
    text = methods_paragraph(evidence, findings, 100)
    assert "the read counts that NCBI computes for RNA-seq series" in text
    assert "3,911 genes had at least 10 counts" in text


def test_regression_is_described_with_its_weights() -> None:
    table, counts = draw_counted(genes=40)
    findings = Findings.from_result(solve(table, counts), table)
    text = model_methods(findings, 40)
    assert "weighted least squares with voom's precision weights (Law et al. 2014)" in text
    assert "(Robinson and Oshlack 2010)" in text
    assert findings.record("counts")["weights"] == "voom"
