"""Every gene in the page: what is embedded is what was analysed, in little room."""

from __future__ import annotations

import base64
import json
import os
import shutil
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from genotex.figures import COLOURS
from genotex.reports import Findings, build_page, explorer_data, mark_samples, ranked, render_page
from tests.reports.report_cohort import (
    make_evidence,
    make_findings,
    make_infos,
    make_table,
    vary,
    with_missing,
)

HOSTILE = "</script><img src=x onerror=alert(1)>"


def embedded(genes: int = 300, cases: int = 13, controls: int = 10, **fields: Any) -> str:
    table, roles = make_table(cases, controls, genes=genes)
    findings = vary(make_findings(table, roles), **fields)
    marks = mark_samples(make_evidence(table, roles), table, findings)
    return explorer_data(findings, ranked(findings), table, marks)


def test_samples_are_named_where_there_is_room_and_counted_elsewhere() -> None:
    small, large = json.loads(embedded()), json.loads(embedded(20_000, 100, 90))
    assert len(small["samples"]) == len(small["place"]) == 33
    assert large["samples"] is None
    assert [group[2] for group in large["groups"]] == [90, 10, 100]


def test_twenty_thousand_genes_in_two_hundred_samples_take_less_than_a_megabyte() -> None:
    assert len(embedded(20_000, 100, 90)) < 1_000_000


def column_of(page: dict[str, Any], wanted: str) -> np.ndarray:
    """Return a column of the block, read as its script does."""
    block = np.frombuffer(zlib.decompress(base64.b64decode(page["block"])), dtype=np.uint8)
    place, count = page["symbols"], page["genes"]
    for name, (low, step) in page["columns"].items():
        planes = block[place : place + 4 * count].reshape(4, count).astype(np.int64)
        folded = (planes * 256 ** np.arange(4)[:, None]).sum(axis=0)
        level = np.cumsum(np.where(folded % 2, -(folded + 1) // 2, folded // 2))
        if name == wanted:
            return np.where(level > 0, low + (level - 1) * step, np.nan)
        place += 4 * count
    raise KeyError(wanted)


def test_a_gene_that_is_up_has_the_colour_of_up() -> None:
    page = json.loads(embedded())
    findings = make_findings(*make_table(13, 10, genes=300))
    genes, meaning = ranked(findings), column_of(page, "meaning").round().astype(int)
    hit, up = genes["Significant"].to_numpy(), genes["Coefficient"].to_numpy() > 0
    names = np.array([name for name, _ in page["meanings"]])[meaning]
    assert (names == np.where(hit, np.where(up, "up", "down"), "rest")).all()
    assert {"up", "down"} <= set(names)
    assert all(COLOURS[name] == colour for name, colour in page["meanings"])
    effect = column_of(page, "effect")
    np.testing.assert_allclose(effect, genes["Coefficient"], atol=1e-4)


def test_same_input_gives_the_same_text() -> None:
    assert embedded() == embedded()


def test_text_cannot_end_the_script() -> None:
    table, roles = make_table(genes=20)
    table = replace(table, samples=(HOSTILE, *table.samples[1:]))
    findings = make_findings(*make_table(genes=20))
    marks = mark_samples(make_evidence(table, roles), table, findings)
    assert "<" not in explorer_data(findings, ranked(findings), table, marks)


def test_no_genes_no_explorer() -> None:
    table, roles = make_table(genes=20)
    findings = make_findings(table, roles)
    marks = mark_samples(make_evidence(table, roles), table, findings)
    assert explorer_data(findings, ranked(findings).clear(), table, marks) == ""


def test_measured_levels_are_binned_where_samples_are_counted() -> None:
    table, roles = make_table(60, 60, 60, genes=6_000)
    table = replace(table, trait_values=np.linspace(20, 40, 180))
    findings = make_findings(table, roles, continuous=True)
    marks = mark_samples(make_evidence(table, roles), table, findings)
    page = json.loads(explorer_data(findings, ranked(findings), table, marks))
    assert page["x"] is None
    assert [group[2] for group in page["groups"]] == [36] * 5
    assert page["groups"][0][0].startswith("20 to ")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api",
        reason="browser tests need playwright: pip install 'genotex[browser]'",
    )
    names = ("chromium", "chromium-browser", "chrome")
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.skip("browser tests need Chromium: apt-get install chromium")
    options = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=options)
        yield browser
        browser.close()


def opened(chromium: Any, path: Path, html: str, width: int = 1280, **options: Any) -> Any:
    """Return a tab with the page; its errors are collected in `tab.problems`."""
    path.write_text(html, encoding="utf-8")
    tab = chromium.new_context(viewport={"width": width, "height": 900}, **options).new_page()
    tab.problems = []
    tab.on("pageerror", lambda error: tab.problems.append(str(error)))
    tab.on("request", lambda r: r.url.startswith("file:") or tab.problems.append(r.url))
    tab.goto(path.as_uri())
    return tab


def page_html(findings: Findings, table: Any, roles: dict[str, str]) -> str:
    evidence = make_evidence(table, roles)
    return render_page(build_page(evidence, table, make_infos(), findings, csv_name="genes.csv"))


def numbers(text: str) -> list[float]:
    return [float(word.replace("\u2212", "-")) for word in text.split()]


@pytest.mark.everyday
@pytest.mark.parametrize(("cases", "controls", "genes"), [(13, 10, 400), (100, 90, 6_000)])
def test_any_gene_is_found_with_its_numbers_and_samples(
    chromium: Any, tmp_path: Path, cases: int, controls: int, genes: int
) -> None:
    table, roles = make_table(cases, controls, genes=genes)
    table = with_missing(table)
    findings = make_findings(table, roles)
    tab = opened(chromium, tmp_path / "page.html", page_html(findings, table, roles))
    tab.wait_for_selector("#explorer[data-ready]")
    order = ranked(findings)
    last = order.row(order.height - 1, named=True)
    tab.fill("#explorer-symbol", last["Variable"])
    cells = tab.locator("#explorer-found tr").first.locator("th, td").all_inner_texts()
    assert cells[0] == last["Variable"] == tab.inner_text("#explorer-title")
    assert numbers(cells[1])[0] == pytest.approx(last["Coefficient"], abs=0.0051)
    assert numbers(cells[2])[0] == pytest.approx(last["Mean Expression"], abs=0.0051)
    assert numbers(cells[3])[0] == pytest.approx(last["p"], abs=0.0051)
    assert cells[5] == f"{order.height:,}"
    values = table.expression[:, table.genes.index(last["Variable"])]
    circles = tab.locator("#explorer-drawing circle")
    assert circles.count() == np.isfinite(values).sum()
    tab.close()
    assert tab.problems == []


def test_a_sample_is_drawn_at_its_value(chromium: Any, tmp_path: Path) -> None:
    table, roles = make_table(genes=40)
    findings = make_findings(table, roles)
    tab = opened(chromium, tmp_path / "page.html", page_html(findings, table, roles))
    tab.wait_for_selector("#explorer[data-ready]")
    tab.fill("#explorer-symbol", "CXCL9")
    shown = tab.locator("#explorer-drawing circle title").all_text_contents()
    drawn = {name: float(value) for name, value in (text.split(": ") for text in shown)}
    values = table.expression[:, table.genes.index("CXCL9")]
    room = np.ptp(values) / 253 / 2 + 0.0051
    assert drawn == pytest.approx(dict(zip(table.samples, values, strict=True)), abs=room)


def test_plots_zoom_and_the_contents_stay_in_sight(chromium: Any, tmp_path: Path) -> None:
    table, roles = make_table(genes=400)
    html = page_html(make_findings(table, roles), table, roles)
    for width in (1280, 400):
        tab = opened(chromium, tmp_path / "page.html", html, width)
        tab.wait_for_selector("#explorer[data-ready]")
        picture = "document.getElementById('explorer-canvas').toDataURL()"
        before = tab.evaluate(picture)
        tab.click("[data-zoom='0.5']")
        assert tab.evaluate(picture) != before
        tab.click("[data-zoom='0']")
        assert tab.evaluate(picture) == before
        tab.click("[data-plot=ma]")
        assert tab.get_attribute("#explorer-canvas", "data-plot") == "ma"
        tab.evaluate("scrollTo({top: document.body.scrollHeight, behavior: 'instant'})")
        assert tab.evaluate("document.querySelector('nav').getBoundingClientRect().top") == 0
        assert tab.evaluate("document.documentElement.scrollWidth") == width
        tab.close()
        assert tab.problems == []


def test_heatmap_has_a_drawing_of_its_own_on_a_phone(chromium: Any, tmp_path: Path) -> None:
    table, roles = make_table(genes=60)
    html = page_html(make_findings(table, roles), table, roles)
    wide, narrow = "#figure-heatmap .scroll svg", "#figure-heatmap .narrow svg"
    for width, shown, hidden in ((1280, wide, narrow), (400, narrow, wide)):
        tab = opened(chromium, tmp_path / "page.html", html, width)
        assert tab.is_visible(shown)
        assert not tab.is_visible(hidden)
        assert tab.locator(shown).bounding_box()["width"] <= width
        tab.close()


def test_without_script_the_page_shows_what_it_holds(chromium: Any, tmp_path: Path) -> None:
    table, roles = make_table(genes=40)
    html = page_html(make_findings(table, roles), table, roles)
    tab = opened(chromium, tmp_path / "page.html", html, java_script_enabled=False)
    assert not tab.is_visible("#explorer")
    assert tab.is_visible("#gene-table")
    tab.close()


@pytest.mark.everyday
def test_hostile_symbols_are_shown_as_text(chromium: Any, tmp_path: Path) -> None:
    table, roles = make_table(genes=20)
    findings = make_findings(table, roles)
    bad = pl.when(pl.col("Variable") == "CXCL9").then(pl.lit(HOSTILE)).otherwise("Variable")
    findings = vary(findings, genes=findings.result.genes.with_columns(Variable=bad))
    tab = opened(chromium, tmp_path / "page.html", page_html(findings, table, roles))
    tab.wait_for_selector("#explorer[data-ready]")
    tab.fill("#explorer-symbol", "onerror")
    assert tab.inner_text("#explorer-title") == HOSTILE
    assert tab.locator("#explorer img").count() == 0
    tab.close()
    assert tab.problems == []
