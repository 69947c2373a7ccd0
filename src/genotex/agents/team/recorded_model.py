"""Calls that are in the journal of a notebook before their answer is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from typing import Any, Protocol

from genotex.agents.models import (
    Model,
    Reply,
    Request,
    reply_from_json,
    reply_to_json,
    request_digest,
    request_to_json,
)
from genotex.agents.team.notebook_journal import NotebookJournal
from genotex.errors import BadAnswerError, ModelError, RefusedError

__all__ = ["RecordedModel", "RoutedModel", "Router", "error_from_json"]


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
