"""Findings: which samples were compared, which ranking leads, and what a gene's change is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from genotex.formats import LinkedTable
from genotex.reports import Findings, change_words, ranked
from tests.reports.report_cohort import vary
from tests.reports.report_steps import plain, selected, with_mixed

LEVELS = LinkedTable(
    "Grade", tuple("abcdef"), np.array([0.0, 1.0, 2.0, 0.0, np.nan, 1.0]), {}, (), np.zeros((6, 0))
)


@pytest.mark.parametrize(
    ("method", "kind", "tested"),
    [
        ({}, "continuous", "abcdf"),
        ({"contrast": {"kind": "factor"}}, "factor", "abcdf"),
        ({"contrast": {"kind": "binary", "samples": {"case": ["b"], "control": ["a", "d"],
                                                     "left_out": ["c", "f"]}}}, "binary", "abd"),
        ({"formula": {"samples": ["b", "e"]}}, "continuous", "be"),
    ],
)  # fmt: skip
def test_kind_of_the_trait_and_samples_compared(
    method: dict[str, Any], kind: str, tested: str
) -> None:
    result = replace(plain().result, method=method)
    found = Findings.from_result(result, LEVELS)
    assert (found.trait_kind, "".join(found.tested)) == (kind, tested)


def test_two_values_are_two_groups() -> None:
    two = replace(LEVELS, trait_values=np.array([0.0, 1.0, 1.0, 0.0, np.nan, 1.0]))
    found = Findings.from_result(replace(plain().result, method={}), two)
    assert found.trait_kind == "binary"


def by_chance(findings: Findings, *, asked: str = "replication", known: bool = True) -> Findings:
    """Give the last significant gene by p the highest chance of replication."""
    genes = ranked(findings).drop("rank_p", "rank_q").with_row_index("row")
    chance = pl.col("row").cast(pl.Float64) / 1000 if known else pl.lit(None, dtype=pl.Float64)
    method = {"options": {"q_cut": 0.05, "rank_by": asked}}
    return vary(findings, genes=genes.with_columns(Replication=chance).drop("row"), method=method)


def test_the_chance_of_replication_leads_where_it_is_known_and_asked_for() -> None:
    by_p = ranked(plain())
    significant = by_p.filter("Significant")["Variable"].to_list()
    rest = by_p.filter(~pl.col("Significant"))["Variable"].to_list()
    assert len(significant) > 2 and rest
    found = by_chance(plain())
    assert found.leads_by_chance
    assert ranked(found)["Variable"].to_list() == [*reversed(significant), *rest]
    none = plain().result.genes.with_columns(Significant=pl.lit(False))
    for other in (
        by_chance(plain(), asked="p"),
        by_chance(plain(), known=False),
        by_chance(vary(plain(), genes=none)),
        plain(),
    ):
        assert not other.leads_by_chance
        assert ranked(other)["Variable"].to_list() == by_p["Variable"].to_list()
    assert not by_chance(with_mixed(plain(), ranks=True)).leads_by_chance
    assert by_chance(with_mixed(plain(), ranks=False)).leads_by_chance


def test_genes_selected_are_in_the_order_of_their_size() -> None:
    assert ranked(selected({"JUN": 0.1, "GBP1": -0.3, "FOSB": 0.3}))["Variable"].to_list()[:3] == [
        "FOSB", "GBP1", "JUN",
    ]  # fmt: skip


def words(findings: Findings, **changes: Any) -> tuple[str, ...]:
    of = change_words(replace(findings, **changes))
    return of.axis, of.right, of.left, of.of_p


@pytest.mark.parametrize(
    ("kind", "axis", "right", "label"),
    [
        ("binary", "log2 fold change, case against control", "higher in cases", "log2 FC"),
        ("factor", "largest difference between two levels", "higher in the upper", "largest"),
        ("continuous", "change per standard deviation of", "rising with the trait", "/ SD"),
    ],
)
def test_what_a_change_is(kind: str, axis: str, right: str, label: str) -> None:
    found = words(plain(), trait_kind=kind)
    assert found[0].startswith(axis) and found[1].startswith(right) and found[3] == ""
    assert label in replace(plain(), trait_kind=kind).change_label
    assert words(with_mixed(plain(), ranks=True))[3] == " of the mixed model"


def test_what_a_coefficient_of_a_selected_gene_is() -> None:
    found = selected({"JUN": 0.1})
    assert words(found, trait_kind="binary")[:2] == ("coefficient", "being a case")
    assert words(found, trait_kind="continuous")[1].startswith("a higher ")


@pytest.mark.parametrize(
    ("condition", "record", "sentence"),
    [
        ("Age", {"tested": 0, "significant": 0}, "depends on age could not be tested."),
        (
            "Age",
            {"tested": 9, "significant": 0},
            "gene passes q < 0.05 for an interaction with age.",
        ),
        ("Age", {"tested": 9, "significant": 1}, "on age for 1 gene (interaction, q < 0.05)."),
        (None, {"tested": 9, "significant": 1}, ""),
        ("Age", {}, ""),
    ],
)
def test_interaction_in_a_sentence(
    condition: str | None, record: dict[str, int], sentence: str
) -> None:
    found = vary(plain(), condition=condition, method={"interaction": record})
    assert found.interaction_sentence.endswith(sentence)
    assert bool(found.interaction_sentence) is bool(sentence)


@pytest.mark.parametrize(
    ("condition", "kind", "meaning"),
    [
        ("Gender", "binary", "log2 fold change in men minus that in women"),
        ("Age", "binary", "by how much the log2 fold change rises with each year of age"),
        ("BMI", "continuous", "how much the change per SD rises with each unit of the condition"),
    ],
)
def test_interaction_in_units(condition: str, kind: Any, meaning: str) -> None:
    found = replace(vary(plain(), condition=condition), trait_kind=kind)
    assert found.interaction_meaning.endswith(meaning)
