"""A run whose models answer over the wire, by a local service that speaks OpenAI's protocol."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from genotex.agents import (
    Card,
    SandboxPolicy,
    State,
    TeamFinished,
    TeamPlan,
    read_card,
    read_plan,
    run_team,
)
from genotex.errors import UsageError
from genotex.models import (
    ModelPrice,
    ModelSettings,
    ProviderOptions,
    RetryPolicy,
    SpendingLimits,
    flat_rate,
)
from tests.agents.team.conftest import Played, play
from tests.agents.team.test_agents import known_genes, script
from tests.agents.team.test_spending import rows
from tests.models.cards import facts_of_calls, request_of
from tests.models.conftest import nothing_from_outside
from tests.models.servers import CompatibleDialect, Says, Service, serving

DIALECT = CompatibleDialect()
__all__ = ["nothing_from_outside"]
"""The fixture of the models' tests, which holds here, too."""


@contextmanager
def team_service(play: Callable[[Card], Any] = play) -> Iterator[Service]:
    """Run a service that plays all roles, from the prompts it gets."""
    with facts_of_calls() as facts, serving(Says({})) as service:

        def answer() -> Says:
            said = play(read_card(request_of(service.seen[-1], DIALECT, facts)))
            return DIALECT.text(said if isinstance(said, str) else json.dumps(said))

        service.next_answer = answer  # type: ignore[method-assign]
        yield service


def one_answer(card: Card) -> Any:
    return known_genes(card) if card.occasion == "zero_shot" else script(card)


def run(
    played: Played,
    service: Service,
    price: str = "",
    asked: Mapping[str, Any] | None = None,
    **options: object,
) -> TeamFinished:
    name = DIALECT.name(f"{service.address}/v1")
    prices = {}
    if price:
        prices[name] = ModelPrice(flat_rate(price), flat_rate(price), source="settings")
    models = ModelSettings(name, retry=RetryPolicy(attempts=1), prices=prices)
    plan = TeamPlan(
        played.source,
        played.root,
        played.problems,
        replace(models, **(asked or {})),
        sandbox=SandboxPolicy.OFF,
        **played.others,
    )
    return run_team(plan, make_session=played.session, **options)  # type: ignore[arg-type]


def test_team_works_with_a_service_and_unknown_cost_stays_unknown(played: Played) -> None:
    with team_service() as service:
        finished = run(played, service)
    assert [record.state for record in finished.notebooks] == [State.DONE] * 3
    total = finished.usage.total()
    assert total.calls == len(service.seen)
    assert total.tokens.exact is not None and total.tokens.exact > 0
    assert total.cost.exact is None


@pytest.mark.parametrize(("agent", "calls"), [("codeact", 3), ("zero-shot", 1)])
def test_agents_without_a_team_work_with_a_service_too(
    played: Played, agent: str, calls: int
) -> None:
    played.others = {"agent": agent}
    with team_service(one_answer) as service:
        finished = run(played, service, "100")
    assert finished.summary is not None and finished.summary.answered == 1
    assert len(service.seen) == calls
    (cost,) = (Decimal(row["cost"]) for row in rows(played))
    assert cost == finished.usage.total().cost.exact > 0


def test_limit_of_cost_stops_the_run_and_nothing_is_paid_for_twice(played: Played) -> None:
    with team_service() as service:
        whole = run(Played(played.root.with_name("whole"), played.source), service, "100")
        calls = len(service.seen)
        half = Decimal(whole.usage.total().cost.known) / 2
        service.seen.clear()
        first = run(played, service, "100", limits=SpendingLimits(max_cost=half))
        assert "--max-cost" in first.stopped
        assert half <= first.usage.total().cost.known < whole.usage.total().cost.known
        second = run(played, service, "100", limits=SpendingLimits())
    assert not second.stopped
    assert len(service.seen) == calls
    assert second.usage.total().cost == whole.usage.total().cost


def test_limit_that_cannot_be_held_is_reported_before_anything_is_written(played: Played) -> None:
    limits = SpendingLimits(max_cost=Decimal(1))
    with team_service() as service:
        with pytest.raises(UsageError, match="the price is unknown"):
            run(played, service, limits=limits)
        assert not played.root.exists()
        # What the message says to do helps.
        finished = run(played, service, "1", limits=limits)
    assert not finished.stopped
    assert finished.usage.total().cost.exact is not None


def test_price_that_was_not_known_may_be_stated_later_and_no_other_one(played: Played) -> None:
    with team_service() as service:
        first = run(played, service, limits=SpendingLimits(max_tokens=1))
        assert first.usage.total().cost.exact is None
        second = run(played, service, "100", limits=SpendingLimits())
        assert not second.stopped
        total = second.usage.total()
        assert total.tokens.exact is not None
        assert total.cost.exact == total.tokens.exact * Decimal(100) / 1_000_000
        with pytest.raises(UsageError, match="is not the price that the run counts with"):
            run(played, service, "200", limits=SpendingLimits())


def test_waits_and_time_limits_may_change_when_a_run_is_gone_on_with(played: Played) -> None:
    usual = ProviderOptions.usual(DIALECT.provider)
    with team_service() as service:
        run(played, service, asked={"providers": {DIALECT.provider: usual}})
        patient = {DIALECT.provider: replace(usual, timeout=900.0, at_once=1)}
        asked = {"retry": RetryPolicy(attempts=2), "providers": patient}
        assert not run(played, service, asked=asked).stopped
        kept = read_plan(played.root).models
        assert kept.providers[DIALECT.provider].timeout == 900.0
        assert kept.retry.attempts == 2
        other = {"providers": {DIALECT.provider: replace(usual, structured="tool")}}
        with pytest.raises(UsageError, match=r"structured was \w+, is tool"):
            run(played, service, asked=other)


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        (DIALECT.wrong_key("sk-123456789"), "key"),
        (DIALECT.out_of_credit(), "credit"),
        (DIALECT.no_such_model(), "model"),
    ],
)
def test_trouble_that_every_notebook_would_meet_stops_the_run_until_it_is_mended(
    played: Played, trouble: Says, told: str
) -> None:
    with team_service() as service:
        works = service.next_answer
        service.next_answer = lambda: trouble  # type: ignore[method-assign]
        stopped = run(played, service)
        assert told in stopped.stopped
        assert len(service.seen) == 1
        service.next_answer = works  # type: ignore[method-assign]
        assert not run(played, service).stopped
