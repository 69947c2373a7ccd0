"""A cell while it runs: its output up to the limits, its time, and how its worker ended."""

from __future__ import annotations

import re
import signal
import time
from collections import deque
from typing import Any, Literal, NamedTuple

from genotex.agents.sandbox.confined.removing import DEEPEST
from genotex.agents.sandbox.processes import ProcessEvent
from genotex.agents.sandbox.session import CellResult, CellStatus, Output, SandboxLimits

_INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LONGEST_MESSAGE = 2000
_PLAIN = "text/plain"
Kind = Literal["stdout", "stderr", "display", "result"]


class Collector:
    """Keeps the beginning and the end of printed text, and displayed objects."""

    def __init__(self, limits: SandboxLimits) -> None:
        self.limits = limits
        self.received = 0
        """Bytes that came, kept or not."""
        self.left_out = 0
        self.traceback = ""
        self._head: list[Output] = []
        self._tail: deque[Output] = deque()
        self._room_in_head = limits.output_characters // 2
        self._room_in_tail = limits.output_characters - self._room_in_head
        self._in_tail = 0
        self._room_for_forms = limits.display_bytes

    def add(self, message: dict[str, Any]) -> None:
        """Take a message of the worker; what is none of the known kinds is passed over."""
        kind = message.get("kind")
        text = message.get("text")
        data = message.get("data")
        if kind == "stream" and isinstance(text, str):
            self.printed("stderr" if message.get("name") == "stderr" else "stdout", text)
        elif kind == "traceback" and isinstance(text, str):
            self.traceback = shortened(text, self.limits.output_characters)
        elif kind in ("display", "result") and isinstance(data, dict):
            huge = message.get("left_out")
            self._show(
                "result" if kind == "result" else "display",
                {k: v for k, v in data.items() if isinstance(k, str) and isinstance(v, str)},
                huge if isinstance(huge, int) else 0,
            )

    def printed(self, kind: Kind, text: str) -> None:
        """Take text that was printed."""
        self.received += len(text)
        self._put(kind, readable(text))

    def _show(self, kind: Kind, forms: dict[str, str], left_out: int) -> None:
        """Take what was shown; `left_out` is the size of what the worker did not send."""
        size = sum(map(len, forms.values()))
        self.received += size
        plain = readable(forms.get(_PLAIN, ""))
        if size > self._room_for_forms:
            left_out += size - len(plain)
            forms = {}
        self._room_for_forms -= sum(map(len, forms.values()))
        if left_out > 0:
            plain += f"\n[{left_out:,} characters of a picture, page or table left out]"
        self._put(kind, plain + "\n", {k: _encodable(v) for k, v in forms.items()})

    def _put(self, kind: Kind, text: str, forms: dict[str, str] | None = None) -> None:
        """Keep text in the head while there is room, then push it through the tail."""
        forms = forms or {}
        start = text[: self._room_in_head] if self._room_in_head > 0 else ""
        if start or (forms and self._room_in_head > 0):
            self._head.append(Output(kind, start, forms))
            forms = {}
        self._room_in_head -= len(start)
        rest = text[len(start) :]
        if rest or forms:
            self._tail.append(Output(kind, rest[-self._room_in_tail :], forms))
            self.left_out += max(0, len(rest) - self._room_in_tail)
            self._in_tail += len(self._tail[-1].text)
        while self._in_tail > self._room_in_tail:
            self._drop_from_tail()

    def _drop_from_tail(self) -> None:
        oldest = self._tail.popleft()
        excess = min(len(oldest.text), self._in_tail - self._room_in_tail)
        self._in_tail -= excess
        self.left_out += excess
        if excess < len(oldest.text):
            self._tail.appendleft(Output(oldest.kind, oldest.text[excess:], oldest.forms))

    def outputs(self) -> tuple[Output, ...]:
        """Return the kept output, joined by kind, with a note of what was left out."""
        middle = []
        if self.left_out:
            limit = f"{self.limits.output_characters:,}"
            note = f"\n[... {self.left_out:,} characters left out; {limit} are kept ...]\n"
            middle = [Output("stderr", note)]
        return tuple(_joined([*self._head, *middle, *self._tail]))


def _joined(pieces: list[Output]) -> list[Output]:
    joined: list[Output] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last and last.kind == piece.kind and piece.kind in ("stdout", "stderr"):
            joined[-1] = Output(piece.kind, last.text + piece.text)
        else:
            joined.append(piece)
    return joined


def readable(text: str) -> str:
    """Return text as it may be shown and written: no terminal commands, no half characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _encodable(_INVISIBLE.sub(lambda found: f"\\x{ord(found[0]):02x}", text))


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def shortened(text: str, most: int = _LONGEST_MESSAGE) -> str:
    """Return readable text of at most so many characters, its end where it is longer."""
    text = readable(text)
    return text if len(text) <= most else f"[...] {text[-most:]}"


_LAST_WORDS = 4000
_LAST = ("ready", "done")


class RunningCell:
    """One cell from its start to its result."""

    def __init__(self, number: int, seconds: float, limits: SandboxLimits) -> None:
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

    def take(self, event: ProcessEvent) -> None:
        """Take what came from the worker or its process."""
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


_NO_MEMORY = re.compile(
    r"memory allocation of \d+ bytes failed|std::bad_alloc|cannot allocate memory|out of memory",
    re.IGNORECASE,
)
_UNITS = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))


class WorkerEnd(NamedTuple):
    """What a worker's end makes of the cell that ran."""

    status: CellStatus
    sentence: str
    killed: bool = False  # as in `CellResult`


_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)


def ending_of(cell: RunningCell, report: dict[str, Any]) -> WorkerEnd:
    """Return what a worker's end makes of the cell that ran, and what happened."""
    if limit := report.get("limit"):
        return WorkerEnd(_LIMITS[limit], _passed(limit, cell.limits))
    if cell.given_up and cell.stopped is not None:
        return WorkerEnd(
            cell.stopped,
            f"{cell.why_stopped()} It did not react to the interrupt, so the session was ended.",
        )
    code = report.get("exit")
    if isinstance(code, int):
        return _exited(code, cell)
    if report.get("killed"):
        sentence = f"The session was ended: its channel is broken ({cell.broken})."
        return WorkerEnd(CellStatus.DIED, sentence)
    sentence = "The session died: the process that keeps it was ended."
    return WorkerEnd(CellStatus.DIED, sentence, killed=True)


_LIMITS = {
    "memory": CellStatus.OUT_OF_MEMORY,
    "processes": CellStatus.TOO_MANY_PROCESSES,
    "disk": CellStatus.DISK_FULL,
    "files": CellStatus.DISK_FULL,
    "depth": CellStatus.DISK_FULL,
}


def _passed(limit: str, limits: SandboxLimits) -> str:
    if limit == "memory":
        return (
            "The session was ended: its processes, with what their sockets may hold, together held "
            f"more memory than {_size(limits.memory_bytes)}."
        )
    if limit == "processes":
        return f"The session was ended: more than {limits.processes} processes and threads."
    if limit == "files":
        return f"The session was ended: more than {limits.files:,} files and folders in its folder."
    if limit == "depth":
        return f"The session was ended: folders more than {DEEPEST} levels deep, or too long paths."
    return f"The session was ended: its folder held more than {_size(limits.disk_bytes)}."


def _exited(code: int, cell: RunningCell) -> WorkerEnd:
    if code >= 0:
        return WorkerEnd(
            CellStatus.DIED,
            f"The session died: its process exited with code {code} before the cell was done.",
        )
    name = _signal_name(-code)
    if _NO_MEMORY.search(cell.last_words):
        return WorkerEnd(
            CellStatus.OUT_OF_MEMORY,
            f"The session died ({name}): memory could not be had; the limit is "
            f"{_size(cell.limits.memory_bytes)}.",
        )
    sentence = f"The session died: its process was ended by {name}."
    return WorkerEnd(CellStatus.DIED, sentence, killed=-code in _FROM_OUTSIDE)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _size(count: int) -> str:
    for unit, factor in _UNITS:
        if count >= factor:
            return f"{count / factor:.4g} {unit}"
    return f"{count} bytes"
