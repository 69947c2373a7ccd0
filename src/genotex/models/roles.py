"""Models by role: one for all roles, or one for each."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import TypeVar

from genotex.models.model import Model, Reply, Request
from genotex.models.prices import PriceSnapshot, take_prices
from genotex.models.providers.catalogue import PROVIDERS
from genotex.models.recording import ReplayModel
from genotex.models.registry import model_from_name
from genotex.models.settings import ModelSettings
from genotex.models.structured import Answer, ask_for, finished_text
from genotex.models.usage import Budget, MeteredModel, UsageLedger

Kind = TypeVar("Kind")


class RoleModels:
    """Sends each request to the model of its role; thread-safe.

    Parameters
    ----------
    default
        Model of every role without its own.
    by_role
        Role -> its model.
    temperature, max_output
        Defaults for requests.
    """

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
        """Ask for text.

        Returns
        -------
        Reply
            With text that is not empty; it may be cut (``stop`` is then ``length``).

        Raises
        ------
        ModelError
            If there is no usable answer (also `RefusedError`, `BadAnswerError`).
        BudgetReachedError
            If a limit is reached.
        """
        reply = self._answer(request)
        if reply.data is not None and not reply.text.strip():
            # A tool call where text was asked for.
            reply = replace(reply, text=json.dumps(reply.data, ensure_ascii=False))
        return finished_text(reply)

    def ask_for(self, request: Request, kind: type[Kind]) -> Answer[Kind]:
        """Ask for structured data (see `structured.ask_for`); errors are those of `ask`."""
        return ask_for(self._answer, request, kind)

    def _answer(self, request: Request) -> Reply:
        if request.temperature is None:
            request = replace(request, temperature=self._temperature)
        if request.max_output is None:
            request = replace(request, max_output=self._max_output)
        return self.model_of(request.role).answer(request)


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

    Parameters
    ----------
    ledger
        Where usage is recorded.
    budget
        Limits; None: no limits.
    environ
        The environment, with the keys.
    wrap
        Outermost wrapper of every model; what it answers itself is neither limited nor recorded.

    Raises
    ------
    UsageError
        If packages are not installed, or a key is not set.
    FormatError
        If a recording cannot be read.
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
