"""The linked table: one cohort's trait, covariates and gene expression."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["LinkedTable"]


@dataclass(frozen=True, eq=False)
class LinkedTable:
    """Samples x (trait, covariates, genes) of one cohort.

    Attributes
    ----------
    trait : str
        Name of the trait column (the trait folder name).
    samples : tuple of str
        Sample ids.
    trait_values : ndarray of float64, shape (n,)
        0 control / 1 case, or the measured level.
    covariates : mapping of str to ndarray of float64, shape (n,)
        ``Age`` (years) and ``Gender`` (female 0, male 1), as far as the cohort has them, in this
        order; in an unfilled table a value may be NaN.
    genes : tuple of str
        Official symbols in table order.
    expression : ndarray of float64, shape (n, p)
        Samples x genes; NaN is missing and occurs only in an unfilled table.
    """

    trait: str
    samples: tuple[str, ...]
    trait_values: NDArray[np.float64]
    covariates: Mapping[str, NDArray[np.float64]]
    genes: tuple[str, ...]
    expression: NDArray[np.float64]
