"""What a run may use: kept with it, so that it is not forgotten when the run is gone on with."""

from __future__ import annotations

from pathlib import Path

from genotex.formats import read_json_object, write_json
from genotex.models import Limits

__all__ = ["read_limits", "write_limits"]


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
    return Limits.from_json(read_json_object(path)) if path.is_file() else Limits()
