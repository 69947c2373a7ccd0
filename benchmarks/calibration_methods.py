"""The methods whose calibration is studied: each takes a cohort and says which genes it finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from simulated_cohort import SimulatedCohort

from genotex.analysis.contrast import choose_contrast
from genotex.analysis.design import Design, build_design
from genotex.analysis.linear import fit_last_column
from genotex.analysis.mixed import fit_mixed
from genotex.analysis.moderated import moderate
from genotex.analysis.multiple_testing import benjamini_hochberg
from genotex.analysis.surrogate import find_surrogates

__all__ = ["METHODS", "Found"]

Floats = NDArray[np.float64]
Q_CUT = 0.05


@dataclass(frozen=True, eq=False)
class Found:
    """What a method finds in a cohort.

    Attributes
    ----------
    genes : ndarray of bool, shape (p,)
        The genes that the method calls associated.
    surrogates : int or None
        Surrogate variables adjusted for; None for a method without them.
    """

    genes: NDArray[np.bool_]
    surrogates: int | None = None


def moderated(cohort: SimulatedCohort, seed: int) -> Found:
    """Moderated t with age and sex; nothing is done about hidden structure."""
    return _moderated(cohort, _design(cohort).matrix)


def moderated_known_batch(cohort: SimulatedCohort, seed: int) -> Found:
    """Moderated t where the table tells the batch, which is a covariate then."""
    return _moderated(cohort, _design(cohort, {"batch late": cohort.late}).matrix)


def moderated_surrogates(cohort: SimulatedCohort, seed: int) -> Found:
    """Moderated t with age, sex and surrogate variables, whatever the number of samples."""
    design = _design(cohort).matrix
    surrogates = find_surrogates(cohort.table.expression, design, seed=seed).columns
    wide = np.column_stack([design[:, :-1], surrogates, design[:, -1]])
    return replace(_moderated(cohort, wide), surrogates=surrogates.shape[1])


def mixed(cohort: SimulatedCohort, seed: int) -> Found:
    """Mixed model with age and sex; the background is made of all genes."""
    design = _design(cohort).matrix
    p = fit_mixed(cohort.table.expression, design[:, :-1], design[:, -1]).p
    return Found(_significant(np.where(np.isnan(p), 1.0, p)))


def _design(cohort: SimulatedCohort, batches: Mapping[str, Floats] | None = None) -> Design:
    contrast = choose_contrast(cohort.table, {}, "all")
    return build_design(cohort.table, contrast, ("Age", "Gender"), None, batches)


def _moderated(cohort: SimulatedCohort, design: Floats) -> Found:
    return Found(_significant(moderate(fit_last_column(design, cohort.table.expression)).p))


def _significant(p: Floats) -> NDArray[np.bool_]:
    return np.asarray(benjamini_hochberg(p) < Q_CUT)


METHODS: Mapping[str, Callable[[SimulatedCohort, int], Found]] = {
    "moderated": moderated,
    "moderated, batch known": moderated_known_batch,
    "moderated + SVs": moderated_surrogates,
    "mixed": mixed,
}
"""Name to method; the second argument is a seed."""
