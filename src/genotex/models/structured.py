"""Structured answers: JSON in a model's text, checked by pydantic, repaired at most once."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from genotex.errors import BadAnswerError, RefusedError
from genotex.models.model import Message, Reply, Request
from genotex.records import field_name

if TYPE_CHECKING:
    from pydantic import ValidationError


Kind = TypeVar("Kind")
_Ask = Callable[[Request], Reply]

MAX_ATTEMPTS = 50
"""Opening brackets in the text that are tried as the start of a value."""
_MAX_PROBLEMS = 10
_WHOLE = "the answer"

_FENCED = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)

_REPAIR = """\
Your answer cannot be used: {problems}.
Answer the same question again, with one JSON value in the requested form and nothing else.
"""

_SHORTER = " It was cut off at the maximum number of output tokens, so be shorter."


@dataclass(frozen=True)
class ModelAnswer(Generic[Kind]):
    """A checked answer."""

    value: Kind  # The data that was requested
    # What the model wrote: one reply, or two if the first had to be repaired
    replies: tuple[Reply, ...]

    @property
    def repaired(self) -> bool:
        """Whether the first answer did not fit."""
        return len(self.replies) > 1


def ask_for(ask: _Ask, request: Request, kind: type[Kind]) -> ModelAnswer[Kind]:
    """Ask a model for structured data; one answer that does not fit is repaired.

    `kind` is for example a dataclass, with arguments of `pydantic.Field` as metadata of its fields.
    A ValueError from ``__post_init__`` is reported to the model like a value that does not fit.
    """
    request = replace(request, schema=schema_of(kind))
    replies: list[Reply] = []
    for _ in range(2):
        reply = ask(request)
        _refuse_unanswered(reply)
        replies.append(reply)
        try:
            return ModelAnswer(_first_that_fits(reply, kind), tuple(replies))
        except ValueError as error:
            problems = str(error)
            request = replace(request, messages=(*request.messages, *_repair(reply, problems)))
    msg = f"the answer does not have the requested form: {problems}"
    hint = f"role {request.role}; try another model or a simpler question"
    raise BadAnswerError(msg, model=reply.model, hint=hint, **_spent(*replies))


def schema_of(kind: Any) -> dict[str, Any]:
    """Return the JSON schema of a type, without references, which not every provider resolves."""
    from pydantic import TypeAdapter
    from pydantic.json_schema import GenerateJsonSchema

    class Schema(GenerateJsonSchema):
        def field_title_should_be_set(self, schema: Any) -> bool:
            return False

        def dataclass_schema(self, schema: Any) -> dict[str, Any]:
            found = super().dataclass_schema(schema)
            found.pop("title", None)
            if "description" in found:
                first_paragraph = found["description"].split("\n\n")[0]
                found["description"] = " ".join(first_paragraph.split())
            return {**found, "additionalProperties": False}

        def default_schema(self, schema: Any) -> dict[str, Any]:
            return self.generate_inner(schema["schema"])

        def enum_schema(self, schema: Any) -> dict[str, Any]:
            return {"enum": [member.value for member in schema["members"]]}

        def literal_schema(self, schema: Any) -> dict[str, Any]:
            return {"enum": list(schema["expected"])}

    schema = TypeAdapter(kind).json_schema(schema_generator=Schema)
    definitions = schema.pop("$defs", {})

    def inlined(value: Any) -> Any:
        if isinstance(value, list):
            return [inlined(each) for each in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            value = {**definitions[value["$ref"].rpartition("/")[2]], **value}
        return {name: inlined(each) for name, each in value.items() if name != "$ref"}

    found: dict[str, Any] = inlined(schema)
    return found


def _first_that_fits(reply: Reply, kind: type[Kind]) -> Kind:
    """Return the first value in the reply that fits, or raise a ValueError that explains."""
    from pydantic import TypeAdapter, ValidationError

    adapter = TypeAdapter(kind)
    values = [reply.data] if reply.data is not None else list(json_values(reply.text))
    problems: list[str] = []
    for value in values:
        try:
            # Validated as JSON: strict, but lists become tuples and names members of enumerations.
            text = json.dumps(_whole_numbers(value), allow_nan=False)
            return adapter.validate_json(text, strict=True, extra="forbid")
        except ValidationError as error:
            problems = problems or _problems_of(error)
        except ValueError as error:
            problems = problems or [str(error)]
    empty = "it is empty" if not reply.text.strip() else "it contains no JSON that can be read"
    raise ValueError("; ".join(problems) or empty)


def _whole_numbers(value: Any) -> Any:
    """Return JSON values with whole floats as integers: JSON does not distinguish 2.0 from 2."""
    if isinstance(value, dict):
        return {name: _whole_numbers(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_whole_numbers(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _problems_of(error: ValidationError) -> list[str]:
    """Return each problem that pydantic found as one sentence: where, what, and the value."""
    found = []
    for each in error.errors(include_url=False):
        *above, name = each["loc"] or ("",)
        match each["type"]:
            case "missing":
                found.append(f"{field_name(above) or _WHOLE} lacks {name!r}")
            case "unexpected_keyword_argument" | "extra_forbidden":
                found.append(f"{field_name(above) or _WHOLE} has {name!r}, which was not requested")
            case "value_error":
                found.append(str(each["ctx"]["error"]))
            case _:
                told = each["msg"][0].lower() + each["msg"][1:]
                where = field_name(each["loc"]) or _WHOLE
                found.append(f"{where}: {told}, not {_shown(each['input'])}")
    rest = len(found) - _MAX_PROBLEMS
    return found if rest <= 0 else [*found[:_MAX_PROBLEMS], f"and {rest} more"]


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _repair(reply: Reply, problems: str) -> tuple[Message, Message]:
    answer = reply.text if reply.data is None else json.dumps(reply.data, ensure_ascii=False)
    text = _REPAIR.format(problems=problems)
    if reply.stop == "length":
        text += _SHORTER
    # Providers do not accept an empty message of the model.
    return Message("assistant", answer.strip() or "(empty)"), Message("user", text)


def _spent(*replies: Reply) -> dict[str, Any]:
    """Return what unusable answers cost, as errors record it."""
    return {
        "attempts": sum(reply.attempts for reply in replies),
        "working": sum(reply.working for reply in replies),
        "waiting": sum(reply.waiting for reply in replies),
    }


def _refuse_unanswered(reply: Reply) -> None:
    """Raise if the model refused, a filter cut the answer, or the provider failed while writing."""
    if reply.stop in ("refusal", "content_filter"):
        who = (
            "the model refuses"
            if reply.stop == "refusal"
            else "the provider's filter cut the answer"
        )
        reason = " ".join(reply.text.split())
        msg = f"{who}: {reason[:300]!r}" if reason else who
        hint = "reword the question or use another model"
        raise RefusedError(msg, model=reply.model, hint=hint, **_spent(reply))
    if reply.stop == "failed":
        msg = "the provider reports that writing the answer failed"
        hint = "ask again, or use another model"
        raise BadAnswerError(msg, model=reply.model, hint=hint, **_spent(reply))


def finished_text(reply: Reply) -> Reply:
    """Return a reply whose text is not empty; it may be cut (``stop`` is then ``length``)."""
    _refuse_unanswered(reply)
    if not reply.text.strip():
        cut = reply.stop == "length"
        msg = "the answer is empty" + (": all output tokens were spent on thinking" if cut else "")
        hint = "allow more output tokens" if cut else "ask again, or use another model"
        raise BadAnswerError(msg, model=reply.model, hint=hint, **_spent(reply))
    return reply


def json_values(text: str) -> Iterator[Any]:
    """Yield the JSON values that a text may contain, the likeliest first."""
    # The whole text, the contents of code fences (the last first: models think before they answer),
    # then what follows an opening bracket. Only finite numbers and complete characters.
    whole = _values(text.strip())
    if whole:
        yield from whole
        return
    for fenced in reversed(_FENCED.findall(text)):
        yield from _values(fenced.strip())
    for place in list(re.finditer(r"[{\[]", text))[:MAX_ATTEMPTS]:
        yield from _values(text[place.start() :], whole=False)


def _values(text: str, *, whole: bool = True) -> list[Any]:
    """Return the value that the text is, or starts with, in a list; empty if it is not JSON."""
    try:
        value, end = _DECODER.raw_decode(text)
        # Half a surrogate pair cannot be written to any file.
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        # A value that is nested too deeply is not an answer either.
        return []
    return [] if whole and text[end:].strip() else [value]


def _refuse(name: str) -> NoReturn:
    msg = f"{name} is not JSON"
    raise ValueError(msg)


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse(text)


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
