"""Processes that end together with everything they started, and their captured output."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36

_ROUNDS = 200
"""How often a tree is searched before the remaining processes are given up."""
_PAUSE = 0.01


def end_with_parent() -> None:
    """Have this process killed when its parent ends, even in a loop that handles no signal."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of what processes below this one leave behind when they end."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def end_tree(root: int) -> None:
    """Kill a child of this process and all its descendants, including those in other sessions."""
    # While it is stopped it starts nothing new, and it adopts processes that lose their parent.
    _send(root, signal.SIGSTOP)
    for _ in range(_ROUNDS):
        below = _below(root)
        if not below:
            break
        for pid in below:
            _send(pid, signal.SIGKILL)
        time.sleep(_PAUSE)
    end_group(root)
    _send(root, signal.SIGKILL)


def end_group(leader: int) -> None:
    """Kill what is left of a process group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def children_of(parent: int) -> list[int]:
    """Return the living processes whose parent this is."""
    return [pid for pid, above in _parents().items() if above == parent]


def _below(root: int) -> list[int]:
    parents = _parents()
    found = {root}
    grown = True
    while grown:
        more = {pid for pid, above in parents.items() if above in found} - found
        found |= more
        grown = bool(more)
    return sorted(found - {root})


def _parents() -> dict[int, int]:
    """Return the parent of each living process (proc(5), field 4 of ``stat``)."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name of the program is in brackets and may contain anything.
            state, parent = path.read_bytes().rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        if state not in (b"Z", b"X"):
            parents[int(path.parent.name)] = int(parent)
    return parents


def _send(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


MOST_LOGGED = 512 * 1024
"""Bytes that are kept of the start, and as many of the end."""

SHORTEST_SECRET = 6
"""Shorter values cannot be distinguished from ordinary text."""


class CapturedLog:
    """A log file that is created with the first byte."""

    def __init__(self, path: Path, secrets: Mapping[str, str], most: int = MOST_LOGGED) -> None:
        self._path = path
        path.unlink(missing_ok=True)
        # The longest first, as one may be the start of another.
        self._secrets = {
            value.encode(errors="surrogateescape"): f"[{name}]".encode()
            for name, value in sorted(secrets.items(), key=lambda item: -len(item[1]))
            if len(value) >= SHORTEST_SECRET
        }
        # So many bytes may be the start of a secret whose rest is still to come.
        self._margin = max((len(value) for value in self._secrets), default=1) - 1
        self._waiting = b""
        self._room = most
        self._most = most
        self._end = bytearray()
        self._left_out = 0
        self._file: BinaryIO | None = None

    def write(self, content: bytes) -> None:
        """Take what was printed."""
        self._waiting = self._without_secrets(self._waiting + content)
        ready = max(len(self._waiting) - self._margin, 0)
        self._keep(self._waiting[:ready])
        self._waiting = self._waiting[ready:]

    def close(self) -> None:
        """Write what is left."""
        self._keep(self._waiting)
        self._waiting = b""
        if self._left_out:
            self._put(f"\n[... {self._left_out} bytes left out ...]\n".encode())
        if self._end:
            self._put(bytes(self._end))
        if self._file is not None:
            self._file.close()

    def _without_secrets(self, content: bytes) -> bytes:
        for value, name in self._secrets.items():
            content = content.replace(value, name)
        return content

    def _keep(self, content: bytes) -> None:
        start, rest = content[: self._room], content[self._room :]
        if start:
            self._put(start)
            self._room -= len(start)
        self._end += rest
        over = len(self._end) - self._most
        if over > 0:
            del self._end[:over]
            self._left_out += over

    def _put(self, content: bytes) -> None:
        # A full disk is reported where answers are written; a missing log must not stop the run.
        with suppress(OSError):
            if self._file is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self._path.open("wb", buffering=0)
            self._file.write(content)
