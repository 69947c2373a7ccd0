"""Probabilities of readings: what they add up to, and which reading wins."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.clinical import (
    RuleExpert,
    SeriesDescription,
    characteristic_candidates,
    load_vocabulary,
)
from genotex.clinical.trait.options import (
    TraitOption,
    load_weights,
    score_options,
    trait_options,
    weigh_evidence,
)
from genotex.clinical.trait.value_judge import ValueJudge

from ..conftest import MakeDescription

NAMED = ["disease state: asthma", "disease state: healthy control"]
VAGUE = ["group: patient", "group: control"]
TREATED = ["treatment: asthma drug", "treatment: control"]


def options_of(
    make: MakeDescription, *rows: list[str], title: str = "Asthma"
) -> tuple[list[TraitOption], ValueJudge]:
    vocabulary = load_vocabulary()
    judge = ValueJudge(vocabulary.trait("Asthma"), vocabulary, title, title)
    return trait_options(characteristic_candidates(make(*rows)), judge), judge


def test_without_evidence_all_answers_are_equally_likely(make_description: MakeDescription) -> None:
    """Conditional logit with all weights 0: options, none and an overlooked one share alike."""
    options, judge = options_of(make_description, NAMED, VAGUE)
    scored, none = score_options(options, judge, weights={})
    share = 1 / (len(options) + 2)
    assert none == pytest.approx(share)
    assert [entry.probability for entry in scored] == pytest.approx([share] * len(options))


@given(st.floats(-700, 700), st.floats(-700, 700))
@settings(deadline=None)
def test_probabilities_add_up_whatever_the_weights(any_weight: float, overlooked: float) -> None:
    def make(*rows: list[str]) -> SeriesDescription:
        return SeriesDescription(characteristics=tuple(map(tuple, rows)))

    options, judge = options_of(make, NAMED, VAGUE)
    weights = {"any": any_weight, "overlooked": overlooked}
    scored, none = score_options(options, judge, weights)
    told = sum(entry.probability for entry in scored) + none
    assert 0 <= told <= 1 + 1e-9
    assert math.isfinite(none)


def test_no_option_leaves_none_and_overlooked(make_description: MakeDescription) -> None:
    options, judge = options_of(make_description, ["batch: 1", "batch: 2"])
    assert options == []
    scored, none = score_options(options, judge)
    assert scored == [] and 0.5 < none < 1


def test_row_that_names_the_trait_beats_one_by_context(make_description: MakeDescription) -> None:
    options, judge = options_of(make_description, VAGUE, NAMED, TREATED)
    scored, _ = score_options(options, judge)
    assert scored[0].candidate.row == 1
    assert scored[0].probability == max(entry.probability for entry in scored)


def test_equally_likely_rows_stand_in_their_order(make_description: MakeDescription) -> None:
    options, judge = options_of(make_description, NAMED, NAMED)
    scored, _ = score_options(options, judge)
    assert [entry.candidate.row for entry in scored] == [0, 1]
    assert scored[0].probability == scored[1].probability


def test_evidence_speaks_of_what_is_there(make_description: MakeDescription) -> None:
    options, judge = options_of(make_description, NAMED)
    found = weigh_evidence(options[0], judge)
    assert found["case named"] == found["healthy controls"] == found["key: disease"] == 1
    assert "case by context" not in found and "how: level" not in found
    assert 0 not in found.values()


def test_every_weight_is_a_finite_number() -> None:
    assert all(math.isfinite(weight) for weight in load_weights().values())


def test_better_evidence_is_more_certain(make_description: MakeDescription) -> None:
    expert = RuleExpert()
    certainty = [
        expert.annotate(make_description(row, title="Asthma"), "Asthma").certainty
        for row in (NAMED, VAGUE)
    ]
    assert certainty[0] is not None and certainty[1] is not None
    assert certainty[0] > certainty[1]
