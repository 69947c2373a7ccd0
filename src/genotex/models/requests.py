"""Requests, replies and failures of calls, in the terms of pydantic-ai and in ours.

Only here are providers' packages imported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

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
    UsageError,
    WrongKeyError,
)
from genotex.models.catalogue import PROVIDERS, ProviderModelName, StructuredMode
from genotex.models.model import Message, Reply, Request, StopReason, Usage
from genotex.models.structured import json_values

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx2 import AsyncClient
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model as PydanticModel
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings


_CONNECTING = 10.0
"""Seconds to connect."""

_NO_KEY = "none"
"""Sent if no key is set: the package of OpenAI would look for its own in the environment."""


def require_packages(provider: str) -> None:
    """Refuse a provider whose packages are not installed."""
    extra = PROVIDERS[provider].extra
    try:
        # Imports happen here, outside the time limit of a call.
        import_module("pydantic_ai.direct")
        import_module(f"pydantic_ai.models.{extra}")
    except ImportError as error:
        msg = f"{provider} needs packages that are not installed; pip install 'genotex[{extra}]'"
        raise UsageError(msg) from error


def make_client(timeout: float) -> AsyncClient:
    """Return an HTTP client for one call."""
    # It follows no redirect, which would send the key to an address that the user did not name.
    from httpx2 import AsyncClient, Timeout

    return AsyncClient(
        verify=_certificates(),
        timeout=Timeout(timeout, connect=min(_CONNECTING, timeout)),
        follow_redirects=False,
    )


@cache
def _certificates() -> SSLContext:
    """Return the certificates; read once, which is the slowest part of making a client."""
    from httpx2 import create_ssl_context

    return create_ssl_context()


def make_model(
    name: ProviderModelName, address: str | None, key: str | None, client: AsyncClient
) -> PydanticModel:
    """Return a model that answers one call over `client`."""
    match PROVIDERS[name.provider].extra:
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            # Without base_url the package would take one from the environment.
            anthropic = AnthropicProvider(api_key=key, base_url=address, http_client=client)
            return AnthropicModel(name.model, provider=anthropic)
        case "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            google = GoogleProvider(api_key=key or _NO_KEY, base_url=address, http_client=client)
            return GoogleModel(name.model, provider=google)
    return _make_openai_model(name, address, key or _NO_KEY, client)


def _make_openai_model(
    name: ProviderModelName, address: str | None, key: str, client: AsyncClient
) -> PydanticModel:
    """Return a model with OpenAI's chat completions API."""
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers import Provider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    service = AsyncOpenAI(base_url=address, api_key=key, http_client=client, max_retries=0)
    provider: Provider[AsyncOpenAI]
    if (client_class := PROVIDERS[name.provider].client) is None:
        provider = OpenAICompatibleProvider(name.provider, openai_client=service)
    else:
        module, _, class_name = client_class.rpartition(".")
        make_provider = getattr(import_module(f"pydantic_ai.providers.{module}"), class_name)
        provider = make_provider(openai_client=service)
    # Servers that do not know the newer max_completion_tokens ignore it silently.
    newer = name.provider == "openai"
    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=newer)
    return OpenAIChatModel(name.model, provider=provider, profile=profile)


_ANSWER = "answer"
_ANSWER_HELP = "Give the answer; call this once, with the whole answer."

_IN_WORDS = """\
Answer with one JSON value and nothing else: no code fence, no words around it.
It must fit this JSON schema:
{schema}"""


def usable_mode(
    mode: StructuredMode, schema: Mapping[str, Any] | None, profile: Mapping[str, Any]
) -> StructuredMode:
    """Return the mode nearest to `mode` in which a model gives structured answers."""
    if schema is not None and schema.get("type") != "object":
        return "text"
    if mode == "schema" and not profile.get("supports_json_schema_output", False):
        mode = "tool"
    return "text" if mode == "tool" and not profile.get("supports_tools", True) else mode


def to_messages(request: Request, mode: StructuredMode) -> list[ModelMessage]:
    """Return the conversation; the last message contains the schema if nothing else does."""
    messages = list(request.messages)
    if request.schema is not None and mode in ("json", "text"):
        schema = json.dumps(request.schema, ensure_ascii=False)
        last = messages[-1]
        messages[-1] = Message(last.author, f"{last.text}\n\n{_IN_WORDS.format(schema=schema)}")
    return [_to_message(message) for message in messages]


def _to_message(message: Message) -> ModelMessage:
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        UserPromptPart,
    )

    match message.author:
        case "assistant":
            return ModelResponse(parts=[TextPart(message.text)])
        case "system":
            return ModelRequest(parts=[SystemPromptPart(message.text)])
        case "user":
            return ModelRequest(parts=[UserPromptPart(message.text)])


def to_parameters(request: Request, mode: StructuredMode) -> ModelRequestParameters:
    """Return the requested form of the answer."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    if request.schema is None or mode == "text":
        return ModelRequestParameters()
    schema = dict(request.schema)
    if mode == "tool":
        tool = ToolDefinition(
            name=_ANSWER, parameters_json_schema=schema, description=_ANSWER_HELP, kind="output"
        )
        return ModelRequestParameters(
            output_mode="tool", output_tools=[tool], allow_text_output=False
        )
    form = OutputObjectDefinition(json_schema=schema, name=_ANSWER)
    if mode == "schema":
        return ModelRequestParameters(output_mode="native", output_object=form)
    # The schema is in the messages already.
    return ModelRequestParameters(
        output_mode="prompted", output_object=form, prompted_output_template=False
    )


def to_settings(request: Request, provider: str, timeout: float) -> ModelSettings:
    """Return the settings of one call; asking again is our own affair."""
    from pydantic_ai.settings import ModelSettings

    settings = ModelSettings(timeout=timeout, max_retries=0)
    most = request.max_output or PROVIDERS[provider].max_output
    if most is not None:
        settings["max_tokens"] = most
    if request.temperature is not None:
        settings["temperature"] = request.temperature
    return settings


def to_reply(
    response: ModelResponse, name: ProviderModelName, without_keys: Callable[[str], str]
) -> Reply:
    """Return the reply."""
    stop, refusal = _stop(response)
    text = _clean(refusal or response.text or "", without_keys)
    data = None
    for call in response.tool_calls:
        arguments = call.args if isinstance(call.args, str) else json.dumps(call.args)
        arguments = _clean(arguments, without_keys)
        data = next(json_values(arguments), None)
        text = "" if data is not None else arguments
    return Reply(
        text,
        str(name),
        data,
        stop,
        _usage(response, name.provider),
        name.provider,
        response.model_name and _clean(response.model_name, without_keys),
    )


def _clean(text: str, without_keys: Callable[[str], str]) -> str:
    """Return a text that can be written to a file: no keys, no halves of a character."""
    return without_keys(text.encode("utf-8", "replace").decode("utf-8"))


def _stop(response: ModelResponse) -> tuple[StopReason, str | None]:
    """Return why the model stopped, and the text of a refusal."""
    details = response.provider_details or {}
    if "refusal" in details or details.get("finish_reason") == "refusal":
        return "refusal", details.get("refusal")
    match response.finish_reason:
        case "length":
            return "length", None
        case "content_filter":
            return "content_filter", None
        case "error":
            return "failed", None
    return "finished", None


def _usage(response: ModelResponse, provider: str) -> Usage:
    reported = response.usage
    if reported.unmeasured_requests or not (reported.input_tokens or reported.output_tokens):
        return Usage()
    if reported.cache_read_tokens + reported.cache_write_tokens > reported.input_tokens:
        # Counts that contradict each other would make the call cheaper than nothing.
        return Usage()
    cached: int | None = reported.cache_read_tokens
    if not cached and not PROVIDERS[provider].reports_cached:
        cached = None
    return Usage(reported.input_tokens, reported.output_tokens, cached, reported.cache_write_tokens)


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
