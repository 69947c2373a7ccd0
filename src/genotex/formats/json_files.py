"""JSON and JSON Lines files: errors name the line; files are written atomically."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from genotex.errors import FormatError
from genotex.formats.raw import decode, read_bytes
from genotex.io import atomic_write

__all__ = ["parse_json", "read_json_object", "write_json"]


def read_json_object(path: Path, hint: str = "correct or remove it") -> dict[str, Any]:
    """Read a JSON file that contains an object.

    Parameters
    ----------
    path : Path
        The file.
    hint : str
        What the user can do about a file with other contents.

    Raises
    ------
    FormatError
        If it is not one; names the line.
    """
    content = parse_json(decode(read_bytes(path)), path, hint)
    if not isinstance(content, dict):
        msg = "expected a JSON object"
        raise FormatError(msg, path=path, line=1, hint=hint)
    return content


def parse_json(text: str, path: Path, hint: str) -> Any:
    """Parse a JSON text.

    Parameters
    ----------
    text : str
        The text.
    path : Path
        The file it comes from, for the error.
    hint : str
        What the user can do about invalid JSON.

    Raises
    ------
    FormatError
        If it is not JSON; names the line.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        msg = f"not valid JSON: {error.msg}"
        raise FormatError(msg, path=path, line=error.lineno, hint=hint) from error
    except (ValueError, RecursionError) as error:
        msg = f"not valid JSON: {error}"
        raise FormatError(msg, path=path, hint=hint) from error


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
