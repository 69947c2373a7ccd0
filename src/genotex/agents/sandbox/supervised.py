"""A kernel's wires: its channel, its open output, and its supervisor."""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import select
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from genotex.agents.sandbox.confined.frames import ChannelError, channel_pair
from genotex.agents.sandbox.confined.plan import Plan
from genotex.agents.sandbox.surroundings import launch_command

__all__ = ["Ends", "Event", "Process", "Start", "Supervised", "start_anew"]

_CHUNK = 65536
_MOST_PACKETS = 64
_MOST_WAITING_CHUNKS = 32
"""A pipe holds a megabyte at the most."""


@dataclass(frozen=True)
class Event:
    """Something that came over a wire.

    Parameters
    ----------
    source : str
        ``message`` of the kernel, ``stdout`` and ``stderr`` of its process, ``answer`` of the
        supervisor, or ``broken`` where the kernel's channel is no more.
    content : dict
        The message or answer.
    text : str
        What was printed, or why the channel is broken.
    """

    source: Literal["message", "stdout", "stderr", "answer", "broken"]
    content: dict[str, Any]
    text: str = ""


class Process(Protocol):
    """A supervisor that was started."""

    def wait(self, timeout: float | None = None) -> object:
        """Wait for its end; raise `subprocess.TimeoutExpired` if it does not come."""
        ...

    def kill(self) -> None:
        """Kill it."""
        ...


@dataclass(frozen=True)
class Ends:
    """Open files that a supervisor is started with: its own three, then those of the kernel."""

    commands: int
    answers: int
    errors: int
    channel: int
    out: int
    err: int


Start = Callable[[Ends], Process]


def start_anew(ends: Ends) -> Process:
    """Start a supervisor as a program of its own."""
    handles = (ends.channel, ends.out, ends.err)
    return subprocess.Popen(
        [*launch_command("supervisor", "-I", "-S", "-X", "utf8"), *map(str, handles)],
        stdin=ends.commands,
        stdout=ends.answers,
        stderr=ends.errors,
        pass_fds=handles,
        env={},
        cwd="/",
        start_new_session=True,
    )


class Supervised:
    """A supervisor with its kernel, as seen through their wires.

    Parameters
    ----------
    plan : Plan
        What the supervisor is told.
    most_bytes : int
        Longest message to take from the kernel.
    start : callable
        Starts the supervisor, with copies of the open files it is given.
    """

    def __init__(self, plan: Plan, most_bytes: int, start: Start = start_anew) -> None:
        self.channel, theirs = channel_pair(most_bytes)
        their_commands, self._commands = os.pipe()
        self._answers, their_answers = os.pipe()
        out, theirs_out = os.pipe()
        err, theirs_err = os.pipe()
        try:
            self.process = start(
                Ends(
                    their_commands,
                    their_answers,
                    theirs_err,
                    theirs.fileno(),
                    theirs_out,
                    theirs_err,
                )
            )
        except BaseException:
            self.channel.close()
            for handle in (self._commands, self._answers, out, err):
                os.close(handle)
            raise
        finally:
            theirs.close()
            for handle in (their_commands, their_answers, theirs_out, theirs_err):
                os.close(handle)
        self._printed: dict[int, Literal["stdout", "stderr"]] = {out: "stdout", err: "stderr"}
        decoder = codecs.getincrementaldecoder("utf-8")
        self._decoders = {handle: decoder("replace") for handle in self._printed}
        self._unfinished_answer = b""
        self._poll = select.poll()
        for handle in (self.channel.socket.fileno(), out, err, self._answers):
            os.set_blocking(handle, False)
            self._poll.register(handle, select.POLLIN)
        self.command(plan.to_json())

    def command(self, line: str) -> None:
        """Tell the supervisor something; it may be gone, which its answers will show."""
        with contextlib.suppress(OSError):
            os.write(self._commands, line.encode("ascii") + b"\n")

    def send(self, message: dict[str, Any], deadline: float) -> bool:
        """Send a message to the kernel; return False if it does not take it in time."""
        self.channel.socket.settimeout(max(0.01, deadline - time.monotonic()))
        try:
            self.channel.send(message)
        except OSError:
            return False
        finally:
            self.channel.socket.setblocking(False)
        return True

    def events(self, seconds: float) -> Iterator[Event]:
        """Wait for at most so long; give what came, what the kernel said before what is printed."""
        ready = {handle for handle, _ in self._poll.poll(max(0, int(seconds * 1000)))}
        if self.channel.socket.fileno() in ready:
            yield from self._messages()
        for handle in ready & self._printed.keys():
            yield from self._print(handle)
        if self._answers in ready:
            yield from self._take_answers()

    def waiting_output(self) -> Iterator[Event]:
        """Give what the kernel's process had printed by now."""
        for handle in list(self._printed):
            for _ in range(_MOST_WAITING_CHUNKS):
                came = list(self._print(handle))
                if not came:
                    break
                yield from came

    def _messages(self) -> Iterator[Event]:
        for _ in range(_MOST_PACKETS):
            try:
                message = self.channel.receive()
            except BlockingIOError:
                return
            except (ChannelError, OSError) as error:
                self._forget(self.channel.socket.fileno())
                yield Event("broken", {}, str(error))
                return
            if message is not None:
                yield Event("message", message)

    def _print(self, handle: int) -> Iterator[Event]:
        content = self._read(handle)
        if content:
            text = self._decoders[handle].decode(content)
            yield Event(self._printed[handle], {}, text)
        elif content == b"":
            del self._printed[handle]
            os.close(handle)

    def _take_answers(self) -> Iterator[Event]:
        content = self._read(self._answers)
        if content is None:
            return
        if not content:
            yield Event("answer", {"ended": {"exit": None, "lost": True}})
            return
        *lines, self._unfinished_answer = (self._unfinished_answer + content).split(b"\n")
        for line in lines:
            yield Event("answer", json.loads(line))

    def _read(self, handle: int) -> bytes | None:
        """Return what is there, None for nothing yet, and no bytes at the end."""
        try:
            content = os.read(handle, _CHUNK)
        except BlockingIOError:
            return None
        except OSError:
            content = b""
        if not content:
            self._forget(handle)
        return content

    def _forget(self, handle: int) -> None:
        with contextlib.suppress(KeyError):
            self._poll.unregister(handle)

    def close(self, seconds: float) -> None:
        """Close all wires; the supervisor ends with them, or is killed after a while."""
        # A late command must not go to whatever file takes the number next.
        commands, self._commands = self._commands, -1
        for handle in (commands, self._answers):
            os.close(handle)
        self.channel.close()
        for handle in self._printed:
            os.close(handle)
        self._printed = {}
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            # Its end takes the first process with it, and that one all others.
            self.process.kill()
            self.process.wait()
