"""Numbers behind the figures: principal components, row z-scores and their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Components", "column_z_scores", "order_rows", "order_within", "principal_components"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Components:
    """Sample scores on the first two components, shape (n, 2), and their shares of variance."""

    scores: Floats
    explained: tuple[float, float]
    genes: int


def column_z_scores(values: Floats) -> Floats:
    """Return z-scores of each column of `values` (n, p); missing and constant become 0.

    Missing values stand at their gene's mean, a column without any value at 0.
    """
    known = np.isfinite(values)
    count = known.sum(axis=0)
    filled = np.where(known, values, 0.0)
    mean = filled.sum(axis=0) / np.maximum(count, 1)
    centred = np.where(known, values - mean, 0.0)
    sd = np.sqrt((centred**2).sum(axis=0) / np.maximum(len(values), 1))
    # Values near 1e4 leave rounding of about 1e-12 in a constant gene: that is no variation.
    constant = sd <= 1e-12 * np.maximum(np.abs(mean), 1.0)
    z: Floats = np.where(constant, 0.0, centred / np.where(constant, 1.0, sd))
    return z


def principal_components(expression: Floats) -> Components:
    """Return the first two principal components of samples x genes.

    Genes are filled by their mean, centred and scaled; the n x n Gram matrix gives the scores, as
    n is far below the number of genes. The sign is fixed: the largest score is positive.
    """
    z = column_z_scores(expression)
    n = len(z)
    values, vectors = np.linalg.eigh(z @ z.T)
    order = np.argsort(values)[::-1]
    values, vectors = np.maximum(values[order], 0.0), vectors[:, order]
    total = float(values.sum())
    scores = np.zeros((n, 2))
    explained = [0.0, 0.0]
    for k in range(min(2, n)):
        if total > 0 and values[k] > 1e-10 * total:
            column = vectors[:, k] * np.sqrt(values[k])
            sign = 1.0 if column[np.argmax(np.abs(column))] >= 0 else -1.0
            scores[:, k] = sign * column
            explained[k] = float(values[k] / total)
    return Components(scores, (explained[0], explained[1]), int(np.any(z != 0, axis=0).sum()))


def order_rows(rows: Floats) -> NDArray[np.intp]:
    """Return the order of the rows (m, n) by average linkage of their distances."""
    if len(rows) < 3:
        return np.arange(len(rows))
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import pdist

    tree = linkage(pdist(rows), method="average", optimal_ordering=True)
    return np.asarray(leaves_list(tree), dtype=np.intp)


def order_within(columns: Floats, groups: Sequence[int]) -> NDArray[np.intp]:
    """Return the order of samples (columns of m x n): by group, then clustered inside."""
    labels = np.asarray(groups)
    parts = []
    for group in sorted(set(labels.tolist())):
        members = np.flatnonzero(labels == group)
        parts.append(members[order_rows(columns[:, members].T)])
    return np.concatenate(parts) if parts else np.arange(0)
