"""A worker on this machine, from outside: it runs cells until it ends."""

from __future__ import annotations

import errno
import importlib.util
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from genotex.agents.sandbox.cells import RunningCell, ending_of, shortened
from genotex.agents.sandbox.confined.limits import RESERVE_OF_DISK
from genotex.agents.sandbox.confined.protocol import CLOSED, Mechanism, SandboxPlan
from genotex.agents.sandbox.confined.removing import remove_tree
from genotex.agents.sandbox.processes import (
    Connection,
    ForkServer,
    ProcessEvent,
    environment,
    interpreter_paths,
    launch_command,
    put_package_in,
    readable_paths,
    refuse_borrowed_access,
)
from genotex.agents.sandbox.session import (
    CellResult,
    CellStatus,
    Confinement,
    Folders,
    SandboxLimits,
    SandboxPolicy,
)
from genotex.errors import NoSpaceError, SandboxError, SessionDeadError, SessionKilledError

_START_SECONDS = 60.0
_ANSWER_SECONDS = 5.0
_END_SECONDS = 10.0
_OWN_END_SECONDS = 2.0
_POLL_SECONDS = 0.5
_CLEAN = Mechanism("clean environment", True, "nothing of the caller's environment is passed on")


_QUOTA = os.strerror(errno.EDQUOT)
_FULL_DISK = re.compile(rf"{os.strerror(errno.ENOSPC)}|os error {errno.ENOSPC}\b|{_QUOTA}")


def _no_space(folder: Path) -> NoSpaceError:
    msg = (
        f"the disk of {folder} is nearly full, so generated code cannot go on there; make room: "
        f"at least {2 * RESERVE_OF_DISK // 2**20} MiB"
    )
    return NoSpaceError(msg)


class Worker:
    """A worker process isolated by the mechanisms of this machine."""

    # `avoid`: Mechanisms to do without, to see what the others hold.

    def __init__(
        self,
        folders: Folders,
        limits: SandboxLimits,
        policy: SandboxPolicy,
        avoid: tuple[str, ...] = (),
        fork_server: ForkServer | None = None,
    ) -> None:
        self.folders, self.limits, self.policy, self.avoid = folders, limits, policy, avoid
        self._fork_server = fork_server
        self.confinement = Confinement(policy)
        self._connection: Connection | None = None
        self._cells = 0
        self._cell: RunningCell | None = None
        self._ended: dict[str, Any] | None = None
        self._usage: dict[str, Any] | None = None
        self._closing = False
        self._in_use = threading.Lock()

    @property
    def alive(self) -> bool:
        """Whether it is there to take cells, as far as is known."""
        return self._connection is not None and self._ended is None and not self._closing

    def start(self) -> None:
        """Start and wait until it accepts cells."""
        if importlib.util.find_spec("IPython") is None:
            msg = "generated code runs in IPython, which is missing: pip install 'genotex[agents]'"
            raise SandboxError(msg)
        if self.policy is not SandboxPolicy.OFF:
            refuse_borrowed_access({*interpreter_paths(), *self.folders.readable})
        self._private = Path(tempfile.mkdtemp(prefix="genotex-session-")).resolve()
        try:
            for name in ("root", "tmp"):
                (self._private / name).mkdir()
            self._connection = self._start_from_fork_server() or self._start_directly()
            self._wait_until_ready(self._connection)
        except BaseException:
            self.close()
            raise

    def _start_from_fork_server(self) -> Connection | None:
        """Have the fork server fork it; None where it cannot."""
        if self._fork_server is None:
            return None
        plan = self._plan((), self._fork_server.lib)
        try:
            return Connection(plan, self.limits.output_bytes, self._fork_server.start)
        except OSError:
            # It was ended from outside; starting without it only takes longer.
            return None

    def _start_directly(self) -> Connection:
        lib = self._private / "lib"
        put_package_in(lib)
        command = tuple(launch_command("worker", "-s", "-P"))
        return Connection(self._plan(command, lib), self.limits.output_bytes)

    def _plan(self, command: tuple[str, ...], lib: Path) -> SandboxPlan:
        return SandboxPlan(
            command=command,
            environment=environment(self.limits, lib),
            readable=(*readable_paths(lib), *map(str, self.folders.readable)),
            writable=str(self.folders.writable),
            private=str(self._private),
            confine=self.policy is not SandboxPolicy.OFF,
            avoid=self.avoid,
            memory_bytes=self.limits.memory_bytes,
            disk_bytes=self.limits.disk_bytes,
            temporary_bytes=self.limits.temporary_bytes,
            processes=self.limits.processes,
            files=self.limits.files,
        )

    def _wait_until_ready(self, connection: Connection) -> None:
        start = RunningCell(0, _START_SECONDS, self.limits)
        self._wait(connection, start, lambda: bool(start.over and self.confinement.mechanisms))
        self._refuse_full_disk()
        if start.done is None or self._ended is not None:
            for event in connection.waiting_output():
                self._take(event, start)
            words = shortened(start.last_words).strip() or "no output"
            msg = f"the worker for generated code did not start: {words}"
            raise SandboxError(msg)

    def _wait(self, connection: Connection, cell: RunningCell, until: Callable[[], bool]) -> None:
        """Process events until a condition holds, the worker ends or the cell's time is over."""
        while not until() and self._ended is None and time.monotonic() < cell.deadline:
            left = max(0.0, cell.deadline - time.monotonic())
            for event in connection.events(min(left, _POLL_SECONDS)):
                self._take(event, cell)

    def _take(self, event: ProcessEvent, cell: RunningCell) -> None:
        if event.source != "answer":
            cell.take(event)
        elif "confined" in event.content:
            mechanisms = (_CLEAN, *(Mechanism(**m) for m in event.content["confined"]))
            self.confinement = Confinement(self.policy, mechanisms)
            self.confinement.check()
        elif "ended" in event.content:
            self._ended = self._ended or event.content["ended"]
        else:
            self._usage = event.content

    def run(self, code: str, seconds: float | None = None) -> CellResult:
        """Run a cell; the result knows nothing yet of steps."""
        with self._in_use:
            connection = self._connection
            if connection is None or self._closing:
                msg = "the session is closed"
                raise SessionDeadError(msg)
            try:
                self._catch_up(connection)
                return self._run(connection, code, seconds or self.limits.seconds)
            except BaseException:
                # After any interruption, the answer of this cell is not read any more.
                connection.command("kill")
                self._ended = self._ended or {}
                raise
            finally:
                self._cell = None

    def _catch_up(self, connection: Connection) -> None:
        """Drop what threads of earlier cells printed; check that the worker still runs."""
        between = RunningCell(-1, _ANSWER_SECONDS, self.limits)
        self._ask_usage(connection, between)
        if self._ended is not None or between.broken is not None:
            self._find_out_the_end(connection, between)
            self._refuse_full_disk()
            end = ending_of(between, self._ended or {})
            msg = f"{end.sentence} This was between two cells; the next call restores the state"
            raise (SessionKilledError if end.killed else SessionDeadError)(msg)

    def _ask_usage(self, connection: Connection, cell: RunningCell) -> None:
        self._usage = None
        connection.command("usage")
        cell.deadline = time.monotonic() + _ANSWER_SECONDS
        self._wait(connection, cell, lambda: self._usage is not None)

    def _run(self, connection: Connection, code: str, seconds: float) -> CellResult:
        self._cells += 1
        cell = self._cell = RunningCell(self._cells, seconds, self.limits)
        connection.command("begin")
        connection.send({"cell": cell.number, "code": code}, cell.deadline)
        while not cell.over and self._ended is None:
            self._wait(connection, cell, lambda: cell.over or bool(cell.reason_to_stop()))
            if (why := cell.reason_to_stop()) is not None:
                self._stop(cell, why)
            elif time.monotonic() >= cell.deadline:
                cell.given_up = True
        seconds_taken = time.monotonic() - cell.started
        result = self._result(connection, cell)
        if self._closing:
            msg = "the session was closed while a cell ran"
            raise SessionDeadError(msg)
        usage = self._usage or self._ended or {}
        return replace(
            result,
            seconds=seconds_taken,
            peak_bytes=usage.get("peak", 0),
            left_running=max(0, usage.get("others", 0)),
        )

    def _result(self, connection: Connection, cell: RunningCell) -> CellResult:
        """Collect the remaining output, and check whether the state is kept."""
        if cell.done is not None:
            for event in connection.waiting_output():
                self._take(event, cell)
            if cell.stopped is not None:
                connection.command("sweep")
            self._ask_usage(connection, cell)
            if self._ended is None:
                return self._unless_disk_was_full(cell.finished())
        self._find_out_the_end(connection, cell)
        self._refuse_full_disk()
        for event in connection.waiting_output():
            self._take(event, cell)
        end = ending_of(cell, self._ended or {})
        back = f"{end.sentence} It goes back to the state before this cell."
        return replace(cell.result(end.status, back), state_kept=False, killed=end.killed)

    def _refuse_full_disk(self) -> None:
        """Raise if the session was ended because the disk is nearly full: no fact about a cell."""
        if self._ended is not None and self._ended.get("limit") == "room":
            raise _no_space(self.folders.writable)

    def _unless_disk_was_full(self, result: CellResult) -> CellResult:
        """Return the result, unless the code failed for a full disk, not for a limit of its own."""
        # ``/tmp`` of a session is a limit of its own, and full with the same words; the disk has
        # room for it as long as there is what the limits promise.
        told = f"{result.exception or ''} {result.message or ''}"
        if not _FULL_DISK.search(told):
            return result
        free = os.statvfs(self.folders.writable)
        if free.f_bavail * free.f_frsize < self.limits.disk_bytes or _QUOTA in told:
            raise _no_space(self.folders.writable)
        return result

    def _find_out_the_end(self, connection: Connection, cell: RunningCell) -> None:
        """Wait for the report of the end; end the worker if it goes on."""
        if not cell.given_up and cell.broken in (None, CLOSED):
            cell.deadline = time.monotonic() + _OWN_END_SECONDS
            self._wait(connection, cell, lambda: False)
        if self._ended is None:
            connection.command("kill")
            cell.deadline = time.monotonic() + _END_SECONDS
            self._wait(connection, cell, lambda: False)
        self._ended = self._ended or {}

    def _stop(self, cell: RunningCell, why: CellStatus) -> None:
        cell.stop(why)
        if self._connection is not None:
            self._connection.command("interrupt")

    def interrupt(self) -> None:
        """Interrupt the running cell; nothing if none runs or it is being stopped already."""
        cell = self._cell
        if cell is not None and cell.stopped is None:
            self._stop(cell, CellStatus.INTERRUPTED)

    def close(self) -> None:
        """End everything, and remove its private folder."""
        self._closing = True
        if self._connection is not None:
            self._connection.command("kill")
        with self._in_use:
            if self._connection is not None:
                self._connection.close(_END_SECONDS)
                self._connection = None
            # The supervisor removes it; where it could not, we do.
            with suppress(OSError):
                remove_tree(self._private)
