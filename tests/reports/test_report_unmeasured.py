"""Surrogate variables on the page: what they are, and what they do to the answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from genotex.reports import building
from genotex.reports.findings import ranked
from genotex.reports.rendering import render_page
from genotex.reports.steps import Surrogates
from genotex.reports.unmeasured import (
    unmeasured_methods,
    unmeasured_note,
    unmeasured_remark,
    view_unmeasured,
)
from tests.reports.report_steps import SURROGATES, page_of, plain, with_mixed, with_surrogates


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "draw_figures", lambda *_: ())


def test_section_states_the_decision_in_two_sentences() -> None:
    findings = with_surrogates(plain())
    section = view_unmeasured(findings, ranked(findings))
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


def test_dense_signal_is_ranked_without_and_said_so() -> None:
    record = {"ranked_with": False, "set_aside": "dense signal", "affected_share": 0.62}
    findings = with_surrogates(plain(), **record)
    section = view_unmeasured(findings, ranked(findings))
    assert section is not None
    assert "As about 62 % of the genes are affected" in section.lead
    assert "ranked without adjusting for them" in section.lead
    head = section.tables[-1].head
    assert head[1:4] == ("log2 FC, without", "q, without", "rank, without")
    assert head[4:] == ("log2 FC, with", "q, with", "rank, with")


def test_numbers_of_both_analyses_are_those_of_the_columns() -> None:
    findings = with_surrogates(plain())
    genes = ranked(findings)
    with_them = genes.filter(genes["q"] < 0.05)["symbol"].to_list()
    without = genes.filter(genes["without_sv_q"] < 0.05)["symbol"].to_list()
    section = view_unmeasured(findings, genes)
    assert section is not None
    assert (
        f"{len(with_them)} genes are significant with adjustment for them, {len(without)} without, "
        f"{len(set(with_them) & set(without))} in both analyses."
    ) in section.remarks[0]
    assert unmeasured_remark(findings, genes) == (
        "The tests are adjusted for unmeasured confounding (2 surrogate variables); without this, "
        f"{len(without)} genes would be significant."
    )


def test_minimal_change_counts_in_each_analysis_by_its_own_coefficient() -> None:
    findings = replace(with_surrogates(plain()), minimal_change=1e9)
    section = view_unmeasured(findings, ranked(findings))
    assert section is not None
    assert section.remarks[0].startswith(
        "0 genes are significant with adjustment for them, 0 without"
    )


def test_table_has_the_first_genes_of_either_ranking_with_both_ranks() -> None:
    findings = with_surrogates(plain())
    genes = ranked(findings)
    section = view_unmeasured(findings, genes)
    assert section is not None
    rows = {row[0]: row for row in section.tables[-1].rows}
    first = genes["symbol"][0]
    other = genes.sort(["without_sv_p", "symbol"])["symbol"].to_list()
    assert rows[first][3] == "1"
    assert rows[other[0]][6] == "1"
    assert rows[first][6] == str(other.index(first) + 1)
    assert set(genes["symbol"][:8]) | set(other[:8]) == set(rows)


def test_associations_name_the_trait_as_people_do() -> None:
    section = view_unmeasured(findings := with_surrogates(plain()), ranked(findings))
    assert section is not None
    assert section.tables[0].rows == (
        ("SV1", "25 %", "scan date", "eta", "0.91", "1.0e-07"),
        ("SV2", "12 %", "Rheumatoid Arthritis", "r", "\N{MINUS SIGN}0.55", "0.0040"),
    )


def test_that_they_are_associated_with_nothing_is_said() -> None:
    findings = with_surrogates(plain(), associations=[])
    section = view_unmeasured(findings, ranked(findings))
    assert section is not None
    assert len(section.tables) == 1
    assert any("None of them is associated with the trait" in remark for remark in section.remarks)


@pytest.mark.parametrize(
    ("record", "note"),
    [
        ({"mode": "none", "estimated": 0, "used": 0, "notes": []}, "not examined, as asked"),
        ({"estimated": 0, "used": 0, "notes": []}, "no factor stands out of the noise"),
        ({"estimated": 0, "used": 0, "notes": ["80 genes are too few"]}, "80 genes are too few."),
        ({"estimated": 3, "used": 0, "notes": []}, "3 factors found, none adjusted for"),
    ],
)
def test_without_surrogate_variables_a_note_says_why(record: dict[str, object], note: str) -> None:
    found = Surrogates.from_record({**SURROGATES, "ranked_with": False, **record})
    findings = replace(plain(), surrogates=found)
    assert note in unmeasured_note(found)
    assert view_unmeasured(findings, ranked(findings)) is None
    assert unmeasured_remark(findings, ranked(findings)) == ""
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
    aside = with_surrogates(plain(), ranked_with=False, set_aside="dense signal")
    assert "explained 31 % of a trait with a dense signal" in unmeasured_methods(aside)
    none = with_surrogates(plain(), estimated=0, used=0, notes=[])
    assert unmeasured_methods(none).endswith("none was found.")


def test_mixed_model_that_ranks_has_no_surrogate_variables() -> None:
    findings = with_mixed(with_surrogates(plain()), ranks=True)
    section = view_unmeasured(findings, ranked(findings))
    assert section is not None
    assert "Every gene's test" not in section.lead
    assert "moderated t, shown alongside the ranking, is adjusted for them" in section.lead
    assert any(
        "the mixed model, which ranks the genes here" in remark for remark in section.remarks
    )
    assert unmeasured_remark(findings, ranked(findings)) == ""


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
    keys = [column.key for column in page.table.columns]
    assert "without_sv_q" in keys
    assert not {"without_sv", "without_sv_p"} & set(keys)
