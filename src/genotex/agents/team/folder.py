"""The files of a run of the team: where they are, its limits, and digests of its input."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from genotex.agents.sandbox.confined.removing import remove_tree
from genotex.agents.task import Task
from genotex.bench.runs.cohort_stage import Basis
from genotex.bench.runs.run_folder import RunFolder
from genotex.errors import FormatError
from genotex.formats import read_json_object, sha256, write_json
from genotex.io import PART
from genotex.journal import read_journal
from genotex.models import Limits, Setting
from genotex.records import Sha256, as_json, checked


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


def write_limits(path: Path, limits: Limits) -> None:
    """Write limits as JSON."""
    write_json(path, as_json(limits))


def read_limits(path: Path) -> Limits:
    """Return the limits that were written; none where nothing was."""
    if not path.is_file():
        return Limits()
    hint = "remove it, and state the limits when the run is resumed"
    return checked(Limits, read_json_object(path), path=path, hint=hint)


def changed_limits(
    kept: Limits,
    *,
    max_cost: float | Decimal | None = None,
    max_tokens: int | None = None,
    max_time: float | None = None,
    allow_unknown: bool = False,
) -> Limits:
    """Return the limits of a resumed run: those stated now, else those stored."""
    if max_cost is not None:
        kept = replace(kept, max_cost=Setting(max_cost, "--max-cost").money())
    if max_tokens is not None:
        kept = replace(kept, max_tokens=Setting(max_tokens, "--max-tokens").whole())
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
