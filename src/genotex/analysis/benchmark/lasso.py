"""The Lasso: scikit-learn's coordinate descent as it is, and how far from the optimum it stops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Lasso

__all__ = ["SWEEPS", "TOLERANCE", "LassoFit", "Optimality", "fit_lasso", "measure_optimality"]

Floats = NDArray[np.float64]

SWEEPS = 1000
TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class LassoFit:
    """Coefficients at one lambda."""

    coefficients: Floats  # (p,): of the centred design
    iterations: int  # Sweeps of coordinate descent, or rounds of the exact solver


def fit_lasso(matrix: Floats, target: Floats, penalty: float) -> LassoFit:
    """Minimise 1/(2n) |y - Xb|^2 + lambda |b|_1 by scikit-learn's cyclic coordinate descent."""
    # The answer is the same, to the last bit, as that of ``Lasso(alpha=penalty, max_iter=1000,
    # tol=1e-4).fit(X, y)`` on the same columns before they were centred; only copies and checks of
    # the input are left out. At a small lambda it stops far from the optimum and depends on the
    # order of the columns.
    # Shapes: matrix (n, p), target (n,).
    model = Lasso(
        alpha=penalty, fit_intercept=False, copy_X=False, max_iter=SWEEPS, tol=TOLERANCE
    ).fit(matrix, target, check_input=False)
    return LassoFit(model.coef_, int(model.n_iter_))


@dataclass(frozen=True)
class Optimality:
    """How far a point is from the optimum."""

    objective: float  # 1/(2n) |y - Xb|^2 + lambda |b|_1 at the point
    gap: float  # Duality gap: the minimum is at most this much lower
    null: float  # The objective without genes

    @property
    def relative_gap(self) -> float:
        """The gap as a share of the objective without genes."""
        return self.gap / self.null if self.null > 0 else 0.0


def measure_optimality(
    matrix: Floats, target: Floats, coefficients: Floats, penalty: float
) -> Optimality:
    """Return the objective at a point and how far, at most, it is above its minimum."""
    # The dual point is the residual, scaled into the feasible set (Fercoq, Gramfort and Salmon
    # 2015).
    # Shapes: matrix (n, p), target (n,), coefficients (p,).
    n = len(target)
    chosen = np.flatnonzero(coefficients)
    residual = target - matrix[:, chosen] @ coefficients[chosen]
    slope = float(np.abs(residual @ matrix).max())
    dual = residual * min(1.0, penalty * n / slope) if slope > 0 else residual
    size = float(np.abs(coefficients).sum())
    objective = float(residual @ residual) / (2 * n) + penalty * size
    bound = (float(target @ dual) - float(dual @ dual) / 2) / n
    null = float(target @ target) / (2 * n)
    return Optimality(objective, max(objective - bound, 0.0), null)
