"""Association of the trait with other variables: strength and test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from genotex.analysis.designs.contrast import Contrast
from genotex.analysis.gene_tests.p_values import (
    chi_square,
    fisher_p,
    kruskal,
    mann_whitney,
    spearman,
)
from genotex.arrays import Flags, Floats, Rows

Strength = Literal["", "some", "strong", "complete"]

CONFOUNDED_P = 0.05
STRONG_CORRELATION = 0.5
"""|phi|, Cramer's V or |rho| from which an association is strong, regardless of its p-value."""
STRONG_AUC = 0.8
SOME_CORRELATION = 0.25
"""Weaker associations are not worth a warning, however small their p-value is."""
SOME_AUC = 0.65
"""A shift by half a standard deviation, as a correlation of 0.25 is."""


@dataclass(frozen=True)
class Association:
    """Association of the trait with another variable of the same samples."""

    test: str  # Name of the test
    p: float  # Its p-value
    measure: str  # Name of the size
    # AUC (0.5 is none), or phi, Cramer's V, Spearman's rho, square root of eta squared (0 is none)
    size: float
    complete: bool  # Whether one determines the other without exception
    levels: int = 2  # Values of the other variable when they are names; 2 otherwise

    @property
    def strength(self) -> Strength:
        """Whether a reader must know: by size, or by p-value together with some size."""
        # Many names split few samples well by chance, so their size alone is uninformative.
        if self.complete:
            return "complete"
        if self.measure == "AUC":
            distance, some, strong = abs(self.size - 0.5), SOME_AUC - 0.5, STRONG_AUC - 0.5
        else:
            distance, some, strong = abs(self.size), SOME_CORRELATION, STRONG_CORRELATION
        if distance >= strong and (self.levels == 2 or self.p < CONFOUNDED_P):
            return "strong"
        return "some" if self.p < CONFOUNDED_P and distance >= some else ""

    @property
    def text(self) -> str:
        """Return test, p-value and size in words."""
        return f"{self.test}, p = {self.p:.2g}, {self.measure} {self.size:.2f}"


def associate_covariate(trait: Floats, covariate: Floats, binary: bool) -> Association:
    """Measure and test the association of a covariate with the trait."""
    # Fisher's exact test and phi for two binary variables, the Mann-Whitney test and the area under
    # the ROC curve for a binary and a measured one, Spearman's correlation for two measured ones.
    # Shapes: trait (n,), covariate (n,).
    two_levels = len(np.unique(covariate)) == 2
    if binary and two_levels:
        case, upper = trait == trait.max(), covariate == covariate.max()
        table = np.array([[(a & b).sum() for b in (upper, ~upper)] for a in (case, ~case)])
        phi = float(np.corrcoef(case, upper)[0, 1])
        p = fisher_p(table)
        return Association("Fisher's exact test", p, "phi", phi, _one(abs(phi)))
    if binary or two_levels:
        groups, measured = (trait, covariate) if binary else (covariate, trait)
        upper = groups == groups.max()
        found = mann_whitney(measured[upper], measured[~upper])
        auc = found.statistic / (int(upper.sum()) * int((~upper).sum()))
        return Association("Mann-Whitney test", found.p, "AUC", auc, auc in (0.0, 1.0))
    rho, p = spearman(trait, covariate)
    return Association("Spearman's correlation", p, "rho", rho, _one(abs(rho)))


def associate_levels(trait: Floats, levels: Sequence[str], binary: bool) -> Association:
    """Measure and test the association of a characteristic of several values with the trait."""
    # Binary trait: Fisher's exact test for two values, the chi-square test for more, and Cramer's
    # V. Measured trait: the Kruskal-Wallis test, and the square root of its eta squared.
    # Shapes: trait (n,).
    names, place = np.unique(np.asarray(levels, dtype=object).astype(str), return_inverse=True)
    if not binary:
        groups = [trait[place == k] for k in range(len(names))]
        found = kruskal(groups)
        rest = len(trait) - len(names)
        # Tomczak and Tomczak 2014: eta squared from H, 0 where H is what chance gives.
        squared = max(0.0, found.statistic - len(names) + 1) / rest if rest > 0 else 0.0
        return Association(
            "Kruskal-Wallis test", found.p, "eta", min(1.0, squared**0.5), False, len(names)
        )
    case = trait == trait.max()
    table = np.array([np.bincount(place[side], minlength=len(names)) for side in (case, ~case)])
    if len(names) == 2:
        test, p = "Fisher's exact test", fisher_p(table)
    else:
        test, p = "chi-square test", chi_square(table).p
    complete = bool((table.min(axis=0) == 0).all())
    return Association(
        test, p, "Cramer's V", 1.0 if complete else cramers_v(table), complete, len(names)
    )


def _associate_groups(groups: Sequence[str], levels: Sequence[str]) -> Association:
    """Test how a characteristic is associated with groups: chi-square test and Cramer's V."""
    of_group, row = np.unique(np.asarray(groups, dtype=object).astype(str), return_inverse=True)
    names, column = np.unique(np.asarray(levels, dtype=object).astype(str), return_inverse=True)
    table = np.zeros((len(of_group), len(names)), dtype=np.intp)
    np.add.at(table, (row, column), 1)
    complete = bool(((table > 0).sum(axis=0) == 1).all())
    p = chi_square(table).p
    size = 1.0 if complete else cramers_v(table)
    return Association("chi-square test", p, "Cramer's V", size, complete, len(names))


def associate_measured(contrast: Contrast, known: Flags, values: Floats) -> Association:
    """Measure how the trait is associated with a covariate; levels of a factor are groups."""
    # Shapes: known (n,), values (k,).
    if contrast.factor is None and not contrast.cells:
        return associate_covariate(contrast.values[known], values, contrast.binary)
    if len(np.unique(values)) == 2:
        return _associate_groups(_groups(contrast, known), [f"{value:g}" for value in values])
    return associate_levels(values, _groups(contrast, known), binary=False)


def associate_named(contrast: Contrast, known: Flags, levels: Sequence[str]) -> Association:
    """Measure how the trait is associated with a characteristic; levels of a factor are groups."""
    if contrast.factor is None and not contrast.cells:
        return associate_levels(contrast.values[known], levels, contrast.binary)
    return _associate_groups(_groups(contrast, known), levels)


def _groups(contrast: Contrast, known: Flags) -> list[str]:
    groups = contrast.groups or ()
    return [group for group, there in zip(groups, known, strict=True) if there]


def cramers_v(table: Rows) -> float:
    """Return Cramer's V without its bias: 0 on average for independent variables (Bergsma 2013)."""
    # Shapes: table (r, k).
    rows, columns = table.shape
    count = float(table.sum())
    chi2 = chi_square(table).statistic
    squared = max(0.0, chi2 / count - (rows - 1) * (columns - 1) / (count - 1))
    room = min(
        rows - 1 - (rows - 1) ** 2 / (count - 1), columns - 1 - (columns - 1) ** 2 / (count - 1)
    )
    return min(1.0, (squared / room) ** 0.5) if room > 0 else 0.0


def variance_inflation(design: Floats) -> float:
    """Return by how much the other columns inflate the variance of the last one's coefficient."""
    # Shapes: design (n, k).
    last = design[:, -1]
    _, triangle = np.linalg.qr(design)
    rest = float(triangle[-1, -1])
    centred = last - last.mean()
    return float((centred @ centred) / rest**2)


def _one(size: float) -> bool:
    return size > 1 - 1e-9
