"""Samples, trait, condition and z-scored genes of the procedure ``benchmark``."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression

from genotex.analysis.problem_data import ConditionCohort
from genotex.arrays import Floats, Rows
from genotex.errors import AnalysisError
from genotex.formats import LinkedTable

BLOCK = 256
"""Genes that are scaled at a time, so that they stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class _Scaling:
    """Mean and population standard deviation of each gene over the training rows."""

    mean: Floats  # (p,): means
    deviation: Floats  # (p,): standard deviations; 1 where a gene does not vary

    def apply(self, expression: Floats, genes: Rows) -> Floats:
        """Return the z-scores of some genes."""
        # Shapes: expression (m, p), genes (k,).
        scaled: Floats = (expression[:, genes] - self.mean[genes]) / self.deviation[genes]
        return scaled


@dataclass(frozen=True, eq=False)
class Scaled:
    """Centred z-scores of the training rows."""

    matrix: Floats  # (n, p): z-scores less their mean
    offset: Floats  # (p,): what was subtracted: zero up to rounding
    scaling: _Scaling  # How the z-scores were made


def measure_scaling(expression: Floats) -> _Scaling:
    """Return mean and population standard deviation of each column; 1 where it is 0."""
    # Shapes: expression (n, p).
    deviation = expression.std(axis=0)
    return _Scaling(expression.mean(axis=0), np.where(deviation == 0, 1.0, deviation))


def scale_and_centre(expression: Floats, rows: Rows) -> Scaled:
    """Return the centred z-scores of the training rows."""
    # Every number is made by the operations, in the order, of ``(x - x.mean(0)) / x.std(0)`` on
    # rows in C order and of scikit-learn's centring on columns in Fortran order. So the result is
    # the same to the last bit, which decides between genes that are copies of each other.
    # Shapes: expression (N, p), rows (n,).
    genes = expression.shape[1]
    matrix = np.empty((len(rows), genes), order="F")
    mean, deviation, offset = (np.empty(genes) for _ in range(3))
    for block in _blocks(genes):
        part = np.ascontiguousarray(expression[rows, block])
        scaling = measure_scaling(part)
        mean[block], deviation[block] = scaling.mean, scaling.deviation
        part -= scaling.mean
        part /= scaling.deviation
        target = matrix[:, block]
        target[...] = part
        offset[block] = np.average(target, axis=0)
        target -= offset[block]
    return Scaled(matrix, offset, _Scaling(mean, deviation))


def _blocks(genes: int) -> list[slice]:
    # A lone column would be summed in another order, so the last block takes it in.
    starts = list(range(0, max(genes - 1, 1), BLOCK))
    return [slice(a, b) for a, b in zip(starts, [*starts[1:], genes], strict=True)]


MIN_SAMPLES = 6
"""Five folds of at least one sample each, and one that always trains."""

FILL_AGAIN = "preprocess the cohort again with --procedure benchmark, or take another cohort"
"""What to do about missing values."""

HIGHEST = 1e100
"""Squares of larger numbers, and their sums, leave the range of double precision."""


@dataclass(frozen=True, eq=False)
class TraitColumn:
    """The samples with a trait."""

    binary: bool  # Whether the trait has exactly two values
    rows: Rows  # (n,): rows of the linked table
    values: Floats  # (n,): 0 and 1, or the measured level
    summary: Mapping[str, Any]  # Groups compared, for the record
    warnings: tuple[str, ...]  # What a reader should know about the samples

    def expression(self, table: LinkedTable) -> Floats:
        """Return the genes of these samples; not copied when all samples take part."""
        values = np.asarray(table.expression, dtype=np.float64)
        return values if len(self.rows) == len(values) else values[self.rows]


def check_expression(table: LinkedTable) -> None:
    """Refuse a table that cannot be computed with."""
    shape = (len(table.samples), len(table.genes))
    if table.expression.shape != shape:
        msg = f"{table.trait}: expression is {table.expression.shape}, but its names give {shape}"
        raise AnalysisError(msg)
    if 0 in shape:
        msg = f"{table.trait}: the table has {shape[0]} samples and {shape[1]} genes"
        raise AnalysisError(msg)
    lowest, highest = float(table.expression.min()), float(table.expression.max())
    if np.isnan(lowest):
        msg = (
            f"{table.trait}: expression has missing values, and the procedure benchmark needs the "
            f"filled table; {FILL_AGAIN}"
        )
        raise AnalysisError(msg)
    if max(-lowest, highest) > HIGHEST:
        msg = f"{table.trait}: expression holds values beyond {HIGHEST:g}; they cannot be used"
        raise AnalysisError(msg)


def choose_samples(table: LinkedTable) -> TraitColumn:
    """Take the samples that have the trait and code a trait with two values as 0 and 1."""
    finite = np.isfinite(table.trait_values)
    rows = np.flatnonzero(finite)
    values = np.asarray(table.trait_values, dtype=np.float64)[rows]
    warnings = []
    if len(rows) < len(finite):
        left_out = len(finite) - len(rows)
        warnings.append(f"{left_out} samples without {table.trait} were left out.")
    if len(rows) < MIN_SAMPLES:
        msg = (
            f"{table.trait}: {len(rows)} samples are too few for five folds; at least "
            f"{MIN_SAMPLES} are needed; take another cohort"
        )
        raise AnalysisError(msg)
    levels = np.unique(values)
    if len(levels) < 2:
        msg = f"{table.trait} does not vary: all values are {levels[0]:g}; take another cohort"
        raise AnalysisError(msg)
    if np.abs(levels).max() > HIGHEST:
        msg = f"{table.trait} has values beyond {HIGHEST:g}; they cannot be computed with"
        raise AnalysisError(msg)
    if len(levels) > 2:
        return TraitColumn(False, rows, values, _continuous(table, rows, values), tuple(warnings))
    coded = (values == levels[1]).astype(np.float64)
    if tuple(levels) != (0.0, 1.0):
        warnings.append(
            f"{table.trait} has the values {levels[0]:g} and {levels[1]:g}; they were coded as 0 "
            "and 1."
        )
    return TraitColumn(True, rows, coded, _binary(table, rows, coded), tuple(warnings))


def _continuous(table: LinkedTable, rows: Rows, values: Floats) -> dict[str, Any]:
    return {
        "kind": "continuous",
        "text": f"{len(rows)} samples, by {table.trait}",
        "samples": {"all": [table.samples[i] for i in rows]},
        "trait_mean": float(values.mean()),
        "trait_sd": float(values.std(ddof=1)),
    }


def _binary(table: LinkedTable, rows: Rows, coded: Floats) -> dict[str, Any]:
    cases = [table.samples[i] for i in rows[coded == 1]]
    controls = [table.samples[i] for i in rows[coded == 0]]
    return {
        "kind": "binary",
        "text": f"{len(cases)} cases against {len(controls)} controls of any kind",
        "controls": "all",
        "group_sizes": {"case": len(cases), "control": len(controls)},
        "samples": {"case": cases, "control": controls, "left_out": []},
    }


@dataclass(frozen=True, eq=False)
class Predicted:
    """A condition predicted for the samples of the trait."""

    values: Floats  # (n,): probability of the larger value, or the value
    model: str  # The model in words
    samples: int  # Samples of the condition's cohort it was learnt from


def measured_condition(table: LinkedTable, condition: str, rows: Rows) -> Floats:
    """Return a column of the trait's own table."""
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


def predict_condition(cohort: ConditionCohort, table: LinkedTable, rows: Rows) -> Predicted:
    """Learn the condition from its cohort and predict it for the samples of the trait."""
    # Both tables are z-scored by their own means and deviations. Source: GenoTEX paper, appendix F,
    # two-step regression; the choice of models is that of the published release.
    # Shapes: rows (n,).
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


def _z_scores(table: LinkedTable, rows: Rows, genes: Sequence[str]) -> Floats:
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
    """A target without the part that the condition explains."""

    target: Floats  # (n,): y, or the residual of y on [1, Z]
    part: Floats | None  # (2,): intercept and slope of y on Z; None without a condition

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
