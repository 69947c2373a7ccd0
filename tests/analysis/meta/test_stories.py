"""Each gene's story over the cohorts, read from the numbers of its row."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
import pytest

from genotex.analysis import CohortFacts, MetaResult, gene_stories

NAMES = ("GSE1", "GSE2", "GSE3")


def told(
    effects: Mapping[str, float], p: Mapping[str, float] | None = None, *, kind: str = "binary",
    **gene: float | bool,
) -> str:  # fmt: skip
    """Tell the story of a gene with these effects in the cohorts that measured it."""
    row = {"Variable": "TP53", "Combined Effect": sum(effects.values()), "p": 0.0004, "Q p": 0.5,
           "I2": 0.0, "Replicates": False} | gene  # fmt: skip
    alone = dict.fromkeys(effects, 0.01) | dict(p or {})
    each = {f"{n} Effect": effects.get(n) for n in NAMES} | {f"{n} p": alone.get(n) for n in NAMES}
    facts = tuple(CohortFacts(name, "case against control", 20, 100, 5) for name in NAMES)
    result = MetaResult(
        "Asthma", None, pl.DataFrame([row]), pl.DataFrame([each]), facts, {}, method={"kind": kind}
    )
    (story,) = gene_stories(result)
    return story


def test_a_gene_that_rises_everywhere_names_the_strongest_and_replicates() -> None:
    story = told({"GSE1": 1.0, "GSE2": 2.5, "GSE3": 0.4}, Replicates=True)
    assert story == "up in 3 of 3, p 4.0e-04; strongest in GSE2; replicates"


def test_a_cohort_against_the_others_and_one_without_the_gene_are_named() -> None:
    story = told({"GSE1": -2.0, "GSE3": 0.3}, {"GSE1": 1e-6, "GSE3": 0.4})
    assert story.startswith("down in 1 of 2 (up in GSE3), p 4.0e-04, p < 0.05 alone in GSE1; ")
    assert story.endswith("strongest in GSE1; not measured in GSE2")


def test_significant_against_the_direction_is_not_counted_for_it() -> None:
    story = told({"GSE1": 2.0, "GSE2": 1.0, "GSE3": -1.5}, {"GSE2": 0.3, "GSE3": 0.001})
    assert "up in 2 of 3 (down in GSE3)" in story and "alone in GSE1;" in story


@pytest.mark.parametrize(("p", "differ"), [(0.049, True), (0.05, False)])
def test_cohorts_that_differ_are_said_to(p: float, differ: bool) -> None:
    story = told({"GSE1": 1.0, "GSE2": 3.0, "GSE3": 1.0}, **{"Q p": p, "I2": 81.3})
    assert ("; cohorts differ (I\N{SUPERSCRIPT TWO} 81 %)" in story) is differ


def test_a_measured_trait_has_genes_that_rise_and_fall_with_it() -> None:
    assert told({"GSE1": -0.5, "GSE2": -0.2}, kind="continuous").startswith("falls in 2 of 2")
    assert told({"GSE1": 0.5, "GSE2": 0.2}, kind="continuous").startswith("rises in 2 of 2")
