"""A problem as a command is told it, on its standard input (docs: plug-ins)."""

from __future__ import annotations

from typing import Any

from genotex.bench.problems import Problem, ProblemKind
from genotex.bench.runs.methods.method import Context

__all__ = ["problem_json"]

FORMAT = 1


def problem_json(problem: Problem, context: Context) -> dict[str, Any]:
    """Return a problem, and what may be read and written for it, as plain JSON values.

    Parameters
    ----------
    problem : Problem
    context : Context
        Its folders.
    """
    two_step = problem.kind is ProblemKind.TWO_STEP
    # The folder above may hold the answers of a reference beside its cohorts.
    cohorts = None if context.cohorts is None else context.cohorts.root / "preprocess"
    result = context.output.significant_genes(problem.trait, problem.condition)
    return {
        "format": FORMAT,
        "trait": problem.trait,
        "condition": problem.condition,
        "kind": problem.kind.value,
        "input": None if context.source is None else str(context.source),
        "preprocessed": None if cohorts is None else str(cohorts),
        "output": str(context.output.root),
        "result": str(result),
        "scratch": str(context.scratch),
        "task_info": str(context.tasks.path.absolute()),
        "related_genes": _related(problem.trait, context),
        "condition_related_genes": _related(str(problem.condition), context) if two_step else None,
        "procedure": context.procedure,
        "seed": context.seed,
        "threads": context.threads,
        "time_limit": context.time_limit,
    }


def _related(trait: str, context: Context) -> list[str]:
    known = context.tasks.traits.get(trait)
    return [] if known is None else list(known.related_genes)
