"""A service that answers as the built-in rules do, except at named moments."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from genotex.agents import Card, RulesModel, read_card
from genotex.models import Reply, Request
from tests.models.cards import Facts, facts_of_calls, request_of
from tests.models.servers import CompatibleDialect, Says, Service, serving

DIALECT = CompatibleDialect()
ALWAYS = 1_000_000
Answer = str | dict[str, Any] | Says | None


@dataclass(frozen=True)
class Question:
    """What the service was asked, and what the rules would say."""

    card: Card
    request: Request
    right: Reply
    address: tuple[str, int]

    @property
    def code(self) -> str:
        """The code that the rules would write."""
        return self.right.text.removeprefix("```python\n").removesuffix("\n```") + "\n"

    @property
    def everything(self) -> str:
        return "\n".join(message.text for message in self.request.messages)


@dataclass(frozen=True)
class Moment:
    """When the model misbehaves, and what it says then.

    Parameters
    ----------
    occasions : tuple of str
        ``plan``, ``write``, ``revise``, ``review``, ``encode``.
    says : str, dict, Says or callable
        Text, data, a whole HTTP answer, or a function of the question that gives one of these;
        None is what the rules say.
    unit : str
        Of which step; empty: of any.
    times : int
        How often.
    after : int
        So many such questions are answered rightly before.
    """

    occasions: tuple[str, ...]
    says: Answer | Callable[[Question], Answer]
    unit: str = ""
    times: int = 1
    after: int = 0

    def is_about(self, card: Card) -> bool:
        return card.occasion in self.occasions and self.unit in ("", card.unit)


class Misbehaving:
    """Answers over the wire, in OpenAI's protocol; `behave` sets the moments of the next run."""

    def __init__(self, service: Service, facts: Facts) -> None:
        self.service = service
        self._facts = facts
        self._rules = RulesModel()
        self._asked: list[tuple[Moment, int]] = []
        service.next_answer = self._next  # type: ignore[method-assign]

    @property
    def name(self) -> str:
        return DIALECT.name(f"{self.service.address}/v1")

    def behave(self, moments: Sequence[Moment]) -> None:
        self.service.seen.clear()
        self._asked = [(moment, 0) for moment in moments]

    def _next(self) -> Says:
        request = request_of(self.service.seen[-1], DIALECT, self._facts)
        host, _, port = self.service.address.removeprefix("http://").partition(":")
        right = self._rules.answer(request)
        question = Question(read_card(request), request, right, (host, int(port)))
        said = self._misbehave(question)
        if said is None:
            said = question.right.text if question.right.data is None else dict(question.right.data)
        if isinstance(said, dict):
            said = json.dumps(said)
        return DIALECT.text(said) if isinstance(said, str) else said

    def _misbehave(self, question: Question) -> Answer:
        for number, (moment, asked) in enumerate(self._asked):
            if not moment.is_about(question.card):
                continue
            self._asked[number] = (moment, asked + 1)
            if moment.after <= asked < moment.after + moment.times:
                return moment.says(question) if callable(moment.says) else moment.says
        return None


@contextmanager
def misbehaving() -> Iterator[Misbehaving]:
    """Run the service on a free port of this machine."""
    with facts_of_calls() as facts, serving(Says({})) as service:
        yield Misbehaving(service, facts)
