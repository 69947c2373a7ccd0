"""Kernels that start with the libraries imported, from the side of the program outside."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path
from typing import Self

from genotex.agents.sandbox.confined.removing import remove_tree
from genotex.agents.sandbox.session import Limits
from genotex.agents.sandbox.supervised import Ends, Process
from genotex.agents.sandbox.surroundings import environment, launch_command, put_package_in

__all__ = ["Nursery"]

_PATIENCE = 60.0
"""Seconds for an answer: the first one comes when everything is imported."""
_END_SECONDS = 5.0


class Nursery:
    """A process that has imported libraries, from which sessions are forked; a context manager.

    A session that it starts has the same walls and limits as any other, and is ready in a fraction
    of the time. It begins to import at once, beside whatever the caller does. Where the machine
    cannot do without a number for a process (Linux before 5.3, other systems) it starts nothing.

    Parameters
    ----------
    limits : Limits
        Of the sessions; how many threads libraries use is settled when they are imported.
    modules : sequence of str
        What to import; ``module:function`` for a function of it that is called as well, in turn.
    """

    def __init__(self, limits: Limits, modules: Sequence[str]) -> None:
        self._private = Path(tempfile.mkdtemp(prefix="genotex-session-")).resolve()
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self.lib = self._private / "lib"
        put_package_in(self.lib)
        self._door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._door.settimeout(_PATIENCE)
        with theirs:
            if hasattr(os, "pidfd_open"):
                self._process = self._begin(theirs.fileno(), limits, modules)

    def _begin(
        self, handle: int, limits: Limits, modules: Sequence[str]
    ) -> subprocess.Popen[bytes]:
        command = launch_command("nursery", "-s", "-P")
        return subprocess.Popen(
            [*command, str(handle), str(self._private), *modules],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(handle,),
            env={**environment(limits, self.lib), "HOME": str(self._private)},
            cwd="/",
            start_new_session=True,
        )

    @property
    def number(self) -> int | None:
        """The number of its process; None where it has none."""
        return None if self._process is None else self._process.pid

    def start(self, ends: Ends) -> Process:
        """Start a supervisor with its session (see `supervised.Start`).

        Raises
        ------
        OSError
            If the process is gone, or there never was one.
        """
        with self._turn:
            socket.send_fds(self._door, [b"x"], astuple(ends))
            answer, handles, _, _ = socket.recv_fds(self._door, 1, 1)
        if not answer or not handles:
            raise ConnectionResetError
        return _Forked(handles[0])

    def close(self) -> None:
        """End it; sessions that it started go on."""
        self._door.close()
        if self._process is not None:
            try:
                self._process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        remove_tree(self._private)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close."""
        self.close()


class _Forked:
    """A supervisor that is a child of the nursery."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def wait(self, timeout: float | None = None) -> None:
        """Wait for its end (see `Process`)."""
        poll = select.poll()
        poll.register(self._handle, select.POLLIN)
        if not poll.poll(None if timeout is None else int(timeout * 1000)):
            raise subprocess.TimeoutExpired(["supervisor"], timeout or 0)
        os.close(self._handle)

    def kill(self) -> None:
        """Kill it (see `Process`)."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)
