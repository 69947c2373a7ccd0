"""How two labels of a trait differ, one class after the other."""

import pytest

from genotex.bench import Disagreement, FeatureLabel, Label, count_disagreements
from genotex.bench.evaluation.labels.scoring import compare_traits

from .labelled import CASE, CONTROL, feature

TRAIT = feature(0, {CASE: 1, CONTROL: 0, "disease: NA": None})


@pytest.mark.parametrize(
    ("base", "other", "kind"),
    [
        (TRAIT, TRAIT, Disagreement.ALIKE),
        (None, None, Disagreement.NEITHER),
        (None, feature(0, {CASE: 1}), Disagreement.ONE_VALUE),
        (None, feature(0, {"aml: de novo": 1, "aml: secondary": 1}), Disagreement.ONE_CODE),
        (None, feature(0, {"id: 1": None, "id: 2": None}), Disagreement.ONE_CODE),
        (None, feature(0, {"treatment: DMSO": 0, "treatment: drug": 1}), Disagreement.TREATMENT),
        (None, feature(0, {"time: 0 h": 0, "time: 2 h": 1}), Disagreement.TREATMENT),
        (None, feature(0, {"stage: I": 0, "stage: II": 1}), Disagreement.COURSE),
        (None, feature(0, {"response: no": 0, "response: yes": 1}), Disagreement.COURSE),
        (None, feature(0, {"cell line: A": 0, "cell line: B": 1}), Disagreement.CULTURE),
        (None, feature(0, {"disease: gout": 1, CONTROL: 0}), Disagreement.OTHER_GROUPS),
        (TRAIT, None, Disagreement.OVERLOOKED),
        (TRAIT, feature(1, TRAIT.map), Disagreement.OTHER_ROW),
        (TRAIT, feature(0, {CASE: 0, CONTROL: 1}), Disagreement.SWAPPED),
        (TRAIT, feature(0, {CASE: 1, CONTROL: 0, "disease: NA": 0}), Disagreement.MISSING),
        (TRAIT, feature(0, {CASE: 1}), Disagreement.MISSING),
        (TRAIT, feature(0, {CASE: 1, CONTROL: 1}), Disagreement.OTHER_CODES),
    ],
)
def test_class_of_difference(
    base: FeatureLabel | None, other: FeatureLabel | None, kind: Disagreement
) -> None:
    assert compare_traits(base, other) is kind


def test_cases_that_both_sets_label_are_counted() -> None:
    base = {"a": Label(True, TRAIT), "b": Label(True), "c": Label(True)}
    other = {"a": Label(True), "b": Label(True), "d": Label(True)}
    counts = count_disagreements(base, other)
    assert list(counts) == list(Disagreement)
    assert {kind: n for kind, n in counts.items() if n} == {
        Disagreement.OVERLOOKED: 1,
        Disagreement.NEITHER: 1,
    }
