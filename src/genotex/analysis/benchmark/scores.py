"""How good a selection of genes and a prediction of the trait are, as the benchmark scores them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Scores", "average", "score_classes", "score_selection", "score_values"]

Floats = NDArray[np.float64]
Scores = dict[str, float]


def score_classes(truth: Floats, prediction: Floats) -> Scores:
    """Score a prediction of a binary trait at threshold 0.5, in percent."""
    # Shapes: truth (m,), prediction (m,).
    # Returns ``accuracy``, ``precision``, ``recall``, ``f1``; 0 where nothing can be divided.
    label, case = prediction > 0.5, truth == 1
    hits, called, cases = int((label & case).sum()), int(label.sum()), int(case.sum())
    return {
        "accuracy": _percent(int((label == case).sum()), len(truth)),
        "precision": _percent(hits, called),
        "recall": _percent(hits, cases),
        "f1": _percent(2 * hits, called + cases),
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


def score_selection(selected: NDArray[np.bool_], related: NDArray[np.bool_]) -> Scores:
    """Score selected genes against the related genes, in percent."""
    # Shapes: selected (p,), related (p,).
    # Returns ``precision``, ``recall``, ``f1``, ``jaccard``; 0 where nothing can be divided.
    hits, chosen, known = int((selected & related).sum()), int(selected.sum()), int(related.sum())
    precision, recall = _percent(hits, chosen), _percent(hits, known)
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if hits else 0.0,
        "jaccard": _percent(hits, chosen + known - hits),
    }


def average(scores: Sequence[Mapping[str, float]]) -> Scores:
    """Return the mean of each score over the folds."""
    return {name: float(np.mean([score[name] for score in scores])) for name in scores[0]}


def _percent(part: int, whole: int) -> float:
    return 100.0 * (part / whole) if whole else 0.0
