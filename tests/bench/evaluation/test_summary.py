"""Averages, their bootstrap intervals, counts and kinds of problems, computed by hand."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.bench import (
    Scores,
    SelectionScore,
    percentile_interval,
    resampled_means,
    summarise,
    to_json,
)
from genotex.problems import ProblemKind
from tests.bench.evaluation.some_scores import some_scores


def by_loop(column: list[float | None], seed: int, draws: int) -> list[float | None]:
    """Return the resampled averages one value after the other."""
    random = np.random.default_rng(seed)
    indices = random.integers(len(column), size=(draws, len(column)))
    means: list[float | None] = []
    for draw in indices:
        chosen = [column[int(i)] for i in draw]
        defined = [value for value in chosen if value is not None]
        means.append(sum(defined) / len(defined) if defined else None)
    return means


def test_agrees_with_a_loop_over_draws_and_items() -> None:
    columns: list[list[float | None]] = [
        [0.1, 0.9, 0.4, 0.4, 1.0, 0.0, 0.7],
        [None, 3.0, None, 5.0, 8.0, None, 1.0],
    ]
    values = np.array(columns, dtype=float).T
    means = resampled_means(values, seed=3, draws=50)
    for column, values_of in enumerate(columns):
        looped = by_loop(values_of, seed=3, draws=50)
        wanted = np.array([np.nan if mean is None else mean for mean in looped])
        np.testing.assert_allclose(means[:, column], wanted, rtol=1e-12)


def test_size_of_the_pieces_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).random((13, 3))
    whole = resampled_means(values, seed=1, draws=40)
    monkeypatch.setattr("genotex.bench.evaluation.summary._PIECE", 30)
    assert np.array_equal(resampled_means(values, seed=1, draws=40), whole)


def test_same_seed_same_draws_and_another_seed_others() -> None:
    values = np.random.default_rng(0).random((20, 1))
    first = resampled_means(values, 0, 30)
    assert np.array_equal(first, resampled_means(values, 0, 30))
    assert not np.array_equal(first, resampled_means(values, 1, 30))


def test_interval_of_many_values_is_that_of_the_normal_distribution() -> None:
    values = np.random.default_rng(5).exponential(size=(2000, 1))
    interval = percentile_interval(resampled_means(values, 0, 4000)[:, 0])
    assert interval is not None
    half = 1.959964 * values.std() / np.sqrt(len(values))
    assert interval[0] == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert interval[1] == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_equal_values_have_an_interval_without_width() -> None:
    means = resampled_means(np.full((6, 1), 0.25), 0, 100)[:, 0]
    assert percentile_interval(means) == (0.25, 0.25)


def test_draws_without_a_defined_value_are_left_out() -> None:
    values = np.array([[2.0], [np.nan], [np.nan]])
    means = resampled_means(values, 0, 200)[:, 0]
    assert np.isnan(means).any()
    assert percentile_interval(means) == (2.0, 2.0)


def test_no_items_give_no_interval() -> None:
    assert percentile_interval(resampled_means(np.empty((0, 1)), 0, 10)[:, 0]) is None


def test_averages_are_those_computed_by_hand() -> None:
    sections = summarise(some_scores(), draws=20).sections
    assert sections["filtering"]["precision"].average == 75.0  # (100 + 50) / 2
    assert sections["filtering"]["accuracy"].average == 50.0  # (75 + 25) / 2
    assert sections["selection"]["accuracy"].average == 75.0  # 3 of 4 alike
    assert sections["gene"]["csc"].average == pytest.approx(0.7)  # (0.4 + 1) / 2
    assert sections["analysis"]["success"].average == 75.0  # 3 of 4 answered
    assert sections["analysis"]["predicted"].average == 1.5  # (2 + 2 + 0 + 2) / 4


def test_undefined_values_are_left_out_and_counted() -> None:
    figures = summarise(some_scores(), draws=20).sections["analysis"]
    auroc = figures["auroc"]
    assert (auroc.scored, auroc.undefined) == (3, 1)
    assert auroc.average == pytest.approx((0.625 + 0.875 + 0.5) / 3)
    assert (figures["trait_r2"].scored, figures["trait_r2"].undefined) == (1, 3)
    assert figures["trait_accuracy"].average == pytest.approx((80 + 80 + 0) / 3)


def test_one_defined_value_has_an_average_and_no_interval() -> None:
    r2 = summarise(some_scores(), draws=20).sections["analysis"]["trait_r2"]
    assert (r2.average, r2.interval) == (0.3, None)


def test_interval_holds_the_average() -> None:
    auroc = summarise(some_scores()).sections["analysis"]["auroc"]
    assert auroc.interval is not None and auroc.average is not None
    assert 0.5 <= auroc.interval[0] < auroc.average < auroc.interval[1] <= 0.875


def test_each_kind_of_problem_is_averaged_by_itself() -> None:
    by_kind = summarise(some_scores(), draws=20).by_kind
    assert list(by_kind) == [ProblemKind.UNCONDITIONAL, ProblemKind.ONE_STEP, ProblemKind.TWO_STEP]
    assert by_kind[ProblemKind.UNCONDITIONAL]["analysis"]["success"].scored == 2
    alone = [item for item in some_scores().analysis if item.condition is None]
    of_these = summarise(some_scores(analysis=tuple(alone)), draws=20).sections["analysis"]
    assert by_kind[ProblemKind.UNCONDITIONAL]["analysis"] == of_these, "intervals too"
    assert of_these["success"].interval is not None
    assert by_kind[ProblemKind.ONE_STEP]["analysis"]["auroc"].average == 0.875
    assert by_kind[ProblemKind.ONE_STEP]["selection"]["accuracy"].average == 0.0
    assert by_kind[ProblemKind.TWO_STEP]["analysis"]["success"].average == 0.0


def test_kind_without_a_problem_is_absent() -> None:
    scores = some_scores(analysis=(), selection=(SelectionScore("Asthma", "Age", 100.0),))
    assert list(summarise(scores, draws=20).by_kind) == [ProblemKind.ONE_STEP]


def test_task_that_was_not_asked_for_is_absent_and_one_without_items_is_empty() -> None:
    asked = Scores("mine", "theirs", tasks=("analysis",))
    sections = summarise(asked, draws=20).sections
    assert list(sections) == ["analysis"]
    f1 = sections["analysis"]["f1"]
    assert (f1.average, f1.interval, f1.scored, f1.undefined) == (None, None, 0, 0)


def test_same_figures_whether_or_not_another_task_is_scored() -> None:
    whole = summarise(some_scores(), draws=50)
    alone = summarise(some_scores(filtering=(), selection=(), preprocessing={}), draws=50)
    assert whole.sections["analysis"] == alone.sections["analysis"]


@given(st.permutations(range(4)))
def test_order_of_the_problems_does_not_change_an_average(order: list[int]) -> None:
    scores = some_scores()
    shuffled = replace(scores, analysis=tuple(scores.analysis[i] for i in order))
    for name, average in summarise(scores, draws=2).sections["analysis"].items():
        other = summarise(shuffled, draws=2).sections["analysis"][name]
        assert (average.average, average.scored) == (other.average, other.scored)


def test_json_has_the_same_shape_for_average_interval_and_counts() -> None:
    content = to_json(some_scores(), summarise(some_scores(), draws=20))
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    assert set(content["average"]) == {"filtering", "selection", "preprocessing", "analysis"}
    for section in ("filtering", "selection", "analysis"):
        names = set(content["average"][section])
        assert names == set(content["interval"][section]) == set(content["counts"][section])
    assert set(content["average"]["preprocessing"]) == {"gene", "linked"}
    assert content["average"]["preprocessing"]["gene"]["aj"] == 0.75
    assert content["counts"]["analysis"]["auroc"] == {"scored": 3, "undefined": 1}
    assert content["interval"]["analysis"]["trait_r2"] is None
    assert content["by_kind"]["one-step"]["average"]["selection"] == {"accuracy": 0.0}


def test_json_holds_items_settings_and_what_was_missing() -> None:
    content = to_json(some_scores(), summarise(some_scores(), draws=20))
    assert content["selection"][1] == {"trait": "Asthma", "condition": "Age", "accuracy": 0.0}
    assert content["analysis"][1]["kind"] == "one-step"
    assert content["missing"][1]["why"] == "not valid JSON"
    assert (content["prediction"], content["reference"]) == ("mine", "theirs")
    assert content["settings"]["metrics"] == "default"
    assert content["bootstrap"] == {"draws": 20, "seed": 0, "level": 0.95}
