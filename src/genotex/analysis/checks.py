"""Warnings that a careful statistician would give with a result."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from genotex.analysis.contrast import Contrast
from genotex.analysis.multiple_testing import excess_near_one, null_share
from genotex.formats.linked import LinkedTable

__all__ = ["check_contrast", "check_p_values", "check_scale", "covariate_association"]

Floats = NDArray[np.float64]

SMALL_GROUP = 10
HIGHEST_LOG2 = 50.0
CONFOUNDED_P = 0.05
EXCESS = 1.5
ENOUGH_GENES = 200


def covariate_association(trait: Floats, covariate: Floats, binary: bool) -> tuple[str, float]:
    """Test whether a covariate goes with the trait.

    Fisher's exact test for two binary variables, Mann-Whitney for a binary and a measured one,
    Spearman's correlation for two measured ones.

    Parameters
    ----------
    trait, covariate : ndarray of float64, shape (n,)
        Known values of the same samples, each with at least two different values.
    binary : bool
        Whether the trait is binary.

    Returns
    -------
    tuple of str and float
        Name of the test and p-value.
    """
    two_levels = len(np.unique(covariate)) == 2
    if binary and two_levels:
        upper = covariate == covariate.max()
        case = trait == trait.max()
        table = np.array([[(a & b).sum() for b in (upper, ~upper)] for a in (case, ~case)])
        return "Fisher's exact test", float(stats.fisher_exact(table).pvalue)
    if binary or two_levels:
        groups, measured = (trait, covariate) if binary else (covariate, trait)
        upper = groups == groups.max()
        p = stats.mannwhitneyu(measured[upper], measured[~upper], method="asymptotic").pvalue
        return "Mann-Whitney test", float(p)
    return "Spearman's correlation", float(stats.spearmanr(trait, covariate).pvalue)


def check_contrast(table: LinkedTable, contrast: Contrast) -> list[str]:
    """Warn of small groups and of covariates that go with the trait."""
    warnings = []
    if contrast.smaller_group < SMALL_GROUP:
        what = "The smaller group has" if contrast.binary else "The analysis has"
        warnings.append(
            f"{what} {contrast.smaller_group} samples only: expect unstable genes and low power."
        )
    for name, column in table.covariates.items():
        values = column[contrast.rows]
        known = np.isfinite(values)
        if known.sum() < 4 or len(np.unique(values[known])) < 2:
            continue
        if len(np.unique(contrast.values[known])) < 2:
            continue
        test, p = covariate_association(contrast.values[known], values[known], contrast.binary)
        if p < CONFOUNDED_P:
            warnings.append(
                f"{table.trait} goes with {name} in this cohort ({test}, p = {p:.2g}): effects of "
                "the two are hard to tell apart."
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
    """Warn when the p-values do not look like those of a well-fitting model."""
    if len(p) < ENOUGH_GENES:
        return []
    warnings = []
    excess = excess_near_one(p)
    if excess > EXCESS:
        warnings.append(
            f"The p-value histogram is not flat on the right: {excess:.1f} times as many p-values "
            f"near 1 as below (pi0 = {null_share(p):.2f}). The model may miss structure in the "
            "data; q-values are likely too large."
        )
    if 2 * significant > len(p):
        warnings.append(
            f"{significant} of {len(p)} genes are significant, more than half: look for a batch, a "
            "different tissue or a different scale behind the trait before reading the list."
        )
    return warnings
