"""What a method is: a problem in, a result file out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from genotex.bench.problems import Problem, TaskInfo
from genotex.layout import OutputFolder, Procedure

__all__ = ["ChosenMethod", "Context", "Method", "Reads"]

Reads = Literal["cohorts", "anything", "nothing"]
"""What a method needs: preprocessed cohorts; whatever there is (plug-ins); no data."""


@dataclass(frozen=True)
class Context:
    """What a method may use beside the problem.

    Attributes
    ----------
    output : OutputFolder
        An empty folder of this problem alone, in the benchmark's layout. The method writes
        ``output.significant_genes(problem.trait, problem.condition)`` there.
    scratch : Path
        An empty folder for whatever else; it is removed afterwards.
    cohorts : OutputFolder or None
        The preprocessed cohorts, to be read only; None when there are none, or the method makes its
        own.
    source : Path or None
        The input folder, to be read only.
    tasks : TaskInfo
        Related genes and conditions of all traits.
    procedure : {"sound", "benchmark"}
        By which the cohorts were preprocessed.
    seed : int
        For anything random.
    threads : int
        How many the method may use.
    time_limit : float or None
        Seconds after which it is ended.
    """

    output: OutputFolder
    scratch: Path
    cohorts: OutputFolder | None
    source: Path | None
    tasks: TaskInfo
    procedure: Procedure = "sound"
    seed: int = 42
    threads: int = 1
    time_limit: float | None = None


class Method(Protocol):
    """Solves problems, each in a process of its own."""

    def solve(self, problem: Problem, context: Context) -> None:
        """Answer a problem by writing its result file.

        Raises
        ------
        GenotexError
            If it cannot; the class of the error tells why (see `problem_record.classify`). Any
            other exception counts as a crash.
        """
        ...


@dataclass(frozen=True)
class ChosenMethod:
    """A method and what a run must know of it.

    Attributes
    ----------
    name : str
    method : Method
    reads : {"cohorts", "anything", "nothing"}
    procedure : {"sound", "benchmark"}
        By which cohorts are preprocessed for it.
    own_cohorts : bool
        Whether it preprocesses cohorts itself.
    secrets : tuple of str
        Names of environment variables that it gets and nobody else.
    record : mapping
        Its options, as plain JSON values.
    """

    name: str
    method: Method
    reads: Reads
    procedure: Procedure = "sound"
    own_cohorts: bool = False
    secrets: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)
