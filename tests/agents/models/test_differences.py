from typing import Any

import pytest

from genotex.agents.models.recording import first_difference


@pytest.mark.parametrize(
    ("recorded", "asked", "said"),
    [
        ({"a": 1}, {"a": 2}, "a was 1, is now 2"),
        ({"a": {"b": 1}}, {"a": {}}, "a.b is only in the recording"),
        ({"a": {}}, {"a": {"b": 1}}, "a.b is only in the request"),
        (
            {"a": [1, {"b": "x"}]},
            {"a": [1, {"b": "y"}]},
            "a[1].b, character 1: was 'x', is now 'y'",
        ),
        ({"a": [1]}, {"a": [1, 2]}, "a has 1 entries in the recording, 2 now"),
        ({"a": None}, {"a": {"b": 1}}, "a was None, is now {'b': 1}"),
        ({"a": "same"}, {"a": "same more"}, "a, character 5: was 'same', is now 'same more'"),
    ],
)
def test_the_first_difference_is_named(recorded: Any, asked: Any, said: str) -> None:
    assert first_difference(recorded, asked) == said


def test_of_a_long_text_the_part_around_is_shown() -> None:
    said = first_difference({"t": "a" * 100 + "b" + "c" * 100}, {"t": "a" * 100 + "x" + "c" * 100})
    assert said == (
        f"t, character 101: was '{'a' * 30}b{'c' * 29}', is now '{'a' * 30}x{'c' * 29}'"
    )
