"""Settings of the models: from a TOML file, the environment and the command line, checked.

What comes later wins: file, environment, command line. Keys are no settings; they come from the
environment only.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

from genotex.agents.models.budget import Limits
from genotex.agents.models.prices import ModelPrice, Rate
from genotex.agents.models.providers.catalogue import PROVIDERS, StructuredMode
from genotex.agents.models.providers.names import check_address
from genotex.agents.models.providers.options import ProviderOptions, RetryPolicy
from genotex.agents.models.registry import check_name
from genotex.agents.models.setting_sources import Key, from_environment, from_file, from_options
from genotex.agents.models.setting_values import Setting
from genotex.errors import UsageError

__all__ = ["ModelSettings", "read_settings"]

Value = TypeVar("Value")
Usual = TypeVar("Usual")

_KNOWN = (
    "model", "model.ROLE", "temperature", "max_output", "max_cost", "max_tokens", "max_time",
    "allow_unknown_cost", "timeout", "at_once", "attempts", "first_wait", "longest_wait", "seed",
    "provider.NAME.address", "provider.NAME.key", "provider.NAME.structured",
    "provider.NAME.timeout", "provider.NAME.at_once", 'price."MODEL".input',
    'price."MODEL".output', 'price."MODEL".cached', 'price."MODEL".written',
)  # fmt: skip


@dataclass(frozen=True)
class ModelSettings:
    """Which models answer, and within which limits. No key is in it.

    Attributes
    ----------
    model : str
        Name of the model of every role that has none of its own.
    by_role : mapping of str to str
        Role -> name of its model.
    temperature, max_output : float or None, int or None
        For requests that do not say.
    limits : Limits
    retry : RetryPolicy
    providers : mapping of str to ProviderOptions
        How every provider is asked.
    prices : mapping of str to ModelPrice
        Prices that the user states.
    """

    model: str
    by_role: Mapping[str, str] = field(default_factory=dict)
    temperature: float | None = None
    max_output: int | None = None
    limits: Limits = field(default_factory=Limits)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    providers: Mapping[str, ProviderOptions] = field(default_factory=dict)
    prices: Mapping[str, ModelPrice] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all models that may answer, sorted."""
        return tuple(sorted({self.model, *self.by_role.values()}))

    def to_json(self) -> dict[str, Any]:
        """Return the settings as plain JSON values; of providers only those that may answer."""
        used = {name.partition(":")[0] for name in self.names}
        return {
            "model": self.model,
            "roles": dict(sorted(self.by_role.items())),
            "temperature": self.temperature,
            "max_output": self.max_output,
            "limits": self.limits.to_json(),
            "retry": asdict(self.retry),
            "providers": {
                name: {**asdict(options), "key": list(options.key)}
                for name, options in sorted(self.providers.items())
                if name in used
            },
            "prices": {name: price.to_json() for name, price in sorted(self.prices.items())},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ModelSettings:
        """Return the settings that `to_json` described, as a run keeps them.

        Raises
        ------
        KeyError, TypeError
            If it is something else.
        """
        told = {
            name: ProviderOptions(**{**options, "key": tuple(options["key"])})
            for name, options in data["providers"].items()
        }
        return cls(
            data["model"],
            data["roles"],
            data["temperature"],
            data["max_output"],
            Limits.from_json(data["limits"]),
            RetryPolicy(**data["retry"]),
            {name: told.get(name) or ProviderOptions.usual(name) for name in PROVIDERS},
            {name: ModelPrice.from_json(price) for name, price in data["prices"].items()},
        )


def read_settings(
    file: Path | None = None,
    options: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] = os.environ,
    roles: Collection[str] | None = None,
) -> ModelSettings:
    """Read and check the settings.

    Parameters
    ----------
    file : Path, optional
        A TOML file, see docs/models.md.
    options : mapping, optional
        Of the command line: ``model``, ``model.planner``, ``max_cost``, ...; None: not given.
    environ : mapping
        The environment: ``GENOTEX_MODEL``, ``GENOTEX_MODEL_PLANNER``, ``GENOTEX_MAX_COST``, ...
    roles : collection of str, optional
        The roles that there are; without it any will do.

    Raises
    ------
    FormatError
        If the file cannot be read, or is no TOML.
    UsageError
        If a setting is unknown, makes no sense, or no model is named; says where it stands.
    """
    found = {
        **(from_file(file) if file is not None else {}),
        **from_environment(environ),
        **from_options(options or {}),
    }
    return _Reader(found, environ).settings(roles)


class _Reader:
    """Takes settings out of those that were found; what is left in the end is unknown."""

    def __init__(self, found: Mapping[Key, Setting], environ: Mapping[str, str]) -> None:
        self._left = dict(found)
        self._environ = environ

    def settings(self, roles: Collection[str] | None) -> ModelSettings:
        model = self._left.pop(("model",), None)
        if model is None:
            msg = "no model is named: add --model PROVIDER:MODEL, as openai:gpt-4o"
            raise UsageError(msg)
        settings = ModelSettings(
            _name(model),
            self._by_role(roles),
            self._take("temperature", Setting.number_or_zero, None),
            self._take("max_output", Setting.whole, None),
            self._limits(),
            self._retry(),
            self._providers(),
            self._prices(),
        )
        for key, setting in self._left.items():
            raise UsageError(_unknown(key, setting))
        return settings

    def _take(self, name: str, read: Callable[[Setting], Value], usual: Usual) -> Value | Usual:
        setting = self._left.pop((name,), None)
        return usual if setting is None else read(setting)

    def _below(self, name: str) -> dict[Key, Setting]:
        """Take all settings of a table."""
        keys = [key for key in self._left if key[0] == name and len(key) > 1]
        return {key[1:]: self._left.pop(key) for key in keys}

    def _by_role(self, roles: Collection[str] | None) -> dict[str, str]:
        models = {}
        for key, setting in self._below("model").items():
            role = ".".join(key)
            if roles is not None and role not in roles:
                msg = f"{setting.where}: there is no role {role!r}, only {', '.join(roles)}"
                raise UsageError(msg)
            models[role] = _name(setting)
        return models

    def _limits(self) -> Limits:
        return Limits(
            self._take("max_cost", Setting.money, None),
            self._take("max_tokens", Setting.whole, None),
            self._take("max_time", Setting.number, None),
            self._take("allow_unknown_cost", Setting.flag, False),
        )

    def _retry(self) -> RetryPolicy:
        usual = RetryPolicy()
        return RetryPolicy(
            self._take("attempts", Setting.whole, usual.attempts),
            self._take("first_wait", Setting.number_or_zero, usual.first_wait),
            self._take("longest_wait", Setting.number_or_zero, usual.longest_wait),
            self._take("seed", Setting.whole_or_zero, usual.seed),
        )

    def _providers(self) -> dict[str, ProviderOptions]:
        # What stands above the tables of the providers holds for all of them.
        above = {
            name: self._left.pop((name,))
            for name in ("timeout", "at_once")
            if (name,) in self._left
        }
        below = self._below("provider")
        given = {provider: dict(above) for provider in PROVIDERS}
        for key, setting in below.items():
            if len(key) != 2 or key[0] not in given:
                raise UsageError(_unknown(("provider", *key), setting))
            given[key[0]][key[1]] = setting
        return {provider: self._options(provider, given[provider]) for provider in PROVIDERS}

    def _options(self, provider: str, given: dict[str, Setting]) -> ProviderOptions:
        options = ProviderOptions.usual(provider)
        for name, setting in given.items():
            match name:
                case "address" if options.address is not None:
                    address = check_address(setting.text(), setting.where)
                    options = replace(options, address=address)
                case "key":
                    options = replace(options, key=(setting.variable(self._environ),))
                case "structured":
                    mode = cast(StructuredMode, setting.one_of(get_args(StructuredMode)))
                    options = replace(options, structured=mode)
                case "timeout":
                    options = replace(options, timeout=setting.number())
                case "at_once":
                    options = replace(options, at_once=setting.whole())
                case _:
                    raise UsageError(_unknown(("provider", provider, name), setting))
        return options

    def _prices(self) -> dict[str, ModelPrice]:
        rates: dict[str, dict[str, Rate]] = {}
        for key, setting in self._below("price").items():
            name, unit = ".".join(key[:-1]), key[-1]
            if unit not in ("input", "output", "cached", "written") or not name:
                raise UsageError(_unknown(("price", *key), setting))
            rates.setdefault(name, {})[unit] = Rate.flat(setting.money_or_zero())
        for name, units in rates.items():
            if "input" not in units or "output" not in units:
                msg = (
                    f'[price."{name}"] needs both input and output, US dollars for a million tokens'
                )
                raise UsageError(msg)
        return {name: ModelPrice(**units, source="settings") for name, units in rates.items()}


def _name(setting: Setting) -> str:
    name = setting.text()
    try:
        check_name(name)
    except UsageError as error:
        msg = f"{setting.where}: {error}"
        raise UsageError(msg) from error
    return name


def _unknown(key: Key, setting: Setting) -> str:
    name = ".".join(key)
    if any(word in key[-1].lower() for word in ("api_key", "apikey", "secret", "password", "auth")):
        return f"{setting.where}: keys are no settings; set them in the environment only"
    near = difflib.get_close_matches(name, _KNOWN, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(_KNOWN)}"
    return f"{setting.where}: there is no setting {name!r}; {hint}"
