"""JSON Lines: one JSON object on each line, plain or gzip."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from genotex.errors import FormatError

__all__ = ["read_json_lines", "read_text_lines"]


def read_json_lines(path: Path, what: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read the objects of a JSON Lines file; empty lines are skipped.

    Parameters
    ----------
    path : Path
        JSON Lines, plain or gzip, judged by content.
    what : str
        What an object represents, for messages: "a case".

    Yields
    ------
    int, dict
        Line number, counted from 1, and the object.

    Raises
    ------
    FormatError
        If the file cannot be read, or a line is not a JSON object; it names the line.
    """
    for number, line in enumerate(read_text_lines(path), start=1):
        if not line.strip():
            continue
        try:
            content = json.loads(line)
        except (ValueError, RecursionError) as error:
            msg = f"is not JSON: {error}"
            hint = f"{what} is one JSON object on one line"
            raise FormatError(msg, path=path, line=number, hint=hint) from error
        if not isinstance(content, dict):
            msg = f"must be an object, not {type(content).__name__}"
            raise FormatError(msg, path=path, line=number)
        yield number, content


def read_text_lines(path: Path) -> Iterator[str]:
    """Read the lines of a text in UTF-8, plain or gzip, judged by content.

    Raises
    ------
    FormatError
        If the file cannot be read.
    """
    try:
        with path.open("rb") as raw:
            zipped = raw.read(2) == b"\x1f\x8b"
        with gzip.open(path) if zipped else path.open("rb") as handle:
            for line in handle:
                yield line.decode("utf-8")
    except (EOFError, gzip.BadGzipFile, zlib.error, UnicodeDecodeError) as error:
        msg = f"cannot be read as JSON Lines: {error}"
        raise FormatError(msg, path=path, hint="plain or gzip text in UTF-8") from error
    except OSError as error:
        msg = f"cannot be opened: {error.strerror or error}"
        raise FormatError(msg, path=path) from error
