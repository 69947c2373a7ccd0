"""JSON and JSON Lines files: errors name the line; files are written atomically."""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from genotex.errors import FormatError
from genotex.formats.raw import BYTE_ORDER_MARK, GZIP_MAGIC, decode, read_chunks
from genotex.io import atomic_write, read_plain
from genotex.records import BOUNDS, Bounds, checked, parsed

__all__ = [
    "parse_json",
    "read_json_lines",
    "read_json_object",
    "read_record",
    "read_text_lines",
    "write_json",
]

_Kind = TypeVar("_Kind")
_HINT = "correct or remove it"


def read_record(
    kind: type[_Kind],
    path: Path,
    *,
    extra: Literal["ignore", "forbid"] = "forbid",
    needs: Iterable[str] = (),
    hint: str = _HINT,
    complete: Callable[[dict[str, Any]], dict[str, Any]] = dict,
    error: type[FormatError] = FormatError,
) -> _Kind:
    """Read a JSON file as a dataclass (see `genotex.records`).

    Parameters
    ----------
    kind : type
        The dataclass.
    path : Path
        The file.
    extra : {"ignore", "forbid"}
        What becomes of unknown fields.
    needs : iterable of str
        Fields that must be there although they have a default.
    hint : str
        What the user can do about another file.
    complete : callable
        Brings a file of an earlier version into the form of this one.
    error : type
        The error to raise.

    Raises
    ------
    FormatError
        If the file is not such a record; names the line or the field.
    """
    content = complete(read_json_object(path, hint, error=error))
    return checked(kind, content, extra=extra, needs=needs, path=path, hint=hint, error=error)


def read_json_object(
    path: Path,
    hint: str = _HINT,
    *,
    bounds: Bounds = BOUNDS,
    finite: bool = True,
    error: type[FormatError] = FormatError,
) -> dict[str, Any]:
    """Read a JSON file that contains an object.

    Parameters
    ----------
    path : Path
        The file.
    hint : str
        What the user can do about a file with other contents.
    bounds : Bounds
        How large it may be.
    finite : bool
        Whether NaN and infinite numbers are refused.
    error : type
        The error to raise.

    Raises
    ------
    FormatError
        If it is not one; names the line.
    """
    content = parse_json(_read(path, bounds, hint, error), path, hint, bounds, finite, error)
    if not isinstance(content, dict):
        msg = "expected a JSON object"
        raise error(msg, path=path, line=1, hint=hint)
    return content


def _read(path: Path, bounds: Bounds, hint: str, error: type[FormatError]) -> str:
    """Return the text of a plain file that is not too large, also once it is unpacked."""
    try:
        content = read_plain(path, bounds.bytes)
        if content.startswith(GZIP_MAGIC):
            content = _unpacked(path, bounds)
    except OSError as problem:
        msg = f"cannot be read: {problem.strerror or problem}"
        raise error(msg, path=path, hint="check the path and its permissions") from problem
    except FormatError as problem:
        raise error(problem.message, path=path, hint=hint) from problem
    content = content.removeprefix(BYTE_ORDER_MARK)
    return decode(content.replace(b"\r\n", b"\n") if b"\r" in content else content)


def _unpacked(path: Path, bounds: Bounds) -> bytes:
    """Return the content of a packed file."""
    pieces, size = list[bytes](), 0
    for piece in read_chunks(path):
        pieces.append(piece)
        size += len(piece)
        if size > bounds.bytes:
            msg = f"is larger than {bounds.bytes // 2**20} MiB"
            raise FormatError(msg, path=path)
    return b"".join(pieces)


def parse_json(
    text: str,
    path: Path,
    hint: str,
    bounds: Bounds = BOUNDS,
    finite: bool = True,
    error: type[FormatError] = FormatError,
) -> Any:
    """Parse a JSON text within bounds (see `genotex.records.parsed`)."""
    try:
        return parsed(text, bounds, finite=finite)
    except json.JSONDecodeError as problem:
        msg = f"not valid JSON: {problem.msg}"
        raise error(msg, path=path, line=problem.lineno, hint=hint) from problem
    except ValueError as problem:
        msg = f"not valid JSON: {problem}"
        raise error(msg, path=path, hint=hint) from problem


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write plain and NumPy values atomically; values that are not finite become null."""
    text = json.dumps(_plain(content), indent=4, ensure_ascii=False, allow_nan=False)
    with atomic_write(path) as part:
        part.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")


def _plain(value: Any) -> Any:
    """Return the value without NumPy types; values that are not finite become None."""
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
            content = parsed(line, finite=False)
        except ValueError as error:
            msg = f"is not JSON: {error}"
            hint = f"{what} is one JSON object on one line"
            raise FormatError(msg, path=path, line=number, hint=hint) from error
        if not isinstance(content, dict):
            msg = f"must be an object, not {type(content).__name__}"
            raise FormatError(msg, path=path, line=number)
        yield number, content


def read_text_lines(path: Path) -> Iterator[str]:
    """Read the lines of a text in UTF-8, plain or gzip, judged by content."""
    try:
        with path.open("rb") as raw:
            zipped = raw.read(2) == b"\x1f\x8b"
        with gzip.open(path) if zipped else path.open("rb") as handle:
            while line := handle.readline(BOUNDS.bytes + 1):
                if len(line) > BOUNDS.bytes:
                    msg = f"has a line of more than {BOUNDS.bytes // 2**20} MiB"
                    raise FormatError(msg, path=path)
                yield line.decode("utf-8")
    except (EOFError, gzip.BadGzipFile, zlib.error, UnicodeDecodeError) as error:
        msg = f"cannot be read as JSON Lines: {error}"
        raise FormatError(msg, path=path, hint="plain or gzip text in UTF-8") from error
    except OSError as error:
        msg = f"cannot be opened: {error.strerror or error}"
        raise FormatError(msg, path=path) from error
