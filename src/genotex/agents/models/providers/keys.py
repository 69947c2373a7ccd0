"""Keys: read from the environment for each call, and kept out of everything that is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from genotex.agents.models.providers.catalogue import PROVIDERS
from genotex.errors import UsageError

__all__ = ["read_key", "without_keys"]

SHORTEST = 8
"""Shorter values are no secrets, as ``none`` for a server that wants any key."""

_HIDDEN = "[key]"


def read_key(provider: str, variables: Sequence[str], environ: Mapping[str, str]) -> str | None:
    """Return the key of a provider, or None where it needs none and none is set.

    Parameters
    ----------
    provider : str
        As in the catalogue.
    variables : sequence of str
        Variables that may hold it; the first that is set counts.
    environ : mapping
        The environment.

    Raises
    ------
    UsageError
        If it needs one, or what is set cannot be a key.
    """
    key = next((environ[name].strip() for name in variables if environ.get(name, "").strip()), None)
    if key is None and PROVIDERS[provider].key_needed:
        msg = (
            f"{provider} needs a key: set {' or '.join(variables)} in the environment; it is read "
            "from nowhere else"
        )
        raise UsageError(msg)
    if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
        msg = f"what {' or '.join(variables)} holds cannot be a key: it has spaces or odd signs"
        raise UsageError(msg)
    return key


def without_keys(text: str, variables: Sequence[str], environ: Mapping[str, str]) -> str:
    """Return a text with every key of the environment taken out.

    Parameters
    ----------
    text : str
        What a provider said, which may repeat a key.
    variables : sequence of str
        Further variables that hold keys, beside those of the catalogue.
    environ : mapping
        The environment.
    """
    known = [name for each in PROVIDERS.values() for name in each.keys]
    secrets = {environ.get(name, "").strip() for name in (*known, *variables)}
    # A key that holds another one goes first, so that no rest of it stays.
    for secret in sorted(secrets, key=lambda each: (-len(each), each)):
        if len(secret) >= SHORTEST:
            text = text.replace(secret, _HIDDEN)
    return text
