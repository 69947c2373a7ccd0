"""A result file with a list of genes and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from genotex.bench.problems import Problem
from genotex.formats import write_json
from genotex.layout import OutputFolder

__all__ = ["write_answer"]


def write_answer(
    output: OutputFolder, problem: Problem, genes: Sequence[str], cohort: str | None = None
) -> Path:
    """Write genes in the benchmark's format (GenoTEX README, section 4).

    Parameters
    ----------
    output : OutputFolder
        Where to; in a method ``context.output``.
    problem : Problem
        What the genes answer.
    genes : sequence of str
        Official symbols, the most important first.
    cohort : str, optional
        The cohort they come from.

    Returns
    -------
    Path
        The file.
    """
    content: dict[str, Any] = {
        "significant_genes": {"Variable": list(genes)},
        "cv_performance": {},
        "problem": {"trait": problem.trait, "condition": problem.condition},
    }
    if cohort is not None:
        content["cohort"] = {"id": cohort}
    path = output.significant_genes(problem.trait, problem.condition)
    write_json(path, content)
    return path
