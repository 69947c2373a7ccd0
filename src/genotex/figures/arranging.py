"""Samples and genes arranged for figures: components, distances, clustered orders, densities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import Floats, gene_parts, largest_eigenvectors

_MOST_GENES = 5000
"""Components and correlations are computed over so many genes, those that vary most."""
_GENES_AT_ONCE = 1024
_MOST_DRAWN = 200
"""Samples with a density curve, or a row of the heatmap."""
_MOST_BEST_ORDERED = 1000
"""Rows whose order puts neighbours next to each other as well as the tree allows."""
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
    for genes in gene_parts(values.shape[1], len(values), _GENES_AT_ONCE):
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

    Genes are filled by their mean, centred and scaled. The sign is fixed: the largest score is
    positive.
    """
    samples, genes = expression.shape
    if samples > genes:
        z = column_z_scores(expression)
        found, total, varying = _leading(z), float((z**2).sum()), int(z.any(axis=0).sum())
    else:
        # No table of z-scores is held, but their products alone.
        products, varying = np.zeros((samples, samples)), 0
        for part in gene_parts(genes, samples, _GENES_AT_ONCE):
            z = _z_scores(expression[:, part])
            products += z @ z.T
            varying += int(z.any(axis=0).sum())
        found, total = _of_products(products), float(np.trace(products))
    scores, explained = np.zeros((samples, 2)), [0.0, 0.0]
    for k, (value, column) in enumerate(found):
        if total > 0 and value > 1e-10 * total:
            scores[:, k] = column
            explained[k] = value / total
    return Components(scores, (explained[0], explained[1]), varying)


def _leading(table: Floats) -> Iterator[tuple[float, Floats]]:
    """Yield the two largest squared singular values and the scores (n,) that belong to them."""
    # From the products along the shorter side: 10,000 samples have 100 million products.
    if len(table) <= table.shape[1]:
        yield from _of_products(table @ table.T)
        return
    values, vectors = largest_eigenvectors(table.T @ table, 2)
    for value, vector in zip(values, vectors.T, strict=True):
        yield float(value), _signed(table @ vector)


def _of_products(products: Floats) -> Iterator[tuple[float, Floats]]:
    """Yield the same from the products of each two samples (n, n)."""
    values, vectors = largest_eigenvectors(products, 2)
    for value, vector in zip(values, vectors.T, strict=True):
        yield float(value), _signed(vector * np.sqrt(max(value, 0.0)))


def _signed(column: Floats) -> Floats:
    return column if column[np.argmax(np.abs(column))] >= 0 else -column


def order_rows(rows: Floats) -> NDArray[np.intp]:
    """Return the order of the rows (m, n) by average linkage of their distances."""
    if len(rows) < 3:
        return np.arange(len(rows))
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import pdist

    best = len(rows) <= _MOST_BEST_ORDERED
    tree = linkage(pdist(rows), method="average", optimal_ordering=best)
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
    mean, spread = np.zeros(expression.shape[1]), np.zeros(expression.shape[1])
    for part in gene_parts(expression.shape[1], len(expression), _GENES_AT_ONCE):
        values = expression[:, part]
        known = np.isfinite(values)
        count = np.maximum(known.sum(axis=0), 1)
        mean[part] = np.where(known, values, 0.0).sum(axis=0) / count
        centred = np.where(known, values - mean[part], 0.0)
        spread[part] = np.einsum("ij,ij->j", centred, centred)
    places = np.sort(np.argsort(spread)[::-1][:_MOST_GENES])
    chosen = expression[:, places]
    return np.where(np.isfinite(chosen), chosen, mean[places])


def sample_profiles(values: Floats) -> Floats:
    """Return the values of each sample, centred and of length 1; or 0 without variance."""
    centred: Floats = values - values.mean(axis=1, keepdims=True)
    length = np.sqrt(np.einsum("ij,ij->i", centred, centred))
    centred /= np.where(length > 0, length, 1.0)[:, None]
    return centred


def scaled_distances(profiles: Floats) -> Floats:
    """Return two coordinates by classical scaling of the squared distances 2 (1 - r)."""
    places = np.zeros((len(profiles), 2))
    for k, (_, column) in enumerate(_leading(profiles - profiles.mean(axis=0))):
        places[:, k] = column
    return places


def drawn_samples(
    samples: Sequence[str], profiles: Floats, record: Mapping[str, Any]
) -> tuple[NDArray[np.intp], Floats]:
    """Return the samples of heatmap and density plot (m,), those alike next to each other.

    And the correlation of each two of them (m, m); 0 where a sample does not vary.
    """
    outliers = {row["sample"] for row in record.get("outliers", ())}
    places = spread_evenly(len(samples), _MOST_DRAWN)
    named = [i for i, sample in enumerate(samples) if sample in outliers]
    kept = np.union1d(places, np.array(named[:_MOST_DRAWN], dtype=np.intp))
    correlation = np.clip(profiles[kept] @ profiles[kept].T, -1.0, 1.0)
    np.fill_diagonal(correlation, 1.0)
    order = order_rows(correlation)
    return kept[order], correlation[np.ix_(order, order)]


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
