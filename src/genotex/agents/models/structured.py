"""Ask for data: the answer is checked, and the model has one chance to repair it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from genotex.agents.models.json_text import json_values
from genotex.agents.models.model import Message, Reply, Request
from genotex.agents.models.schema import build, schema_of
from genotex.agents.models.schema_check import mismatches
from genotex.errors import BadAnswerError, RefusedError, UsageError

__all__ = ["Answer", "ask_data", "ask_for", "finished_text"]

Kind = TypeVar("Kind")
Ask = Callable[[Request], Reply]

_REPAIR = """\
Your answer cannot be used: {problems}.
Answer the same question again, with one JSON value of the form that was asked for and nothing else.
"""

_SHORTER = " It was cut off at the most tokens you may write, so be shorter."


@dataclass(frozen=True)
class Answer(Generic[Kind]):
    """A checked answer.

    Attributes
    ----------
    value : Kind
        What was asked for.
    replies : tuple of Reply
        What the model said: one reply, or two where the first had to be repaired.
    """

    value: Kind
    replies: tuple[Reply, ...]

    @property
    def repaired(self) -> bool:
        """Whether the first answer did not fit."""
        return len(self.replies) > 1


def ask_for(ask: Ask, request: Request, kind: type[Kind]) -> Answer[Kind]:
    """Ask for a dataclass.

    Parameters
    ----------
    ask : callable
        Sends a request to a model; called once or twice.
    request : Request
        Its schema is set here.
    kind : type
        A dataclass, see `schema_of`. A ValueError of its ``__post_init__`` is told to the model
        like a value that does not fit.

    Raises
    ------
    BadAnswerError
        If the second answer does not fit either.
    RefusedError
        If the model refuses.
    """
    return _ask(ask, replace(request, schema=schema_of(kind)), lambda data: build(kind, data))


def ask_data(ask: Ask, request: Request) -> Answer[Any]:
    """Ask for plain JSON values that fit the schema of the request (see `ask_for`).

    Raises
    ------
    UsageError
        If the request has no schema.
    """
    if request.schema is None:
        msg = f"{request.role} asks for data without saying of what form: give the request a schema"
        raise UsageError(msg)
    return _ask(ask, request, lambda data: data)


def _ask(ask: Ask, request: Request, read: Callable[[Any], Kind]) -> Answer[Kind]:
    replies: list[Reply] = []
    for _ in range(2):
        reply = ask(request)
        check_answered(reply)
        replies.append(reply)
        try:
            return Answer(_read(reply, request.schema or {}, read), tuple(replies))
        except ValueError as error:
            problems = str(error)
            request = replace(request, messages=(*request.messages, *_repair(reply, problems)))
    msg = f"the answer does not have the form that was asked for: {problems}"
    hint = f"role {request.role}; try another model or a simpler question"
    raise BadAnswerError(msg, model=reply.model, hint=hint, **_spent(*replies))


def _spent(*replies: Reply) -> dict[str, Any]:
    """Return what went into answers that are none, as errors keep it."""
    return {
        "attempts": sum(reply.attempts for reply in replies),
        "working": sum(reply.working for reply in replies),
        "waiting": sum(reply.waiting for reply in replies),
    }


def _read(reply: Reply, schema: Mapping[str, Any], read: Callable[[Any], Kind]) -> Kind:
    """Return the first value in the reply that fits.

    Raises
    ------
    ValueError
        If none does; its text says why.
    """
    values = [reply.data] if reply.data is not None else list(json_values(reply.text))
    problems: list[str] = []
    for value in values:
        wrong = mismatches(value, schema)
        if not wrong:
            try:
                return read(value)
            except ValueError as error:
                wrong = [str(error)]
        problems = problems or wrong
    raise ValueError("; ".join(problems) or _no_json(reply))


def _no_json(reply: Reply) -> str:
    return "it is empty" if not reply.text.strip() else "it holds no JSON that can be read"


def _repair(reply: Reply, problems: str) -> tuple[Message, Message]:
    said = reply.text if reply.data is None else json.dumps(reply.data, ensure_ascii=False)
    text = _REPAIR.format(problems=problems)
    if reply.stop == "length":
        text += _SHORTER
    # Providers do not accept an empty message of the model.
    return Message("assistant", said.strip() or "(empty)"), Message("user", text)


def check_answered(reply: Reply) -> None:
    """Raise for an answer that is none.

    Raises
    ------
    RefusedError
        If the model refused, or a filter cut the answer.
    BadAnswerError
        If the provider says that writing failed.
    """
    if reply.stop in ("refusal", "content_filter"):
        who = (
            "the model refuses"
            if reply.stop == "refusal"
            else "the provider's filter cut the answer"
        )
        said = " ".join(reply.text.split())
        msg = f"{who}: {said[:300]!r}" if said else who
        hint = "reword the question or use another model"
        raise RefusedError(msg, model=reply.model, hint=hint, **_spent(reply))
    if reply.stop == "failed":
        msg = "the provider says that the answer went wrong while it was written"
        hint = "ask again, or use another model"
        raise BadAnswerError(msg, model=reply.model, hint=hint, **_spent(reply))


def finished_text(reply: Reply) -> Reply:
    """Return a reply of text that says something; it may be cut (``stop`` is then ``length``).

    Raises
    ------
    RefusedError
        If the model refused.
    BadAnswerError
        If the answer is empty.
    """
    check_answered(reply)
    if not reply.text.strip():
        cut = reply.stop == "length"
        msg = "the answer is empty" + (
            ": all tokens it may write went into thinking" if cut else ""
        )
        hint = "allow more output tokens" if cut else "ask again, or use another model"
        raise BadAnswerError(msg, model=reply.model, hint=hint, **_spent(reply))
    return reply
