"""Models by name, and by the role that they answer."""

from __future__ import annotations

import difflib
import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, TypeVar

from genotex.errors import UsageError
from genotex.models.catalogue import PROVIDERS, ProviderOptions, RetryPolicy, parse_name
from genotex.models.model import Model, Reply, Request
from genotex.models.prices import PriceSnapshot, take_prices
from genotex.models.provider_model import ProviderModel
from genotex.models.recording import ReplayModel
from genotex.models.structured import ModelAnswer, ask_for, finished_text
from genotex.models.usage import Budget, MeteredModel, UsageLedger

if TYPE_CHECKING:
    from genotex.models.settings import ModelSettings

Kind = TypeVar("Kind")


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


_Maker = Callable[[str, Mapping[str, ProviderOptions], RetryPolicy, Mapping[str, str]], Model]


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
    "replay": lambda name, *_: ReplayModel.of_name(name),
    **dict.fromkeys(PROVIDERS, _provider_model),
}
"""Name before the colon -> function that makes the model."""

_NAMES = ", ".join(PROVIDERS)


class RoleModels:
    """Sends each request to the model of its role; thread-safe."""

    def __init__(
        self,
        default: Model,
        by_role: Mapping[str, Model] | None = None,
        temperature: float | None = None,
        max_output: int | None = None,
    ) -> None:
        self._default = default
        self._by_role = dict(by_role or {})
        self._temperature = temperature
        self._max_output = max_output

    def model_of(self, role: str) -> Model:
        """Return the model that answers a role."""
        return self._by_role.get(role, self._default)

    def ask(self, request: Request) -> Reply:
        """Ask for text."""
        reply = self._answer(request)
        if reply.data is not None and not reply.text.strip():
            # A tool call where text was asked for.
            reply = replace(reply, text=json.dumps(reply.data, ensure_ascii=False))
        return finished_text(reply)

    def ask_for(self, request: Request, kind: type[Kind]) -> ModelAnswer[Kind]:
        """Ask for structured data (see `structured.ask_for`); errors are those of `ask`."""
        return ask_for(self._answer, request, kind)

    def as_sent(self, request: Request) -> Request:
        """Return a request with the settings that it leaves open."""
        if request.temperature is None:
            request = replace(request, temperature=self._temperature)
        if request.max_output is None:
            request = replace(request, max_output=self._max_output)
        return request

    def _answer(self, request: Request) -> Reply:
        return self.model_of(request.role).answer(self.as_sent(request))


def prices_of(settings: ModelSettings, day: date) -> PriceSnapshot:
    """Return the prices of all models in the settings on a day; a run keeps them."""
    names = set()
    for name in settings.names:
        replayed = name.startswith("replay:")
        names |= {*ReplayModel.of_name(name).models} if replayed else {name}
    return take_prices(sorted(names), day, settings.prices)


def role_models(
    settings: ModelSettings,
    ledger: UsageLedger,
    budget: Budget | None = None,
    environ: Mapping[str, str] = os.environ,
    wrap: Callable[[Model], Model] | None = None,
) -> RoleModels:
    """Return the models of the settings, metered and limited.

    `wrap` is the outermost wrapper of every model; what it answers itself is neither limited nor
    recorded.
    """
    slots = {
        name: threading.BoundedSemaphore(options.at_once)
        for name, options in settings.providers.items()
    }

    def make(name: str) -> Model:
        model = model_from_name(name, settings.providers, settings.retry, environ)
        provider = name.partition(":")[0]
        # Only paid calls are limited: a recording is answered without the provider.
        limits = budget if provider in PROVIDERS else None
        metered = MeteredModel(model, ledger, limits, slots.get(provider))
        return wrap(metered) if wrap is not None else metered

    made = {name: make(name) for name in settings.names}
    return RoleModels(
        made[settings.model],
        {role: made[name] for role, name in settings.by_role.items()},
        settings.temperature,
        settings.max_output,
    )
