"""Records of notebooks, and of the problems and cohorts of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

from genotex.agents.context import Tally
from genotex.agents.notebook import Ending
from genotex.agents.task import Task
from genotex.agents.team.folder import notebook_name
from genotex.agents.team.journal import KeptCode
from genotex.bench.runs.cohort_stage import why_no_cohort
from genotex.bench.runs.problem_record import ErrorClass, ProblemRecord, presentable
from genotex.errors import FormatError, NoUsableCohortError
from genotex.formats import read_json_object, write_json
from genotex.layout import OutputFolder
from genotex.problems import ProblemKind, choose_cohort, choose_pair
from genotex.records import InsidePath, Sha256, checked, plain

OTHER_VERSION = "it was written by another version of genotex, which can show it"
"""Hint for a journal that this version cannot read."""


class State(StrEnum):
    """Whether a notebook has brought what was asked."""

    DONE = "done"
    FAILED = "failed"
    """It has ended, and what it should have written is missing or wrong."""
    STOPPED = "stopped"
    """It has not ended; a resumed run continues it."""


@dataclass(frozen=True)
class NotebookRecord:
    """The outcome of a notebook."""

    task: Task
    state: State
    why: str = ""  # Why it failed or stopped
    error_class: ErrorClass | None = None  # Of what kind the failure is
    ending: Ending | None = None  # Why the work ended
    steps: tuple[str, ...] = ()  # Names of the steps that count
    tally: Tally = field(default_factory=Tally)
    # Tokens and cost by role (see `UsageLedger.to_json`).
    usage: Mapping[str, Any] = field(default_factory=dict)
    # SHA-256 of what was written, by the path in the run's folder.
    files: Mapping[InsidePath, Sha256] = field(default_factory=dict)
    # The isolation mechanisms in use (see `Confinement.to_dict`).
    confinement: Mapping[str, Any] = field(default_factory=dict)
    # Of a cohort ``usable``; of a problem ``genes`` and ``cohort``.
    facts: Mapping[str, Any] = field(default_factory=dict)
    kept: tuple[KeptCode, ...] = ()  # Code that later notebooks may be offered
    # Digest of what it was made from: the raw files of a cohort, the cohorts of a problem (see
    # `InputDigests`). Earlier versions recorded none of a cohort.
    basis: str = ""
    # What speaks against a result that was taken (see `looking`), and what was removed from
    # what generated code left.
    flags: tuple[str, ...] = field(default=(), metadata={"alias": "doubts"})

    def __post_init__(self) -> None:
        """Make texts presentable that may repeat output of generated code."""
        object.__setattr__(self, "why", presentable(self.why))
        object.__setattr__(self, "flags", tuple(presentable(each) for each in self.flags))

    @property
    def name(self) -> str:
        """Trait, and cohort or condition."""
        return f"{self.task.trait} {notebook_name(self.task)}"

    @property
    def remark(self) -> str:
        """Why it failed, or how it ended; and what speaks against its result."""
        ended = self.why or (self.ending.value if self.ending else "")
        return "; ".join(part for part in (ended, *self.flags) if part)

    def entry(self) -> dict[str, Any]:
        """Return the line of the run's journal."""
        line = {
            "step": "problem" if self.task.kind == "statistics" else "cohort",
            "trait": self.task.trait,
            "cohort": self.task.cohort or None,
            "error": self.why or None,
            "seconds": round(self.tally.work_seconds + self.tally.waiting_seconds, 3),
        }
        return line | {"notebook": self.to_json()}

    def to_json(self) -> dict[str, Any]:
        """Return all of it as plain JSON values."""
        return plain(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any], path: Path | None = None) -> NotebookRecord:
        """Return the record that `to_json` described; errors name the journal."""
        # Earlier versions wrote no flags.
        needs = [each.name for each in fields(cls) if each.name != "flags"]
        return checked(
            cls, data, extra="forbid", needs=needs, path=path, place="notebook", hint=OTHER_VERSION
        )


def problem_record(notebook: NotebookRecord) -> ProblemRecord | None:
    """Return the record of a problem; None where its notebook has not ended."""
    if notebook.state is State.STOPPED:
        return None
    return ProblemRecord(
        notebook.task.problem,
        notebook.error_class,
        notebook.why,
        notebook.facts.get("cohort"),
        notebook.facts.get("genes"),
        round(notebook.tally.work_seconds + notebook.tally.waiting_seconds, 3),
        round(notebook.tally.peak_bytes / 1e6, 1) or None,
        notebook.files,
        notebook.basis,
    )


def order_cohorts(output: OutputFolder, tasks: Sequence[Task]) -> None:
    """Bring the records of each trait's cohorts into the order of the work, however it went."""
    for trait in dict.fromkeys(task.trait for task in tasks):
        path = output.cohort_info(trait)
        if not path.is_file():
            continue
        found = read_json_object(path)
        wanted = [task.cohort for task in tasks if task.trait == trait and task.cohort in found]
        names = [*wanted, *(name for name in found if name not in wanted)]
        if names != list(found):
            write_json(path, {name: found[name] for name in names})


def why_unsolvable(task: Task) -> tuple[ErrorClass, str] | None:
    """Return why no cohort can answer a problem; None where one can."""
    output, problem = OutputFolder(task.input_folder), task.problem
    if missing := why_no_cohort(output, problem):
        return ErrorClass.NO_COHORT, missing
    try:
        if problem.kind is not ProblemKind.TWO_STEP:
            choose_cohort(output, problem)
        elif (tasks := task.read_task_info()) is not None:
            choose_pair(output, problem, tasks)
    except NoUsableCohortError as error:
        return ErrorClass.NO_USABLE_COHORT, str(error)
    except FormatError as error:
        return ErrorClass.FORMAT, str(error)
    return None
