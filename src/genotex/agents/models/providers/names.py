"""Names of providers' models, as ``openai:gpt-4o``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from genotex.agents.models.providers.catalogue import PROVIDERS
from genotex.errors import UsageError

__all__ = ["ProviderModelName", "check_address", "parse_name"]

_COMPATIBLE = "openai-compatible"
_AT_ADDRESS = re.compile(r"(?P<model>.+?)@(?P<address>https?://.*)")


@dataclass(frozen=True)
class ProviderModelName:
    """A provider's model.

    Attributes
    ----------
    provider : str
        As in the catalogue.
    model : str
        Name of the model in the provider's words.
    address : str or None
        Where it answers, for ``openai-compatible``.
    """

    provider: str
    model: str
    address: str | None = None

    def __str__(self) -> str:
        """Return the name as a user writes it."""
        return f"{self.provider}:{self.model}" + (f"@{self.address}" if self.address else "")


def parse_name(text: str) -> ProviderModelName:
    """Read a name: ``PROVIDER:MODEL``, or ``openai-compatible:MODEL@ADDRESS``.

    Raises
    ------
    UsageError
        If the provider is not known, or a part is missing or makes no sense.
    """
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
    """Return an address that a service can have.

    Raises
    ------
    UsageError
        If it is none, or has a password in it; the password is not repeated.
    """
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
