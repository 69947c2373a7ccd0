"""Small linked tables for tests of the statistics."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from genotex.formats import LinkedTable


def linked(
    trait_values: ArrayLike,
    expression: ArrayLike,
    covariates: Mapping[str, ArrayLike] | None = None,
    trait: str = "Asthma",
) -> LinkedTable:
    values = np.asarray(expression, dtype=float)
    samples, genes = values.shape
    return LinkedTable(
        trait,
        tuple(f"GSM{i}" for i in range(samples)),
        np.asarray(trait_values, dtype=float),
        {k: np.asarray(v, dtype=float) for k, v in (covariates or {}).items()},
        tuple(f"GENE{j}" for j in range(genes)),
        values,
    )


def two_groups(
    samples: int = 24, genes: int = 60, changed: int = 5, shift: float = 3.0, seed: int = 0
) -> LinkedTable:
    """Half cases, half controls, the first genes changed; ages and genders at random."""
    rng = np.random.default_rng(seed)
    trait = np.arange(samples) % 2
    values = rng.normal(8, 1, (samples, genes)) * 1.0 + rng.uniform(-3, 3, genes)
    values[:, :changed] += shift * trait[:, None]
    ages = rng.integers(30, 80, samples)
    genders = (np.arange(samples) // 2) % 2
    return linked(trait, values, {"Age": ages, "Gender": genders})
