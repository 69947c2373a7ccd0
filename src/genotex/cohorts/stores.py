"""Cohorts in an object store: fetched to local scratch, their results put back whole."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from genotex.cohorts.preprocess import CohortOutcome
from genotex.cohorts.tasks import CohortTask
from genotex.errors import FormatError, GenotexError, UsageError
from genotex.layout import OutputFolder
from genotex.parallel import Executor, Piece, PieceOutcome

Result = TypeVar("Result")
_URL = re.compile(r"([a-z][a-z0-9]+):/+(.+)")


def store_at(path: Path) -> Store | None:
    """Return the folder of an object store that a path names (``s3://bucket/folder``), or None."""
    found = _URL.fullmatch(path.as_posix())
    return Store(f"{found[1]}://{found[2]}") if found else None


@dataclass(frozen=True)
class Store:
    """A folder of an object store; credentials are those of the environment."""

    url: str

    @contextmanager
    def _system(self) -> Iterator[tuple[Any, str]]:
        """Give the file system and the folder; what goes wrong with them is an error of ours."""
        try:
            import fsspec

            system, root = fsspec.core.url_to_fs(self.url)
            system.invalidate_cache()
            yield system, root.rstrip("/")
        except ImportError as error:
            msg = f"{self.url} needs a package that is not installed ({error}); s3: is of s3fs"
            raise UsageError(msg) from error
        except Exception as error:
            # Each kind of store has exceptions of its own, such as for missing credentials.
            msg = f"{self.url}: {error or type(error).__name__}"
            raise UsageError(msg) from error

    def files(self) -> dict[str, tuple[int, int]]:
        """Return size and time (ns) of every file by its name below the folder.

        Raises FormatError if a name would lead out of a folder: a store takes any text for one.
        """
        with self._system() as (system, root):
            found = system.find(root, detail=True)
        names = {name: name.removeprefix(f"{root}/") for name in found}
        for name in names.values():
            if not {"", ".", ".."}.isdisjoint(name.split("/")):
                msg = f"{self.url} holds {name!r}, which is not the path of a file in a folder"
                raise FormatError(msg, hint="rename it in the store")
        return {names[name]: (facts["size"], _time(facts)) for name, facts in found.items()}

    def shadow(self, folder: Path, whole: Callable[[str], bool]) -> None:
        """Make the files here with their sizes and times; fetch those that are wanted whole."""
        for name, (size, time) in self.files().items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if whole(name):
                self.fetch(name, target, time)
                continue
            with target.open("wb") as handle:
                handle.truncate(size)
            os.utime(target, ns=(time, time))

    def fetch(self, name: str, target: Path, time: int) -> None:
        """Fetch a file, with the time that it has in the store."""
        target.parent.mkdir(parents=True, exist_ok=True)
        with self._system() as (system, root):
            system.get_file(f"{root}/{name}", str(target))
        os.utime(target, ns=(time, time))

    def put(self, source: Path, name: str) -> None:
        """Put a file, which appears whole or not at all."""
        with self._system() as (system, root):
            system.put_file(str(source), f"{root}/{name}")

    def remove(self, names: Sequence[str]) -> None:
        """Remove files that are there."""
        with self._system() as (system, root):
            for name in names:
                if system.exists(f"{root}/{name}"):
                    system.rm_file(f"{root}/{name}")


_TIMES = ("LastModified", "last_modified", "mtime", "updated")
"""What S3, Azure, local folders and Google call the time of the last change."""


def _time(facts: Mapping[str, Any]) -> int:
    changed = next((facts[name] for name in _TIMES if facts.get(name)), 0)
    if isinstance(changed, str):
        changed = datetime.fromisoformat(changed)
    seconds = changed.timestamp() if isinstance(changed, datetime) else float(changed)
    return int(seconds) * 10**9


@dataclass(frozen=True)
class _StoreCall:
    """What all cohorts share on a worker."""

    function: Callable[[Any, CohortTask], Any]
    shared: Any
    source: Store
    target: Store
    here: Path  # folder of the input as the submitting process sees it
    times: Mapping[Path, int]  # of the files in it


@dataclass(frozen=True)
class _InStores:
    """An executor whose pieces are cohorts of a store; `inner` is where they are done."""

    inner: Executor
    source: Store
    target: Store
    here: Path

    def run(
        self,
        function: Callable[[Any, Any], Result],
        shared: Any,
        pieces: Sequence[Piece[Any]],
        again: Callable[[Result], bool] | None = None,
    ) -> Iterator[PieceOutcome[Result]]:
        """Do cohorts in local scratch."""
        files = {path for piece in pieces for path in piece.work.files}
        times = {path: path.stat().st_mtime_ns for path in files}
        call = _StoreCall(function, shared, self.source, self.target, self.here, times)
        return self.inner.run(_do_in_scratch, call, pieces, again)


@contextmanager
def folders_of(
    source: Path, target: Path, executor: Executor
) -> Iterator[tuple[Path, Path, Executor]]:
    """Give input, output and executor as they are; for stores, what stands for them here.

    Of the input that is names, sizes and times; of the output what is checked against records too.
    """
    given, wanted = store_at(source), store_at(target)
    if given is None and wanted is None:
        yield source, target, executor
        return
    if given is None or wanted is None:
        msg = f"{source} and {target}: give two folders, or two addresses such as s3://bucket/name"
        raise UsageError(msg)
    with tempfile.TemporaryDirectory() as name:
        here, there = Path(name) / "input", Path(name) / "output"
        here.mkdir()
        given.shadow(here, lambda _: False)
        wanted.shadow(there, lambda name: name.endswith((".json", ".parquet")))
        try:
            yield here, there, _InStores(executor, given, wanted, here)
        finally:
            for path in there.glob("preprocess/*/cohort_info.json"):
                wanted.put(path, path.relative_to(there).as_posix())


def _do_in_scratch(call: _StoreCall, task: CohortTask) -> Any:
    """Do a cohort of a store; one that cannot be fetched or put stops no other."""
    try:
        return _fetched_and_put(call, task)
    except GenotexError as error:
        return CohortOutcome(task.trait, task.cohort, None, error=str(error))


def _fetched_and_put(call: _StoreCall, task: CohortTask) -> Any:
    """Fetch the files of a cohort, do it, and put its results; the record comes last."""
    with tempfile.TemporaryDirectory() as name:
        source, output = Path(name) / "input", OutputFolder(Path(name) / "output")
        for path in task.files:
            of_store = path.relative_to(call.here).as_posix()
            call.source.fetch(of_store, source / of_store, call.times[path])
        moved = _moved(task, call.here, source)
        outcome = call.function(replace(call.shared, target=output.root), moved)
        if outcome.info is None:
            return outcome
        evidence = output.evidence(task.trait, task.cohort)
        written = [p for p in output.root.rglob("*") if p.is_file() and not p.name.startswith(".")]
        last = sorted(written, key=lambda path: path == evidence)
        for path in last:
            call.target.put(path, path.relative_to(output.root).as_posix())
        tables = (output.clinical_csv, output.gene_csv, output.linked_csv, output.linked_parquet)
        gone = [table(task.trait, task.cohort) for table in tables]
        names = [p.relative_to(output.root).as_posix() for p in gone if not p.exists()]
        call.target.remove(names)
        return outcome


def _moved(value: Any, old: Path, new: Path) -> Any:
    """Return plain data with its paths in another folder."""
    if isinstance(value, Path):
        return new / value.relative_to(old)
    if isinstance(value, tuple):
        return tuple(_moved(each, old, new) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {f.name: _moved(getattr(value, f.name), old, new) for f in fields(value)}
        return replace(value, **changed)
    return value
