"""Work in several threads, whose results come to the thread that asked."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import TypeVar

__all__ = ["in_threads"]

PATIENCE = 5.0
"""Seconds that all threads get to end after an interruption; a model may take longer to answer."""

TURN = 0.2
"""Seconds after which it is seen whether somebody wants to interrupt."""

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

    Parameters
    ----------
    work : sequence
    jobs : int
        Number of threads.
    do : callable
        Does one piece; what it raises is its result.
    give_up : callable
        Called when the caller is interrupted: makes what is under way come to its end.
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
