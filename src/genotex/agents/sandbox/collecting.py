"""What a cell gives out, collected up to the limits."""

from __future__ import annotations

import re
from collections import deque
from typing import Any, Literal

from genotex.agents.sandbox.session import Limits, Output

__all__ = ["Collector"]

_INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LONGEST_MESSAGE = 2000
_PLAIN = "text/plain"
Kind = Literal["stdout", "stderr", "display", "result"]


class Collector:
    """Keeps the beginning and the end of what is printed, and what is shown.

    Parameters
    ----------
    limits : Limits
        How much to keep.
    """

    def __init__(self, limits: Limits) -> None:
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
        """Take a message of the kernel; what is none of the known kinds is passed over."""
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
        """Take what was shown; `left_out` is the size of what the kernel did not send."""
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
        """Return what was kept, neighbours of a kind as one; says how much was left out."""
        middle = []
        if self.left_out:
            limit = f"{self.limits.output_characters:,}"
            said = f"\n[... {self.left_out:,} characters left out; {limit} are kept ...]\n"
            middle = [Output("stderr", said)]
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
