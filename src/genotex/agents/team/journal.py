"""The journal of a notebook: calls, cells and offers happen once and are replayed on resuming."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol

from genotex.agents.action_units import ActionUnit
from genotex.agents.code_shelf import KeptCode, Shelf
from genotex.agents.notebook import Event, NotebookWork, ScriptWork
from genotex.agents.promises import is_check
from genotex.agents.sandbox import CellResult, CellStatus, Confinement, Output, Session
from genotex.agents.sandbox.local import check_same_end
from genotex.agents.switches import WorkSettings
from genotex.agents.task import Task
from genotex.agents.team.folder import INPUT
from genotex.errors import (
    BadAnswerError,
    ContextTooLongError,
    FormatError,
    ModelError,
    RefusedError,
    UsageError,
)
from genotex.journal import Entry, Journal
from genotex.models import (
    Model,
    Reply,
    Request,
    reply_from_json,
    reply_to_json,
    request_digest,
    request_to_json,
)

_RERUN = "rerun the notebook with --retry (genotex agent resume RUN --retry)"


def _digest(*texts: str) -> str:
    """Return the SHA-256 of texts in order."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(f"{len(text)}:".encode())
        digest.update(text.encode(errors="surrogatepass"))
    return digest.hexdigest()


class NotebookJournal:
    """Replays the entries of a journal in order, then appends to it.

    The work on a notebook depends only on the answers of models and the results of cells, so the
    same answers lead to the same questions. An entry that does not match was written by another
    version of this program, or with other settings.
    """

    def __init__(self, journal: Journal | list[Entry], made_from: str = "") -> None:
        # The entries alone can be replayed, not continued.
        self._journal = journal if isinstance(journal, Journal) else None
        self.entries = journal.entries if isinstance(journal, Journal) else journal
        if made_from and isinstance(journal, Journal) and not journal.entries:
            journal.add({"kind": INPUT, "digest": made_from}, at_once=False)
        # Earlier versions did not record the input.
        self._replayed = 1 if self.entries and self.entries[0]["kind"] == INPUT else 0

    def once(
        self,
        kind: str,
        digest: str,
        make: Callable[[], Mapping[str, Any]],
        *,
        paid: Callable[[Mapping[str, Any]], bool] = lambda content: False,
    ) -> Mapping[str, Any]:
        """Return the entry of a step; the first time, make its content and record it.

        What was `paid` for is on the disk when this returns; the rest may be repeated after a power
        cut.
        """
        if self._replayed < len(self.entries):
            return self._replay(kind, digest)
        content = make()
        if self._journal is None:
            msg = "this journal is only replayed, nothing is added to it"
            raise UsageError(msg)
        self._journal.add({"kind": kind, "digest": digest, **content}, at_once=paid(content))
        self._replayed += 1
        return content

    def _replay(self, kind: str, digest: str) -> Entry:
        entry = self.entries[self._replayed]
        if (entry["kind"], entry["digest"]) != (kind, digest):
            msg = (
                f"entry {self._replayed + 1} of the notebook's journal is a different "
                f"{entry['kind']} from the {kind} that this version of genotex arrives at"
            )
            raise FormatError(msg, hint=_RERUN)
        self._replayed += 1
        return entry


class Router(Protocol):
    """Knows which model answers a role."""

    def model_of(self, role: str) -> Model:
        """Return the model that answers a role."""
        ...  # pragma: no cover


class RecordedModel:
    """The models of all roles as one, with every call in the journal before its answer is used."""

    name = "team"

    def __init__(self, router: Router, journal: NotebookJournal) -> None:
        self._router = router
        self._journal = journal

    def answer(self, request: Request) -> Reply:
        """Answer (see `Model`); refusals, unusable answers and prompts too long are recorded, too.

        Errors that may pass, such as those of a network, are not: a resumed run asks again.
        """
        entry = self._journal.once(
            "call", request_digest(request), lambda: self._ask(request), paid=_may_have_cost
        )
        if "error" in entry:
            raise error_from_json(entry["error"])
        return reply_from_json(entry["reply"])

    def _ask(self, request: Request) -> dict[str, Any]:
        content: dict[str, Any] = {"request": request_to_json(request)}
        try:
            reply = self._router.model_of(request.role).answer(request)
        except (BadAnswerError, RefusedError, ContextTooLongError) as error:
            return content | {"error": _error_to_json(error)}
        return content | {"reply": reply_to_json(reply)}


def _may_have_cost(content: Mapping[str, Any]) -> bool:
    """Return whether a call may have cost something: the built-in rules use no tokens."""
    return "error" in content or any(n != 0 for n in content["reply"]["usage"].values())


def error_from_json(data: Mapping[str, Any]) -> ModelError:
    """Return the error in which a call ended, from the journal."""
    fields = dict(data)
    return _ERRORS[fields.pop("kind")](fields.pop("message"), **fields)


_ERRORS: dict[str, type[ModelError]] = {
    "bad": BadAnswerError,
    "refused": RefusedError,
    "too long": ContextTooLongError,
}


def _error_to_json(error: ModelError) -> dict[str, Any]:
    return {
        "kind": next(kind for kind, each in _ERRORS.items() if isinstance(error, each)),
        "message": error.message,
        "model": error.model,
        "hint": error.hint,
        "attempts": error.attempts,
        "working": error.working,
        "waiting": error.waiting,
    }


class RecordedSession(Session):
    """A session whose cells are in the journal; a real one starts only with the first new cell.

    Before that cell, the cells behind the present state run again, each to the same end.
    """

    def __init__(self, make: Callable[[], Session], journal: NotebookJournal) -> None:
        self._make = make
        self._journal = journal
        self._cells: list[tuple[str, CellResult]] = []
        # Step of the real session after each cell; checks of variables count there alone.
        self._live_steps: list[int] = []
        self._session: Session | None = None

    @property
    def confinement(self) -> Confinement:
        """The isolation mechanisms in use; starts the session."""
        return self._live().confinement

    @property
    def step(self) -> int:
        """Number of cells behind the present state."""
        return len(self._cells)

    @property
    def removed(self) -> tuple[str, ...]:
        """What was removed from what the code left."""
        return () if self._session is None else self._session.removed

    def start(self) -> None:
        """Do nothing: the session starts when it is needed."""

    def execute(self, code: str, *, seconds: float | None = None) -> CellResult:
        """Run a cell, or replay its result (see `Session`); a check leaves no trace."""
        kind = "check" if is_check(code) else "cell"

        def run() -> dict[str, Any]:
            result = self._live().execute(code, seconds=seconds)
            return {"code": code, "result": _to_json(result)}

        result = _from_json(self._journal.once(kind, _digest(code), run)["result"])
        if kind == "cell" and result.state_kept:
            self._cells.append((code, result))
            self._live_steps.append(0)
        lasts = kind == "cell" or result.status is CellStatus.OK
        if lasts and self._session is not None and self._live_steps:
            self._live_steps[-1] = self._session.step
        return replace(result, step=self.step)

    def _live(self) -> Session:
        """Return the real session in the present state; an error if a cell ends differently."""
        if self._session is None:
            self._session = self._make()
            self._session.start()
            for number, (code, result) in enumerate(self._cells, start=1):
                check_same_end(number, result, self._session.execute(code), _RERUN)
                self._live_steps[number - 1] = self._session.step
        return self._session

    def settle(self) -> None:
        """Bring the written files into the present state, too.

        A cell that was stopped may have left files that are not part of the notebook.
        """
        self._live().restore(self._live_step)

    def interrupt(self) -> None:
        """Interrupt the running cell, if any, from another thread."""
        if self._session is not None:
            self._session.interrupt()

    def restore(self, step: int) -> None:
        """Go back to the state after a step (see `Session`)."""
        del self._cells[step:], self._live_steps[step:]
        if self._session is not None:
            self._session.restore(self._live_step)

    @property
    def _live_step(self) -> int:
        return self._live_steps[-1] if self._live_steps else 0

    def close(self) -> None:
        """End everything that runs."""
        if self._session is not None:
            self._session.close()


def _to_json(result: CellResult) -> dict[str, Any]:
    # Pictures are not kept: they are never read again. The step is that of the replay.
    outputs = [{"kind": output.kind, "text": output.text} for output in result.outputs]
    content = {**vars(result), "status": str(result.status), "outputs": outputs}
    del content["step"]
    return content


def _from_json(data: Mapping[str, Any]) -> CellResult:
    outputs = tuple(Output(**each) for each in data["outputs"])
    return CellResult(**{**data, "status": CellStatus(data["status"]), "outputs": outputs})


class _RecordedShelf:
    """A shelf whose offers are in the journal: on resuming, the same code is offered."""

    def __init__(self, shelf: Shelf, journal: NotebookJournal) -> None:
        self._shelf = shelf
        self._journal = journal
        self.kept: list[KeptCode] = []  # For the run's shelf, once the notebook has succeeded

    def offer(self, task: Task, unit: ActionUnit, before: Sequence[str]) -> str | None:
        """Return code for a step, or None (see `Shelf`)."""

        def ask() -> dict[str, Any]:
            return {"unit": unit.name, "code": self._shelf.offer(task, unit, before)}

        code: str | None = self._journal.once("offer", _digest(unit.name, *before), ask)["code"]
        return code

    def keep(self, task: Task, unit: ActionUnit, before: Sequence[str], code: str) -> None:
        """Put code aside for the shelf: approved code may still be useless or harmful."""
        self.kept.append(KeptCode(unit.name, tuple(before), code))


@dataclass(frozen=True)
class Live:
    """Sources of what is not in the journal yet."""

    router: Router
    make_session: Callable[[], Session]
    shelf: Shelf
    list_files: Callable[[], str]  # The files of the task as text
    is_recorded: Callable[[], bool]  # Whether the notebook has recorded its result


class RecordedNotebook:
    """The work on a notebook, all of whose calls, cells and offers are in its journal."""

    def __init__(
        self,
        task: Task,
        settings: WorkSettings,
        live: Live,
        journal: NotebookJournal,
        on_event: Callable[[Event], None] | None = None,
    ) -> None:
        self._live = live
        self._journal = journal
        self.session = RecordedSession(live.make_session, journal)
        self._shelf = _RecordedShelf(live.shelf, journal)
        model = RecordedModel(live.router, journal)
        options: dict[str, Any] = {
            "temperature": settings.temperature,
            "max_output": settings.max_output,
            "on_event": on_event,
        }
        self.work: NotebookWork
        if settings.agent == "codeact":
            files = cache(self._list_files)
            self.work = ScriptWork(task, settings.switches, model, self.session, files, **options)
        else:
            options["is_recorded"] = self.is_recorded
            self.work = NotebookWork(
                task, settings.switches, model, self.session, self._shelf, **options
            )

    @property
    def kept(self) -> tuple[KeptCode, ...]:
        """Code for the shelf of the run."""
        return tuple(self._shelf.kept)

    def _list_files(self) -> str:
        make = self._live.list_files
        return str(self._journal.once("files", _digest("files"), lambda: {"text": make()})["text"])

    def is_recorded(self) -> bool:
        """Return whether the notebook has recorded its result; new each time, and replayed."""

        def check() -> dict[str, Any]:
            self.session.settle()
            return {"recorded": self._live.is_recorded()}

        return bool(self._journal.once("look", _digest(), check)["recorded"])
