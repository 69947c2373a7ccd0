"""A process of a worker that does one piece of work after another.

The work does not run in the worker itself: a crash, or a kill because memory ran out, costs one
process and is reported at once, whatever number of threads the worker was started with.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from genotex.parallel import thread_numbers
from genotex.signals import leave_on_signal

TURN = 0.5
"""Seconds between looks at the memory of a piece of work."""

_SERVE = "import sys; from genotex.cluster.task_process import serve; serve(int(sys.argv[1]))"
_KIB = 1024


@dataclass(frozen=True)
class SharedCall:
    """What all pieces of a run share: function, first argument, and where they are done."""

    name: str
    content: bytes  # pickled (function, shared)
    folder: str
    needed: tuple[str, ...]  # paths that a worker must see
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class PieceReply:
    """What became of a piece of work on a worker."""

    content: bytes = b""  # pickled result, or exception where `failed`
    failed: bool = False
    lost: str = ""
    refused: str = ""
    seconds: float = 0.0
    peak: int = 0  # most bytes of memory so far, of the process with all that it started


class TaskProcess:
    """The process, from the worker's side."""

    def __init__(self, threads: int, scratch: str) -> None:
        self._connection, theirs = Pipe()
        paths = os.pathsep.join(str(Path(path).absolute()) for path in sys.path)
        # Dask removes what is left in a worker's scratch folder.
        own = {"PYTHONPATH": paths, "TMPDIR": scratch}
        environment = {**thread_numbers(threads), **os.environ, **own}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _SERVE, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=2,
            env=environment,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        self._known = ""

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can take another piece."""
        return self._process.poll() is None

    def do(self, call: SharedCall, work: bytes, why_end: Callable[[int], str]) -> PieceReply:
        """Do a piece of work; `why_end` returns why it must end, with so many bytes, or nothing."""
        start, peak = time.monotonic(), 0
        try:
            self._connection.send((call.name, None if self._known == call.name else call, work))
            self._known = call.name
            while not self._connection.poll(TURN):
                used = memory_of(self.pid)
                peak = max(peak, used)
                if why := why_end(used):
                    self.end()
                    return PieceReply(lost=why, seconds=time.monotonic() - start, peak=peak)
                # What it started may outlive it and keep the pipe open.
                if not self.alive and not self._connection.poll():
                    raise EOFError
            failed, content, most = self._connection.recv()
        except (EOFError, OSError):
            return PieceReply(
                lost=self._how_it_ended(), seconds=time.monotonic() - start, peak=peak
            )
        seconds = time.monotonic() - start
        return PieceReply(content, failed=failed, seconds=seconds, peak=max(peak, most))

    def _how_it_ended(self) -> str:
        self._connection.close()
        try:
            code = self._process.wait(TURN)
        except subprocess.TimeoutExpired:
            self.end()
            code = self._process.returncode
        if code == -signal.SIGKILL:
            return "its process was ended by SIGKILL (from outside; out of memory?)"
        return f"its process ended with exit code {code}"

    def end(self) -> None:
        """Kill the process and everything it started."""
        import psutil

        below: list[Any] = []
        with suppress(psutil.Error):
            below = psutil.Process(self.pid).children(recursive=True)
        self._process.kill()
        for each in below:
            with suppress(psutil.Error):
                each.kill()
        self._process.wait()


def memory_of(pid: int) -> int:
    """Return the resident bytes of a process and everything below it."""
    import psutil

    total = 0
    with suppress(psutil.Error):
        top = psutil.Process(pid)
        for each in (top, *top.children(recursive=True)):
            with suppress(psutil.Error):
                total += each.memory_info().rss
    return total


def serve(handle: int) -> None:
    """Do pieces of work until the worker ends."""
    parent = os.getppid()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    signal.signal(signal.SIGTERM, leave_on_signal)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = Connection(handle)
    name, function, shared = "", None, None
    with suppress(EOFError, OSError):
        while True:
            wanted, call, work = connection.recv()
            if call is not None:
                os.chdir(call.folder)
                name, (function, shared) = wanted, pickle.loads(call.content)
            if function is None or name != wanted:
                return
            connection.send(_answer(function, shared, work))


def _answer(function: Callable[[Any, Any], Any], shared: Any, work: bytes) -> tuple[Any, ...]:
    try:
        content, failed = pickle.dumps(function(shared, pickle.loads(work))), False
    except Exception as error:
        content, failed = _pickled(error), True
    return failed, content, _own_peak()


def _pickled(error: Exception) -> bytes:
    try:
        content = pickle.dumps(error)
        pickle.loads(content)
    except Exception:
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return content


def _own_peak() -> int:
    import resource

    unit = 1 if sys.platform == "darwin" else _KIB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _end_with(parent: int) -> None:
    """End this process, through its `with` blocks, when the worker is gone."""
    while os.getppid() == parent:
        time.sleep(TURN)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(5)
    os._exit(143)
