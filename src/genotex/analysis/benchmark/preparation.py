"""What the Lasso of the procedure ``benchmark`` is fitted on: rotated genes, adjusted trait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy.optimize import brent

from genotex.analysis.benchmark.lasso import (
    LassoFit,
    Optimality,
    fit_exact,
    fit_lasso,
    measure_optimality,
)
from genotex.analysis.benchmark.samples import Residual, Scaled, measure_scaling, scale_and_centre
from genotex.arrays import Floats, Rows
from genotex.options import Solver

EIGENVALUES = 10
THRESHOLD = 200


@dataclass(frozen=True)
class BatchEffect:
    """Whether the eigenvalues of the samples' covariance show a batch effect."""

    shares: tuple[float, ...]  # The ten largest eigenvalues, divided by the largest
    threshold: float  # 200 / n; a gap is at most 1, so n must be above 200

    @property
    def gaps(self) -> tuple[float, ...]:
        """Differences of neighbours."""
        return tuple(a - b for a, b in zip(self.shares, self.shares[1:], strict=False))

    @property
    def found(self) -> bool:
        """Whether a gap is above the threshold."""
        return any(gap > self.threshold for gap in self.gaps)


def detect_batch_effect(expression: Floats) -> BatchEffect:
    """Look for a gap between neighbouring eigenvalues of Xc Xc' (Xc column-centred)."""
    # Source: GenoTEX paper, appendix F, with the threshold 200/n of the published release.
    # Shapes: expression (n, p).
    centred = expression - expression.mean(axis=0)
    eigenvalues = np.linalg.eigvalsh(centred @ centred.T)[::-1][:EIGENVALUES]
    largest = eigenvalues[0]
    shares = eigenvalues / largest if largest > 0 else np.zeros_like(eigenvalues)
    return BatchEffect(tuple(shares.tolist()), THRESHOLD / len(expression))


LN_DELTA = np.linspace(-5, 5, 501)


@dataclass(frozen=True, eq=False)
class _Rotated:
    """Rotated genes of the training rows, and the noise ratio they were rotated by."""

    design: Scaled
    ln_delta: float


def null_loss(ln_delta: float, values: Floats, target: Floats) -> float:
    """Return the negative log-likelihood of the model without genes."""
    # Shapes: values (n,), target (n,).
    total = values + np.exp(ln_delta)
    n = len(values)
    variance = np.mean(target**2 / total)
    # A target of zeros fits any delta.
    spread = np.log(variance) if variance > 0 else 0.0
    return float(0.5 * (n * np.log(2 * np.pi) + np.log(total).sum() + n + n * spread))


def estimate_ln_delta(values: Floats, target: Floats) -> float:
    """Minimise `null_loss` over [-5, 5]: a grid of 501 points, then Brent in each local minimum."""
    losses = np.array([null_loss(point, values, target) for point in LN_DELTA])
    best = int(losses.argmin())
    lowest, answer = losses[best], float(LN_DELTA[best])
    inner = losses[1:-1]
    for i in np.flatnonzero((inner < losses[:-2]) & (inner < losses[2:])) + 1:
        bracket = (LN_DELTA[i - 1], LN_DELTA[i], LN_DELTA[i + 1])
        point, loss, _, _ = brent(null_loss, args=(values, target), brack=bracket, full_output=True)
        if loss < lowest:
            lowest, answer = loss, float(point)
    return answer


def rotate(expression: Floats, rows: Rows, target: Floats) -> _Rotated:
    """Return diag(S + delta)^-1/2 U'X of the z-scored training rows, centred."""
    # K = XX' = U S U' is the kinship of the samples. The target is used for delta only: the release
    # leaves it unrotated, so rows of the rotated genes and of the target do not belong together.
    # Shapes: expression (N, p), rows (n,), target (n,).
    z = np.ascontiguousarray(expression[rows])
    scaling = measure_scaling(z)
    z -= scaling.mean
    z /= scaling.deviation
    values, vectors = scipy.linalg.eigh(z @ z.T)
    ln_delta = estimate_ln_delta(values, vectors.T @ target)
    scale = 1.0 / np.sqrt(values + np.exp(ln_delta))
    rotated = vectors.T @ z
    del z
    rotated *= scale[:, None]
    matrix = np.asfortranarray(rotated)
    del rotated
    offset = np.average(matrix, axis=0)
    matrix -= offset
    return _Rotated(Scaled(matrix, offset, scaling), ln_delta)


@dataclass(frozen=True, eq=False)
class Samples:
    """What is regressed on what."""

    expression: Floats  # (n, p): genes, not scaled
    trait: Floats  # (n,): 0 and 1, or the measured level
    condition: Floats | None  # (n,): measured or predicted
    binary: bool  # Whether the trait has two values
    rotated: bool  # Whether there is a batch effect
    solver: Solver  # How the Lasso is solved


@dataclass(frozen=True, eq=False)
class Prepared:
    """Training rows, ready for fits at any lambda."""

    design: Scaled  # Centred columns
    target: Floats  # (n,): centred trait, without the condition's part
    mean: float  # Mean of the target before it was centred
    residual: Residual  # The condition's part
    ln_delta: float | None  # Of the rotated Lasso

    def fit(self, penalties: Sequence[float], solver: Solver) -> list[LassoFit]:
        """Fit the Lasso at each lambda."""
        if solver == "exact":
            return fit_exact(self.design.matrix, self.target, penalties)
        return [fit_lasso(self.design.matrix, self.target, penalty) for penalty in penalties]

    def predict(self, fit: LassoFit, samples: Samples, rows: Rows) -> Floats:
        """Predict the trait of other rows; also the rotated Lasso does so on unrotated genes."""
        genes = np.flatnonzero(fit.coefficients)
        chosen = fit.coefficients[genes]
        intercept = self.mean - float(self.design.offset[genes] @ chosen)
        scaled = self.design.scaling.apply(samples.expression[rows], genes)
        condition = None if samples.condition is None else samples.condition[rows]
        return self.residual.add_back(scaled @ chosen + intercept, condition)

    def optimality(self, fit: LassoFit, penalty: float) -> Optimality:
        """Return how far a fit is from the optimum."""
        return measure_optimality(self.design.matrix, self.target, fit.coefficients, penalty)


def prepare(samples: Samples, rows: Rows) -> Prepared:
    """Take the condition out of the trait and scale, or rotate, the genes of the training rows."""
    condition = None if samples.condition is None else samples.condition[rows]
    residual = Residual.of(samples.trait[rows], condition)
    ln_delta = None
    if samples.rotated:
        rotated = rotate(samples.expression, rows, residual.target)
        design, ln_delta = rotated.design, rotated.ln_delta
    else:
        design = scale_and_centre(samples.expression, rows)
    mean = np.average(residual.target, axis=0)
    return Prepared(design, residual.target - mean, float(mean), residual, ln_delta)
