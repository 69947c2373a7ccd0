"""What the procedure ``benchmark`` leaves behind: genes, method, and what to beware of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.analysis.benchmark.batch_effect import BatchEffect
from genotex.analysis.benchmark.condition import Predicted
from genotex.analysis.benchmark.exact import GAP
from genotex.analysis.benchmark.lasso import LassoFit, Optimality
from genotex.analysis.benchmark.model import Samples
from genotex.analysis.benchmark.trait import TraitColumn
from genotex.analysis.benchmark.tuning import WITHOUT_KNOWLEDGE, Tuned
from genotex.analysis.condition_cohort import ConditionCohort
from genotex.analysis.gene_table import GENE_COLUMNS
from genotex.analysis.method_record import versions
from genotex.analysis.options import AnalysisOptions
from genotex.bench.problems import Problem

__all__ = ["Final", "Steps", "TwoStep", "arrange_selected", "describe", "warn"]

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
class TwoStep:
    """How the condition was predicted."""

    cohort: ConditionCohort
    rule: str
    predicted: Predicted


@dataclass(frozen=True, eq=False)
class Final:
    """The fit on all samples, and how far from the optimum it is."""

    fit: LassoFit
    optimality: Optimality
    ln_delta: float | None


@dataclass(frozen=True, eq=False)
class Steps:
    """What each step of the procedure chose or found."""

    trait: TraitColumn
    batch: BatchEffect
    samples: Samples
    related: NDArray[np.bool_]
    tuning: tuple[Tuned, ...]
    chosen: Tuned
    final: Final
    two_step: TwoStep | None


def arrange_selected(names: Sequence[str], coefficients: NDArray[np.float64]) -> pl.DataFrame:
    """Put the selected genes by descending absolute coefficient, then the others in table order."""
    # Shapes: coefficients (p,).
    # Returns With the columns of `GENE_COLUMNS`.
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
            for name, kind in GENE_COLUMNS.items()
        ]
    )


def describe(steps: Steps, problem: Problem, options: AnalysisOptions) -> dict[str, Any]:
    """Return procedure, options, versions and the result of each step, as plain JSON values."""
    genes = len(steps.related)
    final = steps.final
    record: dict[str, Any] = {
        "procedure": "benchmark",
        "model": "rotated Lasso of all genes" if steps.samples.rotated else "Lasso of all genes",
        "options": {name: value for name, value in options.as_json().items() if name in OPTIONS},
        "versions": versions(),
        "contrast": dict(steps.trait.summary),
        "coefficient": "change of the trait per standard deviation of the gene, all selected genes "
        "in one model",
        "filter": {"genes": genes, "tested": genes},
        "covariates": [] if problem.condition is None else [problem.condition],
        "related_genes": int(steps.related.sum()),
        "batch_effect": steps.batch.as_json(),
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


def warn(steps: Steps, problem: Problem, options: AnalysisOptions, related: int) -> tuple[str, ...]:
    """Return what a reader should know before trusting the list."""
    fixed = options.fixed_lambda is not None
    return (
        *steps.trait.warnings,
        *(_warn_of_fixed(steps) if fixed else _warn_of_knowledge(steps, problem.trait, related)),
        *_warn_of_solver(steps),
        *_warn_of_rotation(steps),
    )


def _warn_of_fixed(steps: Steps) -> list[str]:
    return [f"Lambda is fixed at {steps.chosen.penalty:g}, without any tuning."]


def _warn_of_knowledge(steps: Steps, trait: str, related: int) -> list[str]:
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


def _warn_of_solver(steps: Steps) -> list[str]:
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


def _warn_of_rotation(steps: Steps) -> list[str]:
    if not steps.batch.found:
        return []
    if not steps.samples.rotated:
        return ["A gap between eigenvalues counts as batch effect; as asked, it was not corrected."]
    return [
        "A gap between eigenvalues counts as batch effect, so the genes were rotated. The rotated "
        "Lasso depends on the arbitrary signs of eigenvectors; in simulations it found planted "
        "genes at the rate of chance. Do not read its genes as findings."
    ]
