"""The registry of models by name."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping

from genotex.errors import UsageError
from genotex.models.model import Model
from genotex.models.providers.catalogue import (
    PROVIDERS,
    ProviderOptions,
    RetryPolicy,
    parse_name,
)
from genotex.models.providers.provider_model import ProviderModel
from genotex.models.recording import ReplayModel


def check_name(name: str) -> None:
    """Refuse a name that is not the name of a model."""
    kind, _, rest = name.partition(":")
    if kind not in _MAKERS:
        near = difflib.get_close_matches(kind, _MAKERS, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        # The part after the colon is not repeated: it may contain a password.
        msg = f"unknown model {kind!r}: write PROVIDER:MODEL of {_NAMES}, or replay:FILE{hint}"
        raise UsageError(msg)
    if kind in PROVIDERS:
        parse_name(name)
    elif kind == "replay" and not rest:
        msg = f"{name!r} lacks the file of the recording: write replay:FILE"
        raise UsageError(msg)


def model_from_name(
    name: str,
    providers: Mapping[str, ProviderOptions] | None = None,
    retry: RetryPolicy | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Model:
    """Return the model of a name.

    Parameters
    ----------
    name
        ``PROVIDER:MODEL``, ``openai-compatible:MODEL@ADDRESS`` or ``replay:FILE``.
    providers
        Options of providers that differ from the defaults.
    retry
        When a failed call is retried.
    environ
        The environment, with the keys.

    Raises
    ------
    UsageError
        If the name is unknown, packages are not installed, or a key is not set.
    FormatError
        If a recording cannot be read.
    """
    check_name(name)
    kind = name.partition(":")[0]
    return _MAKERS[kind](name, providers or {}, retry or RetryPolicy(), environ)


def register(kind: str, make: _Maker) -> None:
    """Add a model that is defined in a higher package."""
    _MAKERS[kind] = make


_Maker = Callable[
    [str, Mapping[str, ProviderOptions], RetryPolicy, Mapping[str, str]],
    Model,
]


def _replay(name: str, *_: object) -> Model:
    return ReplayModel.of_name(name)


def _provider_model(
    name: str,
    providers: Mapping[str, ProviderOptions],
    retry: RetryPolicy,
    environ: Mapping[str, str],
) -> Model:
    parsed = parse_name(name)
    options = providers.get(parsed.provider) or ProviderOptions.usual(parsed.provider)
    return ProviderModel(parsed, options, retry, environ)


_MAKERS: dict[str, _Maker] = {
    "replay": _replay,
    **dict.fromkeys(PROVIDERS, _provider_model),
}
"""Name before the colon -> function that makes the model."""

_NAMES = ", ".join(PROVIDERS)
