"""What a method is: a problem in, a result file out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from genotex.formats import write_json
from genotex.layout import OutputFolder
from genotex.problems import Problem, ProblemKind, TaskInfo
from genotex.procedure import Procedure

_Reads = Literal["cohorts", "anything", "nothing"]
"""What a method needs: preprocessed cohorts; anything available (plug-ins); no data."""


@dataclass(frozen=True)
class Context:
    """What a method may use besides the problem.

    Attributes
    ----------
    output
        An empty folder of this problem alone, in the benchmark's layout. The method writes
        ``output.significant_genes(problem.trait, problem.condition)`` there.
    scratch
        An empty folder for temporary files; it is removed afterwards.
    cohorts
        The preprocessed cohorts, to be read only; None when there are none, or the method makes its
        own.
    source
        The input folder, to be read only.
    tasks
        Related genes and conditions of all traits.
    procedure : {"sound", "benchmark"}
        By which the cohorts were preprocessed.
    seed
        For anything random.
    threads
        How many the method may use.
    time_limit
        Seconds after which it is ended.
    shared
        Where the built-in methods keep what problems of one cohort have in common; None where
        nothing is shared. Other methods leave it alone.
    """

    output: OutputFolder
    scratch: Path
    cohorts: OutputFolder | None
    source: Path | None
    tasks: TaskInfo
    procedure: Procedure = Procedure.SOUND
    seed: int = 42
    threads: int = 1
    time_limit: float | None = None
    shared: Path | None = None


class Method(Protocol):
    """Solves problems, each in a process of its own."""

    def solve(self, problem: Problem, context: Context) -> None:
        """Answer a problem by writing its result file.

        Raises
        ------
        GenotexError
            If it cannot; the class of the error gives the reason. Any other exception counts as
            a crash.
        """
        ...


@dataclass(frozen=True)
class ChosenMethod:
    """A method and what a run must know about it."""

    name: str
    method: Method
    reads: _Reads
    procedure: Procedure = Procedure.SOUND  # by which cohorts are preprocessed for it
    own_cohorts: bool = False  # whether it preprocesses cohorts itself
    secrets: tuple[str, ...] = ()  # names of environment variables that only this method gets
    record: Mapping[str, Any] = field(default_factory=dict)  # its options, as plain JSON values


def write_answer(
    output: OutputFolder, problem: Problem, genes: Sequence[str], cohort: str | None = None
) -> Path:
    """Write genes in the benchmark's format (GenoTEX README, section 4).

    Parameters
    ----------
    output
        Where to; in a method ``context.output``.
    problem
        What the genes answer.
    genes
        Official symbols, the most important first.
    cohort
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


_FORMAT = 1


def problem_json(problem: Problem, context: Context) -> dict[str, Any]:
    """Return a problem, and what may be read and written for it, as plain JSON values."""
    two_step = problem.kind is ProblemKind.TWO_STEP
    # The parent folder may contain the answers of a reference next to its cohorts.
    cohorts = None if context.cohorts is None else context.cohorts.root / "preprocess"
    result = context.output.significant_genes(problem.trait, problem.condition)
    return {
        "format": _FORMAT,
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
