"""What notebooks are made from, as digests: a run that is resumed notices changed input."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from genotex.agents.task import Task
from genotex.bench.runs.cohort_stage import Basis
from genotex.errors import FormatError
from genotex.formats import read_json_object, sha256, write_json
from genotex.journal import read_journal
from genotex.records import Sha256, checked

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
            write_json(self._path, {name: asdict(each) for name, each in self._files.items()})


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            yield path
