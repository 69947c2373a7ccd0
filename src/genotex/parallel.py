"""Parallel work in several processes that end cleanly on Ctrl-C."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any, Generic, Protocol, TypeVar

from genotex.errors import WorkerLostError
from genotex.signals import leave_on_signal, stay

STOPS = {signal.SIGINT, signal.SIGTERM}

Work = TypeVar("Work")
Result = TypeVar("Result")
Shared = TypeVar("Shared")


class _Map(Protocol):
    """The built-in ``map``, or the same over several processes; results come in order."""

    def __call__(
        self, function: Callable[[Work], Result], work: Iterable[Work], /
    ) -> Iterator[Result]:
        """Apply the function to each piece of work."""
        ...


@dataclass(frozen=True)
class Piece(Generic[Work]):
    """A piece of work that can be done on any machine, and repeated without harm."""

    work: Work
    memory: int = 0  # bytes that it is expected to need
    repeats: bool = True  # whether two workers may do it at the same time


@dataclass(frozen=True)
class PieceOutcome(Generic[Result]):
    """What became of one piece of work."""

    number: int  # its place in the list
    result: Result | None = None
    lost: str = ""  # why there is no result although the function did not fail


class Executor(Protocol):
    """Runs pieces of work somewhere, and reports what becomes of each."""

    def run(
        self,
        function: Callable[[Shared, Work], Result],
        shared: Shared,
        pieces: Sequence[Piece[Work]],
        again: Callable[[Result], bool] | None = None,
    ) -> Iterator[PieceOutcome[Result]]:
        """Call ``function(shared, work)`` for each piece; report outcomes as they come.

        `again` returns whether a result is worth another attempt with more memory.
        """
        ...


@dataclass(frozen=True)
class Processes:
    """The executor of one machine: some processes, or this one if `jobs` is 1."""

    jobs: int = 1

    def run(
        self,
        function: Callable[[Shared, Work], Result],
        shared: Shared,
        pieces: Sequence[Piece[Work]],
        again: Callable[[Result], bool] | None = None,
    ) -> Iterator[PieceOutcome[Result]]:
        """Do the pieces in order; there is no more memory to try again with."""
        with side_by_side(min(self.jobs, len(pieces))) as spread:
            results = spread(partial(function, shared), [piece.work for piece in pieces])
            for number, result in enumerate(results):
                yield PieceOutcome(number, result)


@contextmanager
def side_by_side(jobs: int) -> Iterator[_Map]:
    """Yield a ``map`` that runs in `jobs` processes, or in this one if `jobs` is 1.

    Each process computes on one BLAS thread: two processes of one thread beat one of two.

    `jobs`: number of processes.
    """
    if jobs <= 1:
        yield map
        return
    with _threads_each(jobs):
        spawn = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(jobs, mp_context=spawn, initializer=_begin_quietly)
        try:
            yield _in_order(pool)
        except BrokenProcessPool as error:
            msg = "a worker process was ended from outside (out of memory?); use fewer --jobs"
            raise WorkerLostError(msg) from error
        except BaseException:
            # Waiting costs nothing, since Python waits on exit; otherwise a pool dropped too
            # early continues with all the remaining work.
            pool.shutdown(wait=True, cancel_futures=True)
            raise
        pool.shutdown()


def _in_order(pool: ProcessPoolExecutor) -> _Map:
    """Return a ``map`` over a pool that Ctrl-C may end at any moment.

    The pool's own cancels its futures while the pool's thread fails them, and that thread may die
    of it: the program would hang. Here only the pool's thread ends a future.
    """

    def submitting(function: Callable[[Work], Result], work: Iterable[Work], /) -> Iterator[Result]:
        with _ctrl_c_put_off():
            futures = deque([pool.submit(_interruptible, function, piece) for piece in work])
        return (futures.popleft().result() for _ in range(len(futures)))

    return submitting


@contextmanager
def _ctrl_c_put_off() -> Iterator[None]:
    """Put Ctrl-C off while workers are started: in the middle it would give a traceback.

    Workers inherit the mask, and take the signal once they can end quietly.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def thread_numbers(jobs: int) -> dict[str, str]:
    """Return the variables that libraries read once, when one of `jobs` processes imports them."""
    return {
        "POLARS_MAX_THREADS": str(max(1, (os.cpu_count() or 1) // jobs)),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


@contextmanager
def _threads_each(jobs: int) -> Iterator[None]:
    """Set the thread numbers for workers, where the user has not."""
    wanted = thread_numbers(jobs)
    added = {name: value for name, value in wanted.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def _begin_quietly() -> None:
    """Let a worker end without a traceback: on a signal while it works, else with its pool."""
    for number in STOPS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _interruptible(function: Callable[[Work], Result], piece: Work) -> Result:
    """Do a piece of work that a signal ends, through its open `with` blocks.

    Not before or after: a worker stopped while fetching work leaves half of it in the pipe, which
    breaks the next one.
    """
    for number in STOPS:
        signal.signal(number, leave_on_signal)
    try:
        return function(piece)
    finally:
        for number in STOPS:
            signal.signal(number, signal.SIG_IGN)
        stay()


def _end_with_parent(patience: float = 1.0) -> None:
    """End this worker when its parent is gone, which a killed parent cannot ask for.

    The parent may be gone before this worker begins, when its process id is meaningless.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    # First out of the work under way, through its `with` blocks; then out of waiting for more.
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(patience)
    os._exit(143)


_PATIENCE = 10.0
"""Seconds in which a child leaves its open `with` blocks when its parent is gone."""


@dataclass(frozen=True)
class Child:
    """A process of its own, which leads a group with its workers, and the connection to it."""

    process: multiprocessing.process.BaseProcess
    messages: Connection

    def end_within(self, seconds: float) -> None:
        """Ask the process to end; it is killed where that has no effect. Does not wait."""
        self.process.terminate()
        killer = threading.Timer(seconds, self._kill_all)
        killer.daemon = True
        killer.start()

    def kill(self) -> None:
        """End the process whatever it is doing, and wait for its end."""
        self._kill_all()
        self.process.join()

    def _kill_all(self) -> None:
        """Kill the process and its workers; nothing else has its number while it is not joined."""
        number = self.process.pid
        if number is not None and self.process.is_alive():
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(number, signal.SIGKILL)
            self.process.kill()


def start_child(function: str, *arguments: Any, memory: int | None = None) -> Child:
    """Start a process that calls ``function(messages, *arguments)``.

    SIGTERM ends it through its open `with` blocks; Ctrl-C is left to this process, with which it
    ends.

    `function`: ``module:function``; the module is imported under the limit. `arguments`: Can be
    pickled. `memory`: Bytes of data that it may hold (``RLIMIT_DATA``); it then computes on one
    thread, since each thread reserves memory.
    """
    # Spawned, since threads of the table engine do not survive a fork.
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    given = theirs, function, arguments, memory
    process = spawn.Process(target=_in_child, args=given, daemon=False)
    try:
        with theirs:
            process.start()
    except BaseException:
        ours.close()
        raise
    return Child(process, ours)


def _in_child(
    messages: Connection, function: str, arguments: tuple[Any, ...], memory: int | None
) -> None:
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, leave_on_signal)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(_PATIENCE,), daemon=True).start()
    if memory is not None:
        os.environ.update(thread_numbers(os.cpu_count() or 1))
        highest = resource.getrlimit(resource.RLIMIT_DATA)[1]
        if highest != resource.RLIM_INFINITY:
            memory = min(memory, highest)
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    module, name = function.split(":")
    getattr(import_module(module), name)(messages, *arguments)
