"""Where settings stand: a TOML file, the environment, the command line; not yet checked."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from genotex.agents.models.setting_values import Setting
from genotex.errors import FormatError, UsageError

__all__ = ["Key", "from_environment", "from_file", "from_options"]

Key = tuple[str, ...]
"""Name of a setting, as ``("provider", "openai", "timeout")``."""

_FROM_ENVIRONMENT = (
    "model", "max_cost", "max_tokens", "max_time", "allow_unknown_cost", "temperature",
    "max_output", "timeout", "at_once", "attempts", "first_wait", "longest_wait", "seed",
)  # fmt: skip
"""Settings that variables ``GENOTEX_...`` may hold; those of roles are ``GENOTEX_MODEL_ROLE``."""
_IN_FILES_ONLY = ("provider_", "price_")


def from_file(path: Path) -> dict[Key, Setting]:
    """Return the settings of a TOML file.

    Raises
    ------
    FormatError
        If it cannot be read, or is no TOML.
    """
    try:
        tables = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        msg = f"cannot be opened: {error.strerror or error}"
        raise FormatError(msg, path=path) from error
    except (ValueError, RecursionError) as error:
        msg = f"is not TOML: {error}"
        raise FormatError(msg, path=path, hint="see docs/models.md for an example") from error
    return {
        # A table cannot be a text too: [model] has its `default`.
        (key[:1] if key == ("model", "default") else key): Setting(
            value, f"{path}, {'.'.join(key)}"
        )
        for key, value in _leaves(tables, ())
    }


def _leaves(table: Mapping[str, Any], above: Key) -> Iterator[tuple[Key, Any]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*above, name))
        else:
            yield (*above, name), value


def from_environment(environ: Mapping[str, str]) -> dict[Key, Setting]:
    """Return the settings of the environment; empty variables say nothing.

    Raises
    ------
    UsageError
        If a variable looks like one of a setting, and is none: a limit must not be passed over.
    """
    found: dict[Key, Setting] = {}
    for variable in sorted(environ):
        name = variable.removeprefix("GENOTEX_").lower()
        if name == variable.lower() or not environ[variable]:
            continue
        if name in _FROM_ENVIRONMENT:
            found[(name,)] = Setting(environ[variable], variable)
        elif name.startswith("model_"):
            found["model", name.removeprefix("model_")] = Setting(environ[variable], variable)
        elif name.startswith(_IN_FILES_ONLY):
            msg = f"{variable}: providers and prices are set in a file, see --settings"
            raise UsageError(msg)
        elif near := difflib.get_close_matches(name, _FROM_ENVIRONMENT, n=1, cutoff=0.7):
            msg = f"{variable}: there is no such setting; did you mean GENOTEX_{near[0].upper()}?"
            raise UsageError(msg)
    return found


def from_options(options: Mapping[str, Any]) -> dict[Key, Setting]:
    """Return the settings of the command line, by names with dots; None: not given."""
    return {
        tuple(name.split(".")): Setting(value, f"--{name.replace('_', '-')}")
        for name, value in options.items()
        if value is not None
    }
