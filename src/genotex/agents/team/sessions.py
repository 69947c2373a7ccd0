"""The sessions of a run: made as notebooks need them, ended together when it is interrupted."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from weakref import WeakSet

from genotex.agents.sandbox import Folders, Limits, Nursery, SandboxPolicy, Session, local_session
from genotex.agents.switches import Switches

__all__ = ["NEEDED", "LiveSessions", "local_sessions"]


NEEDED = (
    "genotex.genes.table:start_lookups",
    "genotex.agents.toolkit",
    "genotex.analysis",
    "genotex.genes.table:adopt_lookups",
)
"""What every notebook imports, and the look-ups of its gene table; had once for all of them."""


@contextmanager
def local_sessions(
    policy: SandboxPolicy, switches: Switches, jobs: int
) -> Iterator[Callable[[Folders], Session]]:
    """Give what makes sessions on this machine, which share its cores.

    Parameters
    ----------
    policy : SandboxPolicy
        What to do where a wall is missing.
    switches : Switches
        With the time of a cell.
    jobs : int
        How many there are at once.
    """
    threads = max(1, (os.cpu_count() or 1) // jobs)
    limits = Limits(seconds=switches.cell_seconds, threads=threads)
    nurseries: list[Nursery] = []
    turn = threading.Lock()

    def make(folders: Folders) -> Session:
        with turn:
            # Not before the first is needed: a run may have nothing left to do.
            if not nurseries:
                nurseries.append(Nursery(limits, NEEDED))
        return local_session(folders, limits, policy, nursery=nurseries[0])

    try:
        yield make
    finally:
        for nursery in nurseries:
            nursery.close()


class LiveSessions:
    """Makes sessions, and can close all of them from another thread.

    Parameters
    ----------
    make : callable
        From the folders that code may see to a session.
    """

    def __init__(self, make: Callable[[Folders], Session]) -> None:
        self._make = make
        self._sessions: WeakSet[Session] = WeakSet()
        self._turn = threading.Lock()
        self._over = False

    def __call__(self, folders: Folders) -> Session:
        """Return a new session, not yet started."""
        session = self._make(folders)
        with self._turn:
            self._sessions.add(session)
            if self._over:
                session.close()
        return session

    def close_all(self) -> None:
        """Close all sessions, and every one that is made from now on."""
        with self._turn:
            self._over = True
            sessions = list(self._sessions)
        for session in sessions:
            # The thread that works with it may be removing the same files.
            with suppress(OSError):
                session.close()
