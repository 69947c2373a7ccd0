from datetime import date
from decimal import Decimal

import pytest

from genotex.errors import BudgetReachedError, ModelError, UsageError
from genotex.models import (
    Budget,
    ModelPrice,
    PriceSnapshot,
    Reply,
    SpendingLimits,
    Unpriced,
    Usage,
    UsageLedger,
    flat_rate,
)

PRICED = {"a:b": ModelPrice(flat_rate("1"), flat_rate("10"))}


def books(prices: dict[str, ModelPrice | Unpriced] | None = None) -> UsageLedger:
    return UsageLedger(PriceSnapshot(date(2026, 11, 1), "by hand", prices or {**PRICED}))


def spend(ledger: UsageLedger, usage: Usage) -> None:
    ledger.book("planner", Reply("", "a:b", usage=usage))


def test_no_limit_allows_everything() -> None:
    ledger = books()
    budget = Budget(SpendingLimits(), ledger)
    spend(ledger, Usage(10**9, 10**9))
    spend(ledger, Usage())
    budget.check()


def test_calls_start_until_the_cost_is_reached() -> None:
    ledger = books()
    budget = Budget(SpendingLimits(max_cost=Decimal("0.002")), ledger)
    budget.check()
    spend(ledger, Usage(1000, 0))
    budget.check()
    spend(ledger, Usage(1000, 0))
    with pytest.raises(BudgetReachedError) as caught:
        budget.check()
    assert caught.value.limit == "max_cost"
    assert "--max-cost is reached: 0.002 of 0.002 US dollars" in str(caught.value)
    assert "resume" in str(caught.value)


def test_tokens_are_input_and_output_together() -> None:
    ledger = books()
    budget = Budget(SpendingLimits(max_tokens=100), ledger)
    spend(ledger, Usage(60, 39))
    budget.check()
    spend(ledger, Usage(1, 0))
    with pytest.raises(BudgetReachedError, match="100 of 100 tokens"):
        budget.check()


def test_time_counts_on_the_clock_and_from_before_the_run_was_resumed() -> None:
    now = [1000.0]
    budget = Budget(SpendingLimits(max_time=60), books(), clock=lambda: now[0], spent_time=50)
    now[0] += 9
    budget.check()
    assert budget.time == 59
    now[0] += 1
    with pytest.raises(BudgetReachedError, match="60 of 60 seconds") as caught:
        budget.check()
    assert caught.value.limit == "max_time"


def test_a_reached_limit_is_no_error_of_one_question() -> None:
    assert not issubclass(BudgetReachedError, ModelError)


def test_a_limit_of_cost_with_an_unknown_price_is_refused_with_advice() -> None:
    ledger = books({**PRICED, "ollama:c": Unpriced("not in the list")})
    with pytest.raises(UsageError) as caught:
        Budget(SpendingLimits(max_cost=Decimal(1)), ledger)
    for advice in ("ollama:c: not in the list", '[price."MODEL"]', "--max-tokens", "--allow-unk"):
        assert advice in str(caught.value)
    Budget(SpendingLimits(max_cost=Decimal(1), allow_unknown=True), ledger).check()
    Budget(SpendingLimits(max_tokens=1), ledger).check()


@pytest.mark.parametrize("limits", [{"max_cost": Decimal(1)}, {"max_tokens": 1000}])
def test_what_was_spent_must_be_known_to_hold_a_limit(limits: dict[str, int]) -> None:
    ledger = books()
    budget = Budget(SpendingLimits(**limits), ledger)
    allowed = Budget(SpendingLimits(**limits, allow_unknown=True), ledger)
    spend(ledger, Usage())
    with pytest.raises(BudgetReachedError, match="cannot be enforced"):
        budget.check()
    allowed.check()
    spend(ledger, Usage(10**6, 10**6))
    with pytest.raises(BudgetReachedError, match="is reached: at least"):
        allowed.check()
