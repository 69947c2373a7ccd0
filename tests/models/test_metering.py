import threading
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from genotex.errors import BudgetReachedError, ModelUnavailableError
from genotex.models import (
    Budget,
    Message,
    MeteredModel,
    ModelPrice,
    PriceSnapshot,
    Reply,
    Request,
    ScriptedModel,
    SpendingLimits,
    Usage,
    UsageLedger,
    flat_rate,
)

REQUEST = Request("planner", (Message("user", "Hello?"),))
ANSWER = Reply("", "a:b", usage=Usage(1000, 0, 0))


def books() -> UsageLedger:
    prices: Any = {"a:b": ModelPrice(flat_rate("1"), flat_rate("1"))}
    return UsageLedger(PriceSnapshot(date(2026, 11, 1), "by hand", prices))


def test_calls_are_booked_on_the_role_that_asked() -> None:
    ledger = books()
    model = MeteredModel(ScriptedModel([ANSWER], name="a:b"), ledger)
    assert model.answer(REQUEST) == ANSWER
    assert model.name == "a:b"
    assert ledger.by_role()["planner"].input_tokens.exact == 1000


def test_a_reached_limit_stops_before_the_call() -> None:
    ledger = books()
    script = ScriptedModel(lambda _: ANSWER, name="a:b")
    model = MeteredModel(script, ledger, Budget(SpendingLimits(max_cost=Decimal("0.002")), ledger))
    model.answer(REQUEST)
    model.answer(REQUEST)
    with pytest.raises(BudgetReachedError):
        model.answer(REQUEST)
    assert len(script.requests) == 2
    assert ledger.total().failed == 0


def test_a_failed_call_is_booked_with_its_time() -> None:
    ledger = books()
    error = ModelUnavailableError("cut", working=1.5, waiting=2.0)
    model = MeteredModel(ScriptedModel([error], name="a:b"), ledger)
    with pytest.raises(ModelUnavailableError):
        model.answer(REQUEST)
    row = ledger.by_model()["a:b"]
    assert (row.calls, row.failed, row.working, row.waiting) == (0, 1, 1.5, 2.0)


def test_only_so_many_calls_are_under_way_and_the_wait_is_counted() -> None:
    ledger = books()
    slots = threading.BoundedSemaphore(2)
    under_way, most, turn = 0, 0, threading.Lock()
    both_in = threading.Barrier(2)

    def answer(_: Request) -> Reply:
        nonlocal under_way, most
        with turn:
            under_way += 1
            most = max(most, under_way)
        both_in.wait(timeout=10)
        with turn:
            under_way -= 1
        return ANSWER

    class Slow:
        name = "a:b"

        def answer(self, request: Request) -> Reply:
            return answer(request)

    models = [MeteredModel(Slow(), ledger, slots=slots) for _ in range(6)]
    threads = [threading.Thread(target=model.answer, args=(REQUEST,)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 2
    assert ledger.total().calls == 6


def test_the_wait_for_a_slot_is_waiting() -> None:
    ledger = books()
    times = iter([10.0, 17.0, 20.0, 21.0])
    model = MeteredModel(
        ScriptedModel([ANSWER, ModelUnavailableError("cut", waiting=1.0)], name="a:b"),
        ledger,
        slots=threading.BoundedSemaphore(1),
        clock=lambda: next(times),
    )
    assert model.answer(REQUEST).waiting == 7.0
    with pytest.raises(ModelUnavailableError) as caught:
        model.answer(REQUEST)
    assert caught.value.waiting == 2.0
    assert ledger.total().waiting == 9.0
