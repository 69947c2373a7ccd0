"""Work side by side in several processes that end cleanly on Ctrl-C."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Protocol, TypeVar

from genotex.errors import WorkerLostError

__all__ = ["side_by_side", "thread_numbers"]

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
        pool = ProcessPoolExecutor(jobs, mp_context=spawn, initializer=_end_quietly)
        try:
            yield pool.map
        except BrokenProcessPool as error:
            msg = "a worker process was ended from outside (out of memory?); use fewer --jobs"
            raise WorkerLostError(msg) from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        pool.shutdown()


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


def _end_quietly() -> None:
    """Let a signal end a worker through its open `with` blocks, without a traceback."""
    signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    threading.Thread(target=_end_with_parent, daemon=True).start()


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
