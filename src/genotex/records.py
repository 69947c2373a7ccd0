"""JSON that is read back becomes dataclasses, checked by pydantic; errors name file and field."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from genotex.errors import FormatError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["checked", "field_name"]

_Kind = TypeVar("_Kind")
_SHOWN = 60


def checked(
    kind: type[_Kind],
    data: Any,
    *,
    extra: Literal["ignore", "forbid"] = "ignore",
    needs: Iterable[str] = (),
    path: Path | None = None,
    place: str = "",
    hint: str | None = None,
    error: type[FormatError] = FormatError,
) -> _Kind:
    """Return parsed JSON as a dataclass; a FormatError names the first field that does not fit."""
    # Strict: no text is taken for a number; lists become tuples, values members of enumerations,
    # numbers must be finite. Limits and other names of fields are in their metadata (`ge`,
    # `alias`). `extra`: fields that no dataclass has. `needs`: fields of the whole that must be
    # there although they have a default. `place`: where in the file the data are.
    from pydantic import ValidationError

    for name in needs:
        if isinstance(data, dict) and name not in data:
            msg = "is missing"
            raise error(msg, path=path, field=_joined(place, name), hint=hint)
    try:
        # As JSON, so that the check is strict and lists still become tuples.
        text = f"[{json.dumps(data)}]"
        found = _adapter(cast("Any", kind)).validate_json(text, strict=True, extra=extra)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        field = _joined(place, field_name(first["loc"][1:])) or None
        raise error(_in_words(first), path=path, field=field, hint=hint) from problem
    only: _Kind = found[0]
    return only


@functools.cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    # In a list: pydantic takes no settings for a dataclass itself.
    return TypeAdapter(list[kind], config={"allow_inf_nan": False})


def _joined(*names: str) -> str:
    return ".".join(name for name in names if name)


def field_name(location: Sequence[str | int]) -> str:
    """Return pydantic's location of a field as people write it: ``analysis[0].f1``."""
    parts = (
        f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{key!r}]"
        for key in location
    )
    return "".join(parts).removeprefix(".")


_WORDS = {
    "Input should be": "must be",
    "a valid string": "a text",
    "a valid array": "a list",
    "a valid dictionary": "an object",
    "a valid integer": "a whole number",
    "a valid number": "a number",
    "a valid boolean": "true or false",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
}


def _in_words(problem: Any) -> str:
    """Return what is wrong with a field."""
    match problem["type"]:
        case "missing":
            return "is missing"
        case "extra_forbidden" | "unexpected_keyword_argument":
            return "unknown field"
        case "value_error" | "json_invalid":
            return str(problem["ctx"]["error"])
    message = problem["msg"]
    for theirs, ours in _WORDS.items():
        message = message.replace(theirs, ours)
    shown = json.dumps(problem["input"], ensure_ascii=False)
    cut = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 3]}..."
    return f"{message}, not {cut}"
