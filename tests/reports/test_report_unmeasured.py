"""Surrogate variables on the page: what they are, and what they do to the answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from genotex.reports.hidden import hidden_methods, hidden_note, hidden_remark, view_hidden

from genotex.reports import building
from genotex.reports.findings import ranked
from genotex.reports.rendering import render_page
from genotex.reports.steps import HiddenStructure
from tests.reports.report_steps import HIDDEN, page_of, plain, with_hidden, with_mixed


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "draw_figures", lambda *_: ())


def test_section_says_first_that_the_tests_are_adjusted() -> None:
    findings = with_hidden(plain())
    section = view_hidden(findings, ranked(findings))
    assert section is not None
    assert section.lead == (
        "2 surrogate variables were found, and every gene's test is adjusted for them."
    )
    words = " ".join(section.remarks)
    assert "Together they take 38 % of the variance that trait and covariates leave." in words
    assert "4 components stand out by the permutation test; 2 of 4 are used, so that" in words


def test_components_that_move_few_genes_are_told_in_one_sentence() -> None:
    few = [f"component {k} gives none: {k} genes go with it, 23 are needed" for k in (3, 5, 6)]
    findings = with_hidden(plain(), mode="sva", estimated=6, used=3, limited=False, notes=few)
    section = view_hidden(findings, ranked(findings))
    assert section is not None
    assert section.remarks[-1] == (
        "6 components stand out by the permutation test; 3 of them move enough genes (23 or more "
        "each, as many as there are samples) to be estimated."
    )
    left_out = "3 of 6 components are left out: fewer than 2 % of the genes go with them"
    robust = with_hidden(plain(), estimated=6, used=3, limited=False, notes=[left_out])
    section = view_hidden(robust, ranked(robust))
    assert section is not None
    assert section.remarks[-1] == (
        "6 components stand out by the permutation test; 3 of them move enough genes (2 % of all "
        "or more each) to be estimated."
    )
    none = HiddenStructure.from_record(
        {**HIDDEN, "mode": "sva", "estimated": 1, "used": 0, "notes": few[:1]}
    )
    told = "1 component stands out by the permutation test; it does not move enough genes"
    assert told in hidden_note(none, 23)


def test_small_cohort_is_ranked_without_and_told_so() -> None:
    findings = with_hidden(plain(), ranked_with=False)
    section = view_hidden(findings, ranked(findings))
    assert section is not None
    assert "the ranking is not adjusted for them" in section.lead
    head = section.tables[-1].head
    assert head[1:4] == ("log2 FC, without", "q, without", "rank, without")
    assert head[4:] == ("log2 FC, with", "q, with", "rank, with")


def test_numbers_of_both_analyses_are_those_of_the_columns() -> None:
    findings = with_hidden(plain())
    genes = ranked(findings)
    with_them = genes.filter(genes["q"] < 0.05)["symbol"].to_list()
    without = genes.filter(genes["without_sv_q"] < 0.05)["symbol"].to_list()
    section = view_hidden(findings, genes)
    assert section is not None
    assert (
        f"{len(with_them)} genes are significant with them, {len(without)} without them, "
        f"{len(set(with_them) & set(without))} in both analyses."
    ) in section.remarks[0]
    assert hidden_remark(findings, genes) == (
        "The tests are adjusted for hidden structure (2 surrogate variables); without them "
        f"{len(without)} genes would be significant."
    )


def test_minimal_change_counts_in_each_analysis_by_its_own_coefficient() -> None:
    findings = replace(with_hidden(plain()), minimal_change=1e9)
    section = view_hidden(findings, ranked(findings))
    assert section is not None
    assert section.remarks[0].startswith("0 genes are significant with them, 0 without them")


def test_table_has_the_first_genes_of_either_ranking_with_both_ranks() -> None:
    findings = with_hidden(plain())
    genes = ranked(findings)
    section = view_hidden(findings, genes)
    assert section is not None
    rows = {row[0]: row for row in section.tables[-1].rows}
    first = genes["symbol"][0]
    other = genes.sort(["without_sv_p", "symbol"])["symbol"].to_list()
    assert rows[first][3] == "1"
    assert rows[other[0]][6] == "1"
    assert rows[first][6] == str(other.index(first) + 1)
    assert set(genes["symbol"][:8]) | set(other[:8]) == set(rows)


def test_associations_name_the_trait_as_people_do() -> None:
    section = view_hidden(findings := with_hidden(plain()), ranked(findings))
    assert section is not None
    assert section.tables[0].rows == (
        ("SV1", "25 %", "scan date", "eta", "0.91", "1.0e-07"),
        ("SV2", "12 %", "Rheumatoid Arthritis", "r", "\N{MINUS SIGN}0.55", "0.0040"),
    )


def test_nothing_that_they_go_with_is_said() -> None:
    findings = with_hidden(plain(), associations=[])
    section = view_hidden(findings, ranked(findings))
    assert section is not None
    assert len(section.tables) == 1
    assert any("They go with nothing" in remark for remark in section.remarks)


@pytest.mark.parametrize(
    ("record", "note"),
    [
        ({"mode": "none", "estimated": 0, "used": 0, "notes": []}, "not looked for, as asked"),
        ({"estimated": 0, "used": 0, "notes": []}, "found no surrogate variable"),
        ({"estimated": 0, "used": 0, "notes": ["80 genes are too few"]}, "80 genes are too few."),
        ({"estimated": 3, "used": 0, "notes": []}, "3 surrogate variables found, none used"),
    ],
)
def test_without_surrogate_variables_a_note_says_why(record: dict[str, object], note: str) -> None:
    hidden = HiddenStructure.from_record({**HIDDEN, "ranked_with": False, **record})
    findings = replace(plain(), hidden=hidden)
    assert note in hidden_note(hidden, 23)
    assert view_hidden(findings, ranked(findings)) is None
    assert hidden_remark(findings, ranked(findings)) == ""
    assert "entered the regression" not in hidden_methods(findings)


def test_result_without_any_record_of_hidden_structure() -> None:
    assert HiddenStructure.from_record({}) is None
    assert hidden_note(None, 23) == hidden_methods(plain()) == ""


def test_methods_cite_what_was_done() -> None:
    text = hidden_methods(with_hidden(plain()))
    assert "Wang et al. 2017" in text
    two_step = HiddenStructure("sva", 1, 1, False, True, (0.2,))
    told = hidden_methods(replace(plain(), hidden=two_step))
    assert "Leek and Storey (2007)" in told and "as many genes as there were samples" in told
    aside = HiddenStructure("auto", 1, 1, False, False, (0.2,), many_genes=True)
    assert "so many genes are affected" in hidden_methods(replace(plain(), hidden=aside))
    assert "Buja and Eyuboglu (1992)" in text
    assert "counted when at least 2 % of the genes went with it" in text
    assert "2 of 4, with 25 % and 12 % of the residual variance, entered the regression" in text
    small = hidden_methods(with_hidden(plain(), ranked_with=False))
    assert "they did not enter the tests" in small
    assert "none was found" in hidden_methods(with_hidden(plain(), estimated=0, used=0, notes=[]))


def test_mixed_model_that_ranks_has_no_surrogate_variables() -> None:
    findings = with_mixed(with_hidden(plain()), ranks=True)
    section = view_hidden(findings, ranked(findings))
    assert section is not None
    assert "every gene's test" not in section.lead
    assert "moderated t, which stands beside the ranking, is adjusted for them" in section.lead
    assert any("the mixed model, which ranks here" in remark for remark in section.remarks)
    assert hidden_remark(findings, ranked(findings)) == ""


def test_record_of_the_moderated_analysis_counts_when_the_mixed_model_ranks() -> None:
    told = HiddenStructure.from_record({**HIDDEN, "ranked_with": False, "moderated_with": True})
    assert told is not None and told.adjusts
    before = HiddenStructure.from_record({**HIDDEN, "ranked_with": True})
    assert before is not None and before.adjusts


def test_page_links_answer_and_section() -> None:
    page = page_of(with_hidden(plain()))
    assert [remark.section for remark in page.answer.remarks] == ["hidden"]
    html = render_page(page)
    assert html.count('href="#hidden"') == 2
    assert '<section id="hidden">' in html
    keys = [column.key for column in page.table.columns]
    assert "without_sv_q" in keys
    assert not {"without_sv", "without_sv_p"} & set(keys)
