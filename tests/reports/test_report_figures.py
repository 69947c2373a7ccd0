"""Figures for ordinary, tiny and broken cohorts, and the numbers behind them."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from genotex.figures import (
    SampleMarks,
    column_z_scores,
    draw_svg,
    order_rows,
    order_within,
    pca,
    principal_components,
    volcano,
)
from genotex.formats import LinkedTable
from genotex.reports import FigureView, Findings, draw_figures, gene_result, mark_samples, ranked
from tests.reports.report_cohort import make_evidence, make_findings, make_table, vary, with_missing

KEYS = ["pca", "volcano", "histogram", "profiles", "heatmap"]


def figures_of(
    table: LinkedTable, roles: dict[str, str], findings: Findings | None = None
) -> tuple[FigureView, ...]:
    findings = findings or make_findings(table, roles)
    marks = mark_samples(make_evidence(table, roles), table, findings)
    return draw_figures(findings, ranked(findings), table, marks)


def keys_of(figures: tuple[FigureView, ...]) -> list[str]:
    """Return which of today's figures are there; a new one may come between them."""
    return [figure.key for figure in figures if figure.key in KEYS]


def assert_fine(figures: tuple[FigureView, ...]) -> None:
    for figure in figures:
        root = ElementTree.fromstring(figure.svg)
        assert root.get("role") == "img"
        assert root.get("aria-label") == figure.alt
        assert len(figure.alt) > 20
        assert len(figure.caption) > 60


def test_all_figures_of_an_ordinary_cohort() -> None:
    figures = figures_of(*make_table(genes=400))
    assert keys_of(figures) == KEYS
    assert_fine(figures)


def test_ids_differ_between_the_figures_of_a_page() -> None:
    ids = [
        name
        for figure in figures_of(*make_table(genes=200))
        for name in set(re.findall(r' id="([^"]+)"', figure.svg))
    ]
    assert len(ids) == len(set(ids))


def test_every_internal_reference_has_its_target() -> None:
    figures = figures_of(*make_table(genes=200))
    used = {figure.key: set(re.findall(r"url\(#([^)]+)\)", figure.svg)) for figure in figures}
    assert used["heatmap"] and used["histogram"]
    for figure in figures:
        assert used[figure.key] <= set(re.findall(r' id="([^"]+)"', figure.svg))


def test_same_input_same_figures() -> None:
    table, roles = make_table(genes=200)
    first, second = figures_of(table, roles), figures_of(table, roles)
    assert [f.svg for f in first] == [f.svg for f in second]


def test_text_stays_text_and_no_file_or_address_is_referred_to() -> None:
    for figure in figures_of(*make_table(genes=200)):
        assert "<text" in figure.svg
        links = re.findall(r'(?:href|src)="([^"]*)"', figure.svg)
        assert all(link.startswith(("#", "data:image/png;base64,")) for link in links)


def test_samples_and_significant_genes_show_their_name_when_hovered() -> None:
    table, roles = make_table(genes=200)
    pca, volcano = figures_of(table, roles)[:2]
    assert all(f"<title>{sample}: " in pca.svg for sample in table.samples)
    hits = ranked(make_findings(table, roles)).filter("Significant")
    assert hits.height
    assert all(f"<title>{symbol}: " in volcano.svg for symbol in hits["Variable"])


def test_cohort_of_six_samples() -> None:
    figures = figures_of(*make_table(cases=3, controls=3, others=0, genes=50))
    assert keys_of(figures) == KEYS
    assert_fine(figures)


def test_cohort_with_one_gene() -> None:
    figures = figures_of(*make_table(genes=1))
    assert keys_of(figures) == KEYS
    assert_fine(figures)


def test_heatmap_names_every_group_however_narrow() -> None:
    heatmap = figures_of(*make_table(cases=60, controls=40, others=2, genes=30))[-1]
    legend = heatmap.svg.partition('id="heatmap-legend')[2]
    for group in ("Case (60)", "Healthy control (40)", "Other disease, not compared (2)"):
        assert f">{group}</text>" in legend


def test_missing_expression_values() -> None:
    table, roles = make_table(genes=120)
    findings = make_findings(table, roles)
    assert_fine(figures_of(with_missing(table), roles, findings))


def test_gene_without_any_value_and_constant_gene() -> None:
    table, roles = make_table(genes=30)
    findings = make_findings(table, roles)
    expression = table.expression.copy()
    expression[:, 0] = np.nan
    expression[:, 1] = 7.3
    assert_fine(figures_of(replace(table, expression=expression), roles, findings))


def test_continuous_trait_uses_levels() -> None:
    table, roles = make_table(genes=60)
    levels = table.covariates["Age"].copy()
    levels[3] = np.nan
    findings = make_findings(
        replace(table, trait_values=table.covariates["Age"]), roles, continuous=True
    )
    figures = figures_of(replace(table, trait_values=levels), roles, findings)
    assert keys_of(figures) == KEYS
    assert_fine(figures)
    assert "darker means a higher level" in figures[0].caption


def test_genes_that_were_not_tested_are_not_drawn() -> None:
    table, roles = make_table(genes=60)
    findings = make_findings(table, roles)
    untested = findings.result.genes.with_columns(
        pl.lit(None, pl.Float64).alias(name) for name in ("Coefficient", "p", "q")
    ).with_columns(pl.lit(False).alias("Significant"))
    figures = figures_of(table, roles, vary(findings, genes=untested))
    assert [figure.key for figure in figures] == ["pca", "profiles", "heatmap"]


def test_p_value_of_zero_is_drawn_inside_the_frame() -> None:
    table, roles = make_table(genes=60)
    findings = make_findings(table, roles)
    genes = ranked(findings).with_columns(
        rank_p=pl.when(pl.int_range(pl.len()) == 0).then(0.0).otherwise("rank_p")
    )
    drawn = volcano(gene_result(findings, genes, None, None))
    assert drawn is not None
    svg = draw_svg(drawn)
    assert "nan" not in svg
    ElementTree.fromstring(svg)


def test_hostile_and_foreign_names_are_written_as_they_are() -> None:
    marks = SampleMarks(
        ("<script>alert(1)</script>", "$x$ & y", "\u0444\u4e2d\u6587"),
        ("case", "control", "case"),
        {"case": "Case <b> $\\alpha$", "control": "\u4e2d\u6587"},
    )
    components = principal_components(np.random.default_rng(0).normal(size=(3, 8)))
    svg = draw_svg(replace(pca(components, marks), alt='says "so" & <more>'))
    assert "<script" not in svg
    assert "$\\alpha$" in svg
    assert ElementTree.fromstring(svg).get("aria-label") == 'says "so" & <more>'


@pytest.mark.parametrize("count", [13_000])
def test_many_genes_stay_small(count: int) -> None:
    figures = figures_of(*make_table(genes=count, effect=2.2))
    assert sum(len(figure.svg) for figure in figures) < 1_500_000


def test_components_agree_with_scikit_learn() -> None:
    data = np.random.default_rng(3).normal(size=(20, 150)) * np.linspace(1, 5, 150) + 8
    ours = principal_components(data)
    theirs = PCA(n_components=2, svd_solver="full").fit(StandardScaler().fit_transform(data))
    expected = theirs.transform(StandardScaler().fit_transform(data))
    np.testing.assert_allclose(np.abs(ours.scores), np.abs(expected), atol=1e-8)
    np.testing.assert_allclose(ours.explained, theirs.explained_variance_ratio_, rtol=1e-10)
    assert ours.genes == 150


def test_sign_is_fixed_by_the_largest_score() -> None:
    scores = principal_components(np.random.default_rng(4).normal(size=(9, 30))).scores
    assert all(scores[np.argmax(np.abs(scores[:, k])), k] > 0 for k in range(2))


def test_missing_values_get_the_mean_of_their_gene() -> None:
    data = np.array([[1.0, np.nan], [3.0, 2.0], [5.0, 4.0]])
    filled = np.array([[1.0, 3.0], [3.0, 2.0], [5.0, 4.0]])
    np.testing.assert_allclose(
        principal_components(data).scores, principal_components(filled).scores, atol=1e-12
    )


@pytest.mark.parametrize(
    "data", [np.full((4, 3), 9214.7), np.full((4, 3), np.nan), np.ones((1, 5))]
)
def test_data_without_variation_give_zero_scores(data: np.ndarray) -> None:
    components = principal_components(data)
    assert not components.scores.any()
    assert components.explained == (0.0, 0.0)
    assert components.genes == 0


def test_z_scores_use_the_known_values() -> None:
    z = column_z_scores(np.array([[1.0, 5.0], [np.nan, 5.0], [3.0, 5.0]]))
    assert z[1, 0] == 0
    assert z[0, 0] == -z[2, 0]
    assert not z[:, 1].any()


def test_order_keeps_groups_together_and_every_sample_once() -> None:
    columns = np.random.default_rng(5).normal(size=(12, 9))
    groups = [1, 0, 1, 0, 2, 2, 0, 1, 0]
    order = order_within(columns, groups)
    assert sorted(order.tolist()) == list(range(9))
    assert [groups[i] for i in order] == sorted(groups)


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_rows_of_any_number_have_an_order(count: int) -> None:
    order = order_rows(np.random.default_rng(6).normal(size=(count, 4)))
    assert sorted(order.tolist()) == list(range(count))
