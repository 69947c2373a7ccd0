"""The outcome of one problem of a run."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from genotex.errors import (
    AnalysisError,
    FormatError,
    MethodFailedError,
    NoUsableCohortError,
    UsageError,
)
from genotex.problems import Problem
from genotex.records import as_json

_LONGEST_MESSAGE = 2000
"""Characters of a message that are kept: it may repeat what a method wrote."""


class ErrorClass(StrEnum):
    """Why a problem was not answered."""

    NO_COHORT = "no cohort"
    """The trait, or the trait that is the condition, has no preprocessed cohort."""
    NO_USABLE_COHORT = "no usable cohort"
    """There are cohorts, but none fits."""
    ANALYSIS = "analysis"
    """The statistics cannot be computed for the cohort."""
    FORMAT = "format"
    """An input file is invalid."""
    USAGE = "usage"
    """An option or a name does not fit the problem."""
    NO_ANSWER = "no answer"
    """The method ended normally and wrote no result."""
    BAD_OUTPUT = "bad output"
    """What the method wrote is invalid."""
    TIMED_OUT = "timed out"
    """The method took longer than the time limit."""
    CRASHED = "crashed"
    """The method ended with an error."""
    KILLED = "killed"
    """The process was ended from outside, as when memory runs out."""
    SYSTEM = "system"
    """The operating system refused: a full disk, a missing permission, no memory left."""


RETRIED = frozenset(
    {ErrorClass.TIMED_OUT, ErrorClass.CRASHED, ErrorClass.KILLED, ErrorClass.SYSTEM}
)
"""Failures that may be due to the machine and not the data; a resumed run retries them."""


def classify(error: BaseException) -> ErrorClass:
    """Return the class of what a method raised."""
    match error:
        case MethodFailedError():
            return ErrorClass(error.error_class)
        case NoUsableCohortError():
            return ErrorClass.NO_USABLE_COHORT
        case AnalysisError():
            return ErrorClass.ANALYSIS
        case FormatError():
            return ErrorClass.FORMAT
        case UsageError():
            return ErrorClass.USAGE
        case OSError() | MemoryError():
            return ErrorClass.SYSTEM
    return ErrorClass.CRASHED


_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM)


def check_exit(code: int, what: str) -> None:
    """Raise for a process that failed."""
    if code < 0:
        from_outside = -code in _FROM_OUTSIDE
        kind = ErrorClass.KILLED if from_outside else ErrorClass.CRASHED
        why = " (from outside; out of memory?)" if from_outside else ""
        msg = f"{what} was ended by {_signal_name(-code)}{why}"
        raise MethodFailedError(kind, msg)
    if code:
        msg = f"{what} ended with exit code {code}"
        raise MethodFailedError(ErrorClass.CRASHED, msg)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        # Most real-time signals have no name.
        return f"signal {number}"


def presentable(text: str) -> str:
    """Return a message that can be written to any file: not too long, no broken characters."""
    whole = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return whole if len(whole) <= _LONGEST_MESSAGE else f"{whole[:_LONGEST_MESSAGE]} [...]"


@dataclass(frozen=True)
class ProblemRecord:
    """A finished problem, answered or not."""

    problem: Problem
    error_class: ErrorClass | None = None
    error: str = ""  # paths in the run's folder are relative to it
    cohort: str | None = None
    genes: int | None = None
    seconds: float = 0.0
    peak_memory_mb: float | None = None  # of its largest process, in 10^6 bytes
    files: Mapping[str, str] = field(default_factory=dict)  # path in the run's folder -> SHA-256
    basis: str = ""  # digest of its cohorts, see `cohort_stage.Basis`

    def __post_init__(self) -> None:
        """Make the message presentable."""
        object.__setattr__(self, "error", presentable(self.error))

    @property
    def success(self) -> bool:
        """Whether there is an answer."""
        return self.error_class is None

    def outcome(self) -> dict[str, Any]:
        """Return what does not depend on the machine, as plain JSON values."""
        problem = as_json(self.problem, "trait", "condition", "kind")
        found = as_json(self, "success", "cohort", "genes", "error_class")
        return {**problem, **found, "error": self.error or None}

    def to_json(self) -> dict[str, Any]:
        """Return all of it as plain JSON values."""
        return {**self.outcome(), **as_json(self, "seconds", "peak_memory_mb", "files", "basis")}

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> ProblemRecord:
        """Read what `to_json` returned."""
        failed = entry["error_class"]
        return cls(
            Problem(entry["trait"], entry["condition"]),
            None if failed is None else ErrorClass(failed),
            entry["error"] or "",
            entry["cohort"],
            entry["genes"],
            entry["seconds"],
            entry["peak_memory_mb"],
            entry["files"],
            entry["basis"],
        )
