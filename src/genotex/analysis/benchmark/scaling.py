"""z-scores of the genes, as the Lasso wants them: centred, one gene after the other in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Scaled", "Scaling", "measure_scaling", "scale_and_centre"]

Floats = NDArray[np.float64]

BLOCK = 256
"""Genes that are scaled at a time, so that they stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Scaling:
    """Mean and population standard deviation of each gene over the training rows."""

    mean: Floats  # (p,): means
    deviation: Floats  # (p,): standard deviations; 1 where a gene does not vary

    def apply(self, expression: Floats, genes: NDArray[np.intp]) -> Floats:
        """Return the z-scores of some genes."""
        # Shapes: expression (m, p), genes (k,).
        scaled: Floats = (expression[:, genes] - self.mean[genes]) / self.deviation[genes]
        return scaled


@dataclass(frozen=True, eq=False)
class Scaled:
    """Centred z-scores of the training rows."""

    matrix: Floats  # (n, p): z-scores less their mean
    offset: Floats  # (p,): what was subtracted: zero up to rounding
    scaling: Scaling  # How the z-scores were made


def measure_scaling(expression: Floats) -> Scaling:
    """Return mean and population standard deviation of each column; 1 where it is 0."""
    # Shapes: expression (n, p).
    deviation = expression.std(axis=0)
    return Scaling(expression.mean(axis=0), np.where(deviation == 0, 1.0, deviation))


def scale_and_centre(expression: Floats, rows: NDArray[np.intp]) -> Scaled:
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
    return Scaled(matrix, offset, Scaling(mean, deviation))


def _blocks(genes: int) -> list[slice]:
    # A lone column would be summed in another order, so the last block takes it in.
    starts = list(range(0, max(genes - 1, 1), BLOCK))
    return [slice(a, b) for a, b in zip(starts, [*starts[1:], genes], strict=True)]
