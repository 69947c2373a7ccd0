"""The files of a run of the team: where they are, its limits and records, digests of its input."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any

from genotex.agents.code_shelf import KeptCode
from genotex.agents.context import Tally
from genotex.agents.notebook import Ending
from genotex.agents.sandbox.confined.removing import remove_tree
from genotex.agents.task import Task
from genotex.bench.runs.cohort_stage import Basis
from genotex.bench.runs.problem_record import ErrorClass, ProblemRecord, presentable
from genotex.bench.runs.run_folder import RunFolder
from genotex.errors import FormatError
from genotex.formats import read_json_object, sha256, write_json
from genotex.io import PART
from genotex.journal import read_journal
from genotex.models import Setting, SpendingLimits
from genotex.records import InsidePath, Sha256, as_json, checked, plain


def notebook_name(task: Task) -> str:
    """Return what a notebook is called, within the folder of its trait."""
    return f"condition_{task.condition}" if task.kind == "statistics" else task.cohort


class TeamFolder(RunFolder):
    """The folder of a run of the team (see `RunFolder`)."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.prices = self.root / "run" / "prices.json"
        self.limits = self.root / "run" / "limits.json"
        self.usage = self.root / "run" / "usage.json"
        self.inputs = self.root / "run" / "inputs.json"

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Lock the folder, and remove unfinished work and files of a killed run."""
        with super().hold():
            for folder in (self._notebooks, self._own):
                for part in folder.rglob(f".*{PART}"):
                    part.unlink(missing_ok=True)
            yield

    def remove_work(self) -> None:
        """Remove the folders of sessions, whatever generated code left in them."""
        with suppress(OSError):
            remove_tree(self.work)

    @property
    def _notebooks(self) -> Path:
        return self.root / "notebooks"

    def notebook(self, task: Task) -> Path:
        """Return the path of a notebook."""
        return self._notebooks / task.trait / f"{notebook_name(task)}.ipynb"

    def notebook_journal(self, task: Task) -> Path:
        """Return the path of the journal of a notebook's calls and cells."""
        return self._journals / task.trait / f"{notebook_name(task)}.jsonl"

    def put_aside(self, task: Task) -> list[Path]:
        """Return the journals of a notebook's earlier attempts, which were put aside."""
        path = self.notebook_journal(task)
        return sorted(path.parent.glob(f"{path.stem}.try*.jsonl"))

    @property
    def _journals(self) -> Path:
        return self.root / "run" / "notebooks"

    def notebook_journals(self) -> list[Path]:
        """Return all journals of notebooks, also those put aside."""
        return sorted(self._journals.rglob("*.jsonl"))

    def work_of(self, task: Task) -> Path:
        """Return where a notebook's session writes."""
        return self.work / task.trait / notebook_name(task)

    def audit_of(self, task: Task) -> Path:
        """Return where the audit of a notebook writes."""
        return self.work / "audits" / task.trait / notebook_name(task)


def write_limits(path: Path, limits: SpendingLimits) -> None:
    """Write limits as JSON."""
    write_json(path, as_json(limits))


def read_limits(path: Path) -> SpendingLimits:
    """Return the limits that were written; none where nothing was."""
    if not path.is_file():
        return SpendingLimits()
    hint = "remove it, and state the limits when the run is resumed"
    return checked(SpendingLimits, read_json_object(path), path=path, hint=hint)


def changed_limits(
    kept: SpendingLimits,
    *,
    max_cost: float | Decimal | None = None,
    max_tokens: int | None = None,
    max_calls: int | None = None,
    max_time: float | None = None,
    allow_unknown: bool = False,
) -> SpendingLimits:
    """Return the limits of a resumed run: those stated now, else those stored."""
    if max_cost is not None:
        kept = replace(kept, max_cost=Setting(max_cost, "--max-cost").money())
    if max_tokens is not None:
        kept = replace(kept, max_tokens=Setting(max_tokens, "--max-tokens").whole())
    if max_calls is not None:
        kept = replace(kept, max_calls=Setting(max_calls, "--max-calls").whole())
    if max_time is not None:
        kept = replace(kept, max_time=Setting(max_time, "--max-time").number())
    return replace(kept, allow_unknown=kept.allow_unknown or allow_unknown)


INPUT = "input"
"""Kind of the first entry of a notebook's journal: the digest of what it was made from."""


def input_of(journal: Path) -> str:
    """Return the digest of what a notebook was begun with; empty where it is not recorded."""
    first = next(iter(read_journal(journal)), {})
    return str(first["digest"]) if first.get("kind") == INPUT else ""


@dataclass(frozen=True)
class _KnownFile:
    """Size and times of a file, and the digest that it had with them."""

    state: tuple[int, int, int]
    sha256: Sha256


class InputDigests:
    """Digests of the raw files of cohorts, and of the prepared cohorts of problems.

    A file is read once: its digest is kept with its size and times, which change with its content.
    """

    def __init__(self, kept: Path, basis: Basis) -> None:
        self._path = kept
        self._basis = basis
        self._files: dict[str, _KnownFile] = {}
        self._of_folder: dict[Path, str] = {}
        self._turn = threading.Lock()
        if kept.is_file():
            # It saves time, and nothing depends on it.
            with suppress(FormatError):
                found = read_json_object(kept)
                self._files = checked(dict[str, _KnownFile], found, extra="forbid", path=kept)

    def of(self, task: Task) -> str:
        """Return the digest of a task's input; empty where nothing is read."""
        if task.kind == "statistics":
            return self._basis.of(task.problem)
        with self._turn:
            folder = task.input_folder
            if folder not in self._of_folder:
                self._of_folder[folder] = self._digest(folder)
            return self._of_folder[folder]

    def _digest(self, folder: Path) -> str:
        digest = hashlib.sha256()
        for path in _files(folder):
            name = path.relative_to(folder).as_posix()
            digest.update(f"{name}:{self._of_file(path)}\n".encode(errors="surrogateescape"))
        return digest.hexdigest()[:32]

    def _of_file(self, path: Path) -> str:
        facts = path.stat()
        state = (facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
        known = self._files.get(str(path))
        if known is None or known.state != state:
            known = self._files[str(path)] = _KnownFile(state, sha256(path))
        return known.sha256

    def save(self) -> None:
        """Keep the digests of files for when the run is resumed."""
        with self._turn:
            write_json(self._path, as_json(self._files))


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            yield path


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
