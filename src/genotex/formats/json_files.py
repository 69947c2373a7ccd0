"""JSON and JSON Lines files: bounded, errors name the line; files are written atomically."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from genotex.errors import FileLimitError, FormatError, TruncatedFileError
from genotex.formats.lines import decode, read_bytes
from genotex.io import atomic_write
from genotex.outside import CORRECT_IT, Gauge, Packing, current_limits, parse_json, unpack
from genotex.records import checked

_Kind = TypeVar("_Kind")


def read_record(
    kind: type[_Kind],
    path: Path,
    *,
    extra: Literal["ignore", "forbid"] = "forbid",
    needs: Iterable[str] = (),
    hint: str = CORRECT_IT,
    complete: Callable[[dict[str, Any]], dict[str, Any]] = dict,
    error: type[FormatError] = FormatError,
) -> _Kind:
    """Read a JSON file as a dataclass (see `genotex.records`).

    `kind`: the dataclass. `extra`: what becomes of unknown fields. `needs`: Fields that must be
    there although they have a default. `hint`: what the user can do about another file. `complete`:
    Brings a file of an earlier version into the form of this one. `error`: the error to raise.
    """
    content = complete(read_json_object(path, hint, kind=error))
    return checked(kind, content, extra=extra, needs=needs, path=path, hint=hint, error=error)


def read_json_object(path: Path, hint: str = CORRECT_IT, **how: Any) -> dict[str, Any]:
    """Read a JSON file that contains an object.

    `hint`: what the user can do about a file with other contents. `how`: as in
    `genotex.outside.parse_json`.
    """
    kind: type[FormatError] = how.get("kind", FormatError)
    try:
        text = decode(read_bytes(path, "document"))
    except FileLimitError:
        raise
    except FormatError as error:
        raise kind(error.message, path=path, hint=error.hint) from error
    content = parse_json(text, path, hint, **how)
    if not isinstance(content, dict):
        msg = "expected a JSON object"
        raise kind(msg, path=path, line=1, hint=hint)
    return content


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write plain and NumPy values atomically; values that are not finite become null."""
    with atomic_write(path) as part:
        part.write_bytes(json_bytes(content))


def json_bytes(content: Mapping[str, Any]) -> bytes:
    """Return the content of a file as `write_json` writes it."""
    text = json.dumps(_plain(content), indent=4, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode("utf-8", errors="backslashreplace")


def _plain(value: Any) -> Any:
    """Return the value without NumPy types; values that are not finite become None."""
    kind = type(value)
    if kind is str or kind is int:  # nearly all of them
        return value
    if kind is float:
        return value if math.isfinite(value) else None
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value.tolist()]
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def read_json_lines(path: Path, what: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read the objects of a JSON Lines file; empty lines are skipped.

    `path`: JSON Lines, plain or gzip, judged by content. `what`: what an object represents, for
    messages: "a case". Yields line number, counted from 1, and the object.
    """
    for number, line in enumerate(read_text_lines(path), start=1):
        if not line.strip():
            continue
        hint = f"{what} is one JSON object on one line"
        content = parse_json(line, path, hint, words="is not JSON", line=number, finite=False)
        if not isinstance(content, dict):
            msg = f"must be an object, not {type(content).__name__}"
            raise FormatError(msg, path=path, line=number)
        yield number, content


def read_text_lines(path: Path) -> Iterator[str]:
    """Read the lines of a text in UTF-8, plain or gzip, judged by content."""
    limits = current_limits()
    try:
        with path.open("rb") as handle:
            gauge = Gauge(os.fstat(handle.fileno()).st_size, path)
            held: list[bytes] = []
            size = 0
            for piece in unpack(handle, path, gauge, (Packing.GZIP,)):
                *whole, rest = piece.split(b"\n")
                for line in whole:
                    yield b"".join((*held, line, b"\n")).decode()
                    held, size = [], 0
                held.append(rest)
                size += len(rest)
                what = f"has {limits.shown('document', size)} and more in one line"
                limits.check("document", size, what, path)
            if rest := b"".join(held):
                yield rest.decode()
    except (TruncatedFileError, UnicodeDecodeError) as error:
        message = error.message if isinstance(error, TruncatedFileError) else str(error)
        msg = f"cannot be read as JSON Lines: {message}"
        raise FormatError(msg, path=path, hint="plain or gzip text in UTF-8") from error
    except OSError as error:
        msg = f"cannot be opened: {error.strerror or error}"
        raise FormatError(msg, path=path) from error
