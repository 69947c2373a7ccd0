"""Solve many problems of one output folder in parallel."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genotex.analysis.options import AnalysisOptions
from genotex.analysis.result import AnalysisResult, read_result, remove_result, write_result
from genotex.analysis.solving import solve_problem
from genotex.bench.problems import Problem, TaskInfo
from genotex.errors import AnalysisError, FormatError, GenotexError, UsageError
from genotex.layout import OutputFolder
from genotex.parallel import side_by_side

__all__ = ["ProblemOutcome", "solve_problems"]

TOP_GENES = 5
"""Genes named in a summary line."""


@dataclass(frozen=True)
class ProblemOutcome:
    """The outcome of one problem.

    Attributes
    ----------
    problem
    result
        None when it could not be answered.
    why
        The reason for that.
    wrong_use
        Whether the request was at fault (an option that makes no sense for this cohort), and not
        the data; an earlier result is then kept.
    """

    problem: Problem
    result: AnalysisResult | None
    why: str = ""
    wrong_use: bool = False

    def summary(self) -> dict[str, Any]:
        """Return one line for a table: what was asked, of which cohort, and how many genes."""
        row: dict[str, Any] = {"trait": self.problem.trait, "condition": self.problem.condition}
        if self.result is None:
            return row | {"solved": False, "why": self.why, "wrong_use": self.wrong_use}
        return row | {"solved": True} | _facts(self.result)


def _facts(result: AnalysisResult) -> dict[str, Any]:
    significant = result.significant
    top = result.genes["Variable"].head(TOP_GENES).to_list()
    # The procedure benchmark has no p-values: its genes are selected, not significant.
    selects = result.method["procedure"] == "benchmark"
    return {
        "cohort": result.cohort,
        "groups": result.method["contrast"]["text"],
        "samples": result.samples,
        "genes": result.method["filter"]["tested"],
        "selected" if selects else "significant": significant.height,
        "top genes": " ".join(top),
        "warnings": list(result.warnings),
        **({"counts": result.counts_summary} if result.counts_summary else {}),
        **({"levels": result.levels_summary} if result.levels_summary else {}),
    }


def solve_problems(
    output: OutputFolder,
    problems: Sequence[Problem],
    options: AnalysisOptions,
    tasks: TaskInfo | None = None,
    *,
    jobs: int = 1,
    progress: Callable[[ProblemOutcome, int], None] | None = None,
) -> list[ProblemOutcome]:
    """Solve problems and write their results.

    A problem that cannot be answered carries its reason and stops no other. An earlier result of it
    is removed with its report, its gene sets and its meta-analysis, so that no file shows a result
    that no longer holds; it is kept when only the request was at fault: a mistake in the options,
    or a cohort requested by name that is not the one of the earlier result.

    Parameters
    ----------
    output
        Folder of preprocessed cohorts; results go there too.
    problems
    options
    tasks
        Related genes of the traits: for two-step problems and the procedure ``benchmark``.
    jobs
        Number of processes; they share the machine's cores.
    progress
        Called with each outcome and the number of problems, in order.
    """
    outcomes = []
    processes = max(1, min(jobs, len(problems)))
    threads = max(1, (os.cpu_count() or 1) // processes)
    work = (_Work(output.root, problem, options, tasks, threads) for problem in problems)
    with side_by_side(processes) as run:
        for outcome in run(_solve, work):
            outcomes.append(outcome)
            if progress is not None:
                progress(outcome, len(problems))
    return outcomes


@dataclass(frozen=True)
class _Work:
    root: Path
    problem: Problem
    options: AnalysisOptions
    tasks: TaskInfo | None
    threads: int


def _solve(work: _Work) -> ProblemOutcome:
    output, problem, options = OutputFolder(work.root), work.problem, work.options
    try:
        result = solve_problem(output, problem, options, work.tasks, threads=work.threads)
    except (AnalysisError, FormatError, UsageError) as error:
        if not _still_holds(output, problem, options, error):
            remove_result(output, problem.trait, problem.condition)
        return ProblemOutcome(problem, None, str(error), isinstance(error, UsageError))
    write_result(output, result)
    return ProblemOutcome(problem, result)


def _still_holds(
    output: OutputFolder, problem: Problem, options: AnalysisOptions, error: GenotexError
) -> bool:
    """Return whether an earlier result is still valid although this attempt failed."""
    if isinstance(error, UsageError):
        return True
    if options.cohort is None:
        return False
    try:
        earlier = read_result(output, problem.trait, problem.condition)
    except (AnalysisError, FormatError):
        return False
    return earlier.cohort != options.cohort
