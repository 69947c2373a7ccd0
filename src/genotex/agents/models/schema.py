"""The JSON schema of a dataclass, and the dataclass from a model's JSON."""

from __future__ import annotations

import enum
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import cleandoc
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from genotex.agents.models.schema_check import mismatches
from genotex.errors import UsageError

__all__ = ["build", "schema_of"]

Kind = TypeVar("Kind")

_PLAIN: Mapping[Any, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}


def schema_of(kind: type[Any]) -> dict[str, Any]:
    """Return the JSON schema of a dataclass, as models are asked to fill it in.

    The metadata of a field are keywords of its schema: ``description``, ``minimum``, ``maxItems``
    and so on. Fields without a default are required, others may be left out, none may be added.

    Parameters
    ----------
    kind : type
        A dataclass of texts, numbers, booleans, None, literals, enumerations, lists, tuples of any
        length, dicts by text, unions, and other dataclasses.

    Returns
    -------
    dict
        Plain JSON values.

    Raises
    ------
    UsageError
        If a field is of another type.
    """
    if not is_dataclass(kind):
        msg = f"{kind!r} is no dataclass; a structured answer is asked for as one"
        raise UsageError(msg)
    return _object(kind)


def _object(kind: type[Any]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    properties = {
        field.name: {
            **_schema(hints[field.name], f"{kind.__name__}.{field.name}"),
            **field.metadata,
        }
        for field in fields(kind)
    }
    return {
        "type": "object",
        **_description(kind),
        "properties": properties,
        "required": [field.name for field in fields(kind) if not _has_default(field)],
        "additionalProperties": False,
    }


def _description(kind: type[Any]) -> dict[str, str]:
    """Return the first paragraph of the docstring, unless dataclass wrote it."""
    text = cleandoc(kind.__doc__ or "")
    if not text or text.startswith(f"{kind.__name__}("):
        return {}
    return {"description": " ".join(text.split("\n\n")[0].split())}


def _has_default(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _schema(hint: Any, where: str) -> dict[str, Any]:
    """Return the schema of a type; `where` names the field in an error."""
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if isinstance(hint, type) and is_dataclass(hint):
        return _object(hint)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return {"enum": [member.value for member in hint]}
    arguments = get_args(hint)
    match get_origin(hint):
        case origin if origin is Literal:
            return {"enum": list(arguments)}
        case origin if origin in (Union, types.UnionType):
            return {"anyOf": [_schema(each, where) for each in arguments]}
        case origin if origin is list or (origin is tuple and arguments[1:] == (...,)):
            return {"type": "array", "items": _schema(arguments[0], where)}
        case origin if origin is dict and arguments[0] is str:
            return {"type": "object", "additionalProperties": _schema(arguments[1], where)}
    msg = f"{where}: {hint!r} has no JSON schema here; use texts, numbers, lists, dataclasses"
    raise UsageError(msg)


def build(kind: type[Kind], data: Any) -> Kind:
    """Return the dataclass that `data` describes.

    Parameters
    ----------
    kind : type
        A dataclass; its own ``__post_init__`` may refuse values with a ValueError.
    data : Any
        Plain JSON values that fit the schema of `kind`.

    Raises
    ------
    ValueError
        If the dataclass refuses the values.
    """
    return cast(Kind, _value(kind, data))


def _value(hint: Any, data: Any) -> Any:
    if isinstance(hint, type) and is_dataclass(hint):
        hints = get_type_hints(hint)
        return hint(**{name: _value(hints[name], value) for name, value in data.items()})
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint(data)
    if hint is float:
        return float(data)
    if hint is int:
        return int(data)
    arguments = get_args(hint)
    match get_origin(hint):
        case origin if origin in (Union, types.UnionType):
            return _value(_first_that_fits(arguments, data), data)
        case origin if origin in (list, tuple):
            return origin(_value(arguments[0], each) for each in data)
        case origin if origin is dict:
            return {key: _value(arguments[1], each) for key, each in data.items()}
    return data


def _first_that_fits(hints: tuple[Any, ...], data: Any) -> Any:
    return next(hint for hint in hints if not mismatches(data, _schema(hint, "")))
