"""The sparse panel: few genes that predict the trait together, and how well they do it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import rankdata

from genotex.analysis.panel_path import PanelPath, deviance, fit_path, penalty_grid

__all__ = ["Panel", "fit_panel", "stratified_folds"]

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

FOLDS = 5
SMALLEST_CLASS = 5
SMALLEST_CLASS_FOR_QUALITY = 10
EMPTY = (
    "The panel is empty: no gene lowers the cross-validated deviance by more than a standard error."
)


@dataclass(frozen=True, eq=False)
class Panel:
    """A panel of genes; empty when it could not be fitted or no gene improved the prediction.

    Attributes
    ----------
    coefficients : dict of int to float
        Gene column to coefficient on the z-scored gene (log odds, or units of the trait).
    quality : dict
        Prediction quality from nested cross-validation; empty when samples are too few.
    record : dict
        Penalty, folds, seed and counts.
    notes : tuple of str
        What was skipped and why.
    """

    coefficients: dict[int, float] = field(default_factory=dict)
    quality: dict[str, Any] = field(default_factory=dict)
    record: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Scaling:
    """z-scores by the training rows: mean and population deviation, 0 counts as 1."""

    mean: Floats
    deviation: Floats

    @classmethod
    def of(cls, values: Floats) -> _Scaling:
        known = ~np.isnan(values)
        count = np.maximum(known.sum(axis=0), 1)
        filled = np.where(known, values, 0.0)
        mean = filled.sum(axis=0) / count
        spread = np.where(known, values - mean, 0.0)
        deviation = np.sqrt(np.einsum("ij,ij->j", spread, spread) / count)
        flat = deviation <= 1e-12 * np.maximum(1.0, np.abs(mean))
        return cls(mean, np.where(flat, 1.0, deviation))

    def apply(self, values: Floats) -> Floats:
        # A missing value becomes the training mean.
        scaled = (values - self.mean) / self.deviation
        np.nan_to_num(scaled, copy=False, nan=0.0)
        return scaled


@dataclass(frozen=True, eq=False)
class _Data:
    genes: Floats
    covariates: Floats
    target: Floats
    binary: bool

    def train(self, rows: Rows) -> tuple[_Scaling, _Scaling, Floats, Floats]:
        genes, covariates = _Scaling.of(self.genes[rows]), _Scaling.of(self.covariates[rows])
        return genes, covariates, *self.scaled(genes, covariates, rows)

    def scaled(self, genes: _Scaling, covariates: _Scaling, rows: Rows) -> tuple[Floats, Floats]:
        columns = covariates.apply(self.covariates[rows])
        with_one = np.column_stack([np.ones(len(rows)), columns])
        return genes.apply(self.genes[rows]), with_one


def stratified_folds(target: Floats, binary: bool, count: int, seed: int) -> NDArray[np.intp]:
    """Give every sample a fold, so that the folds are alike in the trait.

    Classes are dealt out in random order one after the other; a measured trait is sorted and every
    run of `count` neighbours is dealt out at random.

    Parameters
    ----------
    target : ndarray of float64, shape (n,)
        Classes 0 and 1, or a measured trait.
    binary : bool
        Which of the two it is.
    count : int
        Number of folds.
    seed : int
        Seed of the random order.

    Returns
    -------
    ndarray of int, shape (n,)
        Fold of each sample, 0 to count - 1.
    """
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


def fit_panel(
    genes: Floats,
    covariates: Floats,
    target: Floats,
    *,
    binary: bool,
    seed: int,
) -> Panel:
    """Fit the panel and estimate how well such a panel predicts new samples.

    The penalty is the largest whose cross-validated deviance is within one standard error of the
    best (Breiman's rule). Prediction quality comes from an outer cross-validation that chooses the
    penalty anew inside each training set. z-scores and filled values use training samples only.

    Parameters
    ----------
    genes : ndarray of float64, shape (n, p)
        Expression of the tested genes; NaN is missing.
    covariates : ndarray of float64, shape (n, k)
        Covariates and condition, without intercept; not penalised.
    target : ndarray of float64, shape (n,)
        0 and 1, or the standardised trait.
    binary : bool
        Logistic instead of linear.
    seed : int
        Seed of the folds.
    """
    data = _Data(genes, covariates, target, binary)
    if reason := _why_no_panel(data):
        return Panel(notes=(reason,))
    path, chosen, error = _choose(data, np.arange(len(target)), seed)
    coefficients = path.genes[chosen]
    used = np.flatnonzero(coefficients)
    notes = [] if len(used) else [EMPTY]
    quality: dict[str, Any] = {}
    if reason := _why_no_quality(data):
        notes.append(reason)
    else:
        quality = _quality(data, seed)
    record = _record(data, path, chosen, error, seed)
    return Panel({int(j): float(coefficients[j]) for j in used}, quality, record, tuple(notes))


def _why_no_panel(data: _Data) -> str:
    smallest = _smallest_class(data.target, data.binary)
    if data.genes.shape[1] == 0:
        return "No panel: no gene was tested."
    if smallest < SMALLEST_CLASS:
        unit = "per class" if data.binary else "in ten"
        return f"No panel: it needs {SMALLEST_CLASS} samples {unit}, there are {smallest}."
    return ""


def _why_no_quality(data: _Data) -> str:
    if _smallest_class(data.target, data.binary) >= SMALLEST_CLASS_FOR_QUALITY:
        return ""
    unit = "per class" if data.binary else "in twenty"
    return (
        "No prediction quality: nested cross-validation needs "
        f"{SMALLEST_CLASS_FOR_QUALITY} samples {unit}."
    )


def _record(data: _Data, path: PanelPath, chosen: int, error: Floats, seed: int) -> dict[str, Any]:
    return {
        "model": "logistic, L1" if data.binary else "linear, L1",
        "penalty": float(path.penalties[chosen]),
        "penalty_rule": "largest within one standard error of the best cross-validated deviance",
        "cross_validated_deviance": float(error[chosen]),
        "cross_validated_deviance_at_largest_penalty": float(error[0]),
        "folds": _fold_count(data.target, data.binary),
        "seed": seed,
        "genes": int(np.count_nonzero(path.genes[chosen])),
    }


def _smallest_class(target: Floats, binary: bool) -> int:
    # A measured trait counts as two classes of half its samples.
    return int(min(target.sum(), len(target) - target.sum())) if binary else len(target) // 2


def _fold_count(target: Floats, binary: bool) -> int:
    return max(2, min(FOLDS, _smallest_class(target, binary)))


def _splits(target: Floats, binary: bool, rows: Rows, seed: int) -> Iterator[tuple[Rows, Rows]]:
    part = target[rows]
    folds = stratified_folds(part, binary, _fold_count(part, binary), seed)
    for fold in range(int(folds.max()) + 1):
        yield rows[folds != fold], rows[folds == fold]


def _choose(data: _Data, rows: Rows, seed: int) -> tuple[PanelPath, int, Floats]:
    """Fit the path on `rows` and choose a penalty by cross-validation within them."""
    _, _, genes, covariates = data.train(rows)
    target = data.target[rows]
    grid = penalty_grid(genes, covariates, target, data.binary)
    path = fit_path(genes, covariates, target, data.binary, grid, stop_saturated=True)
    errors = []
    for train, test in _splits(data.target, data.binary, rows, seed):
        gene_scale, covariate_scale, x, z = data.train(train)
        fitted = fit_path(x, z, data.target[train], data.binary, path.penalties)
        x_new, z_new = data.scaled(gene_scale, covariate_scale, test)
        predicted = fitted.linear_predictor(x_new, z_new)
        errors.append(deviance(data.target[test], predicted, data.binary).mean(axis=1))
    error = np.mean(errors, axis=0)
    spread = np.std(errors, axis=0, ddof=1) / np.sqrt(len(errors))
    best = int(np.argmin(error))
    return path, int(np.argmax(error <= error[best] + spread[best])), error


def _quality(data: _Data, seed: int) -> dict[str, Any]:
    rows = np.arange(len(data.target))
    predictor = np.empty((2, len(rows)))
    fold_of = np.empty(len(rows), dtype=np.intp)
    train_mean = np.empty(len(rows))
    splits = list(_splits(data.target, data.binary, rows, seed + 1))
    for fold, (train, test) in enumerate(splits):
        path, chosen, _ = _choose(data, train, seed)
        gene_scale, covariate_scale, _, _ = data.train(train)
        x, z = data.scaled(gene_scale, covariate_scale, test)
        predictor[:, test] = path.linear_predictor(x, z)[[chosen, 0]]
        fold_of[test] = fold
        train_mean[test] = data.target[train].mean()
    if data.binary:
        scores = _classification(data.target, predictor[0], fold_of)
        scores["auroc_without_genes"] = _auroc(data.target, predictor[1], fold_of)
    else:
        scores = _regression(data.target, predictor[0], train_mean)
        scores["r_squared_without_genes"] = _regression(data.target, predictor[1], train_mean)[
            "r_squared"
        ]
    return {"prediction": scores, "source": f"nested cross-validation, {len(splits)} outer folds"}


def _auroc(target: Floats, predictor: Floats, fold_of: NDArray[np.intp]) -> float:
    """Return the AUROC over pairs within a fold: predictors of different folds are not alike."""
    wins, pairs = 0.0, 0
    for fold in np.unique(fold_of):
        inside = fold_of == fold
        case = target[inside] == 1
        positive, negative = int(case.sum()), int((~case).sum())
        ranks = rankdata(predictor[inside])
        wins += float(ranks[case].sum()) - positive * (positive + 1) / 2
        pairs += positive * negative
    return wins / pairs


def _classification(
    target: Floats, predictor: Floats, fold_of: NDArray[np.intp]
) -> dict[str, float]:
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
        "auroc": _auroc(target, predictor, fold_of),
        "brier": float(((probability - target) ** 2).mean()),
    }


def _regression(target: Floats, predictor: Floats, train_mean: Floats) -> dict[str, float]:
    error = float(((target - predictor) ** 2).sum() / ((target - train_mean) ** 2).sum())
    return {"r_squared": 1 - error, "nmse": error}
