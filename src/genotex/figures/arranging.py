"""Samples and genes arranged for figures: components, distances, clustered orders, densities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import Floats, largest_eigenvectors

_MOST_GENES = 5000
"""Components and correlations are computed over so many genes, those that vary most."""
_GENES_AT_ONCE = 1024
_MOST_DRAWN = 200
"""Samples with a density curve, or a row of the heatmap."""
_BINS = 80
_SMOOTH = np.array([1, 6, 15, 20, 15, 6, 1]) / 64
"""Weights of a step of a density and its neighbours."""


@dataclass(frozen=True, eq=False)
class Components:
    """Sample scores on the first two components, shape (n, 2), and their shares of variance."""

    scores: Floats
    explained: tuple[float, float]
    genes: int


def column_z_scores(values: Floats) -> Floats:
    """Return z-scores of each column of `values` (n, p); missing and constant become 0.

    Missing values get their gene's mean, a column without any value 0.
    """
    z: Floats = np.empty_like(values, dtype=np.float64)
    pieces = -(-values.shape[1] // _GENES_AT_ONCE)
    for part in np.array_split(np.arange(values.shape[1]), max(pieces, 1)):
        if part.size:
            genes = slice(part[0], part[-1] + 1)
            z[:, genes] = _z_scores(values[:, genes])
    return z


def _z_scores(values: Floats) -> Floats:
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
    gram = z @ z.T
    values, vectors = largest_eigenvectors(gram, 2)
    total = float(np.trace(gram))
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


def most_variable_genes(expression: Floats) -> Floats:
    """Return the genes that vary most (n, at most 5000), missing values filled by their mean."""
    known = np.isfinite(expression)
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, expression, 0.0).sum(axis=0) / count
    square = np.where(known, expression - mean, 0.0)
    spread = np.einsum("ij,ij->j", square, square)
    places = np.sort(np.argsort(spread)[::-1][:_MOST_GENES])
    chosen = expression[:, places]
    return np.where(np.isfinite(chosen), chosen, mean[places])


def sample_correlations(values: Floats) -> Floats:
    """Return the correlation of each two samples; 0 where a sample does not vary."""
    centred = values - values.mean(axis=1, keepdims=True)
    length = np.sqrt(np.einsum("ij,ij->i", centred, centred))
    scaled = centred / np.where(length > 0, length, 1.0)[:, None]
    found: Floats = np.clip(scaled @ scaled.T, -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return found


def scaled_distances(correlation: Floats) -> Floats:
    """Return two coordinates by classical scaling of the squared distances 2 (1 - r)."""
    n = len(correlation)
    centre = np.eye(n) - 1 / n
    values, vectors = largest_eigenvectors(centre @ correlation @ centre, 2)
    places = np.zeros((n, 2))
    for k in range(min(2, n)):
        column = vectors[:, k] * np.sqrt(max(values[k], 0.0))
        places[:, k] = column if column[np.argmax(np.abs(column))] >= 0 else -column
    return places


def drawn_samples(
    samples: Sequence[str], correlation: Floats, record: Mapping[str, Any]
) -> NDArray[np.intp]:
    """Return the samples of heatmap and density plot, those alike next to each other."""
    outliers = {row["sample"] for row in record.get("outliers", ())}
    places = spread_evenly(len(samples), _MOST_DRAWN)
    named = [i for i, sample in enumerate(samples) if sample in outliers]
    kept = np.union1d(places, np.array(named[:_MOST_DRAWN], dtype=np.intp))
    order: NDArray[np.intp] = kept[order_rows(correlation[np.ix_(kept, kept)])]
    return order


def spread_evenly(total: int, most: int) -> NDArray[np.intp]:
    """Return at most so many of all places, evenly spaced."""
    return np.unique(np.linspace(0, total - 1, min(total, most)).round().astype(np.intp))


def sample_densities(expression: Floats, steps: int = _BINS) -> tuple[Floats, Floats]:
    """Return the share of each sample's values per unit in equal steps, and their middles."""
    known = expression[np.isfinite(expression)]
    low, high = (float(v) for v in np.percentile(known, (0.1, 99.9))) if known.size else (0.0, 1.0)
    high = max(high, low + 1e-6)
    edges = np.linspace(low, high, steps + 1)
    # Equal steps by their ends: by their edges every row would be sorted.
    counts = np.array(
        [np.histogram(row[np.isfinite(row)], steps, (low, high))[0] for row in expression],
        dtype=np.float64,
    )
    counts = np.array([np.convolve(row, _SMOOTH, mode="same") for row in counts])
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return counts / total / (edges[1] - edges[0]), (edges[:-1] + edges[1:]) / 2
