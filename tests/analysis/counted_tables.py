"""Counted cohorts for tests of the statistics: a linked table, and the record of its counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.formats import LinkedTable
from tests.analysis.cohort_tables import linked

Floats = NDArray[np.float64]


def counted_table(
    counts: Floats, libraries: Floats, trait: Floats, covariates: dict[str, Floats] | None = None
) -> LinkedTable:
    """Return the table that preprocessing makes of counts (samples x genes)."""
    values = np.log2((counts + 0.5) / (libraries[:, None] + 1) * 1e6)
    return linked(trait, values, covariates)


def counts_record(table: LinkedTable, libraries: Floats, scale: float = 100.0) -> dict[str, Any]:
    """Return `Evidence.counts`; by default with libraries of more than a million reads."""
    sizes = dict(zip(table.samples, libraries.tolist(), strict=True))
    return {
        "genes": len(table.genes) + 7,
        "filtered": 7,
        "kept": len(table.genes),
        "rule": "at least 10 counts in 6 samples or more",
        "normalisation": "TMM",
        "totals": {sample: int(scale * size) for sample, size in sizes.items()},
        "effective_library_sizes": sizes,
    }


def draw_counted(
    samples: int = 24,
    genes: int = 400,
    changed: int = 20,
    fold: float = 3.0,
    seed: int = 0,
    batch: bool = False,
) -> tuple[LinkedTable, dict[str, Any]]:
    """Draw negative binomial counts, half cases, the first genes changed; libraries fourfold.

    With a batch, half of the samples have all genes shifted, each in its own way.
    """
    rng = np.random.default_rng(seed)
    trait = np.arange(samples) % 2.0
    depth = np.exp(rng.uniform(np.log(0.5), np.log(2.0), samples))
    level = np.exp(rng.normal(4.5, 1.3, genes))
    mean = np.outer(depth, level)
    mean[:, :changed] *= np.where(trait == 1, fold, 1.0)[:, None]
    if batch:
        late = rng.random(samples) < 0.5
        mean *= np.exp(np.outer(late, rng.normal(0, 0.8, genes)))
    size = 1 / (0.05 + 0.15 * rng.random(genes))
    counts = rng.negative_binomial(size, size / (size + mean)).astype(np.float64)
    libraries = depth * level.sum()
    table = counted_table(counts, libraries, trait, {"Age": rng.integers(30, 80, samples)})
    return table, counts_record(table, libraries)


def permuted(table: LinkedTable, seed: int) -> LinkedTable:
    """Return the table with the trait given to the samples at random."""
    order = np.random.default_rng(seed).permutation(len(table.samples))
    return replace(table, trait_values=table.trait_values[order])
