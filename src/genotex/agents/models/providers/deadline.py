"""A time limit that fires, whatever the code under it does."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

__all__ = ["run_within"]

Result = TypeVar("Result")

GRACE = 2.0
"""Seconds that connections may take to close after the limit; then nobody waits for them."""

TURN = 0.2
"""Seconds after which it is seen whether somebody wants to interrupt."""


def run_within(seconds: float, start: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Run a coroutine in a thread of its own, and wait for it so long and no longer.

    The limit is that of the clock on the wall, from the start to the last byte: an answer that
    trickles in does not extend it. Code that blocks, as a look-up of an address, cannot hold up the
    caller either: it is left behind in its thread, which ends with the process at the latest.

    Parameters
    ----------
    seconds : float
    start : callable
        Makes the coroutine.

    Raises
    ------
    TimeoutError
        If there is no result in time.
    """
    call = _Call(seconds, start)
    call.start()
    try:
        end = time.monotonic() + seconds + GRACE
        # In short turns: a library that catches Ctrl-C, too, has a longer wait go on after it.
        while not call.done.wait(max(0.0, min(TURN, end - time.monotonic()))):
            if time.monotonic() >= end:
                raise TimeoutError
    except BaseException:
        # Also Ctrl-C: nobody waits for the answer any more.
        call.cancel()
        raise
    return call.result()


class _Call(threading.Thread, Generic[Result]):
    def __init__(self, seconds: float, start: Callable[[], Coroutine[Any, Any, Result]]) -> None:
        super().__init__(name="model call", daemon=True)
        self.done = threading.Event()
        self._seconds = seconds
        self._start_call = start
        self._outcome: list[Result] = []
        self._error: BaseException | None = None
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None

    def run(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as error:
            # Whatever it is, it belongs to the caller, who waits in another thread.
            self._error = error
        finally:
            self.done.set()

    async def _main(self) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._running = (asyncio.get_running_loop(), task)
        async with asyncio.timeout(self._seconds):
            self._outcome.append(await self._start_call())

    def cancel(self) -> None:
        if self._running is not None and not self.done.is_set():
            loop, task = self._running
            try:
                loop.call_soon_threadsafe(task.cancel)
            except RuntimeError:
                # It ended just now, and its loop is closed.
                return

    def result(self) -> Result:
        if self._error is not None:
            raise self._error
        return self._outcome[0]
