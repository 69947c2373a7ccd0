"""A sparse panel of genes that together predict the trait, its quality and its stability."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import expit
from threadpoolctl import threadpool_limits

from genotex.analysis.gene_tests.p_values import average_ranks
from genotex.analysis.panel.active_set import OverBudget, Work
from genotex.analysis.panel.gene_screen import ChosenGenes
from genotex.analysis.panel.path import (
    PanelData,
    PanelPath,
    best_of,
    fit_paths,
    fit_single,
    fold_errors,
)
from genotex.arrays import Floats, Rows

FOLDS = 5


def _smallest_class(target: Floats, binary: bool) -> int:
    """Return the samples in the smaller class; a measured trait counts as two equal classes."""
    return int(min(target.sum(), len(target) - target.sum())) if binary else len(target) // 2


def _fold_count(target: Floats, binary: bool) -> int:
    """Return the number of folds: five, or the size of the smaller class if fewer."""
    return max(2, min(FOLDS, _smallest_class(target, binary)))


def stratified_folds(target: Floats, binary: bool, count: int, seed: int) -> Rows:
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
    folds = stratified_folds(part, binary, _fold_count(part, binary), seed)
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


def auroc(target: Floats, predictor: Floats, fold_of: Rows) -> float:
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


def classification(target: Floats, predictor: Floats, fold_of: Rows) -> dict[str, float]:
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


PAIRS = 50


def selection_frequency(
    data: PanelData, penalty: float, seed: int, pairs: int = PAIRS
) -> tuple[Floats, dict[str, Any]]:
    """Return the share of half-samples that select each gene, and a record."""
    # The penalty is the same in the halves, on the scale of the mean loss; a half's slopes vary
    # more than those of all samples, so that genes of little weight come in and out.
    # Returns frequency: 0 to 1. record: ``pairs``, ``penalty``, ``seed``, ``genes_above_half`` and
    # ``genes_per_half_sample``.
    halves = complementary_halves(data.target, data.binary, pairs, seed)
    counts = np.zeros(data.screen.size)
    for genes in fit_single(data, halves, penalty):
        counts[genes] += 1
    frequency = counts / len(halves)
    return frequency, {
        "pairs": pairs,
        "penalty": penalty,
        "seed": seed,
        "genes_above_half": int((frequency > 0.5).sum()),
        "genes_per_half_sample": float(counts.sum() / len(halves)),
    }


SMALLEST_CLASS = 5
SMALLEST_CLASS_FOR_MORE = 10
"""Below, neither prediction quality nor selection frequencies."""
EMPTY = (
    "The panel is empty: no gene lowers the cross-validated deviance by more than a standard error."
)
MOST_WORK = 2e12
"""Multiplications of a panel by default: about a minute of one core."""
LEFT_OUT = (
    "Panel left out: thousands of genes predict the trait alike, so that it takes more than about "
    "a minute. --panel fits it."
)
REPEATED = (
    "No prediction quality: some people seem to have given several samples, and a fold would test "
    "people it was trained on. For the same reason selection frequencies may be too high."
)


@dataclass(frozen=True, eq=False)
class GenePanel:
    """A panel of genes; empty when it could not be fitted or no gene improved the prediction."""

    # Gene column to coefficient on the z-scored gene (log odds, or units of the trait)
    coefficients: dict[int, float] = field(default_factory=dict)
    # Prediction quality from nested cross-validation; empty when samples are too few
    quality: dict[str, Any] = field(default_factory=dict)
    # Penalty, folds, seed, counts and, under ``stability``, how the frequencies were found
    record: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # What was skipped and why
    # (p,): share of the half-samples that select the gene, 0 to 1; None when there are too few
    # samples
    selection_frequency: Floats | None = None


@dataclass(frozen=True, eq=False)
class _Choice:
    """The path of a training set, and the penalty that cross-validation within it chose."""

    path: PanelPath
    error: Floats
    best: int
    chosen: int


def fit_panel(
    genes: Floats | ChosenGenes,
    covariates: Floats,
    target: Floats,
    *,
    binary: bool,
    seed: int,
    threads: int = 1,
    repeated: bool = False,
    most_work: float = np.inf,
) -> GenePanel:
    """Fit the panel, estimate how well such a panel predicts, and how stable its genes are.

    The penalty is the largest whose cross-validated deviance is within one standard error of the
    best (Breiman's rule). Prediction quality comes from an outer cross-validation that chooses the
    penalty again inside each training set. z-scores and filled values use training samples only.
    Selection frequencies come from complementary half-samples (Shah and Samworth 2013). Covariates,
    without intercept, are not penalised. Where some people gave several samples (`repeated`), folds
    would test people they were trained on, so there is no prediction quality. The panel is left out
    where it takes more than `most_work` (`Work`).
    """
    # Shapes: genes (n, p), NaN is missing; covariates (n, k); target (n,), 0 and 1 or standardised.
    if reason := _why_no_panel(genes.shape[1], target, binary):
        return GenePanel(notes=(reason,))
    # One BLAS thread: the products are many and small, and the result then never depends on it.
    with ExitStack() as stack:
        stack.enter_context(threadpool_limits(limits=1))
        pool = stack.enter_context(ThreadPoolExecutor(threads)) if threads > 1 else None
        data = PanelData(genes, covariates, target, binary, pool, Work(most_work))
        try:
            return _fit(data, seed, repeated)
        except OverBudget:
            return GenePanel(notes=(LEFT_OUT,))


def _fit(data: PanelData, seed: int, repeated: bool) -> GenePanel:
    target, binary = data.target, data.binary
    rows = np.arange(len(target))
    enough = _smallest_class(target, binary) >= SMALLEST_CLASS_FOR_MORE
    judged = enough and not repeated
    outer = list(splits(target, binary, rows, seed + 1)) if judged else []
    final, *others = _choose(data, [rows, *(train for train, _ in outer)], seed)
    coefficients = final.path.coefficients[final.chosen]
    used = np.flatnonzero(coefficients)
    notes = [] if len(used) else [EMPTY]
    record = _record(data, final, seed)
    quality: dict[str, Any] = {}
    frequency = None
    if judged:
        quality = _quality(data, others, [test for _, test in outer])
    if enough:
        notes += [REPEATED] if repeated else []
        penalty, rule = _penalty_of_halves(final)
        frequency, record["stability"] = selection_frequency(data, penalty, seed + 2)
        record["stability"]["penalty_rule"] = rule
    else:
        notes.append(_why_no_more(binary))
    found = {int(final.path.genes[j]): float(coefficients[j]) for j in used}
    return GenePanel(found, quality, record, tuple(notes), frequency)


def _why_no_panel(genes: int, target: Floats, binary: bool) -> str:
    if genes == 0:
        return "No panel: no gene was tested."
    smallest = _smallest_class(target, binary)
    if smallest >= SMALLEST_CLASS:
        return ""
    if binary:
        return f"No panel: it needs {SMALLEST_CLASS} samples per class, there are {smallest}."
    return f"No panel: it needs {2 * SMALLEST_CLASS} samples, there are {len(target)}."


def _why_no_more(binary: bool) -> str:
    # A measured trait counts as two equal classes.
    per_class, whole = SMALLEST_CLASS_FOR_MORE, 2 * SMALLEST_CLASS_FOR_MORE
    needed = f"{per_class} samples per class" if binary else f"{whole} samples"
    return (
        "No prediction quality and no selection frequencies: nested cross-validation and "
        f"half-samples need {needed}."
    )


def _record(data: PanelData, choice: _Choice, seed: int) -> dict[str, Any]:
    path, chosen = choice.path, choice.chosen
    return {
        "model": "logistic, L1" if data.binary else "linear, L1",
        "penalty": float(path.penalties[chosen]),
        "penalty_rule": "largest within one standard error of the best cross-validated deviance",
        "cross_validated_deviance": float(choice.error[chosen]),
        "cross_validated_deviance_at_largest_penalty": float(choice.error[0]),
        "folds": _fold_count(data.target, data.binary),
        "seed": seed,
        "genes": int(np.count_nonzero(path.coefficients[chosen])),
    }


def _penalty_of_halves(choice: _Choice) -> tuple[float, str]:
    path = choice.path
    if path.coefficients[choice.chosen].any():
        return float(path.penalties[choice.chosen]), "that of the panel"
    # Where the full cohort selects nothing, the halves would only show their own noise.
    rule = "best cross-validated deviance, because the panel is empty"
    return float(path.penalties[choice.best]), rule


def _choose(data: PanelData, training: Sequence[Rows], seed: int) -> list[_Choice]:
    """Choose a penalty for each training set by cross-validation within it."""
    families = [
        [rows, *(train for train, _ in splits(data.target, data.binary, rows, seed))]
        for rows in training
    ]
    return [_one_standard_error(data, family) for family in fit_paths(data, families)]


def _one_standard_error(data: PanelData, family: Sequence[PanelPath]) -> _Choice:
    best, error, spread = best_of(fold_errors(data, family))
    return _Choice(family[0], error, best, int(np.argmax(error <= error[best] + spread)))


def _quality(data: PanelData, choices: Sequence[_Choice], tests: Sequence[Rows]) -> dict[str, Any]:
    target = data.target
    predictor = np.empty((2, len(target)))
    fold_of = np.empty(len(target), dtype=np.intp)
    train_mean = np.empty(len(target))
    for fold, (choice, test) in enumerate(zip(choices, tests, strict=True)):
        predictor[:, test] = choice.path.linear_predictor(data, test)[[choice.chosen, 0]]
        fold_of[test] = fold
        train_mean[test] = target[choice.path.training].mean()
    if data.binary:
        scores = classification(target, predictor[0], fold_of)
        scores["auroc_without_genes"] = auroc(target, predictor[1], fold_of)
    else:
        scores = regression(target, predictor[0], train_mean)
        alone = regression(target, predictor[1], train_mean)
        scores["r_squared_without_genes"] = alone["r_squared"]
    return {"prediction": scores, "source": f"nested cross-validation, {len(tests)} outer folds"}
