"""The procedure ``benchmark``: genes as the benchmark's published release selects them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from genotex.analysis.benchmark.lasso import GAP, LassoFit, Optimality
from genotex.analysis.benchmark.preparation import (
    BatchEffect,
    Samples,
    detect_batch_effect,
    prepare,
)
from genotex.analysis.benchmark.samples import (
    Predicted,
    TraitColumn,
    check_expression,
    choose_samples,
    measured_condition,
    predict_condition,
)
from genotex.analysis.benchmark.tuning import (
    LAMBDAS,
    WITHOUT_KNOWLEDGE,
    Tuned,
    choose_lambda,
    cross_validate,
)
from genotex.analysis.problem_data import ConditionCohort
from genotex.analysis.results.columns import stored_types
from genotex.analysis.results.method_record import session, versions
from genotex.analysis.results.result import AnalysisResult
from genotex.arrays import Flags, Floats
from genotex.errors import AnalysisError
from genotex.formats import LinkedTable
from genotex.options import AnalysisOptions
from genotex.problems import Problem, ProblemKind
from genotex.records import as_json

OPTIONS = frozenset(
    {
        "procedure",
        "solver",
        "fixed_lambda",
        "batch_correction",
        "regressors",
        "cohort",
        "condition_cohort",
        "among",
    }
)
"""The options that count; the others belong to the procedure ``sound``."""

SHORT_OF_OPTIMUM = 0.01
"""A duality gap above this share of the objective is worth a warning."""


@dataclass(frozen=True, eq=False)
class _TwoStep:
    """How the condition was predicted."""

    cohort: ConditionCohort
    rule: str
    predicted: Predicted


@dataclass(frozen=True, eq=False)
class _Final:
    """The fit on all samples, and how far from the optimum it is."""

    fit: LassoFit
    optimality: Optimality
    ln_delta: float | None


@dataclass(frozen=True, eq=False)
class _BenchmarkSteps:
    """What each step of the procedure chose or found."""

    trait: TraitColumn
    batch: BatchEffect
    samples: Samples
    related: Flags
    tuning: tuple[Tuned, ...]
    chosen: Tuned
    final: _Final
    two_step: _TwoStep | None


def _arrange_selected(names: Sequence[str], coefficients: Floats) -> pl.DataFrame:
    """Put the selected genes by descending absolute coefficient, then the others in table order."""
    # Shapes: coefficients (p,).
    # Returns With the columns of `stored_types`.
    selected = np.flatnonzero(coefficients)
    order = selected[np.argsort(-np.abs(coefficients[selected]), kind="stable")]
    rest = np.flatnonzero(coefficients == 0)
    unknown = [None] * len(rest)
    known: dict[str, list[Any]] = {
        "Variable": [names[i] for i in np.concatenate([order, rest])],
        "Coefficient": [*coefficients[order].tolist(), *unknown],
        "Absolute Coefficient": [*np.abs(coefficients[order]).tolist(), *unknown],
        "Status": ["selected"] * len(order) + ["not selected"] * len(rest),
        "Significant": [True] * len(order) + [False] * len(rest),
    }
    nothing = [None] * len(names)
    return pl.DataFrame(
        [
            pl.Series(name, known.get(name, nothing), dtype=kind)
            for name, kind in stored_types().items()
        ]
    )


def _describe(steps: _BenchmarkSteps, problem: Problem, options: AnalysisOptions) -> dict[str, Any]:
    """Return procedure, options, versions and the result of each step, as plain JSON values."""
    genes = len(steps.related)
    final = steps.final
    record: dict[str, Any] = {
        "procedure": str(options.procedure),
        "model": "rotated Lasso of all genes" if steps.samples.rotated else "Lasso of all genes",
        "options": {name: value for name, value in options.as_json().items() if name in OPTIONS},
        "versions": versions("scikit-learn"),
        "session": session(),
        "contrast": dict(steps.trait.summary),
        "coefficient": "change of the trait per standard deviation of the gene, all selected genes "
        "in one model",
        "filter": {"genes": genes, "tested": genes},
        "covariates": [] if problem.condition is None else [problem.condition],
        "related_genes": int(steps.related.sum()),
        "batch_effect": as_json(steps.batch, "shares", "gaps", "threshold", "found"),
        "rotated": steps.samples.rotated,
        "solver": {
            "name": options.solver,
            "lambda": steps.chosen.penalty,
            "objective": final.optimality.objective,
            "dual_gap": final.optimality.gap,
            "relative_gap": final.optimality.relative_gap,
            "iterations": final.fit.iterations,
        },
        "tuning": [tuned.as_json() for tuned in steps.tuning],
    }
    if final.ln_delta is not None:
        record["ln_delta"] = final.ln_delta
    if steps.two_step is not None:
        record["two_step"] = {
            "condition": steps.two_step.cohort.table.trait,
            "cohort": steps.two_step.cohort.cohort,
            "rule": steps.two_step.rule,
            "regressors": list(steps.two_step.cohort.regressors),
            "model": steps.two_step.predicted.model,
            "samples": steps.two_step.predicted.samples,
        }
    return record


def _warn(
    steps: _BenchmarkSteps, problem: Problem, options: AnalysisOptions, related: int
) -> tuple[str, ...]:
    """Return what a reader should know before trusting the list."""
    fixed = f"Lambda is fixed at {steps.chosen.penalty:g}, without any tuning."
    tuned = options.fixed_lambda is None
    return (
        *steps.trait.warnings,
        *(_warn_of_knowledge(steps, problem.trait, related) if tuned else [fixed]),
        *_warn_of_solver(steps),
        *_warn_of_rotation(steps),
    )


def _warn_of_knowledge(steps: _BenchmarkSteps, trait: str, related: int) -> list[str]:
    there = int(steps.related.sum())
    if there == 0:
        return [
            f"None of the {related} related genes of {trait} is in the table: lambda is "
            f"{WITHOUT_KNOWLEDGE:g} without any tuning, and all selection scores are 0."
        ]
    if all(tuned.selection["precision"] == 0 for tuned in steps.tuning):
        return [
            f"No fold selected a related gene of {trait} at any lambda: lambda is "
            f"{WITHOUT_KNOWLEDGE:g} without any tuning."
        ]
    return [
        f"Prior knowledge of the same trait ({there} related genes) chose lambda: right for "
        "reproducing the benchmark, wrong for discovery."
    ]


def _warn_of_solver(steps: _BenchmarkSteps) -> list[str]:
    warnings = []
    if not steps.final.fit.coefficients.any():
        warnings.append(f"No gene was selected at lambda {steps.chosen.penalty:g}.")
    reached = steps.final.optimality
    share = f"duality gap {reached.relative_gap:.2g} of the objective without genes"
    if steps.samples.solver == "exact":
        if reached.relative_gap > GAP:
            warnings.append(f"The exact solver stopped short of the optimum: {share}.")
    elif reached.gap > SHORT_OF_OPTIMUM * reached.objective:
        warnings.append(
            f"The solver stopped short of the optimum, as the published one does ({share}): its "
            "genes depend on the order of the columns. The solver exact gives the optimum."
        )
    return warnings


def _warn_of_rotation(steps: _BenchmarkSteps) -> list[str]:
    if not steps.batch.found:
        return []
    if not steps.samples.rotated:
        return ["A gap between eigenvalues counts as batch effect; as asked, it was not corrected."]
    return [
        "A gap between eigenvalues counts as batch effect, so the genes were rotated. The rotated "
        "Lasso depends on the arbitrary signs of eigenvectors; in simulations it found planted "
        "genes at the rate of chance. Do not read its genes as findings."
    ]


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
    rotated first when the eigenvalues show a batch effect. Lambda is the one whose genes are,
    over five folds, most often among the related genes of the trait. Source: GenoTEX paper,
    appendix F, and the published release where the two differ (docs: benchmark procedure).

    Raises
    ------
    AnalysisError
        If the cohort cannot answer the problem: missing values, fewer than 6 samples, a constant
        trait or condition, a condition that is absent or cannot be predicted.
    """
    # Of the options only `solver`, `fixed_lambda` and `batch_correction` count; `regressors` is
    # recorded.
    if table.trait != problem.trait:
        msg = f"the table holds {table.trait}, the problem asks for {problem.trait}"
        raise AnalysisError(msg)
    check_expression(table)
    with threadpool_limits(limits=1):
        trait = choose_samples(table)
        two_step = _learn_condition(table, trait, problem, options, condition)
        expression, condition_values = trait.expression(table), None
        if two_step is not None:
            condition_values = two_step.predicted.values
        elif problem.condition is not None:
            condition_values = measured_condition(table, problem.condition, trait.rows)
        batch = detect_batch_effect(expression)
        rotated = batch.found and options.batch_correction
        samples = Samples(
            expression, trait.values, condition_values, trait.binary, rotated, options.solver
        )
        wanted = set(related)
        known = np.array([gene in wanted for gene in table.genes], dtype=bool)
        penalties = LAMBDAS if options.fixed_lambda is None else (options.fixed_lambda,)
        tuning = cross_validate(samples, known, threads, penalties)
        chosen, best = choose_lambda(tuning)
        final = _fit_all(samples, chosen.penalty)
    steps = _BenchmarkSteps(trait, batch, samples, known, tuning, chosen, final, two_step)
    return AnalysisResult(
        trait=problem.trait,
        condition=problem.condition,
        genes=_arrange_selected(table.genes, final.fit.coefficients),
        cv_performance={"prediction": best.prediction, "selection": chosen.selection},
        method=_describe(steps, problem, options),
        warnings=_warn(steps, problem, options, len(wanted)),
    )


def _learn_condition(
    table: LinkedTable,
    trait: TraitColumn,
    problem: Problem,
    options: AnalysisOptions,
    cohort: ConditionCohort | None,
) -> _TwoStep | None:
    if problem.kind is not ProblemKind.TWO_STEP:
        return None
    if cohort is None or cohort.table.trait != problem.condition:
        held = "none" if cohort is None else cohort.table.trait
        msg = f"{problem} needs a cohort of {problem.condition} to learn it from; given: {held}"
        raise AnalysisError(msg)
    predicted = predict_condition(cohort, table, trait.rows)
    return _TwoStep(cohort, options.regressors, predicted)


def _fit_all(samples: Samples, penalty: float) -> _Final:
    prepared = prepare(samples, np.arange(len(samples.trait)))
    with warnings.catch_warnings():
        # The duality gap shows how far it stopped from the optimum.
        warnings.simplefilter("ignore", ConvergenceWarning)
        (fit,) = prepared.fit([penalty], samples.solver)
    return _Final(fit, prepared.optimality(fit, penalty), prepared.ln_delta)
