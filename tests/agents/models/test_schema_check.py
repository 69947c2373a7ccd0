from typing import Any

import pytest

from genotex.agents.models.schema_check import mismatches
from genotex.errors import UsageError


@pytest.mark.parametrize(
    ("data", "schema", "said"),
    [
        ("5", {"type": "integer"}, "the answer is a text, not a whole number"),
        (1.5, {"type": "integer"}, "the answer is the number 1.5, not a whole number"),
        (True, {"type": "integer"}, "the answer is true or false, not a whole number"),
        (float("nan"), {"type": "number"}, "the answer is the number nan, not a number"),
        (5, {"type": ["string", "null"]}, "the answer is the number 5, not a text or null"),
        ({}, {"type": "object", "required": ["a"]}, "the answer lacks 'a'"),
        (
            {"a": {"b": [1, "x"]}},
            {"properties": {"a": {"properties": {"b": {"items": {"type": "number"}}}}}},
            "a.b[1] is a text, not a number",
        ),
        (
            {"b": 1},
            {"properties": {}, "additionalProperties": False},
            "the answer has 'b', which was not asked for",
        ),
        ({"b": 1}, {"additionalProperties": {"type": "string"}}, "b is the number 1, not a text"),
        ("c", {"enum": ["a", "b"]}, "the answer is 'c', none of 'a', 'b'"),
        (1, {"enum": [True]}, "the answer is 1, none of True"),
        ("c", {"const": "a"}, "the answer is 'c', none of 'a'"),
        ([1], {"minItems": 2}, "the answer has a length of 1, at least 2 is allowed"),
        ([1, 2], {"maxItems": 1}, "the answer has a length of 2, at most 1 is allowed"),
        ("", {"minLength": 1}, "the answer has a length of 0, at least 1 is allowed"),
        ("ab", {"maxLength": 1}, "the answer has a length of 2, at most 1 is allowed"),
        (0, {"minimum": 1}, "the answer is 0, at least 1 is allowed"),
        (2, {"maximum": 1}, "the answer is 2, at most 1 is allowed"),
        ("x1", {"pattern": "^[a-z]+$"}, "the answer is 'x1', which does not match '^[a-z]+$'"),
    ],
)
def test_each_mismatch_is_one_sentence(data: Any, schema: dict[str, Any], said: str) -> None:
    assert mismatches(data, schema) == [said]


def test_of_a_choice_the_nearest_is_told() -> None:
    step = {"properties": {"n": {"type": "integer"}}, "required": ["n"], "type": "object"}
    schema = {"anyOf": [{"type": "null"}, step]}
    assert mismatches({"n": 1}, schema) == []
    assert mismatches(None, schema) == []
    assert mismatches({"n": "x"}, {"anyOf": [step, {**step, "required": ["n", "m"]}]}) == [
        "n is a text, not a whole number"
    ]


def test_only_the_first_mismatches_are_told() -> None:
    told = mismatches(["x"] * 30, {"items": {"type": "integer"}})
    assert len(told) == 11
    assert told[-1] == "and 20 more"


@pytest.mark.parametrize(
    "schema",
    [
        {"oneOf": []},
        {"items": {"$ref": "#/$defs/a"}},
        {"properties": {"a": {"format": "date"}}},
        {"anyOf": [{"not": {}}]},
        {"additionalProperties": {"uniqueItems": True}},
    ],
)
def test_a_keyword_that_is_not_checked_is_refused_whatever_the_data(schema: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="not checked here"):
        mismatches({}, schema)
