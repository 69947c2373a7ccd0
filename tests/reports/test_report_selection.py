"""The procedure ``benchmark`` on the page: selected genes, and no p-value anywhere."""

from __future__ import annotations

from typing import Any

import pytest

from genotex.reports import (
    csv_frame,
    draw_figures,
    mark_samples,
    ranked,
    render_page,
    selection_headline,
    selection_methods,
)
from tests.reports.report_cohort import make_evidence, make_table, vary
from tests.reports.report_steps import BENCHMARK, page_of, selected, view

FOUR = {"JUN": 0.02, "CXCL9": -0.3, "GBP1": 0.1, "GENE7": 1.4e-9}


@pytest.mark.usefixtures("undrawn")
def test_genes_are_selected_not_significant() -> None:
    page = page_of(selected(FOUR))
    assert (page.answer.significant, page.answer.noun) == (4, "selected genes")
    assert page.answer.headline.startswith(
        "The Lasso selects 4 of 120 genes at lambda 0.01: 3 with a positive coefficient"
    )
    assert "makes no claim about false discoveries" in page.answer.headline
    html = render_page(page)
    body = html[html.index("<main>") : html.index("<script>")]
    assert "significant genes" not in body
    assert 'id="figure-volcano"' not in body


@pytest.mark.usefixtures("undrawn")
def test_largest_coefficient_is_first_of_either_sign() -> None:
    page = page_of(selected(FOUR))
    order = ["CXCL9", "GBP1", "JUN", "GENE7"]
    assert [gene.symbol for gene in page.answer.top] == order
    assert [row["Variable"] for row in page.table.rows] == order
    assert page.answer.top[0].estimate == "\N{MINUS SIGN}0.300"
    assert page.answer.top[3].estimate == "+1.4e-09"
    assert page.answer.q == ""
    first = page.answer.top[0]
    assert first.low == 0.0
    assert first.high == page.answer.zero


@pytest.mark.usefixtures("undrawn")
def test_table_has_gene_coefficient_and_size_only() -> None:
    page = page_of(selected(FOUR))
    assert [column.label for column in page.table.columns] == [
        "Gene",
        "coefficient",
        "|coefficient|",
    ]
    assert page.table.title == "The 4 selected genes of 120, by size of the coefficient."
    html = render_page(page)
    assert 'aria-sort="descending"' in html
    assert '<label class="check" hidden>' in html


def test_csv_has_every_gene_and_marks_those_selected() -> None:
    frame = csv_frame(findings := selected(FOUR), ranked(findings))
    assert frame.columns == ["gene", "coefficient", "absolute_coefficient", "selected"]
    assert frame["selected"].sum() == 4
    assert frame.height == 120
    assert frame["gene"][:2].to_list() == ["CXCL9", "GBP1"]


@pytest.mark.usefixtures("undrawn")
def test_nothing_selected_is_stated_as_a_result() -> None:
    page = page_of(selected({}))
    assert "selects none of the 120 genes" in page.answer.headline
    assert page.answer.top == ()
    assert page.answer.top_title == "No gene was selected"
    assert page.table.rows == []
    assert "No gene of 120 was selected" in render_page(page)


def test_figures_are_coefficients_profiles_and_heatmap_of_the_selected() -> None:
    table, roles = make_table(genes=40)
    for coefficients, keys in (
        (FOUR, ["pca", "coefficients", "profiles", "heatmap"]),
        ({}, ["pca"]),
    ):
        findings = selected(coefficients, genes=40)
        marks = mark_samples(make_evidence(table, roles), table, findings)
        figures = draw_figures(findings, ranked(findings), table, marks)
        assert [figure.key for figure in figures] == keys
        if coefficients:
            assert "CXCL9, GBP1 and JUN" in figures[1].alt
            assert "picked for their coefficients" in figures[3].caption


def test_tuning_is_listed_by_lambda_with_the_chosen_one_marked() -> None:
    section = view("selection", selected(FOUR))
    assert section is not None
    tuning, scores, eigenvalues = section.tables
    assert [row[0] for row in tuning.rows] == ["0.001", "0.01", "0.1"]
    assert tuning.marked == 1
    assert tuning.rows[1] == ("0.01", "7.5 %", "80.0 %", "20.0")
    assert ("Selection: Jaccard index", "1.0 %") in scores.rows
    assert ("Prediction: accuracy", "82.0 %") in scores.rows
    assert eigenvalues.rows[1] == ("2", "0.400", "0.600")
    assert "12 genes already known for the trait" in section.lead
    assert "of 3 values" in section.lead


def test_continuous_trait_is_scored_by_r_squared() -> None:
    tuning = [
        {**trial, "prediction": {"r_squared": 0.42, "nmse": 0.6}} for trial in BENCHMARK["tuning"]
    ]
    section = view("selection", selected(FOUR, binary=False, tuning=tuning))
    assert section is not None
    assert section.tables[0].head[2] == "Prediction, R\N{SUPERSCRIPT TWO}"
    assert section.tables[0].rows[0][2] == "0.42"


@pytest.mark.parametrize(
    ("gap", "said"),
    [
        (0.2, "so the optimum has other genes"),
        (1e-5, "close to the optimum"),
        (1e-8, "which is the optimum"),
    ],
)
def test_gap_of_the_solver_is_judged(gap: float, said: str) -> None:
    solver = {**BENCHMARK["solver"], "relative_gap": gap}
    section = view("selection", selected(FOUR, solver=solver))
    assert section is not None
    assert said in section.remarks[0]
    assert "after 1,000 sweeps" in section.remarks[0]


def test_no_known_gene_in_any_fold_leaves_the_default_lambda() -> None:
    tuning = [{**trial, "selection": {"precision": 0.0}} for trial in BENCHMARK["tuning"]]
    findings = selected(FOUR, tuning=tuning)
    section = view("selection", findings)
    assert section is not None
    assert "nothing could choose lambda" in section.lead
    assert "the procedure's default" in selection_methods(findings)


def test_batch_effect_below_and_above_the_threshold() -> None:
    calm = view("selection", selected(FOUR))
    assert calm is not None
    assert "the Lasso ran on the genes as they are" in calm.remarks[1]
    record: dict[str, Any] = {"rotated": True, "ln_delta": -1.25}
    rotated = selected(FOUR, **record)
    section = view("selection", rotated)
    assert section is not None
    assert "ln delta -1.25" in section.remarks[1]
    assert "do not read its genes as findings" in section.remarks[1]
    assert selection_headline(rotated, ranked(rotated)).startswith("The rotated Lasso selects 4")
    assert "was not rotated" in selection_methods(rotated)


def test_batch_effect_that_was_not_corrected_is_not_denied() -> None:
    section = view(
        "selection", selected(FOUR, batch_effect={"shares": [1.0, 0.1], "threshold": 0.5})
    )
    assert section is not None
    assert "It does, but was not to be corrected" in section.remarks[1]


def test_fixed_lambda_was_not_tuned() -> None:
    given = selected(FOUR, options={"fixed_lambda": 0.1})
    section = view("selection", given)
    assert section is not None and section.lead.startswith("Lambda was given")
    assert "Lambda (0.01) was fixed beforehand." in selection_methods(given)


def test_methods_state_which_samples_were_compared() -> None:
    told = "13 cases were compared with 10 healthy controls and 10 samples of another disease."
    assert told in page_of(selected(FOUR)).methods


def test_methods_paragraph_describes_the_published_procedure() -> None:
    text = selection_methods(selected(FOUR))
    for part in ("Liu et al. 2024", "Tibshirani 1996", "Lambda (0.01)", "Open Targets",
                 "The 4 genes with a coefficient", "no p-value was computed"):  # fmt: skip
        assert part in text
    given = selection_methods(vary(selected(FOUR), method={"adjusted_for": ["Age"]}))
    assert "The trait was first regressed on age by least squares" in given
