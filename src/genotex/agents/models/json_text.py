"""Find the JSON in what a model wrote: bare, in a code fence, or with talk around it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NoReturn

__all__ = ["json_values"]

MOST_TRIES = 50
"""Opening brackets in the text that are tried as the start of a value."""

_FENCED = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)


def json_values(text: str) -> Iterator[Any]:
    """Yield the JSON values that a text may hold, the likeliest first.

    The whole text, what stands in code fences (the last first: models think before they answer),
    then what follows an opening bracket.

    Parameters
    ----------
    text : str
        Whatever a model wrote.

    Yields
    ------
    Any
        Plain JSON values of finite numbers and whole characters; other values are passed over.
    """
    whole = _values(text.strip())
    if whole:
        yield from whole
        return
    for fenced in reversed(_FENCED.findall(text)):
        yield from _values(fenced.strip())
    for place in list(re.finditer(r"[{\[]", text))[:MOST_TRIES]:
        yield from _values(text[place.start() :], whole=False)


def _values(text: str, *, whole: bool = True) -> list[Any]:
    """Return the value that the text is, or starts with, in a list; an empty list if it is none."""
    try:
        value, end = _DECODER.raw_decode(text)
        # Halves of a character cannot be written to any file.
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        # Too deeply nested is no answer either.
        return []
    return [] if whole and text[end:].strip() else [value]


def _refuse(name: str) -> NoReturn:
    msg = f"{name} is no JSON"
    raise ValueError(msg)


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse(text)


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
