"""One fit: the condition taken out of the trait, genes scaled or rotated, the Lasso on the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.benchmark.condition import Residual
from genotex.analysis.benchmark.exact import fit_exact
from genotex.analysis.benchmark.lasso import (
    LassoFit,
    Optimality,
    fit_lasso,
    measure_optimality,
)
from genotex.analysis.benchmark.rotation import rotate
from genotex.analysis.benchmark.scaling import Scaled, scale_and_centre
from genotex.analysis.options import Solver

__all__ = ["Prepared", "Samples", "prepare"]

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


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
