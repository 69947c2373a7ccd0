"""Settings of the models: from a TOML file, the environment and the command line, checked."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal, InvalidOperation
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, get_args

from genotex.errors import FormatError, UsageError
from genotex.models.catalogue import (
    PROVIDERS,
    ProviderOptions,
    RetryPolicy,
    StructuredMode,
    check_address,
)
from genotex.models.prices import RATES, ModelPrice, Rate, flat_rate
from genotex.models.registry import check_name
from genotex.models.usage import SpendingLimits
from genotex.outside import VARIABLE, parse_toml, read_document
from genotex.records import plain

_LARGEST = 10**12
"""Larger numbers are mistakes."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Setting:
    """A value that a user set."""

    value: Any  # from TOML, or text from the environment or the command line
    where: str  # for messages; values that may be secret are not repeated

    def text(self) -> str:
        """Return the value as text."""
        if not isinstance(self.value, str) or not self.value.strip():
            self._refuse("must be text")
        return self.value.strip()

    def one_of(self, choices: Collection[str]) -> str:
        """Return the value if it is one of the choices."""
        if self.value not in choices:
            self._refuse(f"must be one of {', '.join(choices)}, not {self.value!r}")
        return str(self.value)

    def flag(self) -> bool:
        """Return the value as a boolean."""
        if isinstance(self.value, bool):
            return self.value
        return self.one_of(("true", "false")) == "true"

    def money(self, *, zero: bool = False) -> Decimal:
        """Return an amount above 0, or of 0 or more."""
        try:
            amount = Decimal(str(self.value))
        except InvalidOperation:
            amount = Decimal(-1)
        if isinstance(self.value, bool) or not amount.is_finite() or not 0 <= amount <= _LARGEST:
            self._refuse(f"must be a number of 0 or more, not {self.value!r}")
        if amount == 0 and not zero:
            self._refuse("must be above 0")
        return amount

    def number(self, *, zero: bool = False) -> float:
        """Return a number above 0, or of 0 or more."""
        return float(self.money(zero=zero))

    def whole(self, *, zero: bool = False) -> int:
        """Return a whole number above 0, or of 0 or more."""
        amount = self.money(zero=zero)
        if amount != amount.to_integral_value():
            self._refuse(f"must be a whole number, not {self.value!r}")
        return int(amount)

    def variable(self, environ: Collection[str]) -> str:
        """Return the name of an environment variable that is set."""
        name = self.value if isinstance(self.value, str) else ""
        if not _VARIABLE.fullmatch(name) or name not in environ:
            # The value may be the key itself, by mistake.
            self._refuse(
                "must be the name of an environment variable that is set and contains the key; "
                "keys never belong in settings"
            )
        return name

    def model(self) -> str:
        """Return the name of a model."""
        name = self.text()
        try:
            check_name(name)
        except UsageError as error:
            self._refuse(str(error))
        return name

    def _refuse(self, what: str) -> NoReturn:
        msg = f"{self.where}: {what}"
        raise UsageError(msg)


_Key = tuple[str, ...]
"""Name of a setting, as ``("provider", "openai", "timeout")``."""

_zero = partial(partial, zero=True)

_RUN: Mapping[str, Callable[[Setting], Any]] = {
    "model": Setting.model,
    "temperature": _zero(Setting.number),
    "max_output": Setting.whole,
    "max_cost": Setting.money,
    "max_tokens": Setting.whole,
    "max_calls": Setting.whole,
    "max_time": Setting.number,
    "allow_unknown_cost": Setting.flag,
    "timeout": Setting.number,
    "at_once": Setting.whole,
    "attempts": Setting.whole,
    "first_wait": _zero(Setting.number),
    "longest_wait": _zero(Setting.number),
    "seed": _zero(Setting.whole),
}
"""Settings of a whole run, and how each is read; from variables ``GENOTEX_...`` as well."""

_EXAMPLE = "see docs/models.md for an example"
_IN_FILES_ONLY = ("provider_", "price_")


def _from_file(path: Path) -> dict[_Key, Setting]:
    """Return the settings of a TOML file."""
    try:
        text = read_document(path).decode("utf-8-sig")
    except OSError as error:
        msg = f"cannot be opened: {error.strerror or error}"
        raise FormatError(msg, path=path) from error
    except UnicodeDecodeError as error:
        msg = f"is not TOML: {error}"
        raise FormatError(msg, path=path, hint=_EXAMPLE) from error
    tables = parse_toml(text, path, _EXAMPLE)
    return {
        # A table cannot be text as well: [model] has its `default`.
        (key[:1] if key == ("model", "default") else key): Setting(
            value, f"{path}, {'.'.join(key)}"
        )
        for key, value in _leaves(tables, ())
    }


def _leaves(table: Mapping[str, Any], above: _Key) -> Iterator[tuple[_Key, Any]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*above, name))
        else:
            yield (*above, name), value


def _from_environment(environ: Mapping[str, str]) -> dict[_Key, Setting]:
    """Return the settings of the environment; empty variables are ignored."""
    found: dict[_Key, Setting] = {}
    for variable in sorted(environ):
        name = variable.removeprefix("GENOTEX_").lower()
        if name == variable.lower() or not environ[variable] or variable == VARIABLE:
            continue
        if name in _RUN:
            found[(name,)] = Setting(environ[variable], variable)
        elif name.startswith("model_"):
            found["model", name.removeprefix("model_")] = Setting(environ[variable], variable)
        elif name.startswith(_IN_FILES_ONLY):
            msg = f"{variable}: providers and prices are set in a file, see --settings"
            raise UsageError(msg)
        elif near := difflib.get_close_matches(name, _RUN, n=1, cutoff=0.7):
            msg = f"{variable}: not a setting; did you mean GENOTEX_{near[0].upper()}?"
            raise UsageError(msg)
    return found


def _from_options(options: Mapping[str, Any]) -> dict[_Key, Setting]:
    """Return the settings of the command line, by names with dots; None: not given."""
    return {
        tuple(name.split(".")): Setting(value, f"--{name.replace('_', '-')}")
        for name, value in options.items()
        if value is not None
    }


def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


_KNOWN = (
    *_RUN,
    "model.ROLE",
    *(f"provider.NAME.{name}" for name in _names(ProviderOptions)),
    *(f'price."MODEL".{name}' for name in RATES),
)


@dataclass(frozen=True)
class ModelSettings:
    """Which models answer, and within which limits; never contains a key."""

    model: str  # Model of every role without its own
    # Role -> name of its model
    by_role: Mapping[str, str] = field(default_factory=dict, metadata={"alias": "roles"})
    temperature: float | None = None  # Default for requests
    max_output: int | None = None  # Default for requests
    limits: SpendingLimits = field(default_factory=SpendingLimits)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    # Options of every provider
    providers: Mapping[str, ProviderOptions] = field(default_factory=dict)
    prices: Mapping[str, ModelPrice] = field(default_factory=dict)  # Prices stated by the user

    def __post_init__(self) -> None:
        """Keep the options of known providers, and give each without options its usual ones."""
        known = {n: self.providers.get(n) or ProviderOptions.usual(n) for n in PROVIDERS}
        object.__setattr__(self, "providers", known)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all models that may answer, sorted."""
        return tuple(sorted({self.model, *self.by_role.values()}))

    def to_json(self) -> dict[str, Any]:
        """Return the settings as plain JSON values; of the providers only those in use."""
        used = {name.partition(":")[0] for name in self.names}
        content = plain(self)
        for name in ("roles", "providers", "prices"):
            content[name] = dict(sorted(content[name].items()))
        content["providers"] = {n: o for n, o in content["providers"].items() if n in used}
        return content


def read_settings(
    file: Path | None = None,
    options: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] = os.environ,
    roles: Collection[str] | None = None,
) -> ModelSettings:
    """Read and check the settings.

    Parameters
    ----------
    file
        A TOML file, see docs/models.md.
    options
        From the command line: ``model``, ``model.planner``, ``max_cost``, ...; None: not given.
    environ
        The environment: ``GENOTEX_MODEL``, ``GENOTEX_MODEL_PLANNER``, ``GENOTEX_MAX_COST``, ...
    roles
        The known roles; None: any.

    Raises
    ------
    FormatError
        If the file cannot be read, or is not TOML.
    UsageError
        If a setting is unknown or invalid, or no model is named; the message names its place.
    """
    found = {
        **(_from_file(file) if file is not None else {}),
        **_from_environment(environ),
        **_from_options(options or {}),
    }
    return _Reader(found, environ).settings(roles)


class _Reader:
    """Consumes the settings that were found; what is left in the end is unknown."""

    def __init__(self, found: Mapping[_Key, Setting], environ: Mapping[str, str]) -> None:
        self._left = dict(found)
        self._environ = environ

    def settings(self, roles: Collection[str] | None) -> ModelSettings:
        if ("model",) not in self._left:
            msg = "no model given: add --model PROVIDER:MODEL, for example openai:gpt-4o"
            raise UsageError(msg)
        for_all = {name: self._left[name,] for name in _FOR_ALL if (name,) in self._left}
        run = {
            name: read(self._left.pop((name,)))
            for name, read in _RUN.items()
            if (name,) in self._left
        }
        run["allow_unknown"] = run.pop("allow_unknown_cost", False)
        settings = ModelSettings(
            run["model"],
            self._by_role(roles),
            run.get("temperature"),
            run.get("max_output"),
            SpendingLimits(**_of(SpendingLimits, run)),
            RetryPolicy(**_of(RetryPolicy, run)),
            self._providers(for_all),
            self._prices(),
        )
        for key, setting in self._left.items():
            raise UsageError(_unknown(key, setting))
        return settings

    def _below(self, name: str) -> dict[_Key, Setting]:
        """Take all settings of a table."""
        keys = [key for key in self._left if key[0] == name and len(key) > 1]
        return {key[1:]: self._left.pop(key) for key in keys}

    def _by_role(self, roles: Collection[str] | None) -> dict[str, str]:
        models = {}
        for key, setting in self._below("model").items():
            role = ".".join(key)
            if roles is not None and role not in roles:
                msg = f"{setting.where}: unknown role {role!r}; the roles are {', '.join(roles)}"
                raise UsageError(msg)
            models[role] = setting.model()
        return models

    def _providers(self, for_all: Mapping[str, Setting]) -> dict[str, ProviderOptions]:
        given = {provider: dict(for_all) for provider in PROVIDERS}
        for key, setting in self._below("provider").items():
            if len(key) != 2 or key[0] not in given:
                raise UsageError(_unknown(("provider", *key), setting))
            given[key[0]][key[1]] = setting
        return {provider: self._options(provider, given[provider]) for provider in PROVIDERS}

    def _options(self, provider: str, given: Mapping[str, Setting]) -> ProviderOptions:
        usual = ProviderOptions.usual(provider)
        readers: dict[str, Callable[[Setting], Any]] = {
            "address": lambda setting: check_address(setting.text(), setting.where),
            "key": lambda setting: (setting.variable(self._environ),),
            "structured": lambda setting: setting.one_of(get_args(StructuredMode)),
            "timeout": Setting.number,
            "at_once": Setting.whole,
        }
        if usual.address is None:
            # It is part of the model's name.
            del readers["address"]
        for name, setting in given.items():
            if name not in readers:
                raise UsageError(_unknown(("provider", provider, name), setting))
        return replace(usual, **{name: readers[name](given[name]) for name in given})

    def _prices(self) -> dict[str, ModelPrice]:
        rates: dict[str, dict[str, Rate]] = {}
        for key, setting in self._below("price").items():
            name, unit = ".".join(key[:-1]), key[-1]
            if unit not in RATES or not name:
                raise UsageError(_unknown(("price", *key), setting))
            rates.setdefault(name, {})[unit] = flat_rate(setting.money(zero=True))
        for name, units in rates.items():
            if "input" not in units or "output" not in units:
                msg = (
                    f'[price."{name}"] needs both input and output, US dollars for a million tokens'
                )
                raise UsageError(msg)
        return {name: ModelPrice(**units, source="settings") for name, units in rates.items()}


_FOR_ALL = ("timeout", "at_once")
"""Settings of all providers that have none of their own."""


def _of(kind: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are fields of a class."""
    return {name: values[name] for name in _names(kind) if name in values}


def _unknown(key: _Key, setting: Setting) -> str:
    name = ".".join(key)
    if any(word in key[-1].lower() for word in ("api_key", "apikey", "secret", "password", "auth")):
        return f"{setting.where}: keys are not settings; set them in the environment only"
    near = difflib.get_close_matches(name, _KNOWN, n=1)
    hint = f"did you mean {near[0]}?" if near else f"the settings are {', '.join(_KNOWN)}"
    return f"{setting.where}: unknown setting {name!r}; {hint}"
