"""Threads and sessions of a run."""

from __future__ import annotations

import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TypeVar
from weakref import WeakSet

from genotex.agents.sandbox import (
    Folders,
    ForkServer,
    SandboxLimits,
    SandboxPolicy,
    Session,
    local_session,
)
from genotex.agents.switches import Switches
from genotex.errors import SandboxError

PATIENCE = 5.0
"""Seconds that all threads get to end after an interruption; a model may take longer to answer."""

TURN = 0.2
"""Seconds between checks for an interruption."""

Work = TypeVar("Work")
Result = TypeVar("Result")
Ended = TypeVar("Ended")


def in_threads(
    work: Sequence[Work],
    jobs: int,
    do: Callable[[Work], Result],
    give_up: Callable[[], None],
) -> Iterator[tuple[Work, Result | Exception]]:
    """Do all pieces of work, each in one of several threads; yield them as they end.

    With one job it happens in the calling thread. When the caller is interrupted, no further piece
    is begun, and the threads get a moment to end what they have under way.
    """
    if jobs == 1:
        for each in work:
            yield each, _result(do, each)
        return
    left, turn = deque(work), threading.Lock()
    results: queue.SimpleQueue[tuple[Work, Result | Exception]] = queue.SimpleQueue()

    def take_turns() -> None:
        while True:
            with turn:
                if not left:
                    return
                each = left.popleft()
            results.put((each, _result(do, each)))

    # A call that hangs in one of them must not keep the program from ending.
    threads = [
        threading.Thread(target=take_turns, daemon=True) for _ in range(min(jobs, len(work)))
    ]
    for thread in threads:
        thread.start()
    try:
        for _ in work:
            yield _next_of(results)
    except BaseException:
        with turn:
            left.clear()
        give_up()
        end = monotonic() + PATIENCE
        for thread in threads:
            thread.join(max(0.0, end - monotonic()))
        raise


def _next_of(results: queue.SimpleQueue[Ended]) -> Ended:
    """Wait for a result, in short turns: Polars has a wait without end go on after a Ctrl-C."""
    while True:
        try:
            return results.get(timeout=TURN)
        except queue.Empty:
            continue


def _result(do: Callable[[Work], Result], each: Work) -> Result | Exception:
    try:
        return do(each)
    except Exception as error:
        return error


NEEDED = (
    "genotex.genes.table:start_lookups",
    "genotex.agents.toolkit",
    "genotex.analysis",
    "genotex.genes.table:adopt_lookups",
)
"""What every notebook imports, and the look-ups of its gene table; loaded once for all."""


@contextmanager
def local_sessions(
    policy: SandboxPolicy, switches: Switches, jobs: int
) -> Iterator[Callable[[Folders], Session]]:
    """Give what makes sessions on this machine, which share its cores."""
    threads = max(1, (os.cpu_count() or 1) // jobs)
    limits = SandboxLimits(seconds=switches.cell_seconds, threads=threads)
    servers: list[ForkServer] = []
    turn = threading.Lock()

    def make(folders: Folders) -> Session:
        with turn:
            # Not before the first is needed: a run may have nothing left to do.
            if not servers:
                servers.append(ForkServer(limits, NEEDED))
        return local_session(folders, limits, policy, fork_server=servers[0])

    try:
        yield make
    finally:
        for server in servers:
            server.close()


class LiveSessions:
    """Makes sessions, and can close all of them from another thread."""

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
            with suppress(OSError, SandboxError):
                session.close()
