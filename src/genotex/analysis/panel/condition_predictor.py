"""First step of a two-step problem: the condition, predicted from its genes for other samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.linalg import eigh
from threadpoolctl import threadpool_limits

from genotex.analysis.panel.active_set import ActiveFit
from genotex.analysis.panel.selection import auroc, regression, stratified_folds
from genotex.arrays import Flags, Floats, Rows
from genotex.errors import AnalysisError
from genotex.formats import LinkedTable

ScoreName = Literal["AUROC", "R2"]

FOLDS = 5
SMALLEST_CLASS = 5
SMALLEST_MEASURED = 10
FLAT = 1e-12
WEAK: dict[ScoreName, float] = {"AUROC": 0.6, "R2": 0.1}
BINARY_PENALTIES = 10.0 ** np.arange(5.0, -1.0, -1.0)
TO_COMPARE = 1e-5
"""Largest slope left, as a share of the first, where penalties are only compared."""
NO_VARIANCE = 1e-12
MUCH_WIDER = 1.5
MEASURED_PENALTIES = 10.0 ** np.arange(6.0, -2.5, -0.5)
_KIND_AND_RULE = {
    True: ("logistic", "cross-validated deviance"),
    False: ("linear", "leave-one-out squared error"),
}
CONDITIONAL = (
    "{condition} enters as a prediction from expression, not as measured: the p-values hold "
    "given that prediction, and do not include its error."
)


@dataclass(frozen=True, eq=False)
class PredictedCondition:
    """A condition predicted for the samples of another cohort."""

    # (n,): linear predictor (log odds, or units of the condition), z-scored over the samples
    # compared
    values: Floats
    # Area under the ROC curve for a binary condition, share of variance for a measured one
    score_name: ScoreName
    score: float  # Its value on samples of the condition's cohort that the model has not seen
    record: dict[str, Any]  # Model, penalty, regressors, samples and score, as plain JSON values
    warnings: tuple[str, ...]  # What a reader should know


@dataclass(frozen=True, eq=False)
class _Model:
    """Linear predictor on genes that were scaled by the training samples."""

    intercept: float
    coefficients: Floats
    penalty: float

    def predict(self, scaled: Floats) -> Floats:
        return np.asarray(self.intercept + scaled @ self.coefficients, dtype=np.float64)


def predict_condition(
    condition_table: LinkedTable,
    table: LinkedTable,
    rows: Rows,
    regressors: Sequence[str],
    *,
    seed: int,
) -> PredictedCondition:
    """Learn the condition from its regressor genes in one cohort and predict it in another."""
    # Each regressor is z-scored in each cohort by that cohort's own mean and deviation, since the
    # two come from different platforms. Binary condition: logistic regression, measured one: least
    # squares, both with an L2 penalty chosen by cross-validation. The score comes from an outer
    # cross-validation that scales the genes and chooses the penalty within each training set.
    # (Paper, appendix F, two-step regression, with a penalty that fits the number of regressors.)
    # Shapes: rows (n,).
    name = condition_table.trait
    known = np.flatnonzero(np.isfinite(condition_table.trait_values))
    target, binary = _code(name, condition_table.trait_values[known])
    usable, source, goal = _in_both(condition_table, known, table, rows, regressors)
    # One thread, since the last digits of a sum depend on how many share it.
    with threadpool_limits(limits=1):
        model = _train(_scale(source, source), target, binary, seed)
        values = _standardise(model.predict(_scale(goal, goal)), name)
        score = _score(source, target, binary, seed)
    score_name: ScoreName = "AUROC" if binary else "R2"
    kind, rule = _KIND_AND_RULE[binary]
    cases = int(target.sum())
    record = {
        "condition": name,
        "model": f"{kind} regression, L2",
        "penalty": model.penalty,
        "penalty_rule": f"lowest {rule}",
        "regressors": [g for g, fine in zip(regressors, usable, strict=True) if fine],
        "constant_regressors": [g for g, fine in zip(regressors, usable, strict=True) if not fine],
        "samples": len(target),
        "classes": {"control": len(target) - cases, "case": cases} if binary else None,
        "score_name": score_name,
        "score": score,
        "score_source": f"nested cross-validation, {FOLDS} outer folds",
        "seed": seed,
        "predicted_samples": len(rows),
    }
    warnings = (CONDITIONAL.format(condition=name), *_weak(name, score_name, score))
    return PredictedCondition(values, score_name, score, record, warnings)


def _weak(name: str, score_name: ScoreName, score: float) -> tuple[str, ...]:
    if score >= WEAK[score_name]:
        return ()
    return (
        f"{name} is poorly predicted by its regressor genes (cross-validated {score_name} "
        f"{score:.2f}, below {WEAK[score_name]:g}): adjusting for the prediction has little "
        "effect.",
    )


def _code(name: str, values: Floats) -> tuple[Floats, bool]:
    """Return the condition as 0 and 1 (the larger value), or in standard deviations."""
    levels = np.unique(values)
    if len(levels) < 2:
        found = "no sample has a value" if len(levels) == 0 else f"all values are {levels[0]:g}"
        msg = f"the condition {name} does not vary in its cohort: {found}; choose another cohort"
        raise AnalysisError(msg)
    binary = len(levels) == 2
    target = np.asarray(values == levels[-1], dtype=np.float64)
    smallest = int(min(target.sum(), (1 - target).sum())) if binary else len(values)
    needed, unit = (SMALLEST_CLASS, "per class") if binary else (SMALLEST_MEASURED, "in all")
    if smallest < needed:
        msg = (
            f"the condition {name} cannot be learned: {needed} samples {unit} are needed, its "
            f"cohort has {smallest}; choose another cohort or ask without a condition"
        )
        raise AnalysisError(msg)
    return target if binary else (values - values.mean()) / values.std(), binary


def _in_both(
    condition_table: LinkedTable, known: Rows, table: LinkedTable, rows: Rows, genes: Sequence[str]
) -> tuple[Flags, Floats, Floats]:
    """Return which genes vary in both cohorts, and their values in each."""
    source = _columns(condition_table, genes)[known]
    goal = _columns(table, genes)[rows]
    usable = _varies(source) & _varies(goal)
    if not usable.any():
        msg = (
            f"{condition_table.trait} cannot be predicted: none of its {len(genes)} regressor "
            "genes is in both cohorts and varies there; choose other cohorts or ask without a "
            "condition"
        )
        raise AnalysisError(msg)
    return usable, source[:, usable], goal[:, usable]


def _columns(table: LinkedTable, genes: Sequence[str]) -> Floats:
    place = {gene: j for j, gene in enumerate(table.genes)}
    lacking = [gene for gene in genes if gene not in place]
    if lacking:
        msg = (
            f"the cohort of {table.trait} lacks {len(lacking)} of {len(genes)} regressor genes "
            f"({', '.join(lacking[:5])}); use genes that are in both cohorts"
        )
        raise AnalysisError(msg)
    chosen = np.array([place[gene] for gene in genes], dtype=np.intp)
    return np.asarray(table.expression[:, chosen], dtype=np.float64)


def _moments(values: Floats) -> tuple[Floats, Floats]:
    """Return mean and population deviation of each gene; the deviation is 0 where it is flat."""
    present = ~np.isnan(values)
    count = np.maximum(present.sum(axis=0), 1)
    mean = np.where(present, values, 0.0).sum(axis=0) / count
    centred = np.where(present, values - mean, 0.0)
    deviation = np.sqrt((centred**2).sum(axis=0) / count)
    return mean, np.where(deviation > FLAT * np.maximum(1.0, np.abs(mean)), deviation, 0.0)


def _varies(values: Floats) -> Flags:
    return np.asarray(_moments(values)[1] > 0)


def _scale(values: Floats, training: Floats) -> Floats:
    """Return z-scores by the training samples; missing values become their mean."""
    mean, deviation = _moments(training)
    scaled = (values - mean) / np.where(deviation == 0.0, 1.0, deviation)
    return np.nan_to_num(scaled, copy=False, nan=0.0)


def _standardise(predictor: Floats, name: str) -> Floats:
    deviation = float(predictor.std())
    if deviation <= FLAT * max(1.0, float(np.abs(predictor).max())):
        msg = (
            f"the prediction of {name} is the same for all {len(predictor)} samples, so it cannot "
            "be adjusted for; choose another cohort or ask without a condition"
        )
        raise AnalysisError(msg)
    return np.asarray((predictor - predictor.mean()) / deviation, dtype=np.float64)


def _train(genes: Floats, target: Floats, binary: bool, seed: int) -> _Model:
    if not binary:
        return _ridge(genes, target)
    count = int(max(2, min(FOLDS, target.sum(), len(target) - target.sum())))
    folds = stratified_folds(target, True, count, seed)
    error = np.zeros(len(BINARY_PENALTIES))
    for fold in np.unique(folds):
        train, test = folds != fold, folds == fold
        side = 2 * target[test] - 1
        path = _logistic_path(genes[train], target[train], BINARY_PENALTIES, TO_COMPARE)
        for i, model in enumerate(path):
            error[i] += float(np.logaddexp(0.0, -side * model.predict(genes[test])).sum())
    best = int(np.argmin(error))
    return _logistic_path(genes, target, BINARY_PENALTIES[best : best + 1])[0]


def _ridge(genes: Floats, target: Floats) -> _Model:
    """Return the ridge regression whose squared error without each sample is smallest."""
    centre, mean = genes.mean(axis=0), float(target.mean())
    centred, y = genes - centre, target - mean
    values, vectors = eigh(centred @ centred.T)
    along, squares = vectors.T @ y, vectors**2

    def error(penalty: float) -> float:
        # Residual over 1 - leverage, which the intercept has a share of.
        shrunk = penalty / (np.maximum(values, 0.0) + penalty)
        left_out = (vectors @ (shrunk * along)) / (squares @ shrunk - 1 / len(y))
        return float((left_out**2).mean())

    penalty = min(MEASURED_PENALTIES.tolist(), key=error)
    weights = vectors @ (along / (np.maximum(values, 0.0) + penalty))
    coefficients = centred.T @ weights
    return _Model(mean - float(centre @ coefficients), coefficients, penalty)


def _logistic_path(
    genes: Floats, target: Floats, penalties: Floats, tolerance: float | None = None
) -> list[_Model]:
    """Fit log odds with half the penalty times the squared coefficients, intercept unpenalised."""
    # Of many more genes than samples the coefficients are in the space of the samples.
    wide = genes.shape[1] > MUCH_WIDER * len(genes)
    axes = _principal_axes(genes) if wide else np.eye(genes.shape[1])
    scores = genes @ axes if wide else genes
    fit = ActiveFit(np.column_stack([np.ones(len(scores)), scores]), target, True)
    models = []
    for penalty in penalties:
        # Each penalty starts where the stronger one before it ended.
        fit.ridge[1:] = penalty / len(scores)
        fit.solve(0.0, tolerance)
        intercept, *coefficients = fit.coefficients
        models.append(_Model(float(intercept), axes @ np.array(coefficients), float(penalty)))
    return models


def _principal_axes(genes: Floats) -> Floats:
    """Return orthonormal axes (p, m) that span all samples' genes (n, p)."""
    squares, vectors = np.linalg.eigh(genes @ genes.T)
    # Directions without variance say nothing, and a penalised coefficient there is 0.
    kept = squares > NO_VARIANCE * squares[-1]
    axes: Floats = genes.T @ (vectors[:, kept] / np.sqrt(squares[kept]))
    return axes


def _score(genes: Floats, target: Floats, binary: bool, seed: int) -> float:
    folds = stratified_folds(target, binary, FOLDS, seed + 1)
    predicted, train_mean = np.empty_like(target), np.empty_like(target)
    for fold in range(FOLDS):
        train, test = folds != fold, folds == fold
        model = _train(_scale(genes[train], genes[train]), target[train], binary, seed)
        predicted[test] = model.predict(_scale(genes[test], genes[train]))
        train_mean[test] = target[train].mean()
    if binary:
        return auroc(target, predicted, folds)
    return regression(target, predicted, train_mean)["r_squared"]
