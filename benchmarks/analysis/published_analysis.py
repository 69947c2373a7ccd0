"""The published analysis, in plain scikit-learn: the side that genotex is measured against.

Written from the description of the procedure (docs/benchmark-procedure.md), the way a scikit-learn
user would: for every lambda and every fold the genes are z-scored again and a new model is fitted
by one plain call. The tests hold genotex to its answers, the benchmarks to its time.

A table is a data frame, samples x (trait, Age, Gender, genes), as in a linked CSV.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.linalg
import scipy.optimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    mean_squared_error,
    precision_score,
    r2_score,
    recall_score,
)

LAMBDAS = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0]
COVARIATES = ["Age", "Gender"]
FOLDS = 5


def solve(
    table: pd.DataFrame,
    trait: str,
    related: Sequence[str],
    condition: str | None = None,
    condition_table: pd.DataFrame | None = None,
    condition_related: Sequence[str] = (),
    exclusive: bool = False,
) -> dict[str, Any]:
    """Solve one problem; return the fields of the published file and what led to them.

    Parameters
    ----------
    table : pandas.DataFrame
        The trait's cohort.
    trait : str
        Name of the trait's column.
    related : sequence of str
        Related genes of the trait.
    condition : str, optional
        ``Age``, ``Gender``, or the trait column of `condition_table`.
    condition_table : pandas.DataFrame, optional
        Two-step: the condition's cohort.
    condition_related : sequence of str
        Two-step: related genes of the condition.
    exclusive : bool
        Two-step: take the related genes of the trait out of the regressors.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        genes = [name for name in table.columns if name not in (trait, *COVARIATES)]
        x = numbers(table, genes)
        y = table[trait].to_numpy()
        regressors: list[str] = []
        z = None
        if condition in COVARIATES:
            z = table[condition].to_numpy()
        elif condition is not None:
            assert condition_table is not None
            regressors = [
                gene
                for gene in condition_related
                if gene in genes
                and gene in condition_table.columns
                and not (exclusive and gene in related)
            ]
            z = predict_condition(condition_table, condition, table, regressors)
        shares, batch_effect = detect_batch_effect(x)
        known = [gene for gene in related if gene in genes]
        tuning = [cross_validate(x, y, z, genes, known, lam, batch_effect) for lam in LAMBDAS]
        chosen, cv_performance = choose_lambda(tuning)
        model = ResidualModel(chosen, batch_effect)
        mean, deviation = scaling(x)
        model.fit((x - mean) / deviation, y, z)
    return {
        "significant_genes": interpret(genes, model.coefficients),
        "cv_performance": cv_performance,
        "lambda": chosen,
        "tuning": tuning,
        "batch_effect": batch_effect,
        "shares": shares,
        "regressors": regressors,
        "ln_delta": model.ln_delta,
        "condition": z,
    }


def numbers(table: pd.DataFrame, columns: list[str]) -> np.ndarray:
    """Return columns as a matrix, sample after sample in memory."""
    return np.ascontiguousarray(table[columns].to_numpy(), dtype=float)


def scaling(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and population standard deviation of each column; no deviation counts as 1."""
    deviation = x.std(axis=0)
    return x.mean(axis=0), np.where(deviation == 0, 1.0, deviation)


def predict_condition(
    condition_table: pd.DataFrame, condition: str, table: pd.DataFrame, regressors: list[str]
) -> np.ndarray:
    """Predict the condition of the trait's samples from the condition's cohort."""
    x = numbers(condition_table, regressors)
    y = condition_table[condition].to_numpy()
    mean, deviation = scaling(x)
    x = (x - mean) / deviation
    wide = x.shape[1] > x.shape[0]
    new = numbers(table, regressors)
    mean, deviation = scaling(new)
    new = (new - mean) / deviation
    if len(np.unique(y)) == 2:
        y = (y == y.max()).astype(float)
        if wide:
            classifier = LogisticRegression(l1_ratio=1.0, solver="liblinear", random_state=42)
        else:
            classifier = LogisticRegression()
        return classifier.fit(x, y).predict_proba(new)[:, 1]
    regression = Lasso(alpha=1.0) if wide else LinearRegression()
    return regression.fit(x, y).predict(new)


def detect_batch_effect(x: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return the ten largest eigenvalues over the largest, and whether two neighbours are apart."""
    centred = x - x.mean(axis=0)
    eigenvalues = np.sort(np.linalg.eigvalsh(centred @ centred.T))[::-1][:10]
    shares = eigenvalues / eigenvalues[0]
    return shares, bool((-np.diff(shares) > 200 / len(x)).any())


class RotatedLasso:
    """Lasso on genes rotated by the eigenvectors of their kinship; the target is left as it is."""

    def __init__(self, lam: float) -> None:
        self.lasso = Lasso(alpha=lam, max_iter=1000, tol=1e-4)
        self.ln_delta = np.nan

    def fit(self, x: np.ndarray, y: np.ndarray) -> None:
        """Estimate delta under the null model, rotate, fit."""
        s, u = scipy.linalg.eigh(x @ x.T)
        uy = u.T @ y
        self.ln_delta = estimate_ln_delta(s, uy)
        scale = 1.0 / np.sqrt(s + np.exp(self.ln_delta))
        self.lasso.fit(scale[:, None] * (u.T @ x), y)

    def predict(self, x: np.ndarray) -> np.ndarray:
        """Return X b + b0."""
        return self.lasso.predict(x)


def null_loss(ln_delta: float, s: np.ndarray, uy: np.ndarray) -> float:
    """Return the negative log-likelihood of the model without genes."""
    n = len(s)
    total = s + np.exp(ln_delta)
    variance = np.mean(uy**2 / total)
    return 0.5 * (n * np.log(2 * np.pi) + np.log(total).sum() + n + n * np.log(variance))


def estimate_ln_delta(s: np.ndarray, uy: np.ndarray) -> float:
    """Minimise the loss of the null model over [-5, 5]."""
    grid = np.linspace(-5, 5, 501)
    losses = [null_loss(value, s, uy) for value in grid]
    best = int(np.argmin(losses))
    candidates = [(losses[best], grid[best])]
    for i in range(1, 500):
        if losses[i] < losses[i - 1] and losses[i] < losses[i + 1]:
            bracket = (grid[i - 1], grid[i], grid[i + 1])
            point, loss, _, _ = scipy.optimize.brent(
                null_loss, args=(s, uy), brack=bracket, full_output=True
            )
            candidates.append((loss, point))
    return float(min(candidates)[1])


class ResidualModel:
    """The condition is taken out of the target first, and added back by the prediction."""

    def __init__(self, lam: float, batch_effect: bool) -> None:
        self.rotated = batch_effect
        self.model: Any = (
            RotatedLasso(lam) if batch_effect else Lasso(alpha=lam, max_iter=1000, tol=1e-4)
        )
        self.part: np.ndarray | None = None

    def fit(self, x: np.ndarray, y: np.ndarray, z: np.ndarray | None) -> None:
        """Regress the target on the condition, fit the model to what is left."""
        if z is not None:
            design = np.column_stack([np.ones(len(z)), z])
            self.part = np.linalg.lstsq(design, y, rcond=None)[0]
            y = y - design @ self.part
        self.model.fit(x, y)

    def predict(self, x: np.ndarray, z: np.ndarray | None) -> np.ndarray:
        """Return the model's prediction plus the part of the condition."""
        prediction = self.model.predict(x)
        if z is not None:
            prediction = prediction + np.column_stack([np.ones(len(z)), z]) @ self.part
        return prediction

    @property
    def coefficients(self) -> np.ndarray:
        """One for each gene."""
        return self.model.lasso.coef_ if self.rotated else self.model.coef_

    @property
    def ln_delta(self) -> float | None:
        """Of the rotated Lasso."""
        return self.model.ln_delta if self.rotated else None


def cross_validate(
    x: np.ndarray,
    y: np.ndarray,
    z: np.ndarray | None,
    genes: list[str],
    known: list[str],
    lam: float,
    batch_effect: bool,
) -> dict[str, Any]:
    """Return the mean scores of one lambda over the folds."""
    n = len(y)
    binary = len(np.unique(y)) == 2
    # The same numbers as numpy.random.seed(42) and shuffle.
    indices = np.arange(n)
    np.random.RandomState(42).shuffle(indices)
    size = n // FOLDS
    selection, prediction, counts, ln_deltas = [], [], [], []
    for i in range(FOLDS):
        test = indices[i * size : (i + 1) * size]
        train = np.setdiff1d(indices, test)
        mean, deviation = scaling(x[train])
        model = ResidualModel(lam, batch_effect)
        model.fit((x[train] - mean) / deviation, y[train], None if z is None else z[train])
        predicted = model.predict((x[test] - mean) / deviation, None if z is None else z[test])
        score = score_classes if binary else score_values
        prediction.append(score(y[test], predicted))
        selected = [gene for gene, b in zip(genes, model.coefficients, strict=True) if b != 0]
        selection.append(score_selection(selected, known))
        counts.append(len(selected))
        ln_deltas.append(model.ln_delta)
    return {
        "lambda": lam,
        "selection": average(selection),
        "prediction": average(prediction),
        "genes": float(np.mean(counts)),
        "ln_delta": ln_deltas,
    }


def average(scores: list[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each score over the folds."""
    return {name: float(np.mean([score[name] for score in scores])) for name in scores[0]}


def score_classes(y: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    """Score a prediction of a binary trait, in percent."""
    label = (predicted > 0.5).astype(float)
    return {
        "accuracy": 100.0 * accuracy_score(y, label),
        "precision": 100.0 * precision_score(y, label, zero_division=0),
        "recall": 100.0 * recall_score(y, label, zero_division=0),
        "f1": 100.0 * f1_score(y, label, zero_division=0),
    }


def score_values(y: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    """Score a prediction of a continuous trait; test samples that do not vary tell nothing."""
    if np.ptp(y) == 0:
        return {"nmse": 1.0, "r_squared": 0.0}
    return {
        "nmse": mean_squared_error(y, predicted) / np.var(y),
        "r_squared": r2_score(y, predicted),
    }


def score_selection(selected: list[str], known: list[str]) -> dict[str, float]:
    """Score the selected genes against the related genes, in percent."""
    hits = len(set(selected) & set(known))
    union = len(set(selected) | set(known))
    precision = 100.0 * (hits / len(selected)) if selected else 0.0
    recall = 100.0 * (hits / len(known)) if known else 0.0
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if hits else 0.0,
        "jaccard": 100.0 * (hits / union) if union else 0.0,
    }


def choose_lambda(tuning: list[dict[str, Any]]) -> tuple[float, dict[str, Any]]:
    """Return the lambda whose genes are the most precise, and the two rows of scores."""
    precisions = [row["selection"]["precision"] for row in tuning]
    chosen = tuning[int(np.argmax(precisions))]
    if max(precisions) == 0:
        chosen = next(row for row in tuning if row["lambda"] == 0.1)
    target = "f1" if "f1" in tuning[0]["prediction"] else "r_squared"
    best = tuning[int(np.argmax([row["prediction"][target] for row in tuning]))]
    return chosen["lambda"], {"prediction": best["prediction"], "selection": chosen["selection"]}


def interpret(genes: list[str], coefficients: np.ndarray) -> pd.DataFrame:
    """Return the genes with a coefficient other than zero, the largest first."""
    frame = pd.DataFrame({"Variable": genes, "Coefficient": coefficients})
    frame["Absolute Coefficient"] = frame["Coefficient"].abs()
    frame = frame[frame["Coefficient"] != 0]
    return frame.sort_values("Absolute Coefficient", ascending=False, kind="stable")
