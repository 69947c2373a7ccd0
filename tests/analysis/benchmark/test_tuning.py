"""The choice of lambda, and the scores."""

import numpy as np
import pytest
from sklearn import metrics

from genotex.analysis import LAMBDAS, score_selection
from genotex.analysis.benchmark.tuning import (
    Tuned,
    average,
    choose_lambda,
    make_folds,
    score_classes,
    score_values,
)


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


@pytest.mark.parametrize("seed", range(8))
def test_classes_as_scikit_learn_scores_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 13).astype(float)
    prediction = rng.normal(0.3 + 0.1 * seed, 0.4, 13)
    label = (prediction > 0.5).astype(float)
    assert score_classes(truth, prediction) == {
        "accuracy": pytest.approx(100 * metrics.accuracy_score(truth, label)),
        "precision": pytest.approx(100 * metrics.precision_score(truth, label, zero_division=0)),
        "recall": pytest.approx(100 * metrics.recall_score(truth, label, zero_division=0)),
        "f1": pytest.approx(100 * metrics.f1_score(truth, label, zero_division=0)),
    }


def test_no_sample_called_and_none_to_call() -> None:
    none = score_classes(np.zeros(4), np.full(4, 0.5))
    assert none == {"accuracy": 100.0, "precision": 0.0, "recall": 0.0, "f1": 0.0}


def test_values_as_scikit_learn_scores_them() -> None:
    rng = np.random.default_rng(1)
    truth, prediction = rng.normal(size=20), rng.normal(size=20)
    scores = score_values(truth, prediction)
    assert scores["r_squared"] == pytest.approx(metrics.r2_score(truth, prediction))
    error = metrics.mean_squared_error(truth, prediction)
    assert scores["nmse"] == pytest.approx(error / np.var(truth))


@pytest.mark.parametrize("truth", [[3.0], [2.0, 2.0]])
def test_test_samples_that_do_not_vary(truth: list[float]) -> None:
    values = np.array(truth)
    assert score_values(values, values + 1) == {"nmse": 1.0, "r_squared": 0.0}


def test_selection_as_scikit_learn_scores_it() -> None:
    rng = np.random.default_rng(2)
    selected, related = rng.random(50) < 0.4, rng.random(50) < 0.3
    assert score_selection(selected, related) == {
        "precision": pytest.approx(100 * metrics.precision_score(related, selected)),
        "recall": pytest.approx(100 * metrics.recall_score(related, selected)),
        "f1": pytest.approx(100 * metrics.f1_score(related, selected)),
        "jaccard": pytest.approx(100 * metrics.jaccard_score(related, selected)),
    }


def test_nothing_selected_or_nothing_known() -> None:
    some, none = np.array([True, False]), np.zeros(2, dtype=bool)
    for selected, related in ((none, some), (some, none), (none, none)):
        assert set(score_selection(selected, related).values()) == {0.0}


def test_average_of_folds() -> None:
    assert average([{"f1": 10.0}, {"f1": 30.0}]) == {"f1": 20.0}
