"""Rules and model compared by the codes of samples: what holds, and what is open."""

from dataclasses import replace

import pytest

from genotex.clinical import (
    ClinicalAnnotation,
    FeatureEncoding,
    GeneVerdict,
    SeriesDescription,
    compare,
)
from genotex.procedure import Procedure

GROUPS = ("status: gout", "status: gout", "status: none", "status: none")
CODED = ("g: 1", "g: 1", "g: 2", "g: 2")
AGES = ("age: 40-45", "age: 50", "age: 60", "age: 61")
SERIES = SeriesDescription(
    characteristics=(GROUPS[::2], CODED[::2], AGES),
    cells=(GROUPS, CODED, AGES),
    samples=("S1", "S2", "S3", "S4"),
)
TRAIT = FeatureEncoding("trait", 0, "status", "binary", {"status: gout": 1, "status: none": 0})
AGE = FeatureEncoding("age", 2, "age", "continuous", parser="age_years")
OWN = ClinicalAnnotation(GeneVerdict(True, "array"), TRAIT, AGE, None, certainty=0.95)


def by_model(
    trait: FeatureEncoding | None, age: FeatureEncoding | None = AGE
) -> ClinicalAnnotation:
    return replace(OWN, trait=trait, age=age, certainty=None, by="m")


def both(
    theirs: ClinicalAnnotation, own: ClinicalAnnotation = OWN, least: float = 0.0
) -> ClinicalAnnotation:
    return compare(own, theirs, SERIES, Procedure.SOUND, least)


def test_same_samples_in_another_row_and_other_words_agree() -> None:
    coded = replace(TRAIT, row=1, key="g", values={"g: 1": 1, "g: 2": 0})
    found = both(by_model(coded))
    assert (found.trait, dict(found.review), dict(found.checks)) == (TRAIT, {}, {})
    assert found.by == "rules and m"


def test_what_the_two_agree_on_holds_below_any_least_certainty() -> None:
    assert both(by_model(TRAIT), replace(OWN, certainty=0.4), least=0.99).trait == TRAIT


def test_middle_of_a_range_may_differ_by_half_a_year() -> None:
    near = replace(AGE, values={"age: 40-45": 42})
    assert "age" not in both(by_model(TRAIT, near)).review
    assert "age" in both(by_model(TRAIT, replace(AGE, values={"age: 40-45": 40}))).review


@pytest.mark.parametrize(
    ("certainty", "least", "kept"),
    [(0.6, 0, True), (None, 0, True), (0.95, 0.97, False), (None, 0.5, False)],
)
def test_where_they_differ_the_trait_of_the_rules_stays_for_review(
    certainty: float | None, least: float, kept: bool
) -> None:
    other = replace(TRAIT, values={"status: gout": 1, "status: none": None})
    found = both(by_model(other), replace(OWN, certainty=certainty), least)
    assert found.trait == (TRAIT if kept else None)
    assert "differ in 2 of 4 samples: the rules say 2 control" in found.review["trait"]
    assert ("not used" in found.review["trait"]) is not kept
    assert dict(found.checks) == {
        sample: "trait: the rules say control, m says nothing" for sample in ("S3", "S4")
    }
    if not kept:
        assert found.runner_up is not None and found.runner_up.values == TRAIT.values


def test_trait_that_the_model_alone_finds_is_open_and_not_used() -> None:
    found = both(by_model(TRAIT), replace(OWN, trait=None, certainty=0.7))
    assert found.trait is None
    assert "the rules say nothing, m says 2 case, 2 control" in found.review["trait"]


def test_verdict_on_expression_stays_that_of_the_rules() -> None:
    theirs = replace(by_model(TRAIT), gene=GeneVerdict(False, "microRNA"))
    found = both(theirs)
    assert found.gene.available
    assert "m no human gene expression (microRNA)" in found.review["gene"]
