import json
import threading
from datetime import date
from decimal import Decimal

import pytest

from genotex.errors import RateLimitedError
from genotex.models import (
    ModelPrice,
    PriceSnapshot,
    Reply,
    Total,
    Unpriced,
    Usage,
    UsageLedger,
    dollars,
    flat_rate,
)

PRICES = PriceSnapshot(
    date(2026, 11, 1),
    "by hand",
    {"a:b": ModelPrice(flat_rate("1"), flat_rate("10")), "ollama:c": Unpriced("no price")},
)


def reply(model: str, usage: Usage, working: float = 1.0, waiting: float = 0.5) -> Reply:
    return Reply("", model, usage=usage, working=working, waiting=waiting)


def ledger() -> UsageLedger:
    books = UsageLedger(PRICES)
    books.book("planner", reply("a:b", Usage(1000, 100, 0)))
    books.book("planner", reply("a:b", Usage(2000, 200, 500)))
    books.book("reviewer", reply("ollama:c", Usage(500, 50)))
    return books


def test_usage_by_role_and_by_model() -> None:
    roles = ledger().by_role()
    assert list(roles) == ["planner", "reviewer"]
    planner = roles["planner"]
    assert (planner.calls, planner.input_tokens.exact, planner.output_tokens.exact) == (
        2,
        3000,
        300,
    )
    assert planner.cached_tokens.exact == 500
    # 3,000 at 1 and 300 at 10 dollars a million.
    assert planner.cost.exact == Decimal("0.006")
    assert (planner.working, planner.waiting) == (2.0, 1.0)
    assert list(ledger().by_model()) == ["a:b", "ollama:c"]


def test_a_cost_that_is_not_known_stays_unknown() -> None:
    reviewer = ledger().by_role()["reviewer"]
    assert reviewer.cost.exact is None
    assert str(reviewer.cost) == "unknown (1 call)"
    assert reviewer.cached_tokens.exact is None


def test_a_sum_that_is_known_in_part_says_so() -> None:
    total = ledger().total()
    assert total.tokens == Total(3850)
    assert total.cost == Total(Decimal("0.006"), 1)
    assert total.cost.exact is None
    assert str(total.cost) == "at least 0.006 (1 call unknown)"
    assert total.to_json()["cost_usd"] == {"known": "0.006", "unknown_calls": 1}


def test_a_call_that_tells_no_tokens_is_unknown_once() -> None:
    books = ledger()
    books.book("planner", reply("a:b", Usage()))
    books.book("planner", reply("a:b", Usage()))
    assert books.total().tokens == Total(3850, 2)
    assert str(books.total().tokens) == "at least 3850 (2 calls unknown)"


def test_a_failed_call_is_counted_with_its_time_and_in_no_sum() -> None:
    books = ledger()
    error = RateLimitedError("too often", attempts=3, working=2.0, waiting=30.0)
    books.book_failure("reviewer", "a:b", error)
    row = books.by_role()["reviewer"]
    assert (row.calls, row.failed, row.working, row.waiting) == (1, 1, 3.0, 30.5)
    assert row.cost == Total(Decimal(0), 1)


def test_nothing_asked_is_exactly_nothing() -> None:
    total = UsageLedger(PRICES).total()
    assert (total.calls, total.cost.exact, total.tokens.exact) == (0, 0, 0)


def test_json_has_the_date_of_the_prices() -> None:
    content = json.loads(json.dumps(ledger().to_json()))
    assert content["prices"] == {"date": "2026-11-01", "source": "by hand"}
    assert content["total"]["calls"] == 3
    assert content["roles"]["planner"]["input_tokens"] == {"known": 3000, "unknown_calls": 0}
    assert set(content["models"]) == {"a:b", "ollama:c"}


@pytest.mark.parametrize("threads", [8])
def test_several_threads_lose_nothing(threads: int) -> None:
    books = UsageLedger(PRICES)

    def work() -> None:
        for _ in range(200):
            books.book("planner", reply("a:b", Usage(1, 1, 0)))

    running = [threading.Thread(target=work) for _ in range(threads)]
    for each in running:
        each.start()
    for each in running:
        each.join()
    assert books.total().calls == 200 * threads


def test_each_amount_has_its_own_name() -> None:
    """By hand, at one dollar for a million tokens in and ten for a million out."""
    books = UsageLedger(PRICES)
    books.book("reviewer", reply("a:b", Usage(7000, 300, 20), 3.00049, 0.25))
    books.book("planner", reply("ollama:c", Usage(4000, 50), 1.0, 0.75))
    books.book_failure("planner", "a:b", RateLimitedError("x", working=0.5, waiting=2.0))
    content = books.to_json()
    assert content["total"] == {
        "calls": 2, "failed": 1,
        "input_tokens": {"known": 11000, "unknown_calls": 0},
        "output_tokens": {"known": 350, "unknown_calls": 0},
        "cached_tokens": {"known": 20, "unknown_calls": 1},
        "cost_usd": {"known": "0.01", "unknown_calls": 1},
        "working_seconds": 4.5, "waiting_seconds": 3.0,
    }  # fmt: skip
    assert list(content["roles"]) == ["planner", "reviewer"]
    assert content["models"]["a:b"]["working_seconds"] == 3.5
    assert content["models"]["ollama:c"]["input_tokens"]["known"] == 4000
    assert content["roles"]["reviewer"]["working_seconds"] == 3.0
    assert content["roles"]["reviewer"]["failed"] == 0 < content["roles"]["planner"]["failed"]


@pytest.mark.parametrize(
    ("known", "unknown", "money", "text"),
    [
        ("0", 0, "$0", "0"),
        ("0", 1, "cost unknown", "unknown (1 call)"),
        ("0.00004", 0, "under $0.0001", "0.00004"),
        ("0.00005001", 0, "$0.0001", "0.00005001"),
        ("12.50", 0, "$12.5", "12.50"),
        ("20", 0, "$20", "20"),
        ("1.23456", 2, "at least $1.2346", "at least 1.23456 (2 calls unknown)"),
    ],
)
def test_money_in_words(known: str, unknown: int, money: str, text: str) -> None:
    total = Total(Decimal(known), unknown)
    assert dollars(total) == money
    assert str(total) == text and total.exact == (None if unknown else Decimal(known))
