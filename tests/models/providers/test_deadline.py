import asyncio
import threading

import pytest

from genotex.models import provider_model as deadline
from genotex.models import run_within


async def answer() -> str:
    await asyncio.sleep(0)
    return "well"


def test_a_result_comes_back() -> None:
    assert run_within(5, answer) == "well"


def test_an_exception_comes_back() -> None:
    async def fail() -> None:
        msg = "no"
        raise LookupError(msg)

    with pytest.raises(LookupError, match="no"):
        run_within(5, fail)


def test_what_waits_too_long_is_cancelled_and_cleans_up() -> None:
    cleaned = threading.Event()

    async def wait() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            cleaned.set()

    with pytest.raises(TimeoutError):
        run_within(0.05, wait)
    assert cleaned.wait(10)


def test_code_that_blocks_cannot_hold_up_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "GRACE", 0.05)
    released = threading.Event()

    async def block() -> None:
        released.wait(60)

    with pytest.raises(TimeoutError):
        run_within(0.05, block)
    assert not released.is_set()
    released.set()


def test_code_that_ignores_its_end_cannot_hold_up_the_caller(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deadline, "GRACE", 0.05)
    end = threading.Event()

    async def ignore() -> None:
        while not end.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue

    with pytest.raises(TimeoutError):
        run_within(0.05, ignore)
    end.set()


def test_ctrl_c_ends_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    started, ended = threading.Event(), threading.Event()

    async def wait() -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    def interrupted(_: float) -> bool:
        raise KeyboardInterrupt

    def start(call: threading.Thread) -> None:
        threading.Thread.start(call)
        assert started.wait(10)
        monkeypatch.setattr(call.done, "wait", interrupted)  # type: ignore[attr-defined]

    monkeypatch.setattr(deadline._Call, "start", start)
    with pytest.raises(KeyboardInterrupt):
        run_within(60, wait)
    assert ended.wait(10)
