"""Two analyses of the same genes on the page: mixed model and surrogate variables."""

from __future__ import annotations

import numpy as np
import pytest

from genotex.figures import p_values, volcano
from genotex.reports import (
    Surrogates,
    gene_result,
    mixed_methods,
    model_methods,
    ranked,
    render_page,
    unmeasured_methods,
    unmeasured_note,
)
from tests.reports.report_cohort import vary
from tests.reports.report_steps import (
    SURROGATES,
    page_of,
    plain,
    remark,
    view,
    with_mixed,
    with_surrogates,
)

pytestmark = pytest.mark.usefixtures("undrawn")


def test_as_second_opinion_it_leaves_the_ranking() -> None:
    findings = with_mixed(plain(), ranks=False)
    page = page_of(findings)
    by_t = plain().result.genes.sort(["p", "Variable"])["Variable"][:12].to_list()
    assert [gene.symbol for gene in page.answer.top] == by_t
    assert page.answer.q == "q"
    assert page.answer.remarks[0].text.startswith("Ranked by the moderated t; the mixed model")
    keys = [column.name for column in page.table.columns]
    assert "Mixed q" in keys
    assert not {"Mixed Coefficient", "Mixed Standard Error", "Mixed t", "Mixed p"} & set(keys)
    assert page.table.sorted_by == "p"


def test_mixed_model_that_ranks_gives_headline_top_genes_and_order() -> None:
    findings = with_mixed(plain(), ranks=True)
    page = page_of(findings)
    last = plain().result.genes["Variable"].to_list()[::-1]
    assert page.answer.significant == 2
    assert [gene.symbol for gene in page.answer.top] == last[:12]
    assert page.answer.top[0].q == "0.010"
    assert page.answer.q == "mixed q"
    assert "at q < 0.05 of the mixed model" in page.answer.headline
    assert page.answer.order.startswith("p-value of the mixed model")
    assert page.table.sorted_by == "Mixed p"
    assert [column.name for column in page.table.columns[3:5]] == ["Mixed p", "Mixed q"]
    assert page.table.rows[0]["Variable"] == last[0]
    html = render_page(page)
    head = html[html.index('id="gene-table"') :]
    assert head[: head.index("</thead>")].count("aria-sort") == 1
    assert "conservative" in page.answer.remarks[0].text


def test_no_gene_of_the_mixed_model_is_reported_with_its_own_lowest_q() -> None:
    page = page_of(with_mixed(plain(), ranks=True, passes=0))
    assert "q < 0.05 of the mixed model; the lowest q-value is 0.400" in page.answer.headline


def test_volcano_and_histogram_show_the_test_that_ranks() -> None:
    findings = with_mixed(plain(), ranks=True)
    subject = gene_result(findings, ranked(findings), None, None)
    np.testing.assert_allclose(np.sort(subject.p), findings.result.genes["Mixed p"].sort())
    for figure in (volcano(subject), p_values(subject)):
        assert figure is not None
        assert "of the mixed model" in figure.caption


def test_section_states_share_and_overlap() -> None:
    findings = with_mixed(plain(), ranks=False)
    section = view("mixed", findings)
    assert section is not None
    assert section.lead.startswith("The mixed model is a conservative second opinion: at q < 0.05")
    assert "it finds 2 genes" in section.lead
    assert "The background takes 62 % of the trait's variance." in section.remarks[0]
    assert section.tables[0].head[:2] == ("Gene", "log2 FC")


def test_mixed_model_that_finds_nothing_is_reported() -> None:
    findings = with_mixed(plain(), ranks=False, passes=0, share_of_background=0.999)
    page = page_of(findings)
    assert page.answer.remarks[0].text.endswith("finds none.")
    section = view("mixed", findings)
    assert section is not None
    assert "it finds no gene" in section.lead
    assert "over 99 %" in section.remarks[0]


def test_methods_cite_the_mixed_model_and_state_what_ranks() -> None:
    beside = mixed_methods(with_mixed(plain(), ranks=False))
    assert "Kang et al. 2008" in beside
    assert "restricted maximum likelihood" in beside
    assert beside.endswith("by the moderated t.")
    assert "by the mixed model." in model_methods(with_mixed(plain(), ranks=True), 120)


def test_without_a_mixed_model_it_is_not_mentioned() -> None:
    page = page_of(plain())
    assert view("mixed", plain()) is None
    assert "mixed" not in render_page(page).lower()


def test_section_states_the_decision_in_two_sentences() -> None:
    findings = with_surrogates(plain())
    section = view("unmeasured", findings)
    assert section is not None
    assert section.lead == (
        "2 unmeasured factors (batches, cell composition and the like) explain 31 % of the "
        "differences in the trait (chance alone: about 11 %). Every gene's test is adjusted for "
        "them."
    )
    words = " ".join(section.remarks)
    assert "Together they take 38 % of the variance that trait and covariates leave." in words
    assert "variance of adjusted coefficients is 12 % larger" in words
    assert "2 of 4 are used, so that 10 residual degrees of freedom are left." in words


def test_genes_are_ranked_without_them_and_graded() -> None:
    findings = with_surrogates(plain(), ranked_with=False)
    section = view("unmeasured", findings)
    assert section is not None
    assert "the grade of each tells whether it holds with adjustment" in section.lead
    assert "ranked without adjusting for them" in section.lead
    head = section.tables[-1].head
    assert head[1:4] == ("log2 FC, without", "q, without", "rank, without")
    assert head[4:] == ("log2 FC, with", "q, with", "rank, with")


def test_numbers_of_both_analyses_are_those_of_the_columns() -> None:
    findings = with_surrogates(plain())
    genes = ranked(findings)
    with_them = genes.filter(genes["q"] < 0.05)["Variable"].to_list()
    without = genes.filter(genes["Without SV q"] < 0.05)["Variable"].to_list()
    section = view("unmeasured", findings)
    assert section is not None
    assert (
        f"{len(with_them)} genes are significant with adjustment for them, {len(without)} without, "
        f"{len(set(with_them) & set(without))} in both analyses."
    ) in section.remarks[0]
    assert remark("unmeasured", findings) == (
        "2 hidden factors found (batch, mixture of cells and the like); genes are ranked adjusting "
        "for them: 6 robust (significant with and without adjustment), 2 sensitive (only without), "
        "1 masked (only with)."
    )


def test_minimal_change_counts_in_each_analysis_by_its_own_coefficient() -> None:
    findings = vary(
        with_surrogates(plain()), method={"options": {"q_cut": 0.05, "min_effect": 1e9}}
    )
    section = view("unmeasured", findings)
    assert section is not None
    assert section.remarks[0].startswith(
        "0 genes are significant with adjustment for them, 0 without"
    )


def test_table_has_the_first_genes_of_either_ranking_with_both_ranks() -> None:
    findings = with_surrogates(plain())
    genes = ranked(findings)
    section = view("unmeasured", findings)
    assert section is not None
    rows = {row[0]: row for row in section.tables[-1].rows}
    first = genes["Variable"][0]
    other = genes.sort(["Without SV p", "Variable"])["Variable"].to_list()
    assert rows[first][3] == "1"
    assert rows[other[0]][6] == "1"
    assert rows[first][6] == str(other.index(first) + 1)
    assert set(genes["Variable"][:8]) | set(other[:8]) == set(rows)


def test_associations_name_the_trait_as_people_do() -> None:
    section = view("unmeasured", with_surrogates(plain()))
    assert section is not None
    assert section.tables[0].rows == (
        ("SV1", "25 %", "scan date", "characteristic", "eta", "0.91", "1.0e-07"),
        ("SV2", "12 %", "Rheumatoid Arthritis", "trait", "r", "\N{MINUS SIGN}0.55", "0.0040"),
    )


def test_evidence_of_technical_factors_tells_what_happened() -> None:
    spikes = {
        "evidence": "spike-in probes", "recorded": False, "share": 0.91, "p": 0.0005,
        "carries": 0.3, "columns": ["spike-in probes"], "with_trait": 0.4, "confounded": True,
        "why_not": "",
    }  # fmt: skip
    site = {
        **spikes, "evidence": "site id", "recorded": True, "carries": None, "columns": [],
        "why_not": "a batch has a single sample",
    }  # fmt: skip
    section = view("unmeasured", with_surrogates(plain(), technical=[spikes, site]))
    assert section is not None
    assert "goes with 'spike-in probes', which no disease moves" in section.lead
    first, second = section.tables[0].rows
    assert first == ("spike-in probes", "adjusted for", "0.91", "5.0e-04", "30 %", "0.40")
    assert second[1] == "not adjusted for: a batch has a single sample"
    alone = view("unmeasured", with_surrogates(plain(), used=0, technical=[spikes]))
    assert alone is not None
    assert len(alone.tables[0].rows) == 1


def test_variables_without_any_association_are_reported() -> None:
    findings = with_surrogates(plain(), associations=[])
    section = view("unmeasured", findings)
    assert section is not None
    assert len(section.tables) == 1
    assert any("None of them is associated with the trait" in remark for remark in section.remarks)


@pytest.mark.parametrize(
    ("record", "note"),
    [
        ({"mode": "none", "estimated": 0, "used": 0, "notes": []}, "not estimated, as requested"),
        ({"estimated": 0, "used": 0, "notes": []}, "no factor exceeds the noise"),
        ({"estimated": 0, "used": 0, "notes": ["80 genes are too few"]}, "80 genes are too few."),
        ({"estimated": 3, "used": 0, "notes": []}, "3 factors found, none adjusted for"),
    ],
)
def test_without_surrogate_variables_a_note_explains_why(
    record: dict[str, object], note: str
) -> None:
    hidden = {**SURROGATES, "ranked_with": False, **record}
    findings = vary(plain(), method={"hidden": hidden})
    assert note in unmeasured_note(findings.surrogates)
    assert view("unmeasured", findings) is None
    assert remark("unmeasured", findings) == ""
    assert "entered the regression" not in unmeasured_methods(findings)


def test_result_without_any_record_of_surrogate_variables() -> None:
    assert Surrogates.from_record({}) is None
    assert unmeasured_note(None) == unmeasured_methods(plain()) == ""


def test_methods_cite_what_was_done() -> None:
    text = unmeasured_methods(with_surrogates(plain()))
    assert "Dobriban and Owen 2019" in text and "Gerard and Stephens 2020" in text
    assert "2 surrogate variables, with 25 % and 12 % of the residual variance, entered" in text
    assert "multiplied by 1.12" in text
    modes = {"sva": "Leek and Storey 2008", "two-step": "two-step algorithm of sva"}
    for mode, words in modes.items():
        method = unmeasured_methods(with_surrogates(plain(), mode=mode, inflation=1.0))
        assert words in method and "Buja and Eyuboglu (1992)" in method
        assert "multiplied" not in method
    aside = unmeasured_methods(with_surrogates(plain(), mode="auto", ranked_with=False))
    assert "did not enter the tests that rank; genes are robust where a regression with" in aside
    none = with_surrogates(plain(), estimated=0, used=0, notes=[])
    assert unmeasured_methods(none).endswith("none was found.")


def test_mixed_model_that_ranks_has_no_surrogate_variables() -> None:
    findings = with_mixed(with_surrogates(plain()), ranks=True)
    section = view("unmeasured", findings)
    assert section is not None
    assert "Every gene's test" not in section.lead
    assert "moderated t, shown alongside the ranking, is adjusted for them" in section.lead
    assert any(
        "the mixed model, which ranks the genes here" in remark for remark in section.remarks
    )
    assert remark("unmeasured", findings) == ""


def test_record_of_the_moderated_analysis_counts_when_the_mixed_model_ranks() -> None:
    told = Surrogates.from_record({**SURROGATES, "ranked_with": False, "moderated_with": True})
    assert told is not None and told.adjusts
    before = Surrogates.from_record({**SURROGATES, "ranked_with": True})
    assert before is not None and before.adjusts


def test_page_links_answer_and_section() -> None:
    page = page_of(with_surrogates(plain()))
    assert [remark.section for remark in page.answer.remarks] == ["unmeasured"]
    html = render_page(page)
    assert html.count('href="#unmeasured"') == 2
    assert '<section id="unmeasured">' in html
    keys = [column.name for column in page.table.columns]
    assert not {"Without SV Coefficient", "Without SV p", "Without SV q"} & set(keys)
