"""What a run may use: kept with it, so that it is not forgotten when the run is gone on with."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from pathlib import Path

from genotex.formats import read_json_object, write_json
from genotex.models import Limits

__all__ = ["read_limits", "write_limits"]


def write_limits(path: Path, limits: Limits) -> None:
    """Write limits as JSON."""
    cost = limits.max_cost
    write_json(path, {**asdict(limits), "max_cost": None if cost is None else f"{cost:f}"})


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
    cost = found.get("max_cost")
    return Limits(
        None if cost is None else Decimal(cost),
        found.get("max_tokens"),
        found.get("max_time"),
        bool(found.get("allow_unknown")),
    )
