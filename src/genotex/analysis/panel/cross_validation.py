"""Folds, half-samples and scores of predictions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from genotex.analysis.gene_tests.p_values import average_ranks

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

FOLDS = 5


def smallest_class(target: Floats, binary: bool) -> int:
    """Return the samples in the smaller class; a measured trait counts as two equal classes."""
    return int(min(target.sum(), len(target) - target.sum())) if binary else len(target) // 2


def fold_count(target: Floats, binary: bool) -> int:
    """Return the number of folds: five, or the size of the smaller class if fewer."""
    return max(2, min(FOLDS, smallest_class(target, binary)))


def stratified_folds(target: Floats, binary: bool, count: int, seed: int) -> NDArray[np.intp]:
    """Give every sample a fold, so that the folds are alike in the trait."""
    # Classes are dealt out in random order one after the other; a measured trait is sorted and
    # every run of `count` neighbours is dealt out at random.
    # Shapes: target (n,).
    # Returns Fold of each sample, 0 to count - 1.
    rng = np.random.default_rng(seed)
    fold = np.empty(len(target), dtype=np.intp)
    if binary:
        order = np.concatenate(
            [rng.permutation(np.flatnonzero(target == level)) for level in np.unique(target)]
        )
        fold[order] = np.arange(len(target)) % count
        return fold
    order = np.argsort(target, kind="stable")
    for start in range(0, len(order), count):
        block = order[start : start + count]
        fold[block] = rng.permutation(count)[: len(block)]
    return fold


def splits(target: Floats, binary: bool, rows: Rows, seed: int) -> Iterator[tuple[Rows, Rows]]:
    """Yield training and test rows of each fold."""
    # Shapes: target (n,), rows (m,).
    part = target[rows]
    folds = stratified_folds(part, binary, fold_count(part, binary), seed)
    for fold in range(int(folds.max()) + 1):
        yield rows[folds != fold], rows[folds == fold]


def complementary_halves(target: Floats, binary: bool, pairs: int, seed: int) -> list[Rows]:
    """Draw disjoint pairs of halves that are alike in the trait (Shah and Samworth 2013)."""
    # Each half of a pair gets half of each class. Of an odd class one sample, drawn again for each
    # pair, is in neither half. A measured trait is sorted, and every two neighbours are parted at
    # random.
    # Shapes: target (n,).
    # Returns Rows of each half, ascending; 2 j and 2 j + 1 are a pair.
    rng = np.random.default_rng(seed)
    halves = []
    for _ in range(pairs):
        sides = _parted_classes(target, rng) if binary else _parted_neighbours(target, rng)
        halves += [np.sort(side) for side in sides]
    return halves


def _parted_classes(target: Floats, rng: np.random.Generator) -> tuple[Rows, Rows]:
    one, other = [], []
    for level in np.unique(target):
        order = rng.permutation(np.flatnonzero(target == level))
        half = len(order) // 2
        one.append(order[:half])
        other.append(order[half : 2 * half])
    return np.concatenate(one), np.concatenate(other)


def _parted_neighbours(target: Floats, rng: np.random.Generator) -> tuple[Rows, Rows]:
    order = np.argsort(target, kind="stable")
    if len(order) % 2:
        order = np.delete(order, rng.integers(len(order)))
    neighbours = rng.permuted(order.reshape(-1, 2), axis=1)
    return neighbours[:, 0], neighbours[:, 1]


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
