"""The mixed model on the page: beside the moderated t, or in its place."""

from __future__ import annotations

import polars as pl
import pytest

from genotex.reports import building, illustrating
from genotex.reports.findings import ranked
from genotex.reports.methods_model import model_methods
from genotex.reports.rendering import render_page
from genotex.reports.second_opinion import mixed_methods, view_mixed
from tests.reports.report_cohort import make_evidence, make_table
from tests.reports.report_steps import page_of, plain, with_mixed


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "draw_figures", lambda *_: ())


def test_beside_the_moderated_t_the_ranking_stays() -> None:
    findings = with_mixed(plain(), ranks=False)
    page = page_of(findings)
    by_t = plain().genes.sort(["p", "symbol"])["symbol"][:12].to_list()
    assert [gene.symbol for gene in page.answer.top] == by_t
    assert page.answer.q == "q"
    assert page.answer.remarks[0].text.startswith("Ranked by the moderated t; the mixed model")
    keys = [column.key for column in page.table.columns]
    assert "mixed_q" in keys
    assert not {"mixed", "mixed_se", "mixed_t", "mixed_p"} & set(keys)
    assert page.table.sorted_by == "p"


def test_mixed_model_that_ranks_gives_headline_top_genes_and_order() -> None:
    findings = with_mixed(plain(), ranks=True)
    page = page_of(findings)
    last = plain().genes["symbol"].to_list()[::-1]
    assert page.answer.significant == 2
    assert [gene.symbol for gene in page.answer.top] == last[:12]
    assert page.answer.top[0].q == "0.010"
    assert page.answer.q == "mixed q"
    assert "at q < 0.05 of the mixed model" in page.answer.headline
    assert page.answer.order.startswith("p-value of the mixed model")
    assert page.table.sorted_by == "mixed_p"
    assert [column.key for column in page.table.columns[3:5]] == ["mixed_p", "mixed_q"]
    assert page.table.rows[0].symbol == last[0]
    html = render_page(page)
    head = html[html.index('id="gene-table"') :]
    assert head[: head.index("</thead>")].count("aria-sort") == 1
    assert "conservative" in page.answer.remarks[0].text


def test_no_gene_of_the_mixed_model_is_said_with_its_own_lowest_q() -> None:
    page = page_of(with_mixed(plain(), ranks=True, passes=0))
    assert "q < 0.05 of the mixed model; the lowest q-value is 0.400" in page.answer.headline


def test_volcano_and_histogram_show_the_test_that_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    drawn: dict[str, pl.Series] = {}

    def volcano(genes: pl.DataFrame, *_: object) -> str:
        drawn["volcano"] = genes["p"]
        return "<svg></svg>"

    def histogram(p: object, _: str) -> str:
        drawn["histogram"] = pl.Series(p)
        return "<svg></svg>"

    monkeypatch.setattr(illustrating, "draw_volcano", volcano)
    monkeypatch.setattr(illustrating, "draw_histogram", histogram)
    for name in ("draw_pca", "draw_profiles", "draw_heatmap"):
        monkeypatch.setattr(illustrating, name, lambda *_: "<svg></svg>")
    findings = with_mixed(plain(), ranks=True)
    table, roles = make_table(genes=120)
    marks = building.mark_samples(make_evidence(table, roles), table, findings)
    figures = illustrating.draw_figures(findings, ranked(findings), table, marks)
    mixed = findings.genes["mixed_p"].sort()
    assert drawn["volcano"].sort().equals(mixed, check_names=False)
    assert drawn["histogram"].sort().equals(mixed, check_names=False)
    told = {figure.key: figure.caption for figure in figures}
    assert "of the mixed model" in told["volcano"]
    assert "of the mixed model" in told["histogram"]


def test_section_tells_share_and_overlap() -> None:
    findings = with_mixed(plain(), ranks=False)
    section = view_mixed(findings, ranked(findings))
    assert section is not None
    assert section.lead.startswith("The mixed model is a conservative second opinion: at q < 0.05")
    assert "it finds 2 genes" in section.lead
    assert "The background takes 62 % of the trait's variance." in section.remarks[0]
    assert section.tables[0].head[:2] == ("Gene", "log2 FC")


def test_mixed_model_that_finds_nothing_is_said_plainly() -> None:
    findings = with_mixed(plain(), ranks=False, passes=0, share_of_background=0.999)
    page = page_of(findings)
    assert page.answer.remarks[0].text.endswith("finds none.")
    section = view_mixed(findings, ranked(findings))
    assert section is not None
    assert "it finds no gene" in section.lead
    assert "over 99 %" in section.remarks[0]


def test_methods_cite_the_mixed_model_and_say_what_ranks() -> None:
    beside = mixed_methods(with_mixed(plain(), ranks=False))
    assert "Kang et al. 2008" in beside
    assert "restricted maximum likelihood" in beside
    assert beside.endswith("by the moderated t.")
    assert "by the mixed model." in model_methods(with_mixed(plain(), ranks=True), 120)


def test_without_a_mixed_model_nothing_is_said_of_it() -> None:
    page = page_of(plain())
    assert view_mixed(plain(), ranked(plain())) is None
    assert "mixed" not in render_page(page).lower()
