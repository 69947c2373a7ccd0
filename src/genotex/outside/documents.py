"""JSON and TOML from outside: bounded in size and depth before they are parsed."""

from __future__ import annotations

import itertools
import json
import math
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from genotex.errors import FileLimitError, FormatError
from genotex.outside.limits import current_limits
from genotex.outside.unpacking import read_document, unreadable

CORRECT_IT = "correct or remove it"
_NO_JSON = "not valid JSON"
_SHOWN = 60
_QUOTE, _OPENS, _CLOSES = ord('"'), b"[{", b"]}"


def read_json(
    path: Path, hint: str | None = CORRECT_IT, *, kind: type[FormatError] = FormatError, **how: Any
) -> Any:
    """Read a JSON file with any content; parameters as in `parse_json`."""
    try:
        content = read_document(path)
    except OSError as error:
        raise unreadable(path, error, kind) from error
    return parse_json(content, path, hint, kind=kind, **how)


def parse_json(
    text: str | bytes,
    path: Path | None = None,
    hint: str | None = CORRECT_IT,
    *,
    words: str = _NO_JSON,
    line: int | None = None,
    finite: bool = True,
    pairs: Callable[[list[tuple[str, Any]]], Any] | None = None,
    kind: type[FormatError] = FormatError,
    **how: Any,
) -> Any:
    """Parse a JSON text.

    `text`: the text; bytes in the encoding that JSON has. `path`: where it is from. `hint`: what
    the user can do about another text. `words`: what the message calls another text. `line`: the
    line of the file, where the text is one of several. `finite`: whether NaN and infinite numbers,
    as Python and pandas write them, are refused. `pairs`: makes an object of its names and values;
    by default a dict, in which each name may occur once. `kind`: the error to raise. `how`: as in
    `json.loads`.
    """
    constant = _no_number if finite else float
    try:
        if isinstance(text, bytes):
            text = text.decode(json.detect_encoding(text), "surrogatepass")
        _check_json(text, path)
        hook = pairs or _each_name_once
        found = json.loads(text, object_pairs_hook=hook, parse_constant=constant, **how)
        _check_values(found, path, finite=finite)
    except FileLimitError as error:
        raise (error if path is None or line is None else error.at(path, line)) from None
    except json.JSONDecodeError as error:
        msg = f"{words}: {error.msg}"
        raise kind(msg, path=path, line=line or error.lineno, hint=hint) from error
    except (ValueError, RecursionError) as error:
        msg = f"{words}: {error}"
        raise kind(msg, path=path, line=line, hint=hint) from error
    return found


def _no_number(name: str) -> NoReturn:
    msg = f"{name} is not a JSON number; write null"
    raise ValueError(msg)


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        msg = f"{twice[:_SHOWN]!r} appears twice in one object; keep one of them"
        raise ValueError(msg)
    return found


def _check_values(found: Any, path: Path | None, *, finite: bool) -> None:
    """Refuse texts beyond the limit, and numbers that are too large, level by level."""
    limits = current_limits()
    level: list[Any] = [[found]]
    while level:
        inner: list[Any] = []
        for each in level:
            values: Iterable[Any] = each
            if type(each) is dict:
                values = itertools.chain(each.values(), each)
            for value in values:
                kind = type(value)
                if kind is dict or kind is list:
                    inner.append(value)
                elif kind is str:
                    if len(value) > limits.text:
                        limits.check("text", len(value), f"has one of {len(value):,}", path)
                elif kind is float and finite and math.isinf(value):
                    msg = "has a number that is too large"
                    raise ValueError(msg)
        level = inner


def _check_json(text: str, path: Path | None) -> None:
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
    """Parse a TOML text; parameters as in `parse_json`."""
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
