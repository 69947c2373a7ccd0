"""A cell while it runs: when it must be done, and what has come of it so far."""

from __future__ import annotations

import time
from typing import Any

from genotex.agents.sandbox.collecting import Collector, shortened
from genotex.agents.sandbox.session import CellResult, CellStatus, Limits
from genotex.agents.sandbox.supervised import Event

__all__ = ["RunningCell"]

_LAST_WORDS = 4000
_LAST = ("ready", "done")


class RunningCell:
    """One cell from its start to its result.

    Parameters
    ----------
    number : int
        How the kernel refers to it.
    seconds : float
        Its wall-clock limit.
    limits : Limits
        The limits of its session.
    """

    def __init__(self, number: int, seconds: float, limits: Limits) -> None:
        self.number, self.seconds, self.limits = number, seconds, limits
        self.started = time.monotonic()
        self.deadline = self.started + seconds
        self.collector = Collector(limits)
        self.stopped: CellStatus | None = None
        """Why it was interrupted, if it was."""
        self.given_up = False
        """Whether it did not end after the interrupt."""
        self.done: dict[str, Any] | None = None
        self.broken: str | None = None
        self.last_words = ""

    def take(self, event: Event) -> None:
        """Take what came from the kernel or its process."""
        if event.source == "broken":
            self.broken = event.text
        elif event.source in ("stdout", "stderr"):
            self.last_words = (self.last_words + event.text)[-_LAST_WORDS:]
            self.collector.printed("stderr" if event.source == "stderr" else "stdout", event.text)
        elif event.content.get("kind") in _LAST and event.content.get("cell") == self.number:
            self.done = event.content
        else:
            self.collector.add(event.content)

    @property
    def over(self) -> bool:
        """Whether nothing more is to be waited for."""
        return self.done is not None or self.broken is not None or self.given_up

    def stop(self, why: CellStatus) -> None:
        """Note that it is being interrupted; it has its time of grace from now on."""
        self.stopped = why
        self.deadline = time.monotonic() + self.limits.grace_seconds

    def reason_to_stop(self) -> CellStatus | None:
        """Return why it should be interrupted now, if it should."""
        if self.stopped is not None:
            return None
        if self.collector.received > self.limits.output_bytes:
            return CellStatus.TOO_MUCH_OUTPUT
        return CellStatus.TIMED_OUT if time.monotonic() >= self.deadline else None

    def finished(self) -> CellResult:
        """Return the result of a cell whose state is there."""
        done = self.done or {}
        exception = done.get("exception")
        message = done.get("message")
        status = CellStatus.OK if exception is None else CellStatus.ERROR
        if done.get("no_memory"):
            status = CellStatus.OUT_OF_MEMORY
        explanation = ""
        if self.stopped is not None:
            status = self.stopped
            explanation = f"{self.why_stopped()} What it had done until then is kept."
        return self.result(
            status,
            explanation,
            exception=None if exception is None else shortened(str(exception)),
            message=None if message is None else shortened(str(message)),
        )

    def why_stopped(self) -> str:
        """Return why it was interrupted, as a sentence."""
        if self.stopped is CellStatus.TIMED_OUT:
            return f"Stopped at the limit of {self.seconds:g} s."
        if self.stopped is CellStatus.TOO_MUCH_OUTPUT:
            return f"Stopped after {self.collector.received:,} characters and bytes of output."
        return "Interrupted on request."

    def result(
        self,
        status: CellStatus,
        explanation: str,
        *,
        exception: str | None = None,
        message: str | None = None,
    ) -> CellResult:
        """Return a result with all that was given out."""
        return CellResult(
            status,
            self.collector.outputs(),
            exception,
            message,
            self.collector.traceback,
            explanation,
            self.collector.left_out,
            time.monotonic() - self.started,
        )
