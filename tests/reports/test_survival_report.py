"""The report of a test of the time to an event."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from genotex.analysis import DesignData, SurvivalResult, fit_survival, kaplan_meier
from genotex.options import AnalysisOptions, DesignOptions
from genotex.reports import SurvivalSource, build_survival_page, median_time, write_survival_report
from tests.reports.report_cohort import PLANTED

SOURCE = SurvivalSource(
    "study", ({"name": "v.csv", "size": 10, "used_for": "expression"},), ("a note",)
)


def fitted(
    n: int = 80, genes: int = 60, effect: float = 1.5, design: str = "~ age", **options: Any
) -> SurvivalResult:
    rng = np.random.default_rng(4)
    names = (*PLANTED, *(f"GENE{i}" for i in range(genes)))[:genes]
    values = rng.normal(8, 1, (n, genes))
    hazard = np.exp(effect * (values[:, 0] - 8))
    time = rng.exponential(20 / hazard).round(1) + 0.1
    censored = rng.uniform(1, 60, n).round(1)
    table = pl.DataFrame(
        {
            "months": np.minimum(time, censored),
            "died": (time <= censored).astype(int),
            "age": rng.integers(30, 80, n),
        }
    )
    data = DesignData("study", names, tuple(f"s{i}" for i in range(n)), values, table)
    asked = DesignOptions(design=design, survival="months,died")
    return fit_survival(data, asked, AnalysisOptions(filter_low=False, **options))


@cache
def strong() -> SurvivalResult:
    return fitted()


def test_page_shows_hazard_ratios_and_events() -> None:
    found = strong()
    page = build_survival_page(found, SOURCE)
    facts = dict(page.facts)
    assert facts["Events"] == str(int(found.event.sum()))
    assert int(facts["Events"]) + int(facts["Censored"]) == int(facts["Samples"]) == 80
    first = found.genes.row(0, named=True)
    assert (page.top[0].symbol, page.top[0].estimate) == ("CXCL9", f"{first['hazard_ratio']:.2f}")
    low, high = (f"{np.exp(first[name]):.2f}" for name in ("ci_low", "ci_high"))
    assert page.top[0].interval == f"{low} to {high}"
    assert page.table.cell(page.table.rows[0], page.table.columns[2]) == f"{low} to {high}"
    assert page.significant == found.significant.height >= 1
    assert "given age" in page.question and "(Cox 1972)" in page.methods
    assert any("Kaplan" in work for work in page.software.references)
    assert [figure.key for figure in page.figures] == [
        "survival", "volcano", "histogram", "survival-all",
    ]  # fmt: skip


def test_curves_are_those_of_the_halves_by_the_median() -> None:
    page = build_survival_page(strong(), SOURCE)
    curves = page.figures[0]
    assert curves.title == "Top genes, Kaplan-Meier curves" and curves.narrow
    assert re.search(r"low \(40, \d+ events\)", curves.svg)
    assert "log-rank p = " in curves.svg and "CXCL9" in curves.svg


def test_median_time_is_the_first_time_at_a_half() -> None:
    assert median_time(np.array([2.0, 3, 3, 5]), np.array([1.0, 1, 1, 0])) == 3
    assert kaplan_meier([2, 3, 3, 5], [1, 1, 0, 0]).survival[1] == 0.5
    assert median_time(np.array([2.0, 3, 4]), np.array([1.0, 0, 0])) is None


@pytest.mark.parametrize("effect", [1.5, -1.5])
def test_a_hazard_ratio_above_one_is_an_earlier_event(effect: float) -> None:
    found = fitted(effect=effect)
    ratios = found.significant["hazard_ratio"]
    assert (ratios[0] > 1) == (effect > 0)
    headline = build_survival_page(found, SOURCE).headline
    earlier, later = (ratios > 1).sum(), (ratios < 1).sum()
    assert earlier != later
    assert f"earlier events for {earlier} and with later ones for {later}." in headline


def test_nothing_significant_is_a_result() -> None:
    found = fitted(effect=0.0, design="", q_cut=1e-9)
    page = build_survival_page(found, SOURCE)
    assert page.significant == 0 and page.headline.startswith("None of the 60 tested genes passes")
    assert page.top_title == "First genes of the ranking"
    assert dict(page.facts)["Covariates"] == "none"


def test_a_gene_with_equal_values_has_no_curve() -> None:
    found = strong()
    flat = found.expression.copy()
    flat[:, 0] = 8.0
    changed = SurvivalResult(
        found.genes, found.method, found.warnings, found.time, found.event, found.names, flat
    )
    page = build_survival_page(changed, SOURCE)
    assert "CXCL9" not in page.figures[0].alt and len(page.figures) == 4


def test_written_page_is_whole_and_needs_no_network(tmp_path: Path) -> None:
    path = write_survival_report(tmp_path / "survival.html", strong(), SOURCE)
    html = path.read_text(encoding="utf-8")
    assert [each.name for each in tmp_path.iterdir()] == ["survival.html"]
    assert "<li>a note</li>" in html and "v.csv" in html and 'href="genes.csv"' in html
    assert not re.search(r"(src|href)=\"https?:", html)
    assert html.count("<section") == html.count("</section>")
    same = write_survival_report(tmp_path / "again.html", strong(), SOURCE)
    assert same.read_text(encoding="utf-8") == html
