"""The choice of lambda by cross-validation and its scores."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from genotex.analysis.benchmark.preparation import Prepared, Samples, prepare
from genotex.analysis.results.columns import percent, score_selection
from genotex.arrays import Flags, Floats, Rows

Scores = dict[str, float]


def score_classes(truth: Floats, prediction: Floats) -> Scores:
    """Score a prediction of a binary trait at threshold 0.5, in percent."""
    # Shapes: truth (m,), prediction (m,).
    # Returns ``accuracy``, ``precision``, ``recall``, ``f1``; 0 where nothing can be divided.
    label, case = prediction > 0.5, truth == 1
    hits, called, cases = int((label & case).sum()), int(label.sum()), int(case.sum())
    return {
        "accuracy": percent(int((label == case).sum()), len(truth)),
        "precision": percent(hits, called),
        "recall": percent(hits, cases),
        "f1": percent(2 * hits, called + cases),
    }


def score_values(truth: Floats, prediction: Floats) -> Scores:
    """Score a prediction of a continuous trait."""
    # Returns ``nmse``: mean squared error over the variance of the truth; ``r_squared``. Where the
    # truth does not vary, a prediction counts as no better than the mean: 1 and 0.
    spread = float(((truth - truth.mean()) ** 2).sum())
    if np.ptp(truth) == 0:
        return {"nmse": 1.0, "r_squared": 0.0}
    error = float(((truth - prediction) ** 2).sum())
    return {"nmse": error / spread, "r_squared": 1.0 - error / spread}


def average(scores: Sequence[Mapping[str, float]]) -> Scores:
    """Return the mean of each score over the folds."""
    return {name: float(np.mean([score[name] for score in scores])) for name in scores[0]}


LAMBDAS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
WITHOUT_KNOWLEDGE = 1e-1
"""Lambda when no fold selects a related gene."""

FOLDS = 5
SEED = 42
AHEAD = 3
"""Folds in memory at a time, at most."""

Trial = tuple[Scores, Scores, int]


@dataclass(frozen=True, eq=False)
class _Fold:
    """Rows to train on and rows to test on."""

    train: Rows
    test: Rows


@dataclass(frozen=True)
class Tuned:
    """Mean scores of one lambda over the folds."""

    penalty: float  # Lambda
    selection: Scores  # Mean scores
    prediction: Scores
    genes: float  # Mean number of genes selected
    ln_delta: tuple[float, ...]  # Of each fold, for the rotated Lasso

    def as_json(self) -> dict[str, Any]:
        """Return all of it as plain JSON values."""
        record = {
            "lambda": self.penalty,
            "selection": self.selection,
            "prediction": self.prediction,
            "genes": self.genes,
        }
        return {**record, "ln_delta": list(self.ln_delta)} if self.ln_delta else record


def make_folds(n: int) -> list[_Fold]:
    """Cut 0..n-1, shuffled as after ``numpy.random.seed(42)``, into five folds."""
    # The n mod 5 rows left over always train.
    shuffled = np.arange(n)
    np.random.RandomState(SEED).shuffle(shuffled)
    size = n // FOLDS
    tests = [shuffled[i * size : (i + 1) * size] for i in range(FOLDS)]
    return [_Fold(np.setdiff1d(np.arange(n), test), test) for test in tests]


def cross_validate(
    samples: Samples, related: Flags, threads: int, penalties: tuple[float, ...] = LAMBDAS
) -> tuple[Tuned, ...]:
    """Score every lambda on five folds."""
    # Fits of a fold run in parallel, the long ones (small lambdas) first; a new fold is scaled
    # while others are fitted. No fit knows of another, so the scores do not depend on `threads`.
    # Shapes: related (p,).
    # One path of the exact solver serves all lambdas.
    groups = [penalties] if samples.solver == "exact" else [(penalty,) for penalty in penalties]
    under_way: deque[list[Future[list[Trial]]]] = deque()
    done: list[list[Trial]] = []
    ln_delta: list[float] = []
    # Filters of warnings belong to the process, so they are set here and not in the threads.
    with warnings.catch_warnings(), ThreadPoolExecutor(threads) as pool:
        warnings.simplefilter("ignore", ConvergenceWarning)
        for fold in make_folds(len(samples.trait)):
            if len(under_way) == min(threads, AHEAD):
                done.append(_collect(under_way.popleft()))
            prepared = prepare(samples, fold.train)
            if prepared.ln_delta is not None:
                ln_delta.append(prepared.ln_delta)
            under_way.append(
                [pool.submit(_try, samples, related, fold, prepared, group) for group in groups]
            )
            del prepared
        done += [_collect(fits) for fits in under_way]
    return tuple(
        Tuned(
            penalty,
            average([fold[i][0] for fold in done]),
            average([fold[i][1] for fold in done]),
            float(np.mean([fold[i][2] for fold in done])),
            tuple(ln_delta),
        )
        for i, penalty in enumerate(penalties)
    )


def _collect(fits: Sequence[Future[list[Trial]]]) -> list[Trial]:
    return [trial for future in fits for trial in future.result()]


def _try(
    samples: Samples, related: Flags, fold: _Fold, prepared: Prepared, penalties: Sequence[float]
) -> list[Trial]:
    score = score_classes if samples.binary else score_values
    trials = []
    for fit in prepared.fit(penalties, samples.solver):
        selected = fit.coefficients != 0
        prediction = prepared.predict(fit, samples, fold.test)
        trials.append(
            (
                score_selection(selected, related),
                score(samples.trait[fold.test], prediction),
                int(selected.sum()),
            )
        )
    return trials


def choose_lambda(tuning: Sequence[Tuned]) -> tuple[Tuned, Tuned]:
    """Return the lambda of the most precise selection and that of the best prediction."""
    # The smallest lambda wins among equals. When no lambda selects a related gene, 0.1 is taken. A
    # single lambda is the one.
    chosen = max(tuning, key=lambda tuned: tuned.selection["precision"])
    if chosen.selection["precision"] == 0 and len(tuning) > 1:
        chosen = next(tuned for tuned in tuning if tuned.penalty == WITHOUT_KNOWLEDGE)
    target = "f1" if "f1" in tuning[0].prediction else "r_squared"
    return chosen, max(tuning, key=lambda tuned: tuned.prediction[target])
