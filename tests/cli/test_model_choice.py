"""What is said about models and limits on the command line."""

from decimal import Decimal

import pytest

from genotex.cli.model_choice import LimitChoice, ModelChoice, RoleChoice
from genotex.models import Limits

KEPT = Limits(Decimal("2.50"), 1000, 60.0)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (LimitChoice(), KEPT),
        (LimitChoice(max_cost=10.1), Limits(Decimal("10.1"), 1000, 60.0)),
        (LimitChoice(max_tokens=0, max_time=5.0), Limits(Decimal("2.50"), 0, 5.0)),
        (LimitChoice(allow_unknown_cost=True), Limits(Decimal("2.50"), 1000, 60.0, True)),
    ],
)
def test_limits_of_a_run_stay_where_nothing_was_said(said: LimitChoice, expected: Limits) -> None:
    assert said.over(KEPT) == expected


def test_leave_to_go_on_at_unknown_cost_is_not_taken_back() -> None:
    assert LimitChoice().over(Limits(allow_unknown=True)).allow_unknown


def test_options_are_told_as_they_are_written() -> None:
    roles = RoleChoice(planner="rules", expert="rules")
    choice = ModelChoice("rules", roles, limits=LimitChoice(max_cost=1.0, allow_unknown_cost=True))
    assert choice.options == (
        "--model",
        "--model.planner",
        "--model.expert",
        "--max-cost",
        "--allow-unknown-cost",
    )
    assert ModelChoice().options == ()
