"""Sessions on this machine, which return to an earlier step by running their cells again."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from genotex.agents.sandbox.confined.removing import is_too_far, remove_inside, remove_tree
from genotex.agents.sandbox.processes import ForkServer
from genotex.agents.sandbox.session import (
    CellResult,
    CellStatus,
    Confinement,
    Folders,
    SandboxLimits,
    SandboxPolicy,
    Session,
)
from genotex.agents.sandbox.worker import Worker
from genotex.errors import SandboxError, SessionDeadError, SessionKilledError, UsageError

_OWNER = stat.S_IRUSR | stat.S_IWUSR
_LENDS_RIGHTS = stat.S_ISUID | stat.S_ISGID


def _remove_all_but_plain_files(folder: Path) -> tuple[str, ...]:
    """Remove everything that is neither a plain file nor a folder; give the owner access."""
    removed = []
    folder.chmod(stat.S_IMODE(folder.stat().st_mode) | stat.S_IRWXU)
    waiting = [""]
    while waiting:
        above = waiting.pop()
        with os.scandir(folder / above) as entries:
            found = [
                (entry.path, f"{above}{entry.name}", entry.stat(follow_symlinks=False).st_mode)
                for entry in entries
            ]
        for path, within, mode in found:
            if stat.S_ISDIR(mode) and is_too_far(within):
                remove_tree(Path(path))
                removed.append(within)
            elif stat.S_ISDIR(mode):
                _set_mode(path, mode, mode & ~_LENDS_RIGHTS | stat.S_IRWXU)
                waiting.append(f"{within}/")
            elif stat.S_ISREG(mode):
                _set_mode(path, mode, mode & ~_LENDS_RIGHTS | _OWNER)
            else:
                Path(path).unlink()
                removed.append(within)
    return tuple(sorted(removed))


def _set_mode(path: str, mode: int, wanted: int) -> None:
    if mode != wanted:
        Path(path).chmod(stat.S_IMODE(wanted))


@dataclass(frozen=True)
class _Cell:
    """A cell that led to the present state, and how it ended."""

    code: str
    seconds: float | None
    status: CellStatus
    exception: str | None


_STOPPED_HALFWAY = (CellStatus.INTERRUPTED, CellStatus.TIMED_OUT, CellStatus.TOO_MUCH_OUTPUT)


def check_same_end(number: int, first: _Cell | CellResult, now: CellResult, advice: str) -> None:
    """Raise if a cell that was rerun did not end as it did the first time."""
    if (now.status, now.exception) == (first.status, first.exception):
        return
    msg = (
        f"cell {number} ended differently when it was run again: first "
        f"{first.exception or first.status}, now {now.exception or now.status}; {advice}"
    )
    raise SessionDeadError(msg)


class LocalSession(Session):
    """A session on workers that are started as needed."""

    # The writable folder is emptied when the session goes back.

    def __init__(self, make_worker: Callable[[], Worker], folders: Folders) -> None:
        self._make_worker = make_worker
        self._folders = folders
        self._claimed = False
        self._worker: Worker | None = None
        self._cells: list[_Cell] = []
        self._confinement: Confinement | None = None
        self._closed = False
        self._removed: tuple[str, ...] = ()

    @property
    def confinement(self) -> Confinement:
        """The isolation mechanisms; known after ``start``."""
        if self._confinement is None:
            msg = "the isolation mechanisms are known once the session has started"
            raise SandboxError(msg)
        return self._confinement

    @property
    def removed(self) -> tuple[str, ...]:
        """Links, pipes and the like that were removed from the folder at the end."""
        return self._removed

    @property
    def step(self) -> int:
        """Number of cells that led to the present state."""
        return len(self._cells)

    def start(self) -> None:
        """Start; ready for cells on return."""
        self._refuse_if_closed()
        if self._worker is None:
            self._replay(self._cells)

    def _begin(self) -> Worker:
        if self._claimed:
            remove_inside(self._folders.writable)
        else:
            self._folders.claim()
            self._claimed = True
        worker = self._make_worker()
        worker.start()
        self._worker, self._confinement = worker, worker.confinement
        if self._closed:
            # Closed from another thread while it started.
            worker.close()
            self._refuse_if_closed()
        return worker

    def execute(self, code: str, *, seconds: float | None = None) -> CellResult:
        """Run a cell; see ``Session``."""
        try:
            result = self._execute(code, seconds)
            if not result.killed:
                return result
            ended = result.explanation
        except SessionKilledError as error:
            ended = str(error)
        return replace(self._execute(code, seconds), rerun_after=ended)

    def _execute(self, code: str, seconds: float | None) -> CellResult:
        worker = self._living_worker()
        try:
            result = worker.run(code, seconds)
        except BaseException:
            self._let_go()
            raise
        if result.state_kept:
            self._cells.append(_Cell(code, seconds, result.status, result.exception))
        else:
            self._let_go()
        return replace(result, step=self.step)

    def _living_worker(self) -> Worker:
        self._refuse_if_closed()
        if self._worker is None:
            return self._replay(self._cells)
        return self._worker

    def _replay(self, cells: list[_Cell]) -> Worker:
        """Restart with an empty folder and rerun the cells, each to the same end."""
        self._let_go()
        self._cells = cells
        for number, cell in enumerate(cells, 1):
            if cell.status in _STOPPED_HALFWAY:
                msg = (
                    f"cell {number} was stopped halfway ({cell.status}), which cannot be repeated; "
                    f"go back to step {number - 1} or before"
                )
                raise SessionDeadError(msg)
        try:
            return self._run_again(cells)
        except SessionKilledError:
            return self._run_again(cells)

    def _run_again(self, cells: list[_Cell]) -> Worker:
        worker = self._begin()
        try:
            for number, cell in enumerate(cells, 1):
                now = worker.run(cell.code, cell.seconds)
                if now.killed:
                    raise SessionKilledError(now.explanation)
                check_same_end(number, cell, now, f"go back to step {number - 1} or before")
        except BaseException:
            self._let_go()
            raise
        return worker

    def interrupt(self) -> None:
        """Interrupt the running cell, from another thread; nothing if none runs."""
        if self._worker is not None:
            self._worker.interrupt()

    def restore(self, step: int) -> None:
        """Go back to the state after a step; see ``Session``."""
        self._refuse_if_closed()
        if not 0 <= step <= self.step:
            msg = f"there is no step {step} to go back to; the session is at step {self.step}"
            raise UsageError(msg)
        if self._worker is None or not self._worker.alive or step < self.step:
            self._replay(self._cells[:step])

    def close(self) -> None:
        """End everything that runs, and remove everything but the plain files written."""
        first = not self._closed
        self._closed = True
        self._let_go()
        if first and self._claimed:
            try:
                self._removed = _remove_all_but_plain_files(self._folders.writable)
            except OSError as error:
                msg = f"what generated code left in {self._folders.writable} stays there: {error}"
                raise SandboxError(msg) from error

    def _let_go(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    def _refuse_if_closed(self) -> None:
        if self._closed:
            msg = "the session is closed; open another one"
            raise SessionDeadError(msg)


def local_session(
    folders: Folders,
    limits: SandboxLimits | None = None,
    policy: SandboxPolicy = SandboxPolicy.REQUIRE,
    *,
    avoid: tuple[str, ...] = (),
    fork_server: ForkServer | None = None,
) -> LocalSession:
    """Return a session on this machine, not yet started.

    Parameters
    ----------
    folders
        What the code may read, and the one folder that it may write.
    limits
        Resource limits.
    policy
        What to do if a mechanism is missing.
    avoid
        Mechanisms to leave out, as if this machine lacked them, to test the others.
    fork_server
        Starts workers that have imported the libraries; without one each imports them itself.
    """
    kept = limits or SandboxLimits()
    return LocalSession(lambda: Worker(folders, kept, policy, avoid, fork_server), folders)
