"""Bootstrap of averages: against a loop, and against what is known of averages."""

from __future__ import annotations

import numpy as np
import pytest

from genotex.bench.evaluation import summary
from genotex.bench.evaluation.summary import percentile_interval, resampled_means


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
    for column, given in enumerate(columns):
        looped = by_loop(given, seed=3, draws=50)
        wanted = np.array([np.nan if mean is None else mean for mean in looped])
        np.testing.assert_allclose(means[:, column], wanted, rtol=1e-12)


def test_size_of_the_pieces_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).random((13, 3))
    whole = resampled_means(values, seed=1, draws=40)
    monkeypatch.setattr(summary, "_PIECE", 30)
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
