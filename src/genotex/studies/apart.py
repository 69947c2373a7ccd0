"""Work that takes much memory, done in a process of its own; large arrays come back as files.

The process ends once it has grown, and another one is started meanwhile: what reading a cohort
leaves behind is no memory of the server. Arrays are mapped from a file that has no name any more,
so that only what is looked at takes memory.
"""

from __future__ import annotations

import mmap
import os
import pickle
import resource
import secrets
import shutil
import sys
import tempfile
import threading
import traceback
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from genotex.errors import UsageError
from genotex.parallel import Child, start_child, thread_numbers

Result = TypeVar("Result")
_LARGE = 1 << 20
"""Bytes of an array that is a file."""
_GROWN = 700 << 20
"""Bytes that a process may hold after its work; one with more is not used again."""
_AT_ONCE = 2
_mapped: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()


@dataclass(frozen=True, eq=False)
class Kept(Generic[Result]):
    """A result for further work: in memory, or in a file that is removed with this object."""

    value: Result | None = None
    file: Path | None = None

    def open(self, *, own: bool = False) -> Result:
        """Return the result; large arrays in it are mapped. `own`: they may be changed."""
        found: Any = self.value if self.file is None else _load(self.file, own=own)
        return cast(Result, found)


class Apart:
    """Calls functions of modules, in other processes once `begin` was called.

    Functions and arguments can be pickled.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._idle: list[Child] = []
        self._busy: list[Child] = []
        self._starting = False
        self._lock = threading.Lock()
        self._ready = threading.Condition(self._lock)
        self._room = threading.Semaphore(_AT_ONCE)

    def begin(self) -> None:
        """Use other processes from now on, and start the first one."""
        self._folder = Path(tempfile.mkdtemp(prefix="genotex-"))
        threading.Thread(target=self._prepare, daemon=True).start()

    def close(self) -> None:
        """End the processes, also while they work."""
        folder, self._folder = self._folder, None
        with self._lock:
            # Python waits for its processes when it ends, however long they take.
            for child in (*self._idle, *self._busy):
                child.process.kill()
            self._idle.clear()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    def run(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Return what a function returns; its errors are raised here.

        Raises
        ------
        UsageError
            If its process ended.
        """
        if self._folder is None:
            given = (each.open() if isinstance(each, Kept) else each for each in arguments)
            return function(*given)
        result: Result = self._ask(self._folder, function, arguments, None)
        return result

    @staticmethod
    def release() -> None:
        """Take no memory for arrays that are mapped until they are looked at again."""
        for content in list(_mapped):
            content.madvise(mmap.MADV_DONTNEED)

    def keep(self, function: Callable[..., Result], *arguments: Any) -> Kept[Result]:
        """Keep what a function returns, as an argument of another one."""
        if self._folder is None:
            return Kept(self.run(function, *arguments))
        kept: Kept[Result] = Kept(file=self._folder / f"kept-{secrets.token_hex(8)}")
        assert kept.file is not None
        weakref.finalize(kept, _remove, kept.file)
        self._ask(self._folder, function, arguments, kept.file)
        return kept

    def _ask(
        self, folder: Path, function: Any, arguments: tuple[Any, ...], keep: Path | None
    ) -> Any:
        files = [each.file if isinstance(each, Kept) else None for each in arguments]
        given = [None if isinstance(each, Kept) else each for each in arguments]
        with self._room:
            child = self._taken()
            try:
                child.messages.send((function, given, files, keep))
                failed, file, grown = child.messages.recv()
            except (EOFError, OSError) as error:
                child.kill()
                child.messages.close()
                self._busy.remove(child)
                msg = "the process that reads the files ended; is there enough memory?"
                raise UsageError(msg) from error
            self._give_back(child, grown)
        if failed is not None:
            raise failed
        return None if file is None else _load(file, remove=True)

    def _taken(self) -> Child:
        """Return a process that is ready."""
        with self._lock:
            # Two that start at a time are each half as fast.
            self._ready.wait_for(lambda: self._idle or not self._starting)
            child = self._idle.pop() if self._idle else None
        if child is None:
            child = self._started()
            child.messages.recv()
        with self._lock:
            self._busy.append(child)
        return child

    def _started(self) -> Child:
        if self._folder is None:
            msg = "the workbench is ending"
            raise UsageError(msg)
        return start_child("genotex.studies.apart:work", self._folder)

    def _give_back(self, child: Child, grown: bool) -> None:
        """Keep a process for the next work, or have another one started in its place."""
        with self._lock:
            self._busy.remove(child)
            if not grown and self._folder is not None:
                self._idle.append(child)
                return
        child.messages.close()
        threading.Thread(target=self._replace, args=(child,), daemon=True).start()

    def _replace(self, child: Child) -> None:
        child.process.join()
        self._prepare()

    def _prepare(self) -> None:
        """Start a process, unless one is ready or about to be."""
        with self._lock:
            if self._idle or self._starting:
                return
            self._starting = True
        child = None
        with suppress(UsageError, OSError, EOFError):
            child = self._started()
            child.messages.recv()
        with self._lock:
            self._starting = False
            if child is not None and self._folder is not None:
                self._idle.append(child)
            elif child is not None:
                child.process.kill()
            self._ready.notify_all()


def work(messages: Connection, folder: Path) -> None:
    """Do what is sent until this process has grown; runs in the other process."""
    # One thread for linear algebra, which is read at its import; what most of the work needs comes
    # before it is asked for.
    os.environ.update(thread_numbers(os.cpu_count() or 1))
    import scipy.cluster.hierarchy  # noqa: F401

    from genotex import clinical, cohorts, formats, genes, reports

    cohorts.prepare_geo_cohort, reports.evidence_of  # noqa: B018 (lazy packages)
    vocabulary, table = clinical.load_vocabulary(), genes.GeneTable.load()
    vocabulary.trait("control"), vocabulary.diseases, vocabulary.spelling
    genes.official_symbols(["A"], table, "sound"), genes.identify_ids(["A"], table)
    formats.keep_last_matrix()
    parent = os.getppid()
    messages.send("ready")
    try:
        while True:
            function, given, files, keep = messages.recv()
            pairs = zip(given, files, strict=True)
            arguments = [each if path is None else _load(path) for each, path in pairs]
            failed, file = None, keep or folder / f"result-{secrets.token_hex(8)}"
            try:
                _save(function(*arguments), file)
            except Exception as error:
                # Also a mistake of ours, which is one for whoever asked.
                error.add_note(traceback.format_exc())
                failed = error
            grown = _memory() > _GROWN
            messages.send((failed, None if failed is not None or keep is not None else file, grown))
            if grown:
                return
    except (EOFError, OSError):
        return
    finally:
        if os.getppid() != parent:
            # Whoever would have removed it was killed.
            shutil.rmtree(folder, ignore_errors=True)


def _memory() -> int:
    """Return the bytes that this process holds, or the most that it held."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10


def _save(result: Any, path: Path) -> None:
    """Write a result to a file: large arrays first, each from the start of a page."""
    places: list[tuple[int, int]] = []
    with path.open("xb") as file:

        def apart(buffer: pickle.PickleBuffer) -> bool:
            raw = buffer.raw()
            if raw.nbytes < _LARGE:
                return True
            file.seek(-file.tell() % mmap.PAGESIZE, os.SEEK_CUR)
            places.append((file.tell(), raw.nbytes))
            file.write(raw)
            return False

        rest = pickle.dumps(result, protocol=5, buffer_callback=apart)
        end = file.tell()
        file.write(rest)
    numbers = [number for place in (*places, (end, len(rest))) for number in place]
    path.with_suffix(".places").write_text(" ".join(map(str, numbers)), encoding="ascii")


def _load(path: Path, *, remove: bool = False, own: bool = False) -> Any:
    """Return a result; its large arrays are mapped, and can be read alone unless `own`."""
    places = path.with_suffix(".places")
    numbers = [int(word) for word in places.read_text(encoding="ascii").split()]
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY if own else mmap.ACCESS_READ)
    if not own:
        _mapped.add(mapped)
    content = memoryview(mapped)
    if remove:
        _remove(path)
    parts = [content[at : at + size] for at, size in zip(numbers[::2], numbers[1::2], strict=True)]
    return pickle.loads(parts[-1], buffers=parts[:-1])


def _remove(path: Path) -> None:
    for each in (path, path.with_suffix(".places")):
        with suppress(OSError):
            each.unlink()
