"""The providers: their names, keys and addresses, and options of calls to them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from genotex.errors import UsageError

StructuredMode = Literal["schema", "tool", "json", "text"]
"""How a structured answer is requested: ``schema``: the service gets the JSON schema; ``tool``: the
model calls a tool whose arguments are the answer; ``json``: the service enforces JSON, and the
messages contain the schema; ``text``: only the messages contain it."""


@dataclass(frozen=True)
class Provider:
    """A provider of models."""

    extra: str  # the extra of genotex that it needs
    keys: tuple[str, ...]  # environment variables of the key; the first that is set counts
    key_needed: bool
    address: str | None  # None: part of the model's name
    structured: StructuredMode
    max_output: int | None = None  # default maximum of output tokens; None: the provider decides
    client: str | None = None  # pydantic-ai's class for OpenAI's API; None: the general one
    reports_cached: bool = True  # if not, a report of 0 cached tokens means unknown


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(
        "openai",
        ("OPENAI_API_KEY",),
        True,
        "https://api.openai.com/v1",
        "schema",
        client="openai.OpenAIProvider",
    ),
    "anthropic": Provider(
        "anthropic",
        ("ANTHROPIC_API_KEY",),
        True,
        "https://api.anthropic.com",
        "tool",
        # The interface demands a number, and answers that may be longer have to be streamed.
        max_output=16_384,
    ),
    "google": Provider(
        "google",
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        True,
        "https://generativelanguage.googleapis.com",
        "schema",
    ),
    "deepseek": Provider(
        "openai",
        ("DEEPSEEK_API_KEY",),
        True,
        "https://api.deepseek.com",
        "json",
        client="deepseek.DeepSeekProvider",
    ),
    "ollama": Provider(
        "openai",
        ("OLLAMA_API_KEY",),
        False,
        "http://localhost:11434/v1",
        "text",
        client="ollama.OllamaProvider",
        reports_cached=False,
    ),
    "openai-compatible": Provider(
        "openai", ("OPENAI_COMPATIBLE_API_KEY",), False, None, "text", reports_cached=False
    ),
}
"""Name of the provider -> its properties."""


_COMPATIBLE = "openai-compatible"
_AT_ADDRESS = re.compile(r"(?P<model>.+?)@(?P<address>https?://.*)")


@dataclass(frozen=True)
class ProviderModelName:
    """A provider's model."""

    provider: str  # as in the catalogue
    model: str  # in the provider's words
    address: str | None = None  # for ``openai-compatible``

    def __str__(self) -> str:
        """Return the name as a user writes it."""
        return f"{self.provider}:{self.model}" + (f"@{self.address}" if self.address else "")


def parse_name(text: str) -> ProviderModelName:
    """Read a name: ``PROVIDER:MODEL``, or ``openai-compatible:MODEL@ADDRESS``."""
    provider, _, model = text.partition(":")
    if provider not in PROVIDERS:
        msg = f"{provider!r} names no provider: write PROVIDER:MODEL, of {', '.join(PROVIDERS)}"
        raise UsageError(msg)
    address = None
    if provider == _COMPATIBLE:
        parts = _AT_ADDRESS.fullmatch(model)
        if parts is None:
            # What was written is not repeated: there may be a password in it.
            msg = f"the address is missing: write {_COMPATIBLE}:MODEL@http://HOST:PORT/v1"
            raise UsageError(msg)
        model, address = parts["model"], check_address(parts["address"], "the model's address")
    elif "@http" in model:
        # Nor here is it repeated.
        msg = (
            f"a model of {provider} has no address in its name: write {provider}:MODEL and "
            f"[provider.{provider}] address in the settings, or {_COMPATIBLE}:MODEL@ADDRESS"
        )
        raise UsageError(msg)
    if not model.strip() or any(sign.isspace() for sign in model):
        msg = f"{text!r} lacks the name of the model: write {provider}:MODEL"
        raise UsageError(msg)
    return ProviderModelName(provider, model, address)


def check_address(address: str, what: str) -> str:
    """Return an address that a service can have."""
    try:
        parts = urlsplit(address)
        complete = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        complete = False
    if not complete:
        msg = f"{what} is no address of a service: write http://HOST:PORT/v1 or https://HOST/v1"
        raise UsageError(msg)
    if parts.username or parts.password or parts.query or parts.fragment:
        msg = f"{what} has a user, a password or a query in it; keys come from the environment only"
        raise UsageError(msg)
    return address


@dataclass(frozen=True)
class RetryPolicy:
    """When a failed call is retried."""

    # Most calls for one answer, including the first.
    attempts: int = field(default=5, metadata={"gt": 0})
    # Seconds before the second call; each further wait is twice as long.
    first_wait: float = field(default=1.0, metadata={"ge": 0})
    # Seconds; if a provider asks for more, there is no retry.
    longest_wait: float = field(default=120.0, metadata={"ge": 0})
    # Of the random part of waits: concurrent calls must not retry together.
    seed: int = field(default=0, metadata={"ge": 0})


@dataclass(frozen=True)
class ProviderOptions:
    """Options of calls to one provider."""

    address: str | None
    key: tuple[str, ...]  # environment variables of the key; the first that is set counts
    structured: StructuredMode
    # Wall-clock seconds for one call, from the start to the last byte.
    timeout: float = field(default=300.0, metadata={"gt": 0})
    at_once: int = field(default=4, metadata={"gt": 0})  # concurrent calls

    @classmethod
    def usual(cls, provider: str) -> ProviderOptions:
        """Return the default options of a provider."""
        known = PROVIDERS[provider]
        return cls(known.address, known.keys, known.structured)
