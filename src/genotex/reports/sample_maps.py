"""The samples of a cohort as a whole: correlations, scaled distances, distributions.

Report and workbench show them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.reports.figures.expression import order_rows

__all__ = [
    "drawn_samples",
    "most_variable_genes",
    "sample_correlations",
    "sample_densities",
    "scaled_distances",
]

Floats = NDArray[np.float64]

_MOST_GENES = 5000
"""Components and correlations are computed over so many genes, those that vary most."""
_MOST_DRAWN = 200
"""Samples with a density curve, or a row of the heatmap."""
_BINS = 80
_SMOOTH = np.array([1, 6, 15, 20, 15, 6, 1]) / 64
"""Weights of a step of a density and its neighbours."""


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
    values, vectors = np.linalg.eigh(centre @ correlation @ centre)
    places = np.zeros((n, 2))
    for k in range(min(2, n)):
        column = vectors[:, -1 - k] * np.sqrt(max(values[-1 - k], 0.0))
        places[:, k] = column if column[np.argmax(np.abs(column))] >= 0 else -column
    return places


def drawn_samples(
    samples: Sequence[str], correlation: Floats, record: Mapping[str, Any]
) -> NDArray[np.intp]:
    """Return the samples of heatmap and density plot, those alike next to each other."""
    outliers = {row["sample"] for row in record.get("outliers", ())}
    places = np.unique(np.linspace(0, len(samples) - 1, _MOST_DRAWN).round().astype(np.intp))
    named = [i for i, sample in enumerate(samples) if sample in outliers]
    kept = np.union1d(places, np.array(named[:_MOST_DRAWN], dtype=np.intp))
    order: NDArray[np.intp] = kept[order_rows(correlation[np.ix_(kept, kept)])]
    return order


def sample_densities(expression: Floats, steps: int = _BINS) -> tuple[Floats, Floats]:
    """Return the share of each sample's values per unit in equal steps, and their middles."""
    known = expression[np.isfinite(expression)]
    low, high = (float(v) for v in np.percentile(known, (0.1, 99.9))) if known.size else (0.0, 1.0)
    edges = np.linspace(low, max(high, low + 1e-6), steps + 1)
    counts = np.array(
        [np.histogram(row[np.isfinite(row)], edges)[0] for row in expression],
        dtype=np.float64,
    )
    counts = np.array([np.convolve(row, _SMOOTH, mode="same") for row in counts])
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return counts / total / (edges[1] - edges[0]), (edges[:-1] + edges[1:]) / 2
