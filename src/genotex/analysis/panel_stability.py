"""How often half-samples select each gene (Shah and Samworth 2013)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.panel_folds import complementary_halves
from genotex.analysis.panel_path import PanelData, fit_single

__all__ = ["selection_frequency"]

Floats = NDArray[np.float64]

PAIRS = 50


def selection_frequency(
    data: PanelData, penalty: float, seed: int, pairs: int = PAIRS
) -> tuple[Floats, dict[str, Any]]:
    """Return the share of half-samples that select each gene, and a record."""
    # The penalty is the same in the halves, on the scale of the mean loss; a half's slopes vary
    # more than those of all samples, so that genes of little weight come in and out.
    # Returns frequency: 0 to 1. record: ``pairs``, ``penalty``, ``seed``, ``genes_above_half`` and
    # ``genes_per_half_sample``.
    halves = complementary_halves(data.target, data.binary, pairs, seed)
    counts = np.zeros(data.genes.shape[1])
    for genes in fit_single(data, halves, penalty):
        counts[genes] += 1
    frequency = counts / len(halves)
    return frequency, {
        "pairs": pairs,
        "penalty": penalty,
        "seed": seed,
        "genes_above_half": int((frequency > 0.5).sum()),
        "genes_per_half_sample": float(counts.sum() / len(halves)),
    }
