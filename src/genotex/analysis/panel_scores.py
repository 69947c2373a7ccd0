"""How well predictions of left-out samples agree with the trait."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from genotex.analysis.classical_tests import average_ranks

__all__ = ["auroc", "classification", "regression"]

Floats = NDArray[np.float64]


def auroc(target: Floats, predictor: Floats, fold_of: NDArray[np.intp]) -> float:
    """Return the AUROC over pairs within a fold: predictors of different folds are not alike."""
    wins, pairs = 0.0, 0
    for fold in np.unique(fold_of):
        inside = fold_of == fold
        case = target[inside] == 1
        positive, negative = int(case.sum()), int((~case).sum())
        ranks = average_ranks(predictor[inside])
        wins += float(ranks[case].sum()) - positive * (positive + 1) / 2
        pairs += positive * negative
    return wins / pairs


def classification(
    target: Floats, predictor: Floats, fold_of: NDArray[np.intp]
) -> dict[str, float]:
    """Return accuracy, precision, recall, F1 (in %), AUROC and Brier score."""
    # Shapes: target (n,), predictor (n,), fold_of (n,).
    probability = expit(predictor)
    called, case = probability >= 0.5, target == 1
    hits = int((called & case).sum())
    precision = hits / called.sum() if called.any() else 0.0
    recall = hits / case.sum()
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return {
        "accuracy": 100 * float((called == case).mean()),
        "precision": 100 * float(precision),
        "recall": 100 * float(recall),
        "f1": 100 * float(f1),
        "auroc": auroc(target, predictor, fold_of),
        "brier": float(((probability - target) ** 2).mean()),
    }


def regression(target: Floats, predictor: Floats, train_mean: Floats) -> dict[str, float]:
    """Return R2 and the normalised mean squared error, against the training sets' means."""
    # Shapes: target (n,), predictor (n,), train_mean (n,).
    error = float(((target - predictor) ** 2).sum() / ((target - train_mean) ** 2).sum())
    return {"r_squared": 1 - error, "nmse": error}
