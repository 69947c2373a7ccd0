"""What was opened last is kept in memory, until its file changes or others take its place."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Generic, TypeVar

FileState = tuple[Path, int, int]
"""A file, the time of its last change (ns), and its size (bytes)."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """At most `number` values, by keys that change when what they were made of does."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._kept: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made the first time."""
        # Two tabs that ask for the same make it once.
        with self._lock:
            if key not in self._kept:
                while len(self._kept) >= self._number:
                    self._kept.popitem(last=False)
                self._kept[key] = make()
            self._kept.move_to_end(key)
            return self._kept[key]


def state_of(path: Path) -> FileState:
    """Return what changes when a file is written again."""
    state = path.stat()
    return path, state.st_mtime_ns, state.st_size
