"""A session whose cells are in the journal of a notebook, and which starts only when needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from genotex.agents.sandbox import CellResult, CellStatus, Confinement, Output, Session
from genotex.agents.sandbox.replaying import check_same_end
from genotex.agents.team.journal import NotebookJournal, text_digest

__all__ = ["RecordedSession", "result_from_json"]

ANEW = "the notebook can be done anew with --retry"


@dataclass(frozen=True)
class _Cell:
    """A cell behind the present state."""

    code: str
    result: CellResult


class RecordedSession(Session):
    """Tells what cells came to from the journal; beyond it runs them, and writes that down.

    A real session is there from the first cell on that is new. Before that cell runs, the cells
    behind its state are run again, each to the same end.

    Parameters
    ----------
    make : callable
        Gives a real session, not yet started.
    journal : NotebookJournal
    """

    def __init__(self, make: Callable[[], Session], journal: NotebookJournal) -> None:
        self._make = make
        self._journal = journal
        self._cells: list[_Cell] = []
        self._session: Session | None = None

    @property
    def confinement(self) -> Confinement:
        """Which walls are up; starts the session."""
        return self.bring_up().confinement

    @property
    def step(self) -> int:
        """Number of cells behind the present state."""
        return len(self._cells)

    @property
    def removed(self) -> tuple[str, ...]:
        """What was removed from what the code left."""
        return () if self._session is None else self._session.removed

    def start(self) -> None:
        """Do nothing: it starts when it is needed."""

    def execute(self, code: str, *, seconds: float | None = None) -> CellResult:
        """Run a cell, or tell what it came to (see `Session`).

        Raises
        ------
        SandboxError
            If the session cannot be started or used.
        """
        entry = self._journal.recall("cell", text_digest(code))
        if entry is None:
            result = self.bring_up().execute(code, seconds=seconds)
            content = {"code": code, "result": _result_to_json(result)}
            self._journal.add("cell", text_digest(code), content, paid=False)
        else:
            result = result_from_json(entry["result"])
        if result.state_kept:
            self._cells.append(_Cell(code, result))
        return replace(result, step=self.step)

    def bring_up(self) -> Session:
        """Return the real session, in the present state.

        Raises
        ------
        SessionDeadError
            If a cell ends otherwise than the first time.
        """
        if self._session is None:
            self._session = self._make()
            self._session.start()
            for number, cell in enumerate(self._cells, start=1):
                now = self._session.execute(cell.code)
                check_same_end(number, cell.result, now, ANEW)
        return self._session

    def settle(self) -> None:
        """Bring the files that were written into the present state, too.

        A cell that did not end by itself has left some that are none of the notebook's.
        """
        self.bring_up().restore(self.step)

    def interrupt(self) -> None:
        """Interrupt the running cell, from another thread; nothing if none runs."""
        if self._session is not None:
            self._session.interrupt()

    def snapshot(self) -> int:
        """Return the present step, to be given to ``restore``."""
        return self.step

    def restore(self, step: int) -> None:
        """Go back to the state after a step (see `Session`)."""
        del self._cells[step:]
        if self._session is not None:
            self._session.restore(step)

    def close(self) -> None:
        """End everything that runs."""
        if self._session is not None:
            self._session.close()


def _result_to_json(result: CellResult) -> dict[str, Any]:
    return {
        "status": str(result.status),
        # Pictures are not kept: nobody reads them again.
        "outputs": [{"kind": o.kind, "text": o.text} for o in result.outputs],
        "exception": result.exception,
        "message": result.message,
        "traceback": result.traceback,
        "explanation": result.explanation,
        "left_out": result.left_out,
        "seconds": result.seconds,
        "peak_bytes": result.peak_bytes,
        "state_kept": result.state_kept,
        "left_running": result.left_running,
    }


def result_from_json(data: dict[str, Any]) -> CellResult:
    """Return what a cell came to, from the journal."""
    outputs = tuple(Output(**each) for each in data["outputs"])
    return CellResult(**{**data, "status": CellStatus(data["status"]), "outputs": outputs})
