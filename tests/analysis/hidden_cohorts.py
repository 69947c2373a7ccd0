"""Cohorts with hidden structure for tests of surrogate variables."""

import numpy as np


def two_group_design(samples: int) -> np.ndarray:
    return np.column_stack(
        [np.ones(samples), np.repeat([0.0, 1.0], [samples // 2, -(-samples // 2)])]
    )


def noise(samples: int, genes: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    spread = np.sqrt(0.09 * 6 / rng.chisquare(6, genes))
    return rng.uniform(4, 13, genes) + rng.normal(size=(samples, genes)) * spread


def half_confounded_batch(samples: int) -> np.ndarray:
    """Three quarters of the second group and a quarter of the first."""
    half = samples // 2
    place = np.arange(samples)
    return np.where(place < half, place % 4 == 0, place % 4 != 0).astype(float)


def with_batch(samples: int, genes: int, seed: int, size: float = 0.6) -> np.ndarray:
    """No gene is associated with the trait; a third of them with the batch."""
    rng = np.random.default_rng([seed, 1])
    shift = rng.normal(0, size, genes) * (rng.random(genes) < 1 / 3)
    return noise(samples, genes, seed) + np.outer(half_confounded_batch(samples), shift)
