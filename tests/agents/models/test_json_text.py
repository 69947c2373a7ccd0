import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.agents.models.json_text import MOST_TRIES, json_values

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, 2]}',
        '  \n{"a": [1, 2]}\n',
        '```json\n{"a": [1, 2]}\n```',
        'Here it is:\n```\n{"a": [1, 2]}\n```\nI hope that helps.',
        'I first thought ```{"a": 5}``` but\n```json\n{"a": [1, 2]}\n```',
        'The answer is {"a": [1, 2]}, as asked.',
        'In {braces}: {"a": [1, 2]}',
    ],
)
def test_the_value_is_found_with_talk_around_it(text: str) -> None:
    assert next(json_values(text)) == {"a": [1, 2]}


def test_of_several_code_fences_the_last_comes_first() -> None:
    text = "```json\n1\n```\nNo, wait.\n```json\n2\n```"
    assert list(json_values(text)) == [2, 1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no",
        "{",
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": 1e999}',
        '{"a": "\\ud800"}',
        "[" * 10**5,
    ],
)
def test_text_without_a_value_gives_none(text: str) -> None:
    assert list(json_values(text)) == []


def test_only_so_many_brackets_are_tried() -> None:
    assert list(json_values("{" * MOST_TRIES + '{"a": 1}')) == []


@given(values, st.text(alphabet="ab .:\n", max_size=10), st.text(alphabet="ab .:\n", max_size=10))
def test_any_object_is_found_in_any_talk(value: Any, before: str, after: str) -> None:
    whole = {"value": value}
    assert next(json_values(before + json.dumps(whole) + after)) == whole


@given(st.text())
def test_whatever_the_text_only_what_can_be_written_comes_out(text: str) -> None:
    for value in json_values(text):
        assert json.loads(json.dumps(value, allow_nan=False)) == value
