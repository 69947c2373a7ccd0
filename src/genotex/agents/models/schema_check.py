"""Does an answer fit its JSON schema? What does not is said in words that a model understands."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from genotex.errors import UsageError

__all__ = ["mismatches"]

MOST_TOLD = 10
"""Mismatches that are told; more help nobody."""

_TELLS_NOTHING = {"title", "description", "default", "examples", "$schema"}


def mismatches(data: Any, schema: Mapping[str, Any]) -> list[str]:
    """Return what of `data` does not fit `schema`, one sentence each; empty when all fits.

    Parameters
    ----------
    data : Any
        Plain JSON values.
    schema : mapping
        JSON schema of these keywords: type, enum, const, anyOf, properties, required,
        additionalProperties, items, minItems, maxItems, minimum, maximum, minLength, maxLength,
        pattern; titles, descriptions, defaults and examples are passed over.

    Raises
    ------
    UsageError
        If the schema has another keyword, which would be left unchecked.
    """
    _refuse_unchecked(schema)
    found = list(_check(data, schema, "the answer"))
    rest = len(found) - MOST_TOLD
    return found if rest <= 0 else [*found[:MOST_TOLD], f"and {rest} more"]


def _refuse_unchecked(schema: Mapping[str, Any]) -> None:
    for keyword in schema:
        if keyword not in _CHECKS and keyword not in _TELLS_NOTHING:
            msg = f"the JSON schema has {keyword!r}, which is not checked here; leave it out"
            raise UsageError(msg)
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    inner += [schema[name] for name in ("items", "additionalProperties") if name in schema]
    for each in inner:
        if isinstance(each, Mapping):
            _refuse_unchecked(each)


def _check(data: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    for keyword, check in _CHECKS.items():
        if keyword not in schema:
            continue
        found = list(check(data, schema, where))
        yield from found
        if found and keyword == "type":
            # What else is wrong with a text that should be a list is no news.
            return


def _type(data: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    wanted = schema["type"]
    kinds = wanted if isinstance(wanted, list) else [wanted]
    if not any(_is(data, kind) for kind in kinds):
        yield f"{where} is {_kind(data)}, not {' or '.join(map(_named, kinds))}"


def _is(data: Any, kind: str) -> bool:
    match kind:
        case "integer":
            return _is_number(data) and data == int(data)
        case "number":
            return _is_number(data)
        case _:
            return isinstance(data, _TYPES[kind])


def _is_number(data: Any) -> bool:
    return isinstance(data, (int, float)) and not isinstance(data, bool) and math.isfinite(data)


_TYPES: Mapping[str, type[Any]] = {
    "string": str,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


def _named(kind: str) -> str:
    return {
        "string": "a text",
        "boolean": "true or false",
        "array": "a list",
        "object": "an object",
        "null": "null",
        "integer": "a whole number",
        "number": "a number",
    }[kind]


def _kind(data: Any) -> str:
    if _is_number(data) or isinstance(data, float):
        return f"the number {data}"
    return _named(next(name for name, kind in _TYPES.items() if isinstance(data, kind)))


def _enum(data: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    # True equals 1 in Python, but not in JSON.
    if not any(data == value and type(data) is type(value) for value in schema["enum"]):
        yield f"{where} is {_shown(data)}, none of {', '.join(map(_shown, schema['enum']))}"


def _const(data: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    yield from _enum(data, {"enum": [schema["const"]]}, where)


def _any_of(data: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    tries = [list(_check(data, each, where)) for each in schema["anyOf"]]
    if all(tries):
        # The fewest mismatches are those of the kind that was meant.
        yield from min(tries, key=len)


def _properties(data: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    if isinstance(data, dict):
        for name, each in schema["properties"].items():
            if name in data:
                yield from _check(data[name], each, _inside(where, name))


def _required(data: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    if isinstance(data, dict):
        for name in schema["required"]:
            if name not in data:
                yield f"{where} lacks {name!r}"


def _additional(data: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    rule = schema["additionalProperties"]
    if not isinstance(data, dict) or rule is True:
        return
    known = schema.get("properties", {})
    for name in data:
        if name in known:
            continue
        if rule is False:
            yield f"{where} has {_shown(name)}, which was not asked for"
        else:
            yield from _check(data[name], rule, _inside(where, name))


def _items(data: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    if isinstance(data, list):
        for number, each in enumerate(data):
            yield from _check(each, schema["items"], f"{where}[{number}]")


def _bound(
    keyword: str, size: Callable[[Any], float | None], what: str, *, least: bool
) -> Callable[[Any, Mapping[str, Any], str], Iterator[str]]:
    def check(data: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
        value, bound = size(data), schema[keyword]
        if value is not None and (value < bound if least else value > bound):
            yield f"{where} {what} {value}, {'at least' if least else 'at most'} {bound} is allowed"

    return check


def _length(kind: type[Any]) -> Callable[[Any], float | None]:
    return lambda data: len(data) if isinstance(data, kind) else None


def _number(data: Any) -> float | None:
    return data if _is_number(data) else None


def _pattern(data: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    if isinstance(data, str) and not re.search(schema["pattern"], data):
        yield f"{where} is {_shown(data)}, which does not match {schema['pattern']!r}"


def _inside(where: str, name: str) -> str:
    return name if where == "the answer" else f"{where}.{name}"


def _shown(data: Any) -> str:
    text = repr(data)
    return text if len(text) <= 80 else f"{text[:77]}..."


_CHECKS: Mapping[str, Callable[[Any, Mapping[str, Any], str], Iterator[str]]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "anyOf": _any_of,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "minItems": _bound("minItems", _length(list), "has a length of", least=True),
    "maxItems": _bound("maxItems", _length(list), "has a length of", least=False),
    "minLength": _bound("minLength", _length(str), "has a length of", least=True),
    "maxLength": _bound("maxLength", _length(str), "has a length of", least=False),
    "minimum": _bound("minimum", _number, "is", least=True),
    "maximum": _bound("maximum", _number, "is", least=False),
    "pattern": _pattern,
}
"""Keyword -> check, in the order in which mismatches are told."""
