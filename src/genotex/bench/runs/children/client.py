"""Starting problems in processes of their own, from the run's side."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from genotex.bench.runs.children.fork_server import write_message
from genotex.bench.runs.children.task import Setup, Task
from genotex.errors import WorkerLostError
from genotex.parallel import thread_numbers

_SERVE = "from genotex.bench.runs.children.fork_server import main; main()"

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

    def start(self, task: Task) -> None:
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

    def _send(self, message: Setup | Task) -> None:
        if self._server.stdin is None:
            raise WorkerLostError(_LOST)
        try:
            write_message(self._server.stdin.fileno(), message)
        except BrokenPipeError as error:
            raise WorkerLostError(_LOST) from error


_LOST = (
    "the process that starts the problems was ended from outside; finished problems are kept: "
    "repeat the command to continue"
)
