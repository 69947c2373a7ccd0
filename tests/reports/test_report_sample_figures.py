"""The figures of the samples as a whole: before and after, distances, correlations, densities."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from genotex.formats import Evidence, LinkedTable, distribution_record
from genotex.procedure import Procedure
from genotex.reports import (
    FigureView,
    Findings,
    Section,
    draw_sample_figures,
    mark_samples,
    steps_between,
    with_sample_figures,
)
from tests.reports.report_cohort import make_evidence, make_findings, make_table, vary
from tests.reports.report_steps import page_of, plain

KEYS = ("boxes", "mds", "correlations", "densities")


def figures_of(table: LinkedTable, evidence: Evidence, findings: Findings) -> dict[str, FigureView]:
    marks = mark_samples(evidence, table, findings)
    return {each.key: each for each in draw_sample_figures(table, marks, evidence, findings)}


@cache
def cohort() -> tuple[LinkedTable, Evidence, Findings]:
    table, roles = make_table(genes=60)
    return table, make_evidence(table, roles), make_findings(table, roles)


def with_values(scale: str, **fields: Any) -> Evidence:
    table, evidence, _ = cohort()
    values = np.exp2(table.expression.T)
    record = distribution_record(table.samples, values, scale)
    return replace(evidence, distributions=record, **fields)


def test_every_figure_is_drawn_and_named() -> None:
    table, _, findings = cohort()
    figures = figures_of(table, with_values("linear"), findings)
    assert tuple(figures) == KEYS
    for figure in figures.values():
        for svg in (figure.svg, figure.narrow or figure.svg):
            root = ElementTree.fromstring(svg)
            assert root.get("aria-label") == figure.alt
            assert "mathdefault" not in svg
    assert figures["boxes"].wide and figures["boxes"].narrow


def test_values_before_are_on_the_axis_of_their_scale() -> None:
    table, _, findings = cohort()
    linear = figures_of(table, with_values("linear", mapping={}), findings)["boxes"]
    assert linear.title == "Distribution of each sample, before and after"
    assert "(60 rows, logarithmic axis); below: after preprocessing (60 genes)" in linear.caption
    assert "In between: log2, mean of the rows of a gene" in linear.caption
    logged = figures_of(table, with_values("log2"), findings)["boxes"]
    assert "logarithmic axis" not in logged.caption and "taken as log2" in logged.caption


def test_folders_without_a_record_show_the_values_after() -> None:
    table, evidence, findings = cohort()
    assert not evidence.distributions
    boxes = figures_of(table, evidence, findings)["boxes"]
    assert boxes.title == "Distribution of each sample"
    assert "were not recorded when the cohort was prepared" in boxes.caption


def test_samples_that_the_input_does_not_hold_are_gaps() -> None:
    table, _, findings = cohort()
    evidence = with_values("counts")
    del evidence.distributions["by_sample"][table.samples[0]]
    assert "boxes" in figures_of(table, evidence, findings)


@pytest.mark.parametrize("genes", [1, 60])
def test_missing_values_and_few_genes(genes: int) -> None:
    table, evidence, findings = cohort()
    values = table.expression[:, :genes].copy()
    values[0] = np.nan
    small = replace(table, genes=table.genes[:genes], expression=values)
    assert bool(figures_of(small, evidence, findings)) == (genes > 1)


def test_a_measured_trait_orders_samples_by_level() -> None:
    table, roles = make_table(genes=60)
    table = replace(table, trait_values=np.random.default_rng(0).normal(size=len(table.samples)))
    findings = make_findings(table, roles, continuous=True)
    figures = figures_of(table, make_evidence(table, roles), findings)
    assert "samples, by Rheumatoid Arthritis" in figures["boxes"].svg
    assert "levels of Rheumatoid Arthritis" in figures["correlations"].caption


def test_many_samples_are_thinned_and_outliers_stay() -> None:
    table, roles = make_table(cases=150, controls=150, others=0, genes=30)
    findings = make_findings(table, roles)
    last = {"sample": table.samples[-2], "reasons": []}
    findings = vary(findings, method={"quality": {"outliers": [last]}})
    figures = figures_of(table, make_evidence(table, roles), findings)
    assert "of 300 samples are drawn" in figures["boxes"].caption
    assert "60 of 300" in figures["densities"].caption


@pytest.mark.parametrize(
    ("scale", "procedure", "words"),
    [
        ("counts", "sound", "counts of a gene added up"),
        ("linear", "sound", "log2, mean of the rows of a gene"),
        ("linear", "benchmark", "linear values left as they are, rows of a gene added up"),
        ("log2", "sound", "values taken as log2, as they are in the file"),
    ],
)
def test_steps_between_are_those_of_the_procedure(scale: str, procedure: str, words: str) -> None:
    evidence = with_values(scale, procedure=Procedure(procedure), mapping={})
    assert steps_between(evidence).startswith(words)


def test_figures_join_the_section_or_make_one() -> None:
    drawn = (FigureView("mds", "Distances", "<svg/>", "caption", "alt"),)
    samples = Section("samples", "Samples", "Samples", "lead")
    counts = Section("counts", "Counts", "Counts", "lead")
    unchecked = vary(plain(), method={"quality": {"judged": False, "note": "few genes"}})
    joined = with_sample_figures([samples, None, counts], drawn, unchecked)
    assert [section.key for section in joined] == ["samples", "counts"]
    assert joined[0].figures == drawn
    made = with_sample_figures([counts], drawn, unchecked)
    assert [section.key for section in made] == ["samples", "counts"]
    assert made[0].lead == "The samples were not checked: few genes."
    assert with_sample_figures([None, counts], (), unchecked) == (counts,)


def test_page_has_them_in_its_section() -> None:
    page = page_of(plain(60))
    (section,) = [section for section in page.sections if section.key == "samples"]
    assert tuple(figure.key for figure in section.figures)[-4:] == KEYS
