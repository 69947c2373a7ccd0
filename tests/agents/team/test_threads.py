import subprocess
import sys
import threading

import pytest

from genotex.agents.team import sessions


def nothing() -> None: ...


@pytest.mark.parametrize("jobs", [1, 3])
def test_all_work_is_done_and_errors_are_results(jobs: int) -> None:
    def halve(number: int) -> float:
        return 12 / number

    found = dict(sessions.in_threads([3, 0, 4], jobs, halve, nothing))
    assert (found[3], found[4]) == (4.0, 3.0)
    assert isinstance(found[0], ZeroDivisionError)


def test_as_many_pieces_are_under_way_as_there_are_jobs() -> None:
    together = threading.Barrier(3, timeout=30)
    results = list(sessions.in_threads([1, 2, 3], 3, lambda _: together.wait() >= 0, nothing))
    assert sorted(results) == [(1, True), (2, True), (3, True)]


def test_interrupted_caller_begins_nothing_more_and_ends_what_is_under_way() -> None:
    begun: list[int] = []
    first, given_up = threading.Event(), threading.Event()

    def do(number: int) -> int:
        begun.append(number)
        if number == 0:
            return 0
        first.set()
        assert given_up.wait(30)
        return number

    with pytest.raises(KeyboardInterrupt):
        for _ in sessions.in_threads(range(9), 2, do, given_up.set):
            assert first.wait(30)
            raise KeyboardInterrupt
    # Closing the loop over the results gives up what is under way.
    assert given_up.wait(30)
    assert len(begun) <= 3


def test_patience_after_an_interruption_does_not_grow_with_the_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, given = 0.0, []

    def join(thread: threading.Thread, seconds: float | None = None) -> None:
        nonlocal now
        assert seconds is not None
        given.append(seconds)
        now += seconds

    monkeypatch.setattr(threading.Thread, "join", join)
    monkeypatch.setattr(sessions, "monotonic", lambda: now)
    released = threading.Event()

    def do(number: int) -> int:
        # The first piece ends, so that the caller has something to be interrupted at.
        assert number == 0 or released.wait(30)
        return number

    with pytest.raises(KeyboardInterrupt):
        for _ in sessions.in_threads(range(4), 3, do, nothing):
            raise KeyboardInterrupt
    released.set()
    assert given == [sessions.PATIENCE, 0.0, 0.0]


WAITING = {
    "threads": "list(sessions.in_threads([1, 2], 2, lambda _: time.sleep(100), lambda: None))",
    "call": "run_within(100, lambda: asyncio.sleep(100))",
}


@pytest.mark.parametrize("waiting", WAITING)
def test_ctrl_c_ends_a_wait_although_polars_catches_it_too(waiting: str) -> None:
    code = f"""
import asyncio, os, signal, sys, threading, time
signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
import polars
from genotex.models.provider_model import run_within
from genotex.agents.team import sessions

sessions.PATIENCE = 0.1
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
{WAITING[waiting]}
"""
    process = subprocess.run([sys.executable, "-c", code], timeout=60, check=False)
    assert process.returncode == 130
