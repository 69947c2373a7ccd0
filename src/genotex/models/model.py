"""The protocol that every model follows: requests, replies, and a scripted model for tests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from typing import Any, Literal, Protocol

from genotex.errors import BadAnswerError, UsageError

Author = Literal["system", "user", "assistant"]

StopReason = Literal["finished", "length", "refusal", "content_filter", "failed"]
"""Why a model stopped: done, maximum number of output tokens, refusal by the model, answer cut by
the provider, or an error at the provider."""


@dataclass(frozen=True)
class Message:
    """One message of a conversation."""

    author: Author
    text: str


@dataclass(frozen=True)
class Request:
    """A question of a role to a model.

    Raises
    ------
    UsageError
        If there is no message, or the last one is not the user's.
    """

    # For example ``planner``; decides which model answers, and to whom the usage is charged
    role: str
    messages: tuple[Message, ...]  # The conversation, oldest first; the last message is the user's
    schema: Mapping[str, Any] | None = None  # JSON schema of the answer; None: text
    max_output: int | None = None  # Maximum number of tokens in the answer
    temperature: float | None = None  # None: the provider's default
    # What the question is about, as plain data for models that are programs, such as the built-in
    # rules, and for the record; no provider gets it
    facts: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Refuse a conversation that no provider would answer."""
        if not self.messages or self.messages[-1].author != "user":
            msg = f"a request of {self.role} must end with a user message"
            raise UsageError(msg)


@dataclass(frozen=True)
class Usage:
    """Tokens of one answer; None if the provider does not report them."""

    input_tokens: int | None = None  # All input, including cached input
    output_tokens: int | None = None  # All output, including reasoning
    # Part of the input that was read from, or written to, the provider's cache
    cached_tokens: int | None = None
    written_tokens: int | None = None

    @property
    def known(self) -> bool:
        """Whether both input and output are known."""
        return self.input_tokens is not None and self.output_tokens is not None


@dataclass(frozen=True)
class Reply:
    """The answer of a model."""

    text: str  # The answer as text; empty for a structured answer
    model: str  # Requested model, such as ``openai:gpt-4o``
    # A structured answer as plain JSON values, not yet checked; None for a text answer
    data: Any = None
    stop: StopReason = "finished"  # Why the model stopped
    usage: Usage = field(default_factory=Usage)
    provider: str = ""  # For example ``openai``
    version: str | None = None  # The model that answered, as the provider names it
    working: float = 0.0  # Seconds spent on calls, including failed ones
    waiting: float = 0.0  # Seconds spent waiting: for a rate limit, before a retry, for a free slot
    attempts: int = 1  # Number of calls


class Model(Protocol):
    """Anything that can answer a role: a provider's service, a recording, a script, rules."""

    @property
    def name(self) -> str:
        """Name as a user writes it, such as ``openai:gpt-4o``."""
        ...  # pragma: no cover

    def answer(self, request: Request) -> Reply:
        """Answer a request.

        Returns
        -------
        Reply
            Also if the model refuses or stops early; see `Reply.stop`.

        Raises
        ------
        ModelError
            If there is no answer.
        BudgetReachedError
            If a limit is reached.
        """
        ...  # pragma: no cover


_NOTHING = Usage(0, 0, 0, 0)


class ScriptedModel:
    """Answers from a list or by a function: for tests and worked examples.

    Parameters
    ----------
    answers
        The answers in order, or a function from request to answer. An answer is a text, a dataclass
        or JSON value (a structured answer), a complete `Reply`, or an exception to raise.
    name
        Its name.

    Attributes
    ----------
    requests
        All requests so far.
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
            msg = f"the script has no answer {len(self.requests)}, requested by {request.role}"
            raise BadAnswerError(msg, model=self._name, hint="give it more answers") from None
