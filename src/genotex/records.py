"""JSON that is written and read back: dataclasses that `plain` writes and `checked` reads.

Records may come from anyone: another person, another tool, generated code. So each is read by a
schema, as a dataclass next to the code that uses it, and nothing in it is interpreted before:

- *Ours* (evidence, run folders, notebooks, job records, atlas, sample annotations): unknown fields
  are refused, since a field that we do not write was added by someone else.
- *Results and method records*: unknown fields stay, and are not interpreted. The file also serves
  the benchmark, whose tools may add fields, and versions of genotex describe their method in
  different words.
- *The benchmark's fixed formats* (``cohort_info.json``, answers of other methods, task lists,
  manifests of its input): unknown fields are ignored, so that files of any GenoTEX tool can be
  read; what is used is checked.

Texts that are interpreted later have types here (`PlainName`, `InsidePath`, `Sha256`), and are
checked again where they are used.
"""

from __future__ import annotations

import functools
import json
import operator
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast

from genotex.errors import FormatError, UsageError

# pydantic needs what Python 3.12 has.
if sys.version_info >= (3, 12):
    from typing import TypedDict
else:
    from typing_extensions import TypedDict

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, TypeAdapter
    from pydantic_core import CoreSchema

__all__ = [
    "Check",
    "InsidePath",
    "PlainName",
    "Rounded",
    "Scalar",
    "Sha256",
    "Shape",
    "TypedDict",
    "as_json",
    "checked",
    "field_name",
    "plain",
    "why_no_name",
]

_Kind = TypeVar("_Kind")
_SHOWN = 60


@dataclass(frozen=True)
class Check:
    """A check of a text in a schema, as in ``Annotated[str, Check(why_no_name)]``."""

    why_not: Callable[[str], str]
    """Returns what is wrong with a text; empty where nothing is."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema of the text, with this check after it."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(self._passed, handler(source))

    def _passed(self, text: str) -> str:
        if why := self.why_not(text):
            raise ValueError(why)
        return text


@dataclass(frozen=True)
class Shape:
    """The schema of a field that is a plain dict or list for those who use it."""

    kind: Any
    """What it must be, such as a list of a `TypedDict`."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema of the kind."""
        return handler.generate_schema(self.kind)


@dataclass(frozen=True)
class Rounded:
    """A number that `plain` writes rounded, as in ``Annotated[float, Rounded(3)]``."""

    digits: int

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema of the number."""
        from pydantic_core import core_schema

        def written(number: float) -> float:
            return round(number, self.digits)

        writing = core_schema.plain_serializer_function_ser_schema(written)
        return cast("CoreSchema", {**handler(source), "serialization": writing})


_LONGEST_NAME = 255


def why_no_name(text: str) -> str:
    """Return why a text is no name of a file in a folder; empty where it is one."""
    if not text or text in (".", "..") or len(text.encode(errors="replace")) > _LONGEST_NAME:
        return f"must be a name of 1 to {_LONGEST_NAME} bytes, not {text[:_SHOWN]!a}"
    if "/" in text or "\0" in text:
        return f"must be the name of a file in its folder, not {text[:_SHOWN]!a}"
    return ""


def _why_not_inside(text: str) -> str:
    """Return why a path does not stay in its folder."""
    if any(why_no_name(part) for part in text.split("/")):
        return f"must be a path inside the folder, not {text[:_SHOWN]!a}"
    return ""


def _why_no_sha256(text: str) -> str:
    return "" if re.fullmatch(r"[0-9a-f]{64}", text) else "must be a SHA-256 of 64 digits"


PlainName = Annotated[str, Check(why_no_name)]
"""A name of a file in a folder."""

InsidePath = Annotated[str, Check(_why_not_inside)]
"""A path with ``/`` that stays in its folder."""

Sha256 = Annotated[str, Check(_why_no_sha256)]

Scalar = str | bool | int | float | None
"""A value of JSON that holds no others."""


def as_json(value: Any, *names: str, **renamed: str) -> Any:
    """Return a record, or anything made of records, as plain JSON values.

    Fields have the names of their attributes, and numbers all their digits; `plain` writes records
    with aliases or rounded numbers. With `names` an object of these attributes alone, properties
    among them; ``key="path.to.it"`` gives an attribute another name. Members of enumerations become
    their values.
    """
    from pydantic_core import to_jsonable_python

    if names or renamed:
        wanted = {**dict(zip(names, names, strict=True)), **renamed}
        value = {key: operator.attrgetter(path)(value) for key, path in wanted.items()}
    return to_jsonable_python(value)


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
    except UsageError as problem:
        # Of a class that checks itself.
        raise error(str(problem), path=path, field=place or None, hint=hint) from problem
    only: _Kind = found[0]
    return only


def plain(record: Any) -> dict[str, Any]:
    """Return a dataclass as a JSON object that `checked` reads back.

    Fields are in their order, under their aliases, and rounded where they are `Rounded`.
    """
    written = _adapter(cast("Any", type(record))).dump_python([record], mode="json", by_alias=True)
    return cast("dict[str, Any]", written[0])


@functools.cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    # In a list: pydantic takes no settings for a dataclass itself.
    return TypeAdapter(list[kind], config={"allow_inf_nan": False})


def _joined(*names: str) -> str:
    return ".".join(name for name in names if name)


def field_name(location: Sequence[str | int]) -> str:
    """Return pydantic's location of a field as people write it: ``analysis[0].f1``."""
    # A wrong key of an object stands after its own name.
    location = location[:-1] if location and location[-1] == "[key]" else location
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
