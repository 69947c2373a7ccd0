"""The truth record, ``truth.json``: its format and how it is read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from genotex.errors import FormatError

__all__ = ["STUDY_FORMAT", "TRUTH_FILE", "WORLD_FORMAT", "format_of", "open_record", "record_text"]

TRUTH_FILE = "truth.json"
"""Name of the record in its folder; it also marks the folder as ours."""

STUDY_FORMAT = "genotex simulated study"
WORLD_FORMAT = "genotex simulated world"


def format_of(folder: Path) -> str:
    """Return the format of a folder's record, of this or an earlier version; empty without one."""
    try:
        document = json.loads((folder / TRUTH_FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return ""
    return str(document.get("format", "")) if isinstance(document, dict) else ""


def record_text(kind: str, version: int, content: Mapping[str, Any]) -> str:
    """Return the text of a record."""
    return json.dumps({"format": kind, "version": version, **content}, indent=1) + "\n"


@contextmanager
def open_record(path: Path, kind: str) -> Iterator[dict[str, Any]]:
    """Yield the content of a record; missing fields become an error that names the file.

    Parameters
    ----------
    path : Path
        The file, or the folder that holds it.
    kind : str
        The format it must have.

    Raises
    ------
    FormatError
        If there is no such file or it is not such a record.
    """
    path = path / TRUTH_FILE if path.is_dir() else path
    hint = "give the folder that `genotex simulate` has written"
    what = kind.removeprefix("genotex ")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        msg = "there is no such file"
        raise FormatError(msg, path=path, hint=hint) from None
    except ValueError as error:
        msg = f"not valid JSON: {error}"
        raise FormatError(msg, path=path, hint=hint) from error
    if not isinstance(document, dict) or document.get("format") != kind:
        msg = f"not the record of a {what}"
        raise FormatError(msg, path=path, field="format", hint=hint)
    try:
        yield document
    except (KeyError, TypeError, AttributeError) as error:
        msg = f"the record is not complete: {error}"
        raise FormatError(msg, path=path, hint=hint) from error
