"""The protocol that every model follows: requests, replies, and a scripted model for tests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from typing import Any, Literal, Protocol

from genotex.errors import BadAnswerError, UsageError

__all__ = ["Author", "Message", "Model", "Reply", "Request", "ScriptedModel", "StopReason", "Usage"]

Author = Literal["system", "user", "assistant"]

StopReason = Literal["finished", "length", "refusal", "content_filter", "failed"]
"""Why a model stopped: it was done; ``length``: it reached the most tokens it may write;
``refusal``: it refuses; ``content_filter``: the provider cut the answer; ``failed``: the provider
says that writing went wrong."""


@dataclass(frozen=True)
class Message:
    """One message of a conversation."""

    author: Author
    text: str


@dataclass(frozen=True)
class Request:
    """What a role asks.

    Attributes
    ----------
    role
        Who asks, as ``planner``; decides which model answers, and what the usage is booked on.
    messages
        The conversation, oldest first; the last one is a user's.
    schema
        JSON schema of the answer; without it the answer is text.
    max_output
        Most tokens of the answer.
    temperature
        By default the provider's own.

    Raises
    ------
    UsageError
        If there is no message, or the last one is not a user's.
    """

    role: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    max_output: int | None = None
    temperature: float | None = None

    def __post_init__(self) -> None:
        """Refuse what no provider would answer."""
        if not self.messages or self.messages[-1].author != "user":
            msg = f"a request of {self.role} must end with a message of the user"
            raise UsageError(msg)


@dataclass(frozen=True)
class Usage:
    """Tokens of one answer; None where the provider does not tell.

    Attributes
    ----------
    input_tokens
        All that was read, also from a cache.
    output_tokens
        All that was written, also what the model thought.
    cached_tokens, written_tokens
        Of the input: read from, and written to, the provider's cache.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    written_tokens: int | None = None

    @property
    def known(self) -> bool:
        """Whether both input and output are known."""
        return self.input_tokens is not None and self.output_tokens is not None


@dataclass(frozen=True)
class Reply:
    """What a model answered.

    Attributes
    ----------
    text
        The answer as text; empty where `data` holds it.
    model
        Name of the model as it was asked for, as ``openai:gpt-4o``.
    data
        A structured answer as plain JSON values, not yet checked; None where `text` holds it.
    stop
        Why it stopped.
    provider
        Who answered, as ``openai``.
    version
        The model that answered, in the provider's words.
    working
        Seconds of calls, also of those that failed.
    waiting
        Seconds of waiting: for a rate limit, before asking again, for a free slot.
    attempts
        How often the provider was asked.
    """

    text: str
    model: str
    data: Any = None
    stop: StopReason = "finished"
    usage: Usage = field(default_factory=Usage)
    provider: str = ""
    version: str | None = None
    working: float = 0.0
    waiting: float = 0.0
    attempts: int = 1


class Model(Protocol):
    """Anyone who can answer a role."""

    @property
    def name(self) -> str:
        """Name as a user writes it, as ``openai:gpt-4o``."""
        ...  # pragma: no cover

    def answer(self, request: Request) -> Reply:
        """Answer a request.

        Returns
        -------
        Reply
            Also where the model refuses or stops early; see `Reply.stop`.

        Raises
        ------
        ModelError
            If no answer came.
        BudgetReachedError
            If a limit does not allow to ask.
        """
        ...  # pragma: no cover


_NOTHING = Usage(0, 0, 0, 0)


class ScriptedModel:
    """Answers with what it was given.

    Parameters
    ----------
    answers
        The answers in order, or a function from the request to the answer. An answer is a text, a
        dataclass or JSON value (a structured answer), a whole `Reply`, or an exception to raise.
    name
        Its name.

    Attributes
    ----------
    requests
        What was asked so far.
    """

    def __init__(
        self, answers: Iterable[Any] | Callable[[Request], Any], name: str = "scripted"
    ) -> None:
        self._function = answers if callable(answers) else None
        self._answers: Iterator[Any] = iter(() if callable(answers) else answers)
        self._name = name
        self._turn = threading.Lock()
        self.requests: list[Request] = []

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    def answer(self, request: Request) -> Reply:
        """Give the next answer (see `Model`).

        Raises
        ------
        BadAnswerError
            If all answers have been given.
        """
        with self._turn:
            self.requests.append(request)
            answer = self._next(request)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, Reply):
            return replace(answer, model=answer.model or self._name)
        if is_dataclass(answer) and not isinstance(answer, type):
            answer = asdict(answer)
        if isinstance(answer, str):
            return Reply(answer, self._name, usage=_NOTHING, provider="scripted")
        return Reply("", self._name, data=answer, usage=_NOTHING, provider="scripted")

    def _next(self, request: Request) -> Any:
        if self._function is not None:
            return self._function(request)
        try:
            return next(self._answers)
        except StopIteration:
            msg = f"the script has no answer {len(self.requests)}, asked by {request.role}"
            raise BadAnswerError(msg, model=self._name, hint="give it more answers") from None
