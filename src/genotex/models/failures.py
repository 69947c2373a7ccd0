"""Failures of calls as our own errors: what happened, and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from genotex.errors import (
    BadAnswerError,
    ContextTooLongError,
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
    OutOfCreditError,
    RateLimitedError,
    RefusedError,
    RequestRejectedError,
    WrongKeyError,
)

_LONGEST_MESSAGE = 300
"""Characters of the provider's message that an error repeats."""


@dataclass(frozen=True)
class Failure:
    """A call without an answer."""

    kind: type[ModelError]
    message: str  # never contains a key
    again: bool = False  # whether a retry may help
    wait: float | None = None  # seconds that the provider asks to wait

    @property
    def wants_stream(self) -> bool:
        """Whether the service answers only as a stream, or its package wants one for so much."""
        rejected = self.kind in (RequestRejectedError, BadAnswerError)
        return rejected and bool(_STREAM.search(self.message))

    @property
    def hint(self) -> str:
        """What the reader can do about it."""
        return _HINTS[self.kind]


_HINTS: Mapping[type[ModelError], str] = {
    WrongKeyError: "check the key in the environment, and that it may use this model",
    RateLimitedError: "resume later, or make fewer concurrent calls",
    OutOfCreditError: "check the account at the provider",
    ModelUnavailableError: "check address and network, or resume later",
    ModelTimeoutError: "allow more time with timeout, or resume later",
    ContextTooLongError: "use a model with a longer context, or shorter messages",
    RequestRejectedError: "check the name of the model and its settings",
    RefusedError: "reword the question or use another model",
    BadAnswerError: "check that the address is that of a model service, or resume later",
}

_TOO_LONG = (
    "context length",
    "context size",
    "context window",
    "context_length",
    "exceed_context_size",
    "prompt is too long",
    "too many tokens",
    "request_too_large",
    "request too large",
    "too large for model",
    "exceed context limit",
    "reduce the length of the messages",
    "input is too long",
    "inputs` tokens",
)
"""Phrases of servers for messages that are too long, in addition to those pydantic-ai knows."""

_STREAM = re.compile(r"\bstream(ing|s|ed)?\b", re.IGNORECASE)

_WAIT = re.compile(
    r"\b(?:try again|retry|reset)\w*\s+(?:in|after|at)\s+(?P<wait>(?:\d+(?:\.\d+)?\s*"
    r"(?:ms|milliseconds?|h|hours?|min|minutes?|m|sec|seconds?|s)(?![a-z])\s*)+)",
    re.IGNORECASE,
)
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)", re.IGNORECASE)
_UNITS = {"ms": 0.001, "mil": 0.001, "m": 60.0, "h": 3600.0, "d": 86400.0, "s": 1.0}
"""Seconds of a unit, by how its name begins; the first that fits counts."""

_FILTERED = ("content_policy", "content_filter", "content management policy", "safety system")


def failure_of(error: Exception, timeout: float, without_keys: Callable[[str], str]) -> Failure:
    """Return what an exception of a call means."""
    from pydantic_ai import exceptions as theirs

    reported = without_keys(" ".join(_provider_message(error).split()))[:_LONGEST_MESSAGE]
    match error:
        case TimeoutError() | theirs.ModelTimeoutError():
            return Failure(
                ModelTimeoutError, f"no complete answer within {timeout:g} s", again=True
            )
        case theirs.ModelHTTPError():
            return _of_status(error, reported)
        case theirs.ModelConnectionError():
            message = f"the connection failed or was cut: {reported}"
            return Failure(ModelUnavailableError, message, again=True)
        case theirs.ContentFilterError():
            return Failure(RefusedError, f"the provider's filter cut the answer: {reported}")
        case theirs.UserError():
            return Failure(RequestRejectedError, reported)
    if _is_redirect(error):
        message = "the address answers with a redirect, which is not followed: the key would go too"
        return Failure(RequestRejectedError, message)
    # The rest are unreadable answers: not JSON, or JSON of another form.
    what = reported or type(error).__name__
    return Failure(BadAnswerError, f"the service's answer cannot be read: {what}", again=True)


def _is_redirect(error: Exception) -> bool:
    cause = error.__cause__
    status = getattr(cause, "status_code", None) or getattr(cause, "code", None)
    return isinstance(status, int) and 300 <= status < 400


def _of_status(error: Any, reported: str) -> Failure:
    from pydantic_ai import exceptions as theirs

    status = error.status_code
    detail = f"status {status}" + (f", {reported!r}" if reported else "")
    words = f"{error.provider_error_code} {error.provider_error_type} {reported}".lower()
    match error:
        case theirs.ModelQuotaExceededError():
            return Failure(OutOfCreditError, f"the account's credit is used up: {detail}")
        case theirs.ModelRateLimitError():
            if "request too large" in words:
                # More tokens at once than are allowed in a minute: waiting does not help.
                return _rejected(error, detail, words, status)
            message = f"too many requests: {detail}"
            wait = error.retry_after if error.retry_after is not None else _stated_wait(error)
            return Failure(RateLimitedError, message, again=True, wait=wait)
        case theirs.ModelAuthenticationError():
            return Failure(WrongKeyError, f"the key is not accepted: {detail}")
        case theirs.ModelNotFoundError():
            return Failure(RequestRejectedError, f"there is no such model or address: {detail}")
    if status < 500 and status != 408:
        return _rejected(error, detail, words, status)
    again = error.provider_retry_hint is not False
    message = f"the service fails: {detail}"
    return Failure(ModelUnavailableError, message, again=again, wait=error.retry_after)


_RESETS = (
    "x-ratelimit-reset-requests",
    "x-ratelimit-reset-tokens",
    "anthropic-ratelimit-requests-reset",
    "anthropic-ratelimit-tokens-reset",
)
"""Headers that state when a limit ends: ``1s``, ``6m0s``, or a time of day."""


def _stated_wait(error: Any) -> float | None:
    """Return the wait that a message or a provider's own header states, in seconds."""
    if stated := _WAIT.search(_provider_message(error)):
        return _seconds(stated["wait"])
    headers = error.headers or {}
    waits = [_seconds(headers[name]) for name in _RESETS if name in headers]
    return max((wait for wait in waits if wait is not None), default=None)


def _seconds(text: str) -> float | None:
    """Return a duration (``6m0s``, ``20 seconds``), or the time until a moment, in seconds."""
    with suppress(ValueError):
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    parts = [float(number) * _unit(name.lower()) for number, name in _PART.findall(text)]
    return sum(parts) if parts else None


def _unit(name: str) -> float:
    return next((size for start, size in _UNITS.items() if name.startswith(start)), 1.0)


def _rejected(error: Any, detail: str, words: str, status: int) -> Failure:
    from pydantic_ai import exceptions as theirs

    too_long = isinstance(error, theirs.ModelContextWindowExceededError) or status == 413
    if too_long or any(each in words for each in _TOO_LONG):
        return Failure(ContextTooLongError, f"the messages are too long for the model: {detail}")
    if any(each in words for each in _FILTERED):
        return Failure(RefusedError, f"the provider's filter stops the question: {detail}")
    return Failure(RequestRejectedError, f"the request is not accepted: {detail}")


def _provider_message(error: Exception) -> str:
    """Return the provider's own message, without what pydantic-ai adds."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    message = inner.get("message") if isinstance(inner, Mapping) else inner
    return str(message) if message else str(getattr(error, "message", error))
