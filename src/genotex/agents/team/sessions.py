"""Threads and sessions of a run, here and on Dask workers.

A worker does a notebook with the models' keys that it has itself.
"""

from __future__ import annotations

import os
import pickle
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TypeVar
from weakref import WeakSet

from genotex.agents.code_shelf import CodeShelf
from genotex.agents.rules.model import register_rules
from genotex.agents.sandbox import (
    Folders,
    ForkServer,
    SandboxLimits,
    SandboxPolicy,
    Session,
    local_session,
)
from genotex.agents.switches import Switches
from genotex.agents.task import Task
from genotex.agents.team.folder import NotebookRecord, TeamFolder
from genotex.agents.team.notebooks import MakeSession, RunResources, book_calls, do_notebook
from genotex.agents.team.plan import TeamPlan
from genotex.errors import SandboxError
from genotex.io import lock
from genotex.journal import read_journal
from genotex.models import (
    Budget,
    Model,
    PriceSnapshot,
    SpendingLimits,
    UsageLedger,
    UsageRow,
    role_models,
)
from genotex.parallel import Executor, Piece

PATIENCE = 5.0
"""Seconds that all threads get to end after an interruption; a model may take longer to answer."""

TURN = 0.2
"""Seconds between checks for an interruption."""

Work = TypeVar("Work")
Result = TypeVar("Result")
Ended = TypeVar("Ended")


def in_threads(
    work: Sequence[Work], jobs: int, do: Callable[[Work], Result], give_up: Callable[[], None]
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


MEMORY = 3_000_000_000
"""Bytes that a notebook is expected to need: what generated code loads is unknown before."""


@dataclass(frozen=True)
class TeamWork:
    """What all notebooks of a run share on workers; keys are not part of it."""

    plan: TeamPlan
    limits: SpendingLimits
    prices: PriceSnapshot
    shelf: CodeShelf
    began: float  # seconds since the epoch, less what a resumed run took before
    made_from: Mapping[Task, str]  # digests of the input of notebooks


class FolderLedger(UsageLedger):
    """The usage of a whole run, as the journals of its notebooks state it at any moment."""

    def __init__(self, folder: TeamFolder, prices: PriceSnapshot) -> None:
        super().__init__(prices)
        self._folder = folder
        self._read: dict[Path, tuple[int, UsageLedger]] = {}

    def _sums(self, group: Callable[[str, str], str]) -> dict[str, UsageRow]:
        sums: dict[str, UsageRow] = {}
        for path in self._folder.notebook_journals():
            for name, row in self._booked(path)._sums(group).items():
                sums[name] = sums.get(name, UsageRow()) + row
        return dict(sorted(sums.items()))

    def _booked(self, path: Path) -> UsageLedger:
        size = path.stat().st_size
        known = self._read.get(path)
        if known is None or known[0] != size:
            known = self._read[path] = size, UsageLedger(self.prices)
            book_calls(read_journal(path), known[1])
        return known[1]


class NoModels:
    """In place of the models, in the process that submits to workers: it needs no key."""

    def model_of(self, role: str) -> Model:
        """Refuse: models are asked on workers."""
        raise NotImplementedError(role)


def notebooks_on_workers(
    executor: Executor, shared: TeamWork, tasks: Sequence[Task]
) -> Iterator[tuple[Task, NotebookRecord | Exception]]:
    """Yield the record of each notebook as it ends, or why it stopped."""
    # A copy of a slow notebook would accept its results while they are read here.
    pieces = [Piece(task, MEMORY, repeats=False) for task in tasks]
    outcomes = executor.run(_do_on_worker, shared, pieces)
    for outcome in outcomes:
        yield tasks[outcome.number], outcome.result or SandboxError(outcome.lost)


def _do_on_worker(shared: TeamWork, task: Task) -> NotebookRecord | Exception:
    plan = shared.plan
    register_rules()
    try:
        usage, own = FolderLedger(plan.folder, shared.prices), UsageLedger(shared.prices)
        spent = time.time() - shared.began
        budget = Budget(shared.limits, usage, time.time, spent)
        resources = RunResources(
            plan.folder,
            plan.work_settings,
            role_models(plan.models, own, budget, os.environ),
            shared.prices,
            _sessions(shared),
            shared.shelf,
            lambda task: shared.made_from.get(task, ""),
            audits_here=plan.sandbox is SandboxPolicy.OFF,
        )
        # A worker that was given up may still be at it.
        with lock(plan.folder.notebook_journal(task)):
            return do_notebook(task, resources)
    except MemoryError:
        raise
    except Exception as error:
        return _portable(error)


def _portable(error: Exception) -> Exception:
    """Return the error, or one with its text if it does not survive the way back."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return SandboxError(f"{type(error).__name__}: {error}")
    return error


_open: list[tuple[TeamWork, MakeSession]] = []
_stack = ExitStack()
"""What starts sessions of the run that this process works for; it ends with it."""


def _sessions(shared: TeamWork) -> MakeSession:
    if not _open or _open[0][0] is not shared:
        _stack.close()
        made = _stack.enter_context(local_sessions(shared.plan.sandbox, shared.plan.switches, 1))
        _open[:] = [(shared, made)]
    return _open[0][1]
