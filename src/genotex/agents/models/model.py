"""What is asked of a model and what comes back: the protocol that every model has.

A model is anything with a `name` and a method `answer`: a provider's service, a recording, a list
of answers in a test, rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from genotex.errors import UsageError

__all__ = ["Author", "Message", "Model", "Reply", "Request", "StopReason", "Usage"]

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
    role : str
        Who asks, as ``planner``; decides which model answers, and what the usage is booked on.
    messages : tuple of Message
        The conversation, oldest first; the last one is a user's.
    schema : mapping, optional
        JSON schema of the answer; without it the answer is text.
    max_output : int, optional
        Most tokens of the answer.
    temperature : float, optional
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
    input_tokens : int or None
        All that was read, also from a cache.
    output_tokens : int or None
        All that was written, also what the model thought.
    cached_tokens, written_tokens : int or None
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
    text : str
        The answer as text; empty where `data` holds it.
    model : str
        Name of the model as it was asked for, as ``openai:gpt-4o``.
    data : Any
        A structured answer as plain JSON values, not yet checked; None where `text` holds it.
    stop : str
        Why it stopped.
    usage : Usage
    provider : str
        Who answered, as ``openai``.
    version : str or None
        The model that answered, in the provider's words.
    working : float
        Seconds of calls, also of those that failed.
    waiting : float
        Seconds of waiting: for a rate limit, before asking again, for a free slot.
    attempts : int
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

        Parameters
        ----------
        request : Request

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
