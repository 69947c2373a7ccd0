"""A run whose models answer over the wire, by a local service that speaks OpenAI's protocol."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pytest

from genotex.agents.card import Card, read_card
from genotex.models import Limits, Message, ModelPrice, ModelSettings, Rate, Request
from genotex.models.providers.options import RetryPolicy
from genotex.runs.team.notebook_record import State
from genotex.runs.team.plan import TeamPlan
from genotex.runs.team.running import TeamFinished, run_team
from genotex.sandbox import SandboxPolicy
from tests.models.conftest import nothing_from_outside
from tests.models.servers import CompatibleDialect, Says, Service, serving
from tests.runs.team.conftest import Played, play
from tests.runs.team.test_agents import known_genes, script
from tests.runs.team.test_spending import rows

DIALECT = CompatibleDialect()
__all__ = ["nothing_from_outside"]
"""The fixture of the models' tests, which holds here, too."""


@contextmanager
def team_service(play: Callable[[Card], Any] = play) -> Iterator[Service]:
    """Run a service that plays all roles, from the prompts it gets."""
    with serving(Says({})) as service:

        def answer() -> Says:
            texts = DIALECT.texts_of(service.seen[-1])
            messages = tuple(Message(author, text) for author, text in texts)  # type: ignore[arg-type]
            said = play(read_card(Request("team", messages)))
            return DIALECT.text(said if isinstance(said, str) else json.dumps(said))

        service.next_answer = answer  # type: ignore[method-assign]
        yield service


def one_answer(card: Card) -> Any:
    return known_genes(card) if card.occasion == "zero_shot" else script(card)


def run(played: Played, service: Service, price: str = "", **options: object) -> TeamFinished:
    name = DIALECT.name(f"{service.address}/v1")
    prices = {}
    if price:
        prices[name] = ModelPrice(Rate.flat(price), Rate.flat(price), source="settings")
    plan = TeamPlan(
        played.source,
        played.root,
        played.problems,
        ModelSettings(name, retry=RetryPolicy(attempts=1), prices=prices),
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
        first = run(played, service, "100", limits=Limits(max_cost=half))
        assert "--max-cost" in first.stopped
        assert half <= first.usage.total().cost.known < whole.usage.total().cost.known
        second = run(played, service, "100", limits=Limits())
    assert not second.stopped
    assert len(service.seen) == calls
    assert second.usage.total().cost == whole.usage.total().cost


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
