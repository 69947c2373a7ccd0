"""What a run may use: kept with it, so that it is not forgotten when the run is gone on with."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from genotex.agents.models import Limits
from genotex.agents.models.settings import Setting
from genotex.errors import FormatError, UsageError
from genotex.formats import read_json_object, write_json

__all__ = ["read_limits", "said_anew", "write_limits"]


def write_limits(path: Path, limits: Limits) -> None:
    """Write limits as JSON."""
    write_json(path, limits.to_json())


def read_limits(path: Path) -> Limits:
    """Return the limits that were written; none where nothing was.

    Raises
    ------
    FormatError
        If the file holds something else.
    """
    if not path.is_file():
        return Limits()
    found = read_json_object(path)
    said = {name: Setting(value, name) for name, value in found.items() if value is not None}
    try:
        return Limits(
            said["max_cost"].money() if "max_cost" in said else None,
            said["max_tokens"].whole() if "max_tokens" in said else None,
            said["max_time"].number() if "max_time" in said else None,
            said["allow_unknown"].flag() if "allow_unknown" in said else False,
        )
    except UsageError as error:
        hint = "remove it, and name the limits when the run is gone on with"
        raise FormatError(str(error), path=path, hint=hint) from error


def said_anew(
    kept: Limits,
    *,
    max_cost: float | Decimal | None = None,
    max_tokens: int | None = None,
    max_time: float | None = None,
    allow_unknown: bool = False,
) -> Limits:
    """Return the limits of a run that is gone on with: those said now, else those kept.

    Raises
    ------
    UsageError
        If a number makes no sense.
    """
    if max_cost is not None:
        kept = replace(kept, max_cost=Setting(max_cost, "--max-cost").money())
    if max_tokens is not None:
        kept = replace(kept, max_tokens=Setting(max_tokens, "--max-tokens").whole())
    if max_time is not None:
        kept = replace(kept, max_time=Setting(max_time, "--max-time").number())
    return replace(kept, allow_unknown=kept.allow_unknown or allow_unknown)
