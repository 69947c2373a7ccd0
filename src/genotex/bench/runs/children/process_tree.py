"""Processes that end together: with their parent, and with all they have started.

What needs Linux (``prctl``, ``/proc``) is left out elsewhere; there the process group is what ends.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

__all__ = ["adopt_orphans", "children_of", "end_group", "end_tree", "end_with_parent"]

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36

ROUNDS = 200
"""How often a tree is looked through before what is left of it is given up."""
PAUSE = 0.01


def end_with_parent() -> None:
    """Have this process killed when its parent ends, even in a loop that hears no signal."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of what processes below this one leave behind when they end."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def end_tree(root: int) -> None:
    """Kill a child of this process with all below it, those in sessions of their own too.

    Parameters
    ----------
    root : int
        Process id of a child that leads a group, adopts orphans and was not waited for yet.
    """
    # While it is stopped it starts no more, and what loses its parent comes to it.
    _send(root, signal.SIGSTOP)
    for _ in range(ROUNDS):
        below = _below(root)
        if not below:
            break
        for pid in below:
            _send(pid, signal.SIGKILL)
        time.sleep(PAUSE)
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
            # The name of the program stands in brackets and may hold anything.
            state, parent = path.read_bytes().rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        if state not in (b"Z", b"X"):
            parents[int(path.parent.name)] = int(parent)
    return parents


def _send(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
