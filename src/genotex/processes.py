"""Work side by side in several processes that end cleanly on Ctrl-C."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from types import FrameType
from typing import Protocol, TypeVar

from genotex.errors import WorkerLostError

__all__ = ["side_by_side", "thread_numbers"]

STOPS = {signal.SIGINT, signal.SIGTERM}

Work = TypeVar("Work")
Result = TypeVar("Result")


class Map(Protocol):
    """The built-in ``map``, or the same over several processes; results come in order."""

    def __call__(
        self, function: Callable[[Work], Result], work: Iterable[Work], /
    ) -> Iterator[Result]:
        """Apply the function to each piece of work."""
        ...


@contextmanager
def side_by_side(jobs: int) -> Iterator[Map]:
    """Give a ``map`` that runs in `jobs` processes, or in this one when `jobs` is 1.

    Each process computes on one BLAS thread: two processes of one thread beat one of two.

    Parameters
    ----------
    jobs : int
        Number of processes.

    Raises
    ------
    WorkerLostError
        If a process was ended from outside.
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
            # Waiting costs nothing, since Python does at its end; without, a pool that is forgotten
            # before its thread has looked goes on with all the work that is left.
            pool.shutdown(wait=True, cancel_futures=True)
            raise
        pool.shutdown()


def _in_order(pool: ProcessPoolExecutor) -> Map:
    """Give a ``map`` over a pool that Ctrl-C may end at any moment.

    The pool's own cancels its futures while the pool's thread fails them, and that thread may die
    of it: the program would hang. Here nobody but the pool's thread ends a future.
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

    Not before or after: a worker that is stopped while it fetches work leaves half of it in the
    pipe, where the next one chokes on it.
    """
    for number in STOPS:
        signal.signal(number, _leave)
    try:
        return function(piece)
    finally:
        for number in STOPS:
            signal.signal(number, signal.SIG_IGN)


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


def _end_with_parent() -> None:
    """End this worker when its parent is gone, which a killed parent cannot ask for.

    The parent may have gone before this worker began, when its process id tells nothing any more.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    # First out of the work under way, through its `with` blocks; then out of waiting for more.
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(1)
    os._exit(143)
