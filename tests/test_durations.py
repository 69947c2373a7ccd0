"""What tests/durations.json lists is there, and decides which tests are slow."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.durations import LIMIT, is_slow, is_stale, recorded

FIXTURE = {"fixtures": {"tests/app::folder": 3.0}, "tests": {}}


def item(node_id: str, *fixtures: str) -> Any:
    return SimpleNamespace(nodeid=node_id, fixturenames=fixtures)


def test_every_entry_names_a_test_or_fixture_that_exists():
    entries = [entry for kind in recorded().values() for entry in kind]
    stale = [entry for entry in entries if is_stale(entry)]
    assert not stale, (
        f"tests/durations.json holds names that are gone: {', '.join(stale)}; "
        "record the tests that took their place: make durations TESTS=THEIR_FILES"
    )


def test_entries_are_slow():
    assert all(seconds >= LIMIT for kind in recorded().values() for seconds in kind.values())


def test_all_cases_of_a_recorded_function_are_slow():
    durations = {"fixtures": {}, "tests": {"tests/a/test_b.py::test_c": 1.0}}
    assert is_slow(item("tests/a/test_b.py::test_c[x::y]"), durations)
    assert not is_slow(item("tests/a/test_b.py::test_cd"), durations)


def test_all_users_of_a_recorded_fixture_are_slow():
    assert is_slow(item("tests/app/test_b.py::test_c", "folder"), FIXTURE)
    assert not is_slow(item("tests/app/test_b.py::test_c", "tmp_path"), FIXTURE)


def test_a_fixture_of_the_same_name_in_another_folder_is_another():
    assert not is_slow(item("tests/apple/test_b.py::test_c", "folder"), FIXTURE)


@pytest.mark.parametrize(
    "entry",
    ["tests/gone/test_gone.py::test_gone", "tests/test_durations.py::test_gone", "tests/app::gone"],
)
def test_what_is_gone_is_stale(entry: str):
    assert is_stale(entry)


def test_what_is_here_is_not_stale():
    assert not is_stale("tests/test_durations.py::test_entries_are_slow")
    assert not is_stale("tests::shared_data")
