"""The rules with seeded faults: typical errors of models, at a given rate, to test the team.

``python -m tests.agents.faulty_rules agent run ... --model rules-faulty:seed=7,rate=0.3`` runs a
command of genotex that knows them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from genotex.agents import Card, RulesModel, action_unit, action_units, read_card, write_code
from genotex.errors import UsageError
from genotex.models import Reply, Request, fenced, register
from tests.agents.seeded_faults import FAULTS, faults_of, with_fault

__all__ = ["NAME", "FaultyRules", "all_faults", "register_faulty_rules"]

NAME = "rules-faulty"

_ANSWERS = ("bad_plan", "needless_return", "wrong_verdict", "unreadable_answer")
_TALK = "I would be glad to help with that! Let me think about what the data may tell us first."


def all_faults() -> tuple[str, ...]:
    """Return the names of all faults: of generated code, and of answers."""
    return (*FAULTS, *_ANSWERS)


@dataclass(frozen=True)
class _Wishes:
    """What goes wrong, and how often."""

    seed: int = 1
    rate: float = 0.2
    faults: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.rate <= 1:
            msg = f"{NAME}: rate {self.rate:g} is no share; give 0 to 1"
            raise UsageError(msg)
        for fault in self.faults:
            if fault not in all_faults():
                msg = f"{NAME}: there is no fault {fault!r}; use {', '.join(all_faults())}"
                raise UsageError(msg)


class FaultyRules:
    """Answers as the rules do, but some answers go wrong.

    Which ones depends on the seed and on what the question is about, never on the order of the
    questions.

    Parameters
    ----------
    name : str
        ``rules-faulty``, or ``rules-faulty:seed=7,rate=0.3,faults=crash+wrong_verdict``; without
        `faults` all of them happen.

    Raises
    ------
    UsageError
        If the name says something else.
    """

    def __init__(self, name: str = NAME) -> None:
        self._name = name
        self._wishes = _read_name(name)
        self._rules = RulesModel()

    @property
    def name(self) -> str:
        """Its name, with seed and rate."""
        return self._name

    def answer(self, request: Request) -> Reply:
        """Answer, perhaps wrongly (see `Model`)."""
        reply = replace(self._rules.answer(request), model=self._name)
        card = read_card(request)
        fault, draw = self._fault(request, card)
        return reply if fault is None else _MAKERS[card.occasion](reply, card, fault, draw)

    def fault_of(self, request: Request) -> str | None:
        """Return which fault the answer to a request has; None where it is as the rules say."""
        return self._fault(request, read_card(request))[0]

    def _fault(self, request: Request, card: Card) -> tuple[str | None, random.Random]:
        # Where the files lie makes no difference; a question asked again is another one.
        about = json.dumps(
            replace(card, task=replace(card.task, folder="", task_info=None)).facts()
        )
        draw = random.Random(f"{self._wishes.seed} {about} {len(request.messages)}")
        if draw.random() >= self._wishes.rate:
            return None, draw
        wishes = self._wishes.faults or all_faults()
        possible = [fault for fault in _possible(card) if fault in wishes]
        return (draw.choice(possible) if possible else None), draw


def _read_name(name: str) -> _Wishes:
    _, _, rest = name.partition(":")
    readers: Mapping[str, Callable[[str], object]] = {
        "seed": int,
        "rate": float,
        "faults": lambda text: tuple(text.split("+")),
    }
    given = {}
    for part in filter(None, rest.split(",")):
        key, _, value = part.partition("=")
        try:
            given[key] = readers[key](value)
        except (KeyError, ValueError) as error:
            msg = f"{name!r}: {part!r} makes no sense; write {NAME}:seed=7,rate=0.3,faults=crash"
            raise UsageError(msg) from error
    return _Wishes(**given)  # type: ignore[arg-type]


def _possible(card: Card) -> Sequence[str]:
    if card.occasion == "plan":
        back = ["needless_return"] if card.retractions_left and card.steps else []
        return ["bad_plan", "unreadable_answer", *back]
    if card.occasion == "review":
        return ["wrong_verdict", "unreadable_answer"]
    if card.occasion == "encode":
        return ["wrong_row", "unreadable_answer"]
    if card.occasion == "zero_shot":
        return ["unreadable_answer"]
    return [*faults_of(_right_code(card)), "unreadable_answer"]


def _right_code(card: Card) -> str:
    return write_code(card.task, action_unit(card.task.kind, str(card.unit)))


def _plan(reply: Reply, card: Card, fault: str, draw: random.Random) -> Reply:
    if fault == "unreadable_answer":
        return _unreadable(reply)
    plan = dict(reply.data)
    if fault == "needless_return":
        number = draw.randint(1, len(card.steps))
        plan |= {"retract": True, "retract_to_step": number, "action": card.steps[number - 1].unit}
    else:
        others = [u.name for u in action_units(card.task.kind) if u.name != plan["action"]]
        plan["action"] = draw.choice(others)
    return replace(reply, data=plan)


def _verdict(reply: Reply, card: Card, fault: str, draw: random.Random) -> Reply:
    if fault == "unreadable_answer":
        return _unreadable(reply)
    right = bool(reply.data["approve"])
    turned = {
        "follows": not right,
        "reasoning": "It is not what was asked." if right else "It looks fine to me.",
        "suggestions": ["Do it in another way."] if right else [],
        "approve": not right,
    }
    return replace(reply, data=turned)


def _code(reply: Reply, card: Card, fault: str, draw: random.Random) -> Reply:
    if fault == "unreadable_answer":
        return _unreadable(reply)
    unit = action_unit(card.task.kind, str(card.unit))
    code = with_fault(_right_code(card), unit, fault, draw.randrange(2**31))
    return replace(reply, text=fenced(code, "python"))


def _encoding(reply: Reply, card: Card, fault: str, draw: random.Random) -> Reply:
    trait = reply.data["trait"]
    if fault == "unreadable_answer" or trait is None:
        return _unreadable(reply)
    wrong = {**trait, "row": draw.choice((17, 29)), "place": "characteristics_ch1"}
    return replace(reply, data={**reply.data, "trait": wrong})


def _known_genes(reply: Reply, card: Card, fault: str, draw: random.Random) -> Reply:
    return _unreadable(reply)


def _unreadable(reply: Reply) -> Reply:
    return replace(reply, text=_TALK, data=None)


_MAKERS = {
    "plan": _plan,
    "review": _verdict,
    "write": _code,
    "revise": _code,
    "encode": _encoding,
    "zero_shot": _known_genes,
}


def register_faulty_rules() -> None:
    """Make ``rules-faulty:...`` the name of a model."""
    register(NAME, lambda name, *_: FaultyRules(name))


if __name__ == "__main__":
    from genotex.cli import main

    register_faulty_rules()
    main()
