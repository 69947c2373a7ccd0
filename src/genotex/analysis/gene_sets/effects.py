"""The effects of a comparison, for tests of gene sets: the trait's, and those of chance."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

import genotex
from genotex.analysis.gene_sets.correlated import contrast_last, effect_matrix
from genotex.analysis.gene_tests.moderated import ModeratedFit, VariancePrior
from genotex.analysis.problem_data import DataChoice, naming_place, read_data
from genotex.analysis.results.method_record import Steps
from genotex.analysis.results.result import AnalysisResult
from genotex.analysis.sound import carry_out
from genotex.arrays import Flags, Floats
from genotex.errors import AnalysisError
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from genotex.records import checked

FEWEST_GENES = 10
SAME = 1e-6
"""Largest difference, relative to 1 + |t|, by which rounding moves a t-statistic."""


@dataclass(frozen=True, eq=False)
class TraitEffects:
    """The regression of the genes without missing values, turned into independent effects."""

    genes: tuple[str, ...]  # (p,): the genes
    # (p, 1 + d): the trait's effect, and the d residual effects (see `effect_matrix`). Where the
    # analysis inflates the variance of the trait's coefficient for having estimated surrogate
    # variables, the trait's effect is divided by the root of that factor.
    matrix: Floats
    t: Floats  # (p,): moderated t of the genes against no effect, and its degrees of freedom
    df: Floats
    prior: VariancePrior  # What the residual variances were shrunk towards
    left_out: int  # Tested genes that are not here, since they have missing values


def read_trait_effects(output: OutputFolder, result: AnalysisResult) -> TraitEffects:
    """Repeat the analysis behind a result of the procedure ``sound``, and return its effects.

    Everything comes from the output folder: the linked table and record of the cohort, of a
    two-step problem those of the condition's cohort too, and the options, cohorts and regressor
    genes that the result names.

    Raises
    ------
    AnalysisError
        If the analysis does not give the stored t-statistics again, or all but a few genes have
        missing values.
    FormatError
        If a file of a cohort is not what it should be.
    """
    problem, options = Problem(result.trait, result.condition), stored_options(result)
    data = read_data(output, problem, _cohorts(result), options.procedure)
    with naming_place(problem, result.cohort):
        steps = carry_out(data.cohort, problem, options)
        _check_same(result, steps)
        return trait_effects(steps)


def trait_effects(steps: Steps) -> TraitEffects:
    """Return the effects of the very regression that gave the moderated t of an analysis."""
    tests, names = steps.tests, _tested(steps)
    values = tests.values
    complete: Flags = np.asarray(~np.isnan(values).any(axis=0))
    if complete.sum() < FEWEST_GENES:
        msg = (
            f"{int(complete.sum())} of {len(names):,} tested genes have no missing value; tests of "
            f"gene sets need at least {FEWEST_GENES}"
        )
        raise AnalysisError(msg)
    fit = tests.fit
    if not isinstance(fit, ModeratedFit):
        msg = (
            "differences among levels have no direction, so that no gene set can be tested on them"
        )
        raise AnalysisError(msg)
    values, settings = values[:, complete], tests.settings
    if not complete.all():
        # Genes with missing values take no part, neither in the prior.
        linear = settings.regress(tests.moderated.matrix, values, tests.inflation)
        fit = settings.against_none.moderate(linear, values)
    matrix = effect_matrix(_design(steps), values, settings.precision)
    matrix[:, 0] /= np.sqrt(tests.inflation)
    return TraitEffects(
        genes=tuple(name for name, whole in zip(names, complete, strict=True) if whole),
        matrix=matrix,
        # The reported t may be one against effects of at most some size.
        t=fit.coefficient / fit.standard_error,
        df=fit.df,
        prior=fit.prior,
        left_out=int((~complete).sum()),
    )


def _design(steps: Steps) -> Floats:
    """Return the design of the moderated t with what is tested last, in limma's coordinates."""
    own, moderated = steps.comparison.own, steps.tests.moderated.matrix
    if own is None or own.design.matrix.shape != moderated.shape:
        return moderated  # further columns of hidden factors are before the last one already
    return contrast_last(own.design.matrix, own.tested.weights[:, 0])


def _tested(steps: Steps) -> tuple[str, ...]:
    genes = steps.comparison.table.genes
    return tuple(genes[i] for i in np.flatnonzero(steps.tests.kept.tested))


def stored_options(result: AnalysisResult) -> AnalysisOptions:
    """Return the options that the result was made with."""
    stored: dict[str, Any] = dict(result.method.get("options", {}))
    if stored.keys() != {field.name for field in fields(AnalysisOptions)} or not result.cohort:
        made = result.method.get("versions", {}).get("genotex", "another version")
        msg = (
            f"{_place(result)}: the result does not record how it was made, or was made by another "
            f"version (genotex {made}, this is {genotex.__version__}); run analyze again"
        )
        raise AnalysisError(msg)
    # Neither the mixed model nor the panel ranks, and both take their time.
    stored |= {"model": "moderated", "panel": False}
    return checked(AnalysisOptions, stored, extra="forbid", place="method.options")


def _cohorts(result: AnalysisResult) -> DataChoice:
    two_step = result.method.get("two_step")
    if two_step is None:
        return DataChoice(result.cohort, "", {})
    return DataChoice(result.cohort, "", {}, two_step["cohort"], tuple(two_step["regressors"]))


def _check_same(result: AnalysisResult, steps: Steps) -> None:
    """Refuse to go on where other genes were tested or their t-statistics differ."""
    names, t = _tested(steps), steps.tests.columns["t"]
    tested = result.genes.filter(result.genes["Status"] == "tested")
    stored = dict(zip(tested["Variable"], tested["t"].to_numpy(), strict=True))
    if stored.keys() == set(names):
        before = np.array([stored[name] for name in names])
        differ = ~(np.abs(t - before) <= SAME * (1.0 + np.abs(before)))
        if not differ.any():
            return
        what = f"{int(differ.sum()):,} of {len(names):,} genes have another t-statistic"
    else:
        what = f"{len(names):,} genes are tested, not the {len(stored):,} of the result"
    made = result.method.get("versions", {}).get("genotex", "unknown")
    msg = (
        f"{_place(result)}: the analysis cannot be repeated: {what}. The cohort's tables have "
        f"changed since, or the software (result: genotex {made}, this is {genotex.__version__}); "
        "run analyze again"
    )
    raise AnalysisError(msg)


def _place(result: AnalysisResult) -> str:
    problem = Problem(result.trait, result.condition)
    return f"{problem}, {result.cohort}" if result.cohort else str(problem)
