"""JSON and TOML: depth and size are known before they are parsed, and errors say where."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.errors import FileLimitError, FormatError
from genotex.outside import Limits, parse_json, parse_toml, read_json, use_limits
from genotex.outside.documents import _json_depth

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('[]{}"\\a') | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text('[{"\\'), inner, max_size=3)
    ),
    max_leaves=20,
)


def depth_of(value: Any) -> int:
    inside = value.values() if isinstance(value, dict) else value
    is_nested = isinstance(value, dict | list)
    return 1 + max(map(depth_of, inside), default=0) if is_nested else 0


@given(_VALUES)
def test_depth_is_that_of_the_value_whatever_its_texts_hold(value: Any) -> None:
    assert _json_depth(json.dumps(value), 0) == depth_of(value)
    assert parse_json(json.dumps(value), finite=False) == value


def test_nesting_has_a_limit(set_limits: Callable[..., None]) -> None:
    assert parse_json("[" * 100 + "]" * 100, None)
    with pytest.raises(FileLimitError, match="nested 101 levels deep; the limit 'depth'"):
        parse_json("[" * 101 + "]" * 101, Path("a.json"))
    assert parse_toml("a." * 98 + "a = 1", None)
    with pytest.raises(FileLimitError, match="limit 'depth'"):
        parse_toml("a." * 120 + "a = 1", None)
    set_limits(depth=200)
    assert parse_json("[" * 101 + "]" * 101, None)


def test_deep_toml_is_an_error_of_ours() -> None:
    with pytest.raises(FormatError):
        parse_toml("a = " + "[" * 5000 + "]" * 5000, Path("a.toml"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_json_is_read_in_its_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes('{"a": "\N{GREEK SMALL LETTER ALPHA}"}'.encode(encoding))
    assert read_json(path) == {"a": "\N{GREEK SMALL LETTER ALPHA}"}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{"a":\n1,}', r"a\.json, line 2: not valid JSON"),
        (b"", "not valid JSON"),
        (b'{"a": "\xff"}', "not valid JSON: 'utf-8' codec"),
        (b"9" * 5000, "not valid JSON"),
    ],
)
def test_other_texts_are_refused_with_their_place(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=why):
        read_json(path)
    with pytest.raises(FormatError, match="cannot be read"):
        read_json(tmp_path / "none.json")


SMALL = Limits(values=10, text=20, depth=5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "'c' appears twice in one object"),
        ("[NaN]", "NaN is not a JSON number"),
        ("[-Infinity]", "-Infinity is not a JSON number"),
        ("[1e999]", "a number that is too large"),
        ("[[[[[[1]]]]]]", "'depth' .* is 5"),
        ("[" * 9, "'depth' .* is 5"),
        ("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]", "'values' .* is 10"),
        ('["xxxxxxxxxxxxxxxxxxxxx"]', "'text' .* is 20"),
        ('{"xxxxxxxxxxxxxxxxxxxxx": 1}', "'text' .* is 20"),
        ("{'a': 1}", "Expecting property name"),
    ],
)
def test_text_beyond_its_limits_is_refused(text: str, message: str) -> None:
    with use_limits(SMALL), pytest.raises(FormatError, match=message):
        parse_json(text)


def test_text_within_its_limits_is_what_it_says() -> None:
    text = '{"a": [[[[1, 2.5]]]], "b": "xxxxxxxxxxxxxxxxxxxx", "c": null}'
    with use_limits(SMALL):
        assert parse_json(text) == json.loads(text)


def test_numbers_that_are_none_are_taken_where_pandas_writes_them() -> None:
    assert str(parse_json("[NaN, Infinity]", finite=False)) == "[nan, inf]"
