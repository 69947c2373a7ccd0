"""Reading what was predicted: what is missing or broken is a reason, never an error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from genotex.errors import FormatError

__all__ = ["MISSING", "read_or_why"]

MISSING = "missing"
"""Why a prediction that is not there was scored 0."""

Content = TypeVar("Content")


def read_or_why(path: Path, read: Callable[[Path], Content]) -> Content | str:
    """Return the content of a file, or in words why there is none.

    Parameters
    ----------
    path : Path
        A predicted file; it need not exist.
    read : callable
        Gives something that is no text; raises FormatError.
    """
    if not path.is_file():
        return MISSING
    try:
        return read(path)
    except FormatError as error:
        place = "" if error.line is None else f"line {error.line}: "
        return f"cannot be read: {place}{error.field + ': ' if error.field else ''}{error.message}"
