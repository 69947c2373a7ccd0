"""What tests/durations.json lists is there, and decides which tests are slow."""

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import durations
from tests.durations import LIMIT, Clock, Taken, is_slow, is_stale, now_slow, recorded

FIXTURE = {"fixtures": {"tests/app::folder": 3.0}, "tests": {}}


@pytest.fixture
def by_the_clock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Set what the clock, the processor and the kernel's counter of pressure show."""
    monkeypatch.setattr(durations, "_PRESSURE", tmp_path / "cpu")

    def show(*, clock: float, processor: float, stalled: float) -> None:
        text = f"some avg10=0.00 avg60=0.00 avg300=0.00 total={stalled * 1e6:.0f}\nfull total=0\n"
        (tmp_path / "cpu").write_text(text)
        monkeypatch.setattr(time, "perf_counter", lambda: clock)
        monkeypatch.setattr(time, "process_time", lambda: processor)

    return show


@pytest.mark.parametrize(
    ("clock", "processor", "stalled", "taken"),
    [(3, 0.2, 0, (3, 3)), (3, 0.2, 2.9, (0.2, 3)), (3, 0.2, 2, (1, 3)), (1, 2, 0, (2, 2))],
    ids=["waits", "waits for a processor", "waits for both", "computes in threads"],
)
def test_time_in_which_somebody_waits_for_a_processor_is_not_certain(
    by_the_clock: Any, clock: float, processor: float, stalled: float, taken: tuple[float, float]
):
    by_the_clock(clock=0.0, processor=0.0, stalled=0.0)
    started = Clock()
    by_the_clock(clock=clock, processor=processor, stalled=stalled)
    assert started.taken() == pytest.approx(taken, abs=0.05)


def test_what_is_not_certain_stays_as_it_was():
    before = {"waits": 2.0, "was slow": 3.0, "left out": 1.0}
    measured = {
        "waits": Taken(0.1, 9.0),
        "was slow": Taken(0.1, 0.2),
        "is slow": Taken(0.72, 5.0),
        "new, waits": Taken(0.1, 9.0),
    }
    assert now_slow(before, measured) == {"is slow": 0.7, "left out": 1.0, "waits": 2.0}


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
