"""The journal of a notebook: calls, offers and files are recorded once and replayed on resuming."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any, Protocol

from genotex.agents.action_units import ActionUnit
from genotex.agents.code_shelf import Shelf
from genotex.agents.models import (
    Model,
    Reply,
    Request,
    reply_from_json,
    reply_to_json,
    request_digest,
    request_to_json,
)
from genotex.agents.notebook import Event, NotebookWork
from genotex.agents.script import ScriptWork
from genotex.agents.switches import Agent, Switches
from genotex.agents.task import Task
from genotex.agents.team.recorded_session import RecordedSession
from genotex.errors import BadAnswerError, FormatError, ModelError, RefusedError, UsageError
from genotex.formats.journal import Entry, Journal

__all__ = [
    "KeptCode",
    "NotebookJournal",
    "RecordedFiles",
    "RecordedLook",
    "RecordedModel",
    "RecordedShelf",
    "RoutedModel",
    "Router",
    "error_from_json",
    "recorded_work",
    "text_digest",
]


def text_digest(*texts: str) -> str:
    """Return the SHA-256 of some texts in order."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(f"{len(text)}:".encode())
        digest.update(text.encode(errors="surrogatepass"))
    return digest.hexdigest()


class NotebookJournal:
    """Tells again what stands in a journal, then goes on with it.

    The work on a notebook depends on nothing but the answers of models and what cells came to, so
    that the same answers lead through the same questions. What differs was not made by this
    program, or not from these settings.

    Parameters
    ----------
    journal : Journal or list of dict
        A journal to go on with, or the entries of one that is only told again.

    Attributes
    ----------
    entries : list of dict
        All that stands there.
    """

    def __init__(self, journal: Journal | list[Entry]) -> None:
        self._journal = journal if isinstance(journal, Journal) else None
        self.entries = journal.entries if isinstance(journal, Journal) else journal
        self._told = 0

    def recall(self, kind: str, digest: str) -> Entry | None:
        """Return what came of this the first time; None where it is new.

        Parameters
        ----------
        kind : str
            ``call``, ``cell``, ``offer``, ``files`` or ``look``.
        digest : str
            Of what is asked or run.

        Raises
        ------
        FormatError
            If something else stands there.
        """
        if self._told == len(self.entries):
            return None
        entry = self.entries[self._told]
        if (entry["kind"], entry["digest"]) != (kind, digest):
            msg = (
                f"entry {self._told + 1} of the notebook's journal is another {entry['kind']} than "
                f"the {kind} that this version of genotex comes to"
            )
            hint = "do the notebook anew with --retry"
            raise FormatError(msg, hint=hint)
        self._told += 1
        return entry

    def add(self, kind: str, digest: str, content: Mapping[str, Any], *, paid: bool) -> None:
        """Write down what came of something.

        Parameters
        ----------
        kind, digest : str
            See `recall`.
        content : mapping
        paid : bool
            Whether it was, so that it is on the disk when this returns; what was not may be done
            again after a power cut.
        """
        if self._journal is None:
            msg = "this journal is only told again, nothing is added to it"
            raise UsageError(msg)
        self._journal.add({"kind": kind, "digest": digest, **content}, at_once=paid)
        self._told += 1


class Router(Protocol):
    """Knows which model answers a role."""

    def model_of(self, role: str) -> Model:
        """Return the model that answers a role."""
        ...  # pragma: no cover


class RoutedModel:
    """The models of all roles as one.

    Parameters
    ----------
    router : Router
    """

    name = "team"

    def __init__(self, router: Router) -> None:
        self._router = router

    def answer(self, request: Request) -> Reply:
        """Have the model of the request's role answer (see `Model`)."""
        return self._router.model_of(request.role).answer(request)


class RecordedModel:
    """Answers from the journal; beyond it asks, and writes the answer down.

    Parameters
    ----------
    model : Model
        Who answers what is new.
    journal : NotebookJournal
    """

    def __init__(self, model: Model, journal: NotebookJournal) -> None:
        self._model = model
        self._journal = journal

    @property
    def name(self) -> str:
        """The name of the model that answers."""
        return self._model.name

    def answer(self, request: Request) -> Reply:
        """Answer (see `Model`); an answer that is none is written down, too.

        Errors that another attempt may spare, as of a network, are not: a resumed run asks again.
        """
        digest = request_digest(request)
        entry = self._journal.recall("call", digest)
        if entry is not None:
            return _told_again(entry)
        content: dict[str, Any] = {"request": request_to_json(request)}
        try:
            reply = self._model.answer(request)
        except (BadAnswerError, RefusedError) as error:
            self._journal.add("call", digest, content | {"error": _error_to_json(error)}, paid=True)
            raise
        self._journal.add(
            "call", digest, content | {"reply": reply_to_json(reply)}, paid=_was_paid(reply)
        )
        return reply


def _was_paid(reply: Reply) -> bool:
    """Tell whether an answer may have cost something: the built-in rules use no tokens."""
    return any(tokens != 0 for tokens in astuple(reply.usage))


def _told_again(entry: dict[str, Any]) -> Reply:
    if "error" not in entry:
        return reply_from_json(entry["reply"])
    raise error_from_json(entry["error"])


def error_from_json(data: Mapping[str, Any]) -> ModelError:
    """Return the error in which a call ended, from the journal."""
    kinds: dict[str, type[ModelError]] = {"bad": BadAnswerError, "refused": RefusedError}
    told = dict(data)
    return kinds[told.pop("kind")](told.pop("message"), **told)


def _error_to_json(error: BadAnswerError | RefusedError) -> dict[str, Any]:
    return {
        "kind": "refused" if isinstance(error, RefusedError) else "bad",
        "message": error.message,
        "model": error.model,
        "hint": error.hint,
        "attempts": error.attempts,
        "working": error.working,
        "waiting": error.waiting,
    }


@dataclass(frozen=True)
class KeptCode:
    """Code that was approved of: of which step, after which steps."""

    unit: str
    before: tuple[str, ...]
    code: str


class RecordedShelf:
    """Offers what the journal says; beyond it asks the shelf, and writes down what it offers.

    Parameters
    ----------
    shelf : Shelf
        That of the run.
    journal : NotebookJournal

    Attributes
    ----------
    kept : list of KeptCode
        What this notebook has for the shelf, once it is known to have led to something.
    """

    def __init__(self, shelf: Shelf, journal: NotebookJournal) -> None:
        self._shelf = shelf
        self._journal = journal
        self.kept: list[KeptCode] = []

    def offer(self, task: Task, unit: ActionUnit, before: Sequence[str]) -> str | None:
        """Return code for a step, or None (see `Shelf`)."""
        digest = text_digest(unit.name, *before)
        entry = self._journal.recall("offer", digest)
        if entry is not None:
            code: str | None = entry["code"]
            return code
        code = self._shelf.offer(task, unit, before)
        self._journal.add("offer", digest, {"unit": unit.name, "code": code}, paid=False)
        return code

    def keep(self, task: Task, unit: ActionUnit, before: Sequence[str], code: str) -> None:
        """Put code aside for the shelf: approved code may have done nothing, or harm."""
        self.kept.append(KeptCode(unit.name, tuple(before), code))


class RecordedFiles:
    """Shows what the journal says; beyond it looks at the files, and writes that down.

    Parameters
    ----------
    look : callable
        Returns the files of the task as text.
    journal : NotebookJournal
    """

    def __init__(self, look: Callable[[], str], journal: NotebookJournal) -> None:
        self._look = look
        self._journal = journal
        self._shown: str | None = None

    def __call__(self) -> str:
        """Return the files as text, the same for all of a notebook."""
        if self._shown is None:
            digest = text_digest("files")
            entry = self._journal.recall("files", digest)
            if entry is None:
                self._shown = self._look()
                self._journal.add("files", digest, {"text": self._shown}, paid=False)
            else:
                self._shown = str(entry["text"])
        return self._shown


class RecordedLook:
    """Tells what the journal says; beyond it looks, and writes down what it saw.

    Parameters
    ----------
    look : callable
        Looks at what the session wrote.
    session : RecordedSession
        Brought into the present state before.
    journal : NotebookJournal
    """

    def __init__(
        self, look: Callable[[], bool], session: RecordedSession, journal: NotebookJournal
    ) -> None:
        self._look = look
        self._session = session
        self._journal = journal

    def __call__(self) -> bool:
        """Tell whether it is recorded."""
        digest = text_digest()
        entry = self._journal.recall("look", digest)
        if entry is not None:
            return bool(entry["recorded"])
        self._session.settle()
        recorded = self._look()
        self._journal.add("look", digest, {"recorded": recorded}, paid=False)
        return recorded


def recorded_work(
    agent: Agent,
    task: Task,
    switches: Switches,
    journal: NotebookJournal,
    *,
    model: Model,
    session: RecordedSession,
    shelf: RecordedShelf,
    look: Callable[[], str],
    is_recorded: Callable[[], bool],
    temperature: float | None = None,
    max_output: int | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> NotebookWork:
    """Return the work of an agent that writes code.

    Parameters
    ----------
    agent : str
        ``team`` or ``codeact``.
    task, switches, journal : Task, Switches, NotebookJournal
    model : Model
        Who answers what is not in the journal.
    session, shelf : RecordedSession, RecordedShelf
        With the same journal.
    look : callable
        Returns the files of the task as text.
    is_recorded : callable
        Tells whether the notebook has recorded anything.
    temperature, max_output, on_event
        As of `NotebookWork`.
    """
    recorded = RecordedModel(model, journal)
    if agent == "codeact":
        return ScriptWork(
            task,
            switches,
            recorded,
            session,
            RecordedFiles(look, journal),
            temperature=temperature,
            max_output=max_output,
            on_event=on_event,
        )
    return NotebookWork(
        task,
        switches,
        recorded,
        session,
        shelf,
        temperature=temperature,
        max_output=max_output,
        is_recorded=RecordedLook(is_recorded, session, journal),
        on_event=on_event,
    )
