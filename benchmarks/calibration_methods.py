"""The methods whose calibration is studied: each takes a cohort and says which genes it finds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from genotex.analysis.robust_surrogates import find_robust_surrogates
from numpy.typing import NDArray
from simulated_cohort import SimulatedCohort
from sklearn.exceptions import ConvergenceWarning

from genotex.analysis.benchmark.model import Samples, prepare
from genotex.analysis.benchmark.tuning import choose_lambda, cross_validate
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
KNOWN_SHARE, KNOWN_WRONG = 0.4, 100
"""Prior knowledge for the Lasso: this share of the affected genes, and so many unaffected ones."""


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
    return _with(cohort, find_surrogates(cohort.table.expression, design, seed=seed).columns)


def moderated_robust_surrogates(cohort: SimulatedCohort, seed: int) -> Found:
    """Moderated t with age, sex and surrogate variables by robust regression."""
    design = _design(cohort).matrix
    return _with(cohort, find_robust_surrogates(cohort.table.expression, design, seed=seed).columns)


def _with(cohort: SimulatedCohort, surrogates: Floats) -> Found:
    design = _design(cohort).matrix
    wide = np.column_stack([design[:, :-1], surrogates, design[:, -1]])
    return replace(_moderated(cohort, wide), surrogates=surrogates.shape[1])


def mixed(cohort: SimulatedCohort, seed: int) -> Found:
    """Mixed model with age and sex; the background is made of all genes."""
    design = _design(cohort).matrix
    p = fit_mixed(cohort.table.expression, design[:, :-1], design[:, -1]).p
    return Found(_significant(np.where(np.isnan(p), 1.0, p)))


def lasso(cohort: SimulatedCohort, seed: int) -> Found:
    """Lasso of the procedure ``benchmark``; genes with a coefficient are found."""
    return _lasso(cohort, seed, rotated=False)


def rotated_lasso(cohort: SimulatedCohort, seed: int) -> Found:
    """Rotated Lasso of the procedure ``benchmark``, whatever its test of a batch effect says."""
    return _lasso(cohort, seed, rotated=True)


def _lasso(cohort: SimulatedCohort, seed: int, *, rotated: bool) -> Found:
    table = cohort.table
    samples = Samples(table.expression, table.trait_values, None, True, rotated, "scikit-learn")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it stops early, as published
        chosen, _ = choose_lambda(cross_validate(samples, _related(cohort, seed), 1))
        (fit,) = prepare(samples, np.arange(len(table.samples))).fit(
            [chosen.penalty], samples.solver
        )
    return Found(np.asarray(fit.coefficients != 0))


def _related(cohort: SimulatedCohort, seed: int) -> NDArray[np.bool_]:
    """Draw the genes that were known to go with the trait before."""
    rng = np.random.default_rng(seed)
    right, wrong = np.flatnonzero(cohort.affected), np.flatnonzero(~cohort.affected)
    related = np.zeros(len(cohort.effects), dtype=bool)
    related[rng.choice(right, round(KNOWN_SHARE * len(right)), replace=False)] = True
    related[rng.choice(wrong, min(KNOWN_WRONG, len(wrong)), replace=False)] = True
    return related


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
    "moderated + robust SVs": moderated_robust_surrogates,
    "mixed": mixed,
    "Lasso": lasso,
    "rotated Lasso": rotated_lasso,
}
"""Name to method; the second argument is a seed."""
