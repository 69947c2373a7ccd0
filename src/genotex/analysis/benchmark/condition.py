"""The condition of a problem: measured, or predicted from another cohort; and taken out of y."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression

from genotex.analysis.benchmark.scaling import measure_scaling
from genotex.analysis.benchmark.trait import FILL_AGAIN
from genotex.analysis.condition_cohort import ConditionCohort
from genotex.errors import AnalysisError
from genotex.formats import LinkedTable

__all__ = ["Predicted", "Residual", "measured_condition", "predict_condition"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Predicted:
    """A condition predicted for the samples of the trait.

    Attributes
    ----------
    values : ndarray of float64, shape (n,)
        Probability of the larger value, or the value.
    model : str
        The model in words.
    samples : int
        Samples of the condition's cohort it was learnt from.
    """

    values: Floats
    model: str
    samples: int


def measured_condition(table: LinkedTable, condition: str, rows: NDArray[np.intp]) -> Floats:
    """Return a column of the trait's own table.

    Raises
    ------
    AnalysisError
        If the table lacks it, or it is missing for a sample or constant.
    """
    if condition not in table.covariates:
        msg = f"the cohort has no {condition}, which the problem asks to adjust for"
        raise AnalysisError(msg)
    values = np.asarray(table.covariates[condition], dtype=np.float64)[rows]
    if not np.isfinite(values).all():
        msg = (
            f"{condition} is missing or infinite in {int((~np.isfinite(values)).sum())} samples; "
            f"the procedure benchmark needs the filled table; {FILL_AGAIN}"
        )
        raise AnalysisError(msg)
    if len(np.unique(values)) < 2:
        msg = (
            f"{condition} does not vary among the {len(values)} samples, so it cannot be adjusted "
            "for; ask for the problem without a condition"
        )
        raise AnalysisError(msg)
    return values


def predict_condition(
    cohort: ConditionCohort, table: LinkedTable, rows: NDArray[np.intp]
) -> Predicted:
    """Learn the condition from its cohort and predict it for the samples of the trait.

    Both tables are z-scored by their own means and deviations. Source: GenoTEX paper, appendix F,
    two-step regression; the choice of models is that of the published release.

    Parameters
    ----------
    cohort : ConditionCohort
        The condition's cohort and the regressor genes; samples without the condition are left out.
    table : LinkedTable
        The trait's cohort.
    rows : ndarray of int, shape (n,)
        Its rows.

    Raises
    ------
    AnalysisError
        If the condition does not vary, or a regressor has missing values.
    """
    name = cohort.table.trait
    known = np.flatnonzero(np.isfinite(cohort.table.trait_values))
    y = cohort.table.trait_values[known]
    levels = np.unique(y)
    if len(levels) < 2:
        msg = f"{name} does not vary in its cohort, so it cannot be learnt; take another cohort"
        raise AnalysisError(msg)
    x = _z_scores(cohort.table, known, cohort.regressors)
    new = _z_scores(table, rows, cohort.regressors)
    wide = x.shape[1] > x.shape[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if len(levels) == 2:
            words, classifier = _classifier(wide)
            classifier.fit(x, (y == levels[1]).astype(np.float64))
            return Predicted(classifier.predict_proba(new)[:, 1], words, len(y))
        words, regression = _regression(wide)
        return Predicted(regression.fit(x, y).predict(new), words, len(y))


def _classifier(wide: bool) -> tuple[str, LogisticRegression]:
    if wide:
        model = LogisticRegression(l1_ratio=1.0, solver="liblinear", random_state=42)
        return "logistic regression, L1", model
    return "logistic regression, L2", LogisticRegression()


def _regression(wide: bool) -> tuple[str, Lasso | LinearRegression]:
    if wide:
        return "Lasso, lambda 1", Lasso(alpha=1.0)
    return "least squares", LinearRegression()


def _z_scores(table: LinkedTable, rows: NDArray[np.intp], genes: Sequence[str]) -> Floats:
    place = {gene: j for j, gene in enumerate(table.genes)}
    columns = np.array([place[gene] for gene in genes], dtype=np.intp)
    values = np.ascontiguousarray(table.expression[np.ix_(rows, columns)], dtype=np.float64)
    if not np.isfinite(values).all():
        msg = (
            f"the regressor genes have missing or infinite values in the table of {table.trait}; "
            f"the procedure benchmark needs the filled table; {FILL_AGAIN}"
        )
        raise AnalysisError(msg)
    scaling = measure_scaling(values)
    scaled: Floats = (values - scaling.mean) / scaling.deviation
    return scaled


@dataclass(frozen=True, eq=False)
class Residual:
    """A target without the part that the condition explains.

    Attributes
    ----------
    target : ndarray of float64, shape (n,)
        y, or the residual of y on [1, Z].
    part : ndarray of float64, shape (2,), or None
        Intercept and slope of y on Z; None without a condition.
    """

    target: Floats
    part: Floats | None

    @classmethod
    def of(cls, target: Floats, condition: Floats | None) -> Residual:
        """Regress the target on [1, Z] by least squares."""
        if condition is None:
            return cls(target, None)
        design = np.column_stack([np.ones(len(condition)), condition])
        part: Floats = np.linalg.lstsq(design, target, rcond=None)[0].astype(np.float64)
        return cls(target - design @ part, part)

    def add_back(self, prediction: Floats, condition: Floats | None) -> Floats:
        """Add the condition's part to a prediction for other samples."""
        if self.part is None or condition is None:
            return prediction
        return prediction + np.column_stack([np.ones(len(condition)), condition]) @ self.part
