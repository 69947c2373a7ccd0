"""The section on the samples: what was checked, what was found, and its figures."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from genotex.formats import LinkedTable
from genotex.reports import Findings, Section, render_page, samples_methods
from tests.analysis.sample_cohorts import changed, check, clean_cohort, repeated_people, with_sex
from tests.reports.report_cohort import vary
from tests.reports.report_steps import page_of, plain, view, with_pairs


def checked(table: LinkedTable, **texts: Mapping[str, str | None]) -> Findings:
    record = json.loads(json.dumps(check(table, texts=texts).record))
    return vary(plain(), method={"quality": record})


def section_of(table: LinkedTable, **texts: Mapping[str, str | None]) -> Section:
    section = view("samples", checked(table, **texts))
    assert section is not None
    return section


def faulty() -> LinkedTable:
    """One noisy array, one array twice, one swapped sex."""
    table = clean_cohort()
    values = table.expression.copy()
    values[4] += np.random.default_rng(1).normal(0, 2, values.shape[1])
    values[9] = values[8]
    gender = table.covariates["Gender"].copy()
    gender[13] = 1 - gender[13]
    gender[9] = gender[8]
    return with_sex(changed(table, values), gender)


def test_clean_cohort_has_a_short_section() -> None:
    section = section_of(clean_cohort())
    assert section.lead == "20 samples were checked: no sample is conspicuous."
    (checks,) = section.tables
    rows = dict(row for row in checks.rows)
    assert rows["Outliers"] == rows["Nearly identical"] == rows["Described as pools"] == "none"
    assert rows["Sex by expression"] == "10 female and 10 male; as recorded"
    assert rows["Repeated people"].startswith("none (score ")


def test_every_finding_is_in_the_table_once_for_each_sample() -> None:
    section = section_of(faulty(), title={"GSM2": "pool of controls"})
    assert section.lead == "20 samples were checked: 4 samples are conspicuous."
    found = dict(row for row in section.tables[1].rows)
    assert set(found) == {"GSM4", "GSM8", "GSM2", "GSM13"}
    assert "times as far from the other controls" in found["GSM4"]
    assert found["GSM8"] == "Nearly identical with GSM9."
    assert found["GSM2"].startswith("Described as a pool: pool of controls; ")
    assert found["GSM13"] == "Recorded male, female by expression."


def test_samples_left_out_are_reported_first() -> None:
    findings = checked(faulty())
    left_out = {**findings.record("quality"), "excluded": ["GSM4"]}
    section = view("samples", vary(findings, method={"quality": left_out}))
    assert section is not None
    assert section.lead.endswith("1 outlier was left out.")
    assert dict(row for row in section.tables[0].rows)["Outliers"] == "1, left out"
    assert samples_methods(findings) == ""
    said = samples_methods(vary(findings, method={"quality": left_out}))
    assert said.startswith("GSM4 was left out as an outlier, by the distance from the samples")


def test_blocks_of_similar_samples_are_reported_with_the_remedy() -> None:
    section = section_of(repeated_people())
    assert "and the samples fall into 10 blocks of similar ones" in section.lead
    assert "--pair detected" in section.remarks[-1]
    assert dict(row for row in section.tables[0].rows)["Repeated people"].startswith(
        "10 blocks of 30 samples (score "
    )


def test_what_could_not_be_judged_is_reported() -> None:
    section = section_of(clean_cohort(4))
    rows = dict(row for row in section.tables[0].rows)
    assert rows["Outliers"].startswith("4 samples are too few to find outliers among")
    assert rows["Repeated people"] == "not judged: 4 samples are too few; 8 are needed"
    assert section.figures == () or section.figures[0].key == "sample-sex"


@pytest.mark.parametrize("record", [{}, {"judged": False, "note": "few genes", "samples": 9}])
def test_results_without_checks_have_no_section(record: dict[str, Any]) -> None:
    assert view("samples", vary(plain(), method={"quality": record})) is None


def test_figures_name_the_conspicuous_samples() -> None:
    distance, sex = section_of(faulty()).figures
    assert (distance.key, sex.key) == ("sample-distances", "sample-sex")
    for figure, name in ((distance, "GSM4"), (sex, "GSM13")):
        root = ElementTree.fromstring(figure.svg)
        assert root.get("aria-label") == figure.alt
        assert any(text.text == name for text in root.iter("{http://www.w3.org/2000/svg}text"))
    ids = re.findall(r' id="([^"]+)"', distance.svg) + re.findall(r' id="([^"]+)"', sex.svg)
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("recorded", [True, False])
def test_figures_of_a_measured_trait_and_without_recorded_sex(recorded: bool) -> None:
    table = replace(clean_cohort(), trait_values=np.random.default_rng(0).normal(size=20))
    section = section_of(table if recorded else with_sex(table, None))
    assert [figure.key for figure in section.figures] == ["sample-distances", "sample-sex"]
    marked = "recorded sex" if recorded else "sex by expression"
    assert f"show the {marked}" in section.figures[1].caption


@pytest.mark.usefixtures("undrawn")
def test_page_shows_section_and_figures() -> None:
    page = render_page(page_of(checked(faulty())))
    assert '<a href="#samples">Samples</a>' in page
    assert 'id="figure-sample-distances"' in page and 'id="figure-sample-sex"' in page


def test_people_who_were_detected_are_in_the_remarks_facts_and_methods() -> None:
    findings = checked(repeated_people())
    open_section = view("samples", findings)
    assert open_section is not None
    assert "--pair detected blocks on these people" in " ".join(open_section.remarks)
    for design, text in (
        ("averaged", "Samples of one person, detected by the correlation of their residual"),
        ("correlated", "were treated as correlated (r = 0.40"),
        ("paired", "Samples were compared within 10 blocks detected by the correlation"),
    ):
        r = {"correlation": 0.4} if design == "correlated" else {}
        blocked = with_pairs(findings, key="detected", design=design, blocks=10, samples=30, **r)
        section = view("samples", blocked)
        assert section is not None
        assert "take each block as one person" in " ".join(section.remarks)
        page = page_of(blocked)
        assert text in page.methods
        assert dict(page.facts)["Blocked by"] == "people detected by correlation"
        assert (
            "detected by correlation" in page.answer.contrast and "'detected'" not in page.methods
        )
