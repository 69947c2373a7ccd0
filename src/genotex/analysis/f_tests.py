"""Moderated F tests: differences among the levels of a factor, departures from a line.

F = (b' V^-1 b / m) / s2 for m coefficients b with unscaled covariance V, s2 the posterior variance
of Smyth 2004 (section 3, as for his moderated t), on m and d0 + d degrees of freedom. V is each
gene's own, also where values are missing or weighted (limma's ``eBayes`` takes one correlation of
the coefficients for all genes there).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from genotex.analysis.design import Design
from genotex.analysis.gene_tests import TestSettings, describe_genes
from genotex.analysis.levels import Levels
from genotex.analysis.linear import SeveralFit
from genotex.analysis.moderated import (
    ModeratedVariance,
    VariancePrior,
    moderate_coefficient,
)
from genotex.analysis.multiple_testing import benjamini_hochberg

__all__ = [
    "ModeratedF",
    "departure_columns",
    "estimable_factor_columns",
    "factor_columns",
    "moderate_f",
]

Floats = NDArray[np.float64]
Columns = dict[str, Floats]


@dataclass(frozen=True, eq=False)
class ModeratedF:
    """Tests of several coefficients together, for every gene."""

    f: Floats  # (p,): moderated F, its p-value and its denominator's degrees of freedom
    p: Floats
    df: Floats
    tested: int  # Coefficients, the numerator's degrees of freedom
    prior: VariancePrior  # What the variances were shrunk towards


def moderate_f(fit: SeveralFit, found: ModeratedVariance) -> ModeratedF:
    """Test the coefficients of a fit together, by the posterior variances."""
    tested = len(fit.triangle)
    mean = fit.squares / tested
    f = mean / found.with_floor(mean)
    return ModeratedF(f, np.asarray(fdtrc(tested, found.df, f)), found.df, tested, found.prior)


def factor_columns(
    fit: SeveralFit, values: Floats, settings: TestSettings, levels: Levels
) -> tuple[Columns, ModeratedF]:
    """Test every gene for any difference among levels, and each pair of levels."""
    # Shapes: values (n, p).
    # Returns columns: ``F``, ``p``, ``q``; ``Coefficient``, the largest difference between two
    # levels; for each pair its difference, p- and q-value; ``Mean Expression`` and ``Samples``.
    found = settings.shrink(fit, values)
    test = moderate_f(fit, found)
    columns: Columns = {"F": test.f, "p": test.p, "q": benjamini_hochberg(test.p)}
    differences = []
    for name, weights in levels.pairs:
        pair = moderate_coefficient(fit.contrast(weights), found)
        differences.append(pair.coefficient)
        columns |= {
            f"{name} Coefficient": pair.coefficient,
            f"{name} p": pair.p,
            f"{name} q": benjamini_hochberg(pair.p),
        }
    largest = _largest(np.array(differences))
    columns |= {"Coefficient": largest, "Absolute Coefficient": np.abs(largest)}
    return columns | describe_genes(values), test


def _largest(differences: Floats) -> Floats:
    """Return of each gene the difference (pairs, p) that is farthest from 0."""
    place = np.abs(differences).argmax(axis=0)
    return np.asarray(differences[place, np.arange(differences.shape[1])])


def estimable_factor_columns(
    fit: SeveralFit, values: Floats, settings: TestSettings, levels: Levels
) -> Columns:
    """Return ``Coefficient``, ``p`` and ``q``, NaN for genes that have no estimate."""
    # Arguments as for `factor_columns`.
    found = {name: np.full(values.shape[1], np.nan) for name in ("Coefficient", "p", "q")}
    fine = _estimable(fit)
    if fine.any():
        part, _ = factor_columns(fit.of(fine), values[:, fine], settings, levels)
        for name, column in found.items():
            column[fine] = part[name]
    return found


def _estimable(fit: SeveralFit) -> NDArray[np.bool_]:
    return np.isfinite(fit.rotated).all(axis=1) & (fit.df >= 1)


def departure_columns(
    values: Floats, design: Design, settings: TestSettings, inflation: float = 1.0
) -> Columns:
    """Test every gene for a departure of its levels from the line."""
    # A regression of its own, so that the trend keeps its meaning in the first one.
    # Shapes: values (n, p).
    # Returns ``Departure F``, ``Departure p`` and ``Departure q``; NaN for genes that lack a
    # level. Empty without departures.
    if design.departure is None:
        return {}
    fit = settings.regress_several(design.saturated, values, design.departure.shape[1], inflation)
    fine = _estimable(fit)
    if not fine.any():
        return {}
    part = fit.of(fine)
    test = moderate_f(part, settings.shrink(part, values[:, fine]))
    found = {"F": test.f, "p": test.p, "q": benjamini_hochberg(test.p)}
    columns = {f"Departure {name}": np.full(len(fine), np.nan) for name in found}
    for name, column in found.items():
        columns[f"Departure {name}"][fine] = column
    return columns
