"""Work that problems of one cohort have in common: done for the first, kept for those that follow.

The linked table of the last cohort is kept while its files are the same. Small results are kept by
a digest of all that they are computed from, so that nothing needs to be withdrawn when a file or
an option changes: another input has another digest.
"""

from __future__ import annotations

import hashlib
import pickle
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar, cast

from genotex.formats import LinkedTable
from genotex.io import atomic_write

Result = TypeVar("Result")

MOST_KEPT = 1 << 27
"""Bytes of results in memory, each of a few numbers for a gene or a sample."""

_State = tuple[tuple[str, int, int, int, int], ...]


class _Shelf:
    """What is kept: the last table in memory, results in memory or as files of a folder."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._results: OrderedDict[str, bytes] = OrderedDict()
        self._held = 0
        self._state: _State = ()
        self._table: LinkedTable | None = None
        self._seal = b""

    def table(self, state: _State, read: Callable[[], LinkedTable]) -> LinkedTable:
        if self._table is None or self._state != state:
            # Another table goes before the new one comes: there is room for one.
            self._table, self._seal = None, b""
            self._table, self._state = read(), state
            # Who changed it in place would change it for the problems that follow.
            self._table.expression.flags.writeable = False
        return self._table

    def seal(self, values: memoryview) -> bytes:
        """Return the SHA-256 of values; those of the table, which do not change, are read once."""
        table, owner = self._table, cast("object", values.obj)
        if table is None or owner is not table.expression:
            return hashlib.sha256(values).digest()
        if not self._seal:
            self._seal = hashlib.sha256(values).digest()
        return self._seal

    def find(self, name: str) -> bytes | None:
        if name in self._results:
            self._results.move_to_end(name)
            return self._results[name]
        if self._folder is not None:
            with suppress(OSError):
                return (self._folder / name).read_bytes()
        return None

    def keep(self, name: str, content: bytes) -> None:
        if self._folder is None:
            self._results[name] = content
            self._held += len(content)
            while self._held > MOST_KEPT:
                self._held -= len(self._results.popitem(last=False)[1])
            return
        # A full disk is reported where answers are written.
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            with atomic_write(self._folder / name) as part:
                part.write_bytes(content)


_shelf: ContextVar[_Shelf | None] = ContextVar("shared work", default=None)


@contextmanager
def sharing(folder: Path | None = None) -> Iterator[None]:
    """Share work between the problems solved in this block.

    Results are kept in a folder that other processes may use too, which nothing else writes to;
    without it in memory, until the block ends.
    """
    token = _shelf.set(_Shelf(folder))
    try:
        yield
    finally:
        _shelf.reset(token)


def keep_sharing() -> None:
    """Share work between all problems that this process solves from now on."""
    if _shelf.get() is None:
        _shelf.set(_Shelf(None))


def last_table(files: Sequence[Path], read: Callable[[], LinkedTable]) -> LinkedTable:
    """Return the table that `read` makes of the files: the last one, if it was made of the same."""
    shelf = _shelf.get()
    return read() if shelf is None else shelf.table(states(files), read)


def states(files: Sequence[Path]) -> _State:
    """Return what changes when one of the files is written or replaced."""
    return tuple(map(_state, files))


def once(kind: str, make: Callable[[], Result], *inputs: Any) -> Result:
    """Return a kept result of exactly these inputs, or else make it of nothing else and keep it."""
    shelf = _shelf.get()
    if shelf is None:
        return make()
    name = f"{kind}-{_digest(inputs, shelf)}"
    if (kept := shelf.find(name)) is not None:
        # A new copy each time: who gets it may change it.
        return cast("Result", pickle.loads(kept))
    result = make()
    shelf.keep(name, pickle.dumps(result, protocol=5))
    return result


def _digest(inputs: tuple[Any, ...], shelf: _Shelf) -> str:
    """Return the SHA-256 of values, types and memory order of the inputs."""
    arrays: list[pickle.PickleBuffer] = []
    digest = hashlib.sha256(pickle.dumps(inputs, protocol=5, buffer_callback=arrays.append))
    for array in arrays:
        digest.update(shelf.seal(array.raw()))
    return digest.hexdigest()


def _state(path: Path) -> tuple[str, int, int, int, int]:
    """Return what changes when a file is written or replaced; zeros where there is none."""
    try:
        found = path.stat()
    except OSError:
        return str(path), 0, 0, 0, 0
    return str(path), found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
