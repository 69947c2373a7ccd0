"""Folds and the choice of lambda."""

import numpy as np
import pytest

from genotex.analysis.benchmark.tuning import LAMBDAS, Tuned, choose_lambda, make_folds


@pytest.mark.parametrize("samples", [6, 10, 33, 104])
def test_folds_of_the_published_shuffle(samples: int) -> None:
    state = np.random.RandomState(42)
    shuffled = np.arange(samples)
    state.shuffle(shuffled)
    size = samples // 5
    folds = make_folds(samples)
    assert len(folds) == 5
    for i, fold in enumerate(folds):
        assert fold.test.tolist() == shuffled[i * size : (i + 1) * size].tolist()
        assert fold.train.tolist() == sorted(set(range(samples)) - set(fold.test.tolist()))


def test_the_global_random_state_is_left_alone() -> None:
    before = np.random.get_state()[1].copy()
    make_folds(20)
    np.testing.assert_array_equal(np.random.get_state()[1], before)


def tuned(precision: list[float], f1: list[float]) -> list[Tuned]:
    return [
        Tuned(penalty, {"precision": p}, {"f1": f}, 1.0, ())
        for penalty, p, f in zip(LAMBDAS, precision, f1, strict=True)
    ]


def test_the_smallest_lambda_wins_among_equals() -> None:
    chosen, best = choose_lambda(tuned([0, 5, 9, 9, 2, 0, 0], [1, 1, 1, 1, 7, 7, 0]))
    assert (chosen.penalty, best.penalty) == (1e-4, 1e-2)


def test_no_related_gene_selected_at_any_lambda() -> None:
    chosen, _ = choose_lambda(tuned([0] * 7, [0] * 7))
    assert chosen.penalty == 0.1
