"""The worker: IPython's own shell, one cell after the other, over one inherited socket.

Generated code could forge its reports, so the program outside treats them as text only.
"""

from __future__ import annotations

import codecs
import faulthandler
import gc
import io
import logging
import os
import resource
import signal
import socket
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from IPython.core import application, completer  # noqa: F401  A fork server has them for its sessions.
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from .protocol import Channel, ChannelError

CHANNEL = 3
_MOST_CODE = 64 * 2**20
_SLICE = 200_000
_LONGEST_MESSAGE = 2000
_LARGEST_DISPLAY = 4 * 2**20


class _Worker:
    """Runs cells and sends what they print, show and raise."""

    def __init__(self) -> None:
        self.channel = Channel(socket.socket(fileno=CHANNEL), _MOST_CODE)
        self.shell: Any = _shell(self)
        self.limit, self.most = resource.getrlimit(resource.RLIMIT_DATA)
        self.raised: BaseException | None = None
        self.use_frames()
        os.register_at_fork(after_in_child=self.become_forked_copy)

    def send(self, **message: Any) -> None:
        """Send a message, or nothing from a forked copy; end when the other side is closed."""
        try:
            self.channel.send(message)
        except OSError:
            if self.channel.socket.fileno() >= 0:
                os._exit(70)

    def use_frames(self) -> None:
        """Send what Python prints in the order in which it is printed."""
        for name, handle in (("stdout", 1), ("stderr", 2)):
            raw = io.BufferedWriter(_Frames(self, name, handle))
            setattr(sys, name, io.TextIOWrapper(raw, "utf-8", "replace", line_buffering=True))
        self.streams = (sys.stdout, sys.stderr)

    def become_forked_copy(self) -> None:
        """Let a forked copy print through its open files, and answer no cells."""
        self.channel.close()
        sys.stdout, sys.stderr = (
            io.TextIOWrapper(io.FileIO(handle, "w", closefd=False), "utf-8", line_buffering=True)
            for handle in (1, 2)
        )

    def serve(self) -> NoReturn:
        """Run cells until the program outside is gone."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.send(kind="ready", cell=0)
        while True:
            try:
                cell = self.channel.receive()
            except (ChannelError, OSError):
                sys.stdout.flush()
                os._exit(0)
            if cell is not None:
                self.answer(cell)

    def answer(self, cell: dict[str, Any]) -> None:
        """Run one cell and report how it ended."""
        if any(getattr(stream, "closed", True) for stream in (sys.stdout, sys.stderr)):
            self.use_frames()
        self.raised = None
        error: BaseException | None
        try:
            try:
                self.bound_memory(self.limit)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                error = self.run(cell["code"])
            finally:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
        except BaseException as broken:
            # IPython stumbled over what the code raised, or the interrupt came late.
            error = self.raised or broken
        self.bound_memory(self.most)
        ending: dict[str, Any] = {}
        if error is not None:
            ending = {"exception": _name(error), "message": _text(error)}
        if isinstance(error, MemoryError):
            ending["no_memory"] = True
            error = self.raised = None
            _forget_last_traceback()
        self.send(kind="done", cell=cell["cell"], **ending)

    def run(self, code: str) -> BaseException | None:
        """Run code; return what it raised."""
        result = self.shell.run_cell(code, store_history=True)
        for stream in self.streams:
            if not stream.closed:
                stream.flush()
        raised = result.error_before_exec or result.error_in_exec
        return raised if isinstance(raised, BaseException) else None

    def bound_memory(self, soft: int) -> None:
        """Bound the memory; cells get less than there is, so that the rest can still report it."""
        highest = resource.getrlimit(resource.RLIMIT_DATA)[1]
        if highest != resource.RLIM_INFINITY:
            # The code may have lowered it.
            resource.setrlimit(resource.RLIMIT_DATA, (min(soft, highest), highest))


def _forget_last_traceback() -> None:
    """Free what only the traceback of a failed allocation still holds."""
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        if hasattr(sys, name):
            delattr(sys, name)
    gc.collect()


class _Frames(io.RawIOBase):
    """A file that sends what is written to it."""

    def __init__(self, worker: _Worker, name: str, handle: int) -> None:
        self._worker, self._name, self._handle = worker, name, handle
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def writable(self) -> bool:
        """Report that this file may be written."""
        return True

    def fileno(self) -> int:
        """Return the open file that programs started by the code write to."""
        return self._handle

    def write(self, data: Any) -> int:
        """Send bytes as text."""
        content = bytes(data)
        text = self._decoder.decode(content)
        for start in range(0, len(text), _SLICE):
            part = text[start : start + _SLICE]
            self._worker.send(kind="stream", name=self._name, text=part)
        return len(content)


def _shell(worker: _Worker) -> InteractiveShell:
    """Return IPython's shell with all of its output going over the channel."""

    class Publisher(DisplayPublisher):
        def publish(self, data: dict[str, Any], *ignored: Any, **more: Any) -> None:
            worker.send(kind="display", **_shown(data))

        def clear_output(self, wait: bool = False) -> None:
            return

    class Result(DisplayHook):
        def write_output_prompt(self) -> None:
            return

        def write_format_data(self, format_dict: dict[str, Any], *ignored: Any) -> None:
            worker.send(kind="result", **_shown(format_dict))

        def finish_displayhook(self) -> None:
            return

    class Shell(InteractiveShell):
        system = InteractiveShell.system_raw

        def showtraceback(self, *arguments: Any, **more: Any) -> None:
            worker.raised = sys.exc_info()[1]
            if isinstance(worker.raised, MemoryError):
                worker.bound_memory(worker.most)
            try:
                super().showtraceback(*arguments, **more)
            except BaseException as failed:
                text = f"{_name(failed)} while the traceback was put together"
                worker.send(kind="traceback", text=text)

        @contextmanager
        def _tee(self, channel: str) -> Iterator[None]:
            # IPython's own would keep all that is printed in memory, in addition to the channel.
            yield

        def _format_exception_for_storage(self, *arguments: Any, **more: Any) -> None:
            # It would ask an exception for its text outside of every guard.
            return None

        def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
            worker.send(kind="traceback", text=self.InteractiveTB.stb2text(stb))

    settings = Config()
    settings.HistoryManager.enabled = False
    settings.InteractiveShell.colors = "nocolor"
    settings.InteractiveShell.xmode = "Plain"
    shell = Shell.instance(config=settings, display_pub_class=Publisher, displayhook_class=Result)
    # IPython's own exit ends a terminal; in a cell it is what it is in a script.
    warnings.filterwarnings("ignore", message="To exit: use")
    shell.user_ns["exit"] = shell.user_ns["quit"] = sys.exit
    return shell


def _shown(data: dict[str, Any]) -> dict[str, Any]:
    """Return a display as a message: each form as text, bytes in base64, what is huge left out."""
    kept: dict[str, str] = {}
    room, left_out = _LARGEST_DISPLAY, 0
    for name, value in data.items():
        text = _as_text(value)
        if len(text) <= room:
            kept[str(name)] = text
            room -= len(text)
        else:
            left_out += len(text)
    return {"data": kept, "left_out": left_out}


def _as_text(value: Any) -> str:
    if isinstance(value, bytes):
        return codecs.encode(value, "base64").decode("ascii")
    return value if isinstance(value, str) else str(value)


def _name(error: BaseException) -> str:
    return str(type(error).__name__)[:200]


def _text(error: BaseException) -> str:
    """Return the message of an exception, even if its class fails to give it."""
    try:
        return str(error)[:_LONGEST_MESSAGE]
    except BaseException as failed:
        return f"(its text cannot be had: {type(failed).__name__})"


def main() -> NoReturn:
    """Serve cells on the inherited channel."""
    faulthandler.enable()
    # Each session has a home of its own, so that its first figure would warn of building a cache.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    _Worker().serve()
