"""Requests and replies, in the terms of pydantic-ai and in ours.

Only here are providers' packages imported.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from genotex.errors import UsageError
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
