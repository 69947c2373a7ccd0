"""The rotation that the published release applies to the genes when it sees a batch effect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.optimize import brent

from genotex.analysis.benchmark.scaling import Scaled, measure_scaling

__all__ = ["Rotated", "estimate_ln_delta", "null_loss", "rotate"]

Floats = NDArray[np.float64]

LN_DELTA = np.linspace(-5, 5, 501)


@dataclass(frozen=True, eq=False)
class Rotated:
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


def rotate(expression: Floats, rows: NDArray[np.intp], target: Floats) -> Rotated:
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
    return Rotated(Scaled(matrix, offset, scaling), ln_delta)
