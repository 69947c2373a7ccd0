"""Calls recorded in a file, and answered again from it."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date
from pathlib import Path
from typing import Any

from genotex.errors import FormatError, NotRecordedError, UsageError
from genotex.io import lock, make_folder
from genotex.models.model import Message, Model, Reply, Request, Usage
from genotex.outside import parse_json, read_document

_DAY = len("2026-11-28")

_AROUND = 30
"""Characters that are shown on each side of the first one that differs."""


def first_difference(recorded: Any, requested: Any, where: str = "") -> str:
    """Return where two JSON values differ first, as text."""
    if isinstance(recorded, dict) and isinstance(requested, dict):
        for key in sorted({*recorded, *requested}):
            place = f"{where}.{key}" if where else key
            if key not in recorded or key not in requested:
                return f"{place} is only in the {'request' if key in requested else 'recording'}"
            if recorded[key] != requested[key]:
                return first_difference(recorded[key], requested[key], place)
    if isinstance(recorded, (list, tuple)) and isinstance(requested, (list, tuple)):
        for number, (ours, theirs) in enumerate(zip(recorded, requested, strict=False)):
            if ours != theirs:
                return first_difference(ours, theirs, f"{where}[{number}]")
        return f"{where} has {len(recorded)} entries in the recording, {len(requested)} now"
    if isinstance(recorded, str) and isinstance(requested, str):
        return _first_in_text(recorded, requested, where)
    return f"{where} was {recorded!r}, is now {requested!r}"


def _first_in_text(recorded: str, requested: str, where: str) -> str:
    shorter = min(len(recorded), len(requested))
    place = next((i for i in range(shorter) if recorded[i] != requested[i]), shorter)
    begin = max(0, place - _AROUND)
    was, now = recorded[begin : place + _AROUND], requested[begin : place + _AROUND]
    return f"{where}, character {place + 1}: was {was!r}, is now {now!r}"


def request_to_json(request: Request) -> dict[str, Any]:
    """Return a request as plain JSON values."""
    found = asdict(request)
    if request.facts is None:
        del found["facts"]
    return found


def request_from_json(data: Mapping[str, Any]) -> Request:
    """Return the request that `request_to_json` described."""
    return Request(**{**data, "messages": tuple(Message(**each) for each in data["messages"])})


def reply_to_json(reply: Reply) -> dict[str, Any]:
    """Return a reply as plain JSON values."""
    return asdict(reply)


def reply_from_json(data: Mapping[str, Any]) -> Reply:
    """Return the reply that `reply_to_json` described."""
    return Reply(**{**data, "usage": Usage(**data["usage"])})


def request_digest(request: Request) -> str:
    """Return the SHA-256 of the content of a request; equal requests have equal digests."""
    text = json.dumps(request_to_json(request), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class _RecordedCall:
    """One call of a recording."""

    request: Request
    reply: Reply
    day: str = ""  # When it was answered, as 2026-11-28; empty where that is not recorded

    def line(self) -> str:
        """Return the call as a line of the file."""
        content = {
            "digest": request_digest(self.request),
            "request": request_to_json(self.request),
            "reply": reply_to_json(self.reply),
            **({"day": self.day} if self.day else {}),
        }
        return json.dumps(content, sort_keys=True, allow_nan=False) + "\n"


def read_recording(path: Path) -> list[_RecordedCall]:
    """Read the calls of a recording, in the order of the file."""
    # An incomplete last line, left when the process was killed, is skipped.
    try:
        lines = read_document(path, "unpacked").split(b"\n")
    except OSError as error:
        msg = f"cannot be opened: {error.strerror or error}"
        raise FormatError(msg, path=path, hint="name a file that `record` wrote") from error
    return [_read_line(path, number, line) for number, line in enumerate(lines[:-1], start=1)]


def _read_line(path: Path, number: int, line: bytes) -> _RecordedCall:
    try:
        hint = "record the calls again"
        content = parse_json(line.decode(), path, hint, words="is not a recorded call", line=number)
        call = _RecordedCall(
            request_from_json(content["request"]),
            reply_from_json(content["reply"]),
            str(content.get("day", ""))[:_DAY],
        )
        whole = request_digest(call.request) == content["digest"]
    except (ValueError, KeyError, TypeError, RecursionError, UsageError) as error:
        msg = f"is not a recorded call: {error}"
        raise FormatError(msg, path=path, line=number, hint="record the calls again") from error
    if not whole:
        msg = "the request is not the one that was recorded (digests differ)"
        raise FormatError(msg, path=path, line=number, hint="record the calls again")
    return call


class RecordingModel:
    """Forwards requests to a model and records every answer."""

    def __init__(self, model: Model, path: Path) -> None:
        self._model = model
        self._path = path
        make_folder(path.parent)
        if path.exists():
            with lock(path):
                read_recording(path)
                _drop_cut_line(path)

    @property
    def name(self) -> str:
        """The name of the model that answers."""
        return self._model.name

    def answer(self, request: Request) -> Reply:
        """Record the answer before it is returned (see `Model`)."""
        reply = self._model.answer(request)
        _append(self._path, _RecordedCall(request, reply))
        return reply


def _append(path: Path, call: _RecordedCall) -> None:
    line = call.line().encode()
    # Other threads and processes may write to the same file.
    with lock(path), path.open("ab") as file:
        file.write(line)
        file.flush()
        os.fsync(file.fileno())


@dataclass(frozen=True)
class DatedReply(Reply):
    """An answer with the day on which the model gave it."""

    day: str = ""  # As 2026-11-28; empty where that was not recorded
    again: bool = False  # Whether it was recorded before, and cost nothing now


class RememberingModel:
    """Asks a model once for each request: answers that are in its file are given again.

    Parameters
    ----------
    model : Model
    path : Path, optional
        The file, made when missing; without one, answers are kept as long as the process runs.
    today : callable
    """

    def __init__(
        self, model: Model, path: Path | None = None, today: Callable[[], date] = date.today
    ) -> None:
        self._model = model
        self._path = path
        self._today = today
        self._known: dict[str, DatedReply] = {}
        self.before: list[Reply] = []
        if path is None:
            return
        make_folder(path.parent)
        if path.exists():
            with lock(path):
                calls = read_recording(path)
                _drop_cut_line(path)
            self.before = [call.reply for call in calls if call.reply.model == model.name]
            self._known = {
                request_digest(call.request): _dated(call.reply, call.day, again=True)
                for call in calls
                if call.reply.model == model.name
            }

    @property
    def name(self) -> str:
        """The name of the model that answers."""
        return self._model.name

    def knows(self, request: Request) -> bool:
        """Return whether the answer is there, and costs nothing."""
        return request_digest(request) in self._known

    def answer(self, request: Request) -> DatedReply:
        """Give the recorded answer, or ask and record (see `Model`)."""
        digest = request_digest(request)
        if (known := self._known.get(digest)) is not None:
            return known
        reply = self._model.answer(request)
        call = _RecordedCall(request, reply, self._today().isoformat())
        if self._path is not None:
            _append(self._path, call)
        self._known[digest] = _dated(reply, call.day, again=True)
        return _dated(reply, call.day, again=False)


def _dated(reply: Reply, day: str, *, again: bool) -> DatedReply:
    parts = {each.name: getattr(reply, each.name) for each in fields(Reply)}
    return DatedReply(**parts, day=day, again=again)


def _drop_cut_line(path: Path) -> None:
    content = path.read_bytes()
    end = content.rfind(b"\n") + 1
    if end < len(content):
        os.truncate(path, end)


class ReplayModel:
    """Answers from a recording, never over a network.

    Equal requests are answered in the order in which they were recorded.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._calls = read_recording(path)
        self._turn = threading.Lock()
        self._waiting: dict[str, deque[int]] = {}
        for number, call in enumerate(self._calls):
            self._waiting.setdefault(request_digest(call.request), deque()).append(number)

    @classmethod
    def of_name(cls, name: str) -> ReplayModel:
        """Return the model of a name ``replay:FILE``."""
        return cls(Path(name.removeprefix("replay:")))

    @property
    def name(self) -> str:
        """``replay:`` and the file."""
        return f"replay:{self._path}"

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models that answered when it was recorded, sorted."""
        return tuple(sorted({call.reply.model for call in self._calls}))

    def answer(self, request: Request) -> Reply:
        """Give the recorded answer (see `Model`)."""
        with self._turn:
            left = self._waiting.get(request_digest(request))
            if left:
                return self._calls[left.popleft()].reply
            raise NotRecordedError(
                self._why_not(request, left is not None),
                model=self.name,
                hint="record the calls again",
            )

    def _why_not(self, request: Request, known: bool) -> str:
        if known:
            return f"{request.role} repeats a request more often than it was recorded"
        unused = sorted(number for numbers in self._waiting.values() for number in numbers)
        nearest = next((n for n in unused if self._calls[n].request.role == request.role), None)
        if nearest is None:
            return f"no answer for {request.role} is left in the recording"
        place = first_difference(
            request_to_json(self._calls[nearest].request), request_to_json(request)
        )
        return f"{request.role}: request differs from line {nearest + 1} of the recording: {place}"
