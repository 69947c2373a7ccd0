"""Each problem in a process of its own, whose crash, end or delay stops no other.

`Children` is the run's side. It starts a fork server, which has imported everything that methods
need, so that a child starts within milliseconds. The server reads tasks on standard input and
answers with one line of JSON for each child that ended. When its input or its parent ends, all
children end with it.
"""

from __future__ import annotations

import faulthandler
import json
import os
import pickle
import select
import selectors
import signal
import subprocess
import sys
import time
import traceback
import warnings
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from genotex.bench.runs.method import Context, Method
from genotex.bench.runs.problem_record import ErrorClass, classify
from genotex.bench.runs.processes import (
    CapturedLog,
    adopt_orphans,
    children_of,
    end_group,
    end_tree,
    end_with_parent,
)
from genotex.errors import GenotexError, WorkerLostError
from genotex.formats import read_record
from genotex.layout import OutputFolder
from genotex.parallel import thread_numbers
from genotex.problems import Problem, TaskInfo
from genotex.procedure import Procedure


@dataclass(frozen=True)
class Setup:
    """What is the same for all problems of a run."""

    method: Method
    source: Path | None
    cohorts: Path | None
    tasks: TaskInfo
    procedure: Procedure
    seed: int
    threads: int
    time_limit: float | None = None
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProblemTask:
    """One problem."""

    number: int
    problem: Problem
    folder: Path
    log: Path
    shared: Path | None = None

    @property
    def output(self) -> Path:
        """Where the method writes its answer."""
        return self.folder / "output"

    @property
    def scratch(self) -> Path:
        """Where the method may write anything."""
        return self.folder / "scratch"

    @property
    def report(self) -> Path:
        """Where the process writes its report."""
        return self.folder / "report.json"


@dataclass(frozen=True)
class Report:
    """The outcome of a problem, from the process that solved it."""

    error_class: ErrorClass | None = None
    error: str = ""

    def write(self, path: Path) -> None:
        """Write the report."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Report:
        """Read the report; raises a FormatError when there is no whole one."""
        return read_record(cls, path)


def _solve_task(setup: Setup, task: ProblemTask) -> None:
    """Run the method on a problem; any exception becomes a report."""
    task.output.mkdir(parents=True)
    task.scratch.mkdir()
    context = Context(
        output=OutputFolder(task.output),
        scratch=task.scratch,
        cohorts=None if setup.cohorts is None else OutputFolder(setup.cohorts),
        source=setup.source,
        tasks=setup.tasks,
        procedure=setup.procedure,
        seed=setup.seed,
        threads=setup.threads,
        time_limit=setup.time_limit,
        shared=task.shared,
    )
    report = Report()
    try:
        setup.method.solve(task.problem, context)
    except GenotexError as error:
        report = Report(classify(error), str(error))
    except Exception as error:
        traceback.print_exc()
        report = Report(classify(error), "".join(traceback.format_exception_only(error)))
    except SystemExit as end:
        # A plug-in may be a script that reports failure by an exit code other than 0.
        if end.code not in (None, 0):
            report = Report(ErrorClass.CRASHED, f"ended by exit({end.code!r})")
    report.write(task.report)


_SIZE_BYTES = 8
CHUNK = 65536
_CHUNKS_IN_A_PIPE = 16
"""The largest pipe that Linux gives without privileges has a mebibyte."""
_KIB = 1024
_MEGABYTE = 1e6


def _write_message(handle: int, message: Any) -> None:
    """Write a message as its length and its pickle."""
    content = pickle.dumps(message)
    rest = memoryview(len(content).to_bytes(_SIZE_BYTES) + content)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _read_message(handle: int) -> Any:
    """Read a message; None at the end of the input."""
    size = _read_exactly(handle, _SIZE_BYTES)
    if size is None:
        return None
    content = _read_exactly(handle, int.from_bytes(size))
    return None if content is None else pickle.loads(content)


def _read_exactly(handle: int, size: int) -> bytes | None:
    content = bytearray()
    while len(content) < size:
        part = os.read(handle, size - len(content))
        if not part:
            return None
        content += part
    return bytes(content)


@dataclass(eq=False)
class _Child:
    task: ProblemTask
    started: float
    printed: int
    log: CapturedLog
    timed_out: bool = False


class _Launcher:
    """Starts children, ends those that exceed the time limit, and reports how each ended."""

    def __init__(self, setup: Setup, tasks: int, replies: int) -> None:
        self._setup = setup
        self._tasks, self._replies = tasks, replies
        self._children: dict[int, _Child] = {}
        self._selector = selectors.DefaultSelector()
        self._bell, self._ring = os.pipe()
        for handle in (self._bell, self._ring):
            os.set_blocking(handle, False)
        self._selector.register(tasks, selectors.EVENT_READ)
        self._selector.register(self._bell, selectors.EVENT_READ)
        self._secrets = {n: os.environ[n] for n in setup.secrets if n in os.environ}

    def serve(self) -> None:
        """Work until the input ends."""
        # A child that ends rings the bell, which wakes the selector.
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._ring, warn_on_full_buffer=False)
        try:
            while self._work():
                self._end_late()
                self._collect()
        finally:
            for pid in list(self._children):
                end_tree(pid)

    def _work(self) -> bool:
        """Wait for an event and handle it; return whether the input is still open."""
        for key, _ in self._selector.select(self._patience()):
            if key.fd == self._tasks:
                task = _read_message(self._tasks)
                if task is None:
                    return False
                self._start(task)
            elif key.fd == self._bell:
                os.read(self._bell, CHUNK)
            else:
                self._listen(key.data)
        return True

    def _start(self, task: ProblemTask) -> None:
        printed, prints = os.pipe()
        here = os.getpid()
        with warnings.catch_warnings():
            # Newer Pythons warn about threads; those of the table engine are idle and hold no lock.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            self._be_child(task, prints, here)
        os.close(prints)
        os.set_blocking(printed, False)
        child = _Child(task, time.monotonic(), printed, CapturedLog(task.log, self._secrets))
        self._children[pid] = child
        self._selector.register(printed, selectors.EVENT_READ, child)

    def _be_child(self, task: ProblemTask, prints: int, parent: int) -> None:
        """Solve the problem and end; never returns."""
        code = 1
        try:
            self._leave_server(prints, parent)
            _solve_task(self._setup, task)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            with suppress(OSError, ValueError):
                sys.stdout.flush()
            os._exit(code)

    def _leave_server(self, prints: int, parent: int) -> None:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        end_with_parent()
        if os.getppid() != parent:
            os._exit(1)
        adopt_orphans()
        self._selector.close()
        for handle in (self._tasks, self._replies, self._bell, self._ring):
            os.close(handle)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for handle, target in ((nothing, 0), (prints, 1), (prints, 2)):
            os.dup2(handle, target)
        os.close(nothing)
        os.close(prints)
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
        faulthandler.enable()

    def _listen(self, child: _Child, most: int = 1) -> None:
        """Read some of a child's output; endless printing must not block the other children."""
        for _ in range(most):
            try:
                content = os.read(child.printed, CHUNK)
            except BlockingIOError:
                return
            if not content:
                self._selector.unregister(child.printed)
                return
            child.log.write(content)

    def _deadline(self, child: _Child) -> float | None:
        limit = self._setup.time_limit
        return None if limit is None or child.timed_out else child.started + limit

    def _patience(self) -> float | None:
        deadlines = [d for c in self._children.values() if (d := self._deadline(c)) is not None]
        return max(min(deadlines) - time.monotonic(), 0) if deadlines else None

    def _end_late(self) -> None:
        now = time.monotonic()
        for pid, child in self._children.items():
            deadline = self._deadline(child)
            if deadline is not None and deadline <= now:
                child.timed_out = True
                end_tree(pid)

    def _collect(self) -> None:
        """Report children that ended, and end what they left running."""
        while self._children:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                break
            child = self._children.pop(pid, None)
            if child is not None:
                end_group(pid)
                self._end_orphans()
                self._reply(child, os.waitstatus_to_exitcode(status), usage.ru_maxrss)

    def _end_orphans(self) -> None:
        for pid in set(children_of(os.getpid())) - set(self._children):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _reply(self, child: _Child, code: int, peak: int) -> None:
        if child.printed in self._selector.get_map():
            self._listen(child, most=_CHUNKS_IN_A_PIPE)
        if child.printed in self._selector.get_map():
            self._selector.unregister(child.printed)
        os.close(child.printed)
        child.log.close()
        unit = 1 if sys.platform == "darwin" else _KIB
        reply = {
            "number": child.task.number,
            "code": code,
            "timed_out": child.timed_out,
            "seconds": round(time.monotonic() - child.started, 3),
            "peak_memory_mb": round(peak * unit / _MEGABYTE, 1),
        }
        os.write(self._replies, (json.dumps(reply) + "\n").encode())


def main() -> None:
    """Serve the parent that started this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What modules print goes to standard error, and children have their own input.
    tasks, replies = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    adopt_orphans()
    setup = _read_message(tasks)
    if setup is not None:
        # The parent may have ended and closed the pipe.
        with suppress(BrokenPipeError):
            _Launcher(setup, tasks, replies).serve()


_SERVE = "from genotex.bench.runs.fork_server import main; main()"

_PATIENCE = 10.0
"""Seconds within which the fork server must end its children."""


@dataclass(frozen=True)
class Ended:
    """How the process of a problem ended."""

    number: int
    code: int  # a signal as its negative number
    timed_out: bool
    seconds: float
    peak_memory_mb: float  # in 10^6 bytes


class Children:
    """Processes of problems; a context manager, at whose end all of them end."""

    def __init__(self, setup: Setup, jobs: int) -> None:
        # What can be imported here must be importable there; an empty path is the current folder.
        paths = os.pathsep.join(str(Path(path).absolute()) for path in sys.path)
        environment = {**thread_numbers(jobs), **os.environ, "PYTHONPATH": paths}
        self._server = subprocess.Popen(
            # -P: no other folder comes before these.
            [sys.executable, "-P", "-c", _SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=environment,
            # Only this process handles Ctrl-C.
            start_new_session=True,
        )
        self._send(setup)

    def __enter__(self) -> Children:
        """Return itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """End all children."""
        if self._server.stdin is not None:
            self._server.stdin.close()
        try:
            self._server.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            # Its children are killed with it.
            self._server.kill()
            self._server.wait()
        if self._server.stdout is not None:
            self._server.stdout.close()

    def start(self, task: ProblemTask) -> None:
        """Start the process of a problem."""
        self._send(task)

    def wait(self) -> Ended:
        """Wait for the next process that ends."""
        replies = self._server.stdout
        if replies is None:
            raise WorkerLostError(_LOST)
        # Ctrl-C ends this wait; a read would continue, since Polars sets SA_RESTART.
        select.select([replies], [], [])
        line = replies.readline()
        if not line.endswith(b"\n"):
            raise WorkerLostError(_LOST)
        return Ended(**json.loads(line))

    def _send(self, message: Setup | ProblemTask) -> None:
        if self._server.stdin is None:
            raise WorkerLostError(_LOST)
        try:
            _write_message(self._server.stdin.fileno(), message)
        except BrokenPipeError as error:
            raise WorkerLostError(_LOST) from error


_LOST = (
    "the process that starts the problems was ended from outside; finished problems are kept: "
    "repeat the command to continue"
)
