"""The built-in rules as a model: they plan, write code and review, with no key and no network.

They answer from the task card that goes with every prompt of the team. What they decide comes from
the files that the card names, by the same rules as the pipeline without agents.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from genotex.agents.action_units import action_unit
from genotex.agents.context import fenced
from genotex.agents.questions import Card, last_attempt, read_card
from genotex.agents.rules import plan_units, review_output, write_code
from genotex.agents.rules.geo import read_geo
from genotex.agents.structured import MOST_GENES, answer_of
from genotex.errors import BadAnswerError, GenotexError
from genotex.models import Reply, Request, Usage, register

NAME = "rules"
_NO_TOKENS = Usage(0, 0, 0, 0)


class RulesModel:
    """Answers every request of the team by rules; equal requests have equal answers."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock

    @property
    def name(self) -> str:
        """``rules``."""
        return NAME

    def answer(self, request: Request) -> Reply:
        """Answer (see `Model`)."""
        start = self._clock()
        try:
            text, data = self._answer(read_card(request), request)
        except BadAnswerError:
            raise
        except (GenotexError, OSError) as error:
            # A file that cannot be read, for one.
            msg = f"the rules have no answer: {error}"
            raise BadAnswerError(msg, model=self.name) from error
        return Reply(
            text,
            self.name,
            data=data,
            usage=_NO_TOKENS,
            provider=NAME,
            working=self._clock() - start,
        )

    def _answer(self, card: Card, request: Request) -> tuple[str, object]:
        if card.occasion == "plan":
            return "", self.plan(card)
        if card.occasion == "review":
            code, output = last_attempt(request)
            return "", self.review(card, code, output)
        if card.occasion == "encode":
            return "", answer_of(read_geo(card.task))
        if card.occasion == "zero_shot":
            return "", {"genes": self.known_genes(card)}
        return fenced(self.write(card), "python"), None

    def plan(self, card: Card) -> dict[str, object]:
        """Choose the next step: the first one that is missing, or that failed."""
        wanted = [unit.name for unit in plan_units(card.task)]
        for number, step in enumerate(card.steps, start=1):
            right = wanted[number - 1] if number < len(wanted) else None
            if (step.unit != right or step.status != "ok") and card.retractions_left:
                why = f"step {number} ({step.unit}) is not as it should be."
                return _plan(right or wanted[-1], why, number)
        done = [step.unit for step in card.steps if step.status == "ok"]
        missing = [name for name in wanted if name not in done]
        return _plan(missing[0], "The first step that is missing.")

    def known_genes(self, card: Card) -> list[str]:
        """Return the genes that the task list calls related to the trait, all that rules know."""
        tasks = card.task.read_task_info()
        if tasks is None:
            msg = "the rules know genes from the task list alone, and none was given"
            raise BadAnswerError(msg, model=self.name)
        return list(tasks.related_genes(card.task.trait))[:MOST_GENES]

    def write(self, card: Card) -> str:
        """Write the code of a step."""
        return write_code(card.task, action_unit(card.task.kind, str(card.unit)))

    def review(self, card: Card, code: str, output: str) -> dict[str, object]:
        """Judge an attempt by rules."""
        unit = action_unit(card.task.kind, str(card.unit))
        ran = card.attempts[-1] in ("ok", "incomplete")
        found = review_output(unit, code, output, failed=not ran)
        return {
            "follows": found.approved,
            "reasoning": " ".join(found.suggestions) or "It runs and does what is asked.",
            "suggestions": list(found.suggestions),
            "approve": found.approved,
        }


def _plan(action: str, why: str, retract_to: int | None = None) -> dict[str, object]:
    return {
        "reasoning": why,
        "action": action,
        "retract": retract_to is not None,
        "retract_to_step": retract_to,
    }


def register_rules() -> None:
    """Make ``rules`` the name of a model."""
    register(NAME, lambda name, *_: RulesModel())
