"""The procedure ``benchmark``: a Lasso, tuned by what is known of the trait."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from genotex.analysis.benchmark.batch_effect import detect_batch_effect
from genotex.analysis.benchmark.condition import measured_condition, predict_condition
from genotex.analysis.benchmark.model import Samples, prepare
from genotex.analysis.benchmark.record import (
    Final,
    Steps,
    TwoStep,
    arrange_selected,
    describe,
    warn,
)
from genotex.analysis.benchmark.trait import TraitColumn, check_expression, choose_samples
from genotex.analysis.benchmark.tuning import LAMBDAS, choose_lambda, cross_validate
from genotex.analysis.condition_cohort import ConditionCohort
from genotex.analysis.options import AnalysisOptions
from genotex.analysis.result import AnalysisResult
from genotex.bench.problems import Problem, ProblemKind
from genotex.errors import AnalysisError
from genotex.formats import LinkedTable

__all__ = ["analyze_benchmark"]


def analyze_benchmark(
    table: LinkedTable,
    problem: Problem,
    options: AnalysisOptions,
    related: Sequence[str],
    condition: ConditionCohort | None,
    *,
    threads: int = 1,
) -> AnalysisResult:
    """Select the genes of one cohort as the benchmark's published release does.

    The condition is measured (one-step) or predicted from another cohort (two-step), and taken out
    of the trait by least squares. A Lasso of what is left on all z-scored genes selects; genes are
    rotated first when the eigenvalues tell of a batch effect. Lambda is the one whose genes are,
    over five folds, most often among the related genes of the trait. Source: GenoTEX paper,
    appendix F, and the published release where the two differ (docs: benchmark procedure).

    Parameters
    ----------
    table : LinkedTable
        The trait's cohort, filled; samples without the trait are left out.
    problem : Problem
        Trait and condition.
    options : AnalysisOptions
        Of these only `solver`, `fixed_lambda` and `batch_correction` count; `regressors` is
        recorded.
    related : sequence of str
        Related genes of the trait.
    condition : ConditionCohort or None
        Two-step: where the condition is learnt.
    threads : int
        Fits at a time; the answer does not depend on it.

    Returns
    -------
    AnalysisResult
        Selected genes first, by descending absolute coefficient. The cohort's fields are empty.

    Raises
    ------
    AnalysisError
        If the cohort cannot answer the problem: missing values, fewer than 6 samples, a constant
        trait or condition, a condition that is absent or cannot be predicted.
    """
    if table.trait != problem.trait:
        msg = f"the table holds {table.trait}, the problem asks for {problem.trait}"
        raise AnalysisError(msg)
    check_expression(table)
    with threadpool_limits(limits=1):
        trait = choose_samples(table)
        two_step = _learn_condition(table, trait, problem, options, condition)
        expression = trait.expression(table)
        batch = detect_batch_effect(expression)
        samples = Samples(
            expression=expression,
            trait=trait.values,
            condition=_condition(table, trait, problem, two_step),
            binary=trait.binary,
            rotated=batch.found and options.batch_correction,
            solver=options.solver,
        )
        wanted = set(related)
        known = np.array([gene in wanted for gene in table.genes], dtype=bool)
        penalties = LAMBDAS if options.fixed_lambda is None else (options.fixed_lambda,)
        tuning = cross_validate(samples, known, threads, penalties)
        chosen, best = choose_lambda(tuning)
        final = _fit_all(samples, chosen.penalty)
    steps = Steps(trait, batch, samples, known, tuning, chosen, final, two_step)
    return AnalysisResult(
        trait=problem.trait,
        condition=problem.condition,
        genes=arrange_selected(table.genes, final.fit.coefficients),
        cv_performance={"prediction": best.prediction, "selection": chosen.selection},
        method=describe(steps, problem, options),
        warnings=warn(steps, problem, options, len(wanted)),
    )


def _learn_condition(
    table: LinkedTable,
    trait: TraitColumn,
    problem: Problem,
    options: AnalysisOptions,
    cohort: ConditionCohort | None,
) -> TwoStep | None:
    if problem.kind is not ProblemKind.TWO_STEP:
        return None
    if cohort is None or cohort.table.trait != problem.condition:
        held = "none" if cohort is None else cohort.table.trait
        msg = f"{problem} needs a cohort of {problem.condition} to learn it from; given: {held}"
        raise AnalysisError(msg)
    predicted = predict_condition(cohort, table, trait.rows)
    return TwoStep(cohort, options.regressors, predicted)


def _condition(
    table: LinkedTable, trait: TraitColumn, problem: Problem, two_step: TwoStep | None
) -> NDArray[np.float64] | None:
    if two_step is not None:
        return two_step.predicted.values
    if problem.condition is None:
        return None
    return measured_condition(table, problem.condition, trait.rows)


def _fit_all(samples: Samples, penalty: float) -> Final:
    prepared = prepare(samples, np.arange(len(samples.trait)))
    with warnings.catch_warnings():
        # How far it stopped from the optimum is told by the gap.
        warnings.simplefilter("ignore", ConvergenceWarning)
        (fit,) = prepared.fit([penalty], samples.solver)
    return Final(fit, prepared.optimality(fit, penalty), prepared.ln_delta)
