"""The providers that can be asked, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["PROVIDERS", "Provider", "StructuredMode"]

StructuredMode = Literal["schema", "tool", "json", "text"]
"""How a structured answer is asked for: ``schema``: the service is given the JSON schema; ``tool``:
the model calls a tool whose arguments are the answer; ``json``: the service holds the model to
JSON, and the messages tell the schema; ``text``: the messages alone tell it."""


@dataclass(frozen=True)
class Provider:
    """A provider of models.

    Attributes
    ----------
    extra : str
        The optional part of genotex that it needs.
    keys : tuple of str
        Variables of the environment that may hold the key; the first that is set counts.
    key_needed : bool
        Whether it answers without a key.
    address : str or None
        Where it answers; None: told with the name of the model.
    structured : str
        How a structured answer is asked for.
    max_output : int or None
        Most tokens of an answer where a request does not say; None: the provider decides.
    tells_cached : bool
        Whether it tells how much of the input was read from a cache; where not, 0 means unknown.
    """

    extra: str
    keys: tuple[str, ...]
    key_needed: bool
    address: str | None
    structured: StructuredMode
    max_output: int | None = None
    tells_cached: bool = True


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider("openai", ("OPENAI_API_KEY",), True, "https://api.openai.com/v1", "schema"),
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
    "deepseek": Provider("openai", ("DEEPSEEK_API_KEY",), True, "https://api.deepseek.com", "json"),
    "ollama": Provider(
        "openai",
        ("OLLAMA_API_KEY",),
        False,
        "http://localhost:11434/v1",
        "text",
        tells_cached=False,
    ),
    "openai-compatible": Provider(
        "openai", ("OPENAI_COMPATIBLE_API_KEY",), False, None, "text", tells_cached=False
    ),
}
"""Name of the provider -> what is known of it."""
