"""Warnings that a careful statistician would give with a result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.classical_tests import binomial_p
from genotex.analysis.confounding import associate_measured, variance_inflation
from genotex.analysis.contrast import Contrast
from genotex.analysis.design import Design
from genotex.analysis.multiple_testing import excess_near_one, null_share
from genotex.errors import AnalysisError
from genotex.formats import LinkedTable

__all__ = ["check_covariates", "check_groups", "check_p_values", "check_scale", "check_table"]

Floats = NDArray[np.float64]

SMALL_GROUP = 10
HIGHEST_LOG2 = 50.0
HIGHEST_INFLATION = 4.0
EXCESS = 1.5
BY_CHANCE = 1e-3
ENOUGH_GENES = 200
"""A histogram of fewer p-values says nothing."""
MANY_GENES = 10
"""Fewer genes are no cross-section of the genome: most of them may well be significant."""
HIGHEST = 1e100
"""Squares of larger numbers, and their sums, leave the range of double precision."""


def check_table(table: LinkedTable) -> None:
    """Refuse a linked table that cannot be computed with.

    Raises
    ------
    AnalysisError
        If its shape does not fit its names, it has no samples or genes, a gene stands twice, or
        values are infinite.
    """
    shape = (len(table.samples), len(table.genes))
    if table.expression.shape != shape:
        msg = f"{table.trait}: expression is {table.expression.shape}, its names say {shape}"
        raise AnalysisError(msg)
    for what, names in (("samples", table.samples), ("genes", table.genes)):
        if not names:
            msg = f"{table.trait}: the table has no {what}"
            raise AnalysisError(msg)
        repeated = next((name for name, count in Counter(names).items() if count > 1), None)
        if repeated is not None:
            msg = f"{table.trait}: {repeated} stands twice among the {what}; make them one first"
            raise AnalysisError(msg)
    for what, values in (
        ("expression", table.expression),
        ("the trait", table.trait_values),
        *table.covariates.items(),
    ):
        # NaN is missing and compares as False.
        if (
            np.fmax.reduce(values, axis=None) > HIGHEST
            or np.fmin.reduce(values, axis=None) < -HIGHEST
        ):
            kind = "infinite values" if np.isinf(values).any() else f"values above {HIGHEST:g}"
            msg = f"{table.trait}: {what} holds {kind}, which cannot be computed with"
            hint = "; take logarithms of positive values" if what == "expression" else ""
            raise AnalysisError(msg + hint)


def check_groups(contrast: Contrast) -> list[str]:
    """Warn of groups that are too small for stable answers."""
    if contrast.smaller_group >= SMALL_GROUP:
        return []
    what = "The smaller group has" if contrast.binary else "The analysis has"
    if contrast.factor is not None:
        what = "The smallest level has"
    return [f"{what} {contrast.smaller_group} samples only: expect unstable genes and low power."]


def check_covariates(
    table: LinkedTable, contrast: Contrast, design: Design, held_by_pairs: Collection[str] = ()
) -> list[str]:
    """Warn of covariates that go with the trait, alone or together.

    Decided by size (see `Association.strength`), so that three against three samples of different
    ages are seen and a difference of two years among hundreds is not.

    Parameters
    ----------
    table : LinkedTable
        One cohort.
    contrast : Contrast
        Its samples and trait.
    design : Design
        The columns of the regression.
    held_by_pairs : collection of str
        Covariates that pairs adjust for without a column of their own.
    """
    warnings = []
    for name, column in table.covariates.items():
        values = column[contrast.rows]
        known = np.isfinite(values)
        trait = contrast.values[known]
        if known.sum() < 4 or len(np.unique(values[known])) < 2 or len(np.unique(trait)) < 2:
            continue
        found = associate_measured(contrast, known, values[known])
        if found.strength:
            apart = "cannot be told apart" if found.complete else "are hard to tell apart"
            held = name in design.adjusted or name in held_by_pairs
            adjusted = "" if held else f", and {name} is not adjusted for"
            warnings.append(
                f"{table.trait} goes with {name} in this cohort ({found.text}): effects of the two "
                f"{apart}{adjusted}."
            )
    # Indicators of a factor inflate each other; its values alone are compared with the others.
    inflation = variance_inflation(np.column_stack([design.others, contrast.values]))
    if inflation > HIGHEST_INFLATION and not warnings:
        warnings.append(
            f"The covariates together nearly tell {table.trait} (variance inflation "
            f"{inflation:.1f}): effects of trait and covariates are hard to tell apart."
        )
    return warnings


def check_scale(expression: Floats) -> list[str]:
    """Warn when expression does not look like logarithms."""
    highest = float(np.nanmax(expression)) if np.isfinite(expression).any() else 0.0
    if highest <= HIGHEST_LOG2:
        return []
    return [
        f"Expression does not look like log2 values (the highest is {highest:.4g}): coefficients "
        "are no log2 fold changes, and few strong samples may lead the result."
    ]


def check_p_values(p: Floats, significant: int) -> list[str]:
    """Warn when the p-values do not look like those of a well-fitting model.

    Parameters
    ----------
    p : ndarray of float64, shape (m,)
        p-values of the test that ranks, of all genes tested.
    significant : int
        How many of the genes are significant.
    """
    warnings = []
    excess = excess_near_one(p)
    if len(p) >= ENOUGH_GENES and not _by_chance(p):
        if excess > EXCESS:
            warnings.append(_too_many_near_one(excess, null_share(p)))
        elif excess < 1 / EXCESS:
            warnings.append(_still_falling(excess, null_share(p)))
    if len(p) >= MANY_GENES and 2 * significant > len(p):
        warnings.append(
            f"{significant} of {len(p)} genes are significant, more than half: look for a batch, a "
            "different tissue or a different scale behind the trait before reading the list."
        )
    return warnings


def _by_chance(p: Floats) -> bool:
    """Tell whether chance alone moves so many of the p-values above 0.5 to or from 1."""
    near, upper = int((p > 0.9).sum()), int((p > 0.5).sum())
    return upper == 0 or binomial_p(near, upper, 0.2) > BY_CHANCE


def _too_many_near_one(excess: float, share: float) -> str:
    many = (
        f"{excess:.1f} times as many p-values near 1 as below"
        if np.isfinite(excess)
        else "all p-values above 0.5 are near 1"
    )
    return (
        f"The p-value histogram is not flat on the right: {many} (pi0 = {share:.2f}). The model "
        "may miss structure in the data; q-values are likely too large."
    )


def _still_falling(excess: float, share: float) -> str:
    return (
        f"The p-value histogram still falls on the right (density near 1 is {excess:.2f} of that "
        f"below, pi0 = {share:.2f}): nearly every gene goes with the trait a little, as when a "
        "batch or a tissue stands behind it; q-values are likely too small."
    )
