"""JSON and TOML from outside: bounded in size and depth before they are parsed."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from genotex.errors import FileLimitError, FormatError
from genotex.outside.limits import current_limits
from genotex.outside.unpacking import read_document, unreadable

__all__ = ["CORRECT_IT", "check_json", "parse_json", "parse_toml", "read_json"]

CORRECT_IT = "correct or remove it"
_NO_JSON = "not valid JSON"
_QUOTE, _OPENS, _CLOSES = ord('"'), b"[{", b"]}"


def read_json(
    path: Path, hint: str | None = CORRECT_IT, *, words: str = _NO_JSON, **how: Any
) -> Any:
    """Read a JSON file with any content; parameters as in `parse_json`.

    Raises
    ------
    FormatError
        If it cannot be opened, is no text, or is not JSON; names the line.
    FileLimitError
        If it is larger, or nested deeper, than the limits allow.
    """
    try:
        content = read_document(path)
    except OSError as error:
        raise unreadable(path, error) from error
    return parse_json(content, path, hint, words=words, **how)


def parse_json(
    text: str | bytes,
    path: Path | None,
    hint: str | None = CORRECT_IT,
    *,
    words: str = _NO_JSON,
    line: int | None = None,
    **how: Any,
) -> Any:
    """Parse a JSON text.

    Parameters
    ----------
    text : str or bytes
        The text; bytes in the encoding that JSON has.
    path : Path, optional
        Where it is from.
    hint : str, optional
        What the user can do about another text.
    words : str
        What the message calls another text.
    line : int, optional
        The line of the file, where the text is one of several.
    **how
        As in `json.loads`.

    Raises
    ------
    FormatError
        If it is not JSON.
    FileLimitError
        If it is larger, or nested deeper, than the limits allow.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode(json.detect_encoding(text), "surrogatepass")
        check_json(text, path)
    except UnicodeDecodeError as error:
        msg = f"{words}: {error}"
        raise FormatError(msg, path=path, line=line, hint=hint) from error
    except FileLimitError as error:
        raise (error if path is None or line is None else error.at(path, line)) from None
    try:
        return json.loads(text, **how)
    except json.JSONDecodeError as error:
        msg = f"{words}: {error.msg}"
        raise FormatError(msg, path=path, line=line or error.lineno, hint=hint) from error
    except (ValueError, RecursionError) as error:
        msg = f"{words}: {error}"
        raise FormatError(msg, path=path, line=line, hint=hint) from error


def check_json(text: str, path: Path | None) -> None:
    """Refuse a JSON text that is larger, or nested deeper, than the limits allow."""
    limits = current_limits()
    size = len(text)
    limits.check("document", size, f"has {limits.shown('document', size)}", path)
    values = text.count(",") + text.count("[") + text.count("{")
    limits.check("values", values, f"has up to {values:,} values", path)
    depth = _json_depth(text, limits.depth)
    limits.check("depth", depth, f"has values nested {depth:,} levels deep", path)


def _json_depth(text: str, enough: int) -> int:
    """Return how deep a JSON text is nested, by its brackets outside of texts."""
    if text.count("[") + text.count("{") <= enough:
        return 0
    data = text.encode(errors="replace").replace(b"\\\\", b"").replace(b'\\"', b"")
    signs = np.frombuffer(data, dtype=np.uint8)
    steps = np.zeros(len(signs), dtype=np.int8)
    for opening, closing in zip(_OPENS, _CLOSES, strict=True):
        steps[signs == opening] = 1
        steps[signs == closing] = -1
    quotes = np.flatnonzero(signs == _QUOTE)
    places = np.flatnonzero(steps)
    outside = np.searchsorted(quotes, places) % 2 == 0
    return int(np.cumsum(steps[places[outside]], dtype=np.int64).max(initial=0))


def parse_toml(
    text: str, path: Path | None, hint: str | None = None, *, words: str = "is not TOML"
) -> dict[str, Any]:
    """Parse a TOML text; parameters as in `parse_json`.

    Raises
    ------
    FormatError
        If it is not TOML.
    FileLimitError
        If it is larger, or nested deeper, than the limits allow.
    """
    limits = current_limits()
    limits.check("document", len(text), f"has {limits.shown('document', len(text))}", path)
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"{words}: {error}"
        raise FormatError(msg, path=path, hint=hint) from error
    level: list[Any] = [found]
    depth = 0
    while level:
        depth += 1
        limits.check("depth", depth, f"has tables nested {depth:,} levels deep", path)
        inside = (each.values() if isinstance(each, dict) else each for each in level)
        level = [value for values in inside for value in values if isinstance(value, dict | list)]
    return found
