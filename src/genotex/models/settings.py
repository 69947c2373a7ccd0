"""Settings of the models: from a TOML file, the environment and the command line, checked."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast, get_args

from genotex.errors import FormatError, UsageError
from genotex.models.prices import ModelPrice, Rate
from genotex.models.providers.catalogue import (
    PROVIDERS,
    ProviderOptions,
    RetryPolicy,
    StructuredMode,
    check_address,
)
from genotex.models.registry import check_name
from genotex.models.usage import Limits
from genotex.outside import VARIABLE, parse_toml, read_document

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

    def money(self) -> Decimal:
        """Return an amount above 0."""
        amount = self.money_or_zero()
        if amount == 0:
            self._refuse("must be above 0")
        return amount

    def money_or_zero(self) -> Decimal:
        """Return an amount of 0 or more."""
        try:
            amount = Decimal(str(self.value))
        except InvalidOperation:
            amount = Decimal(-1)
        if isinstance(self.value, bool) or not amount.is_finite() or not 0 <= amount <= _LARGEST:
            self._refuse(f"must be a number of 0 or more, not {self.value!r}")
        return amount

    def number(self) -> float:
        """Return a number above 0."""
        return float(self.money())

    def number_or_zero(self) -> float:
        """Return a number of 0 or more."""
        return float(self.money_or_zero())

    def whole(self) -> int:
        """Return a whole number above 0."""
        number = self.whole_or_zero()
        if number == 0:
            self._refuse("must be above 0")
        return number

    def whole_or_zero(self) -> int:
        """Return a whole number of 0 or more."""
        amount = self.money_or_zero()
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

    def _refuse(self, what: str) -> NoReturn:
        msg = f"{self.where}: {what}"
        raise UsageError(msg)


_Key = tuple[str, ...]
"""Name of a setting, as ``("provider", "openai", "timeout")``."""

_FROM_ENVIRONMENT = (
    "model", "max_cost", "max_tokens", "max_time", "allow_unknown_cost", "temperature",
    "max_output", "timeout", "at_once", "attempts", "first_wait", "longest_wait", "seed",
)  # fmt: skip
"""Settings from variables ``GENOTEX_...``; those of roles are ``GENOTEX_MODEL_ROLE``."""
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
        if name in _FROM_ENVIRONMENT:
            found[(name,)] = Setting(environ[variable], variable)
        elif name.startswith("model_"):
            found["model", name.removeprefix("model_")] = Setting(environ[variable], variable)
        elif name.startswith(_IN_FILES_ONLY):
            msg = f"{variable}: providers and prices are set in a file, see --settings"
            raise UsageError(msg)
        elif near := difflib.get_close_matches(name, _FROM_ENVIRONMENT, n=1, cutoff=0.7):
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


Value = TypeVar("Value")
_Usual = TypeVar("_Usual")

_KNOWN = (
    "model", "model.ROLE", "temperature", "max_output", "max_cost", "max_tokens", "max_time",
    "allow_unknown_cost", "timeout", "at_once", "attempts", "first_wait", "longest_wait", "seed",
    "provider.NAME.address", "provider.NAME.key", "provider.NAME.structured",
    "provider.NAME.timeout", "provider.NAME.at_once", 'price."MODEL".input',
    'price."MODEL".output', 'price."MODEL".cached', 'price."MODEL".written',
)  # fmt: skip


@dataclass(frozen=True)
class ModelSettings:
    """Which models answer, and within which limits; never contains a key.

    Attributes
    ----------
    model
        Model of every role without its own.
    by_role
        Role -> name of its model.
    temperature, max_output
        Defaults for requests.
    providers
        Options of every provider.
    prices
        Prices stated by the user.
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
        """Return the settings as plain JSON values; of the providers only those in use."""
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
        """Return the settings that `to_json` described.

        Raises
        ------
        KeyError, TypeError
            If the data are something else.
        """
        recorded = {
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
            {name: recorded.get(name) or ProviderOptions.usual(name) for name in PROVIDERS},
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
        model = self._left.pop(("model",), None)
        if model is None:
            msg = "no model given: add --model PROVIDER:MODEL, for example openai:gpt-4o"
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

    def _take(self, name: str, read: Callable[[Setting], Value], usual: _Usual) -> Value | _Usual:
        setting = self._left.pop((name,), None)
        return usual if setting is None else read(setting)

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
        # Settings above the tables of the providers apply to all of them.
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


def _unknown(key: _Key, setting: Setting) -> str:
    name = ".".join(key)
    if any(word in key[-1].lower() for word in ("api_key", "apikey", "secret", "password", "auth")):
        return f"{setting.where}: keys are not settings; set them in the environment only"
    near = difflib.get_close_matches(name, _KNOWN, n=1)
    hint = f"did you mean {near[0]}?" if near else f"the settings are {', '.join(_KNOWN)}"
    return f"{setting.where}: unknown setting {name!r}; {hint}"
