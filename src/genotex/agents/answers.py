"""Answers of models to the team: a plan, a verdict, code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, make_dataclass, replace
from typing import Any, Literal

from genotex.agents.action_units import ActionUnit, action_unit, action_units, usual_next
from genotex.agents.task import Task
from genotex.agents.written_code import WrittenCode, written_code
from genotex.errors import BadAnswerError, RefusedError
from genotex.models import Message, Reply, Request, RoleModels

MOST_SUGGESTIONS = 3


@dataclass(frozen=True)
class Plan:
    """The next step of a notebook, or the way back to an earlier one."""

    reasoning: str = field(metadata={"description": "why, in one or two sentences"})
    action: str = field(metadata={"description": "name of the step to do next"})
    retract: bool = field(
        metadata={"description": "true: first go back, dropping an earlier step and all after it"}
    )
    retract_to_step: int | None = field(
        metadata={"description": "number of the first step to drop; null unless retract is true"}
    )


@dataclass(frozen=True)
class Verdict:
    """A judgement of the last attempt."""

    follows: bool = field(metadata={"description": "the code does what the instruction asks"})
    reasoning: str = field(metadata={"description": "why, in a few sentences"})
    suggestions: list[str] = field(
        metadata={"description": "what to change, the most important first", "max_length": 3}
    )
    approve: bool = field(metadata={"description": "true: the attempt is accepted as it is"})

    def __post_init__(self) -> None:
        """Refuse a verdict that contradicts itself."""
        if self.approve and not self.follows:
            msg = "approve is true, but follows is false; decide which it is"
            raise ValueError(msg)


def code_in(text: str) -> str | None:
    """Return the Python code in what a model wrote, or None (see `written_code`)."""
    found = written_code(text)
    return None if found is None else found.code


_REPAIR = """\
{why}
Answer the same question again, with one block that begins with ```python, at the beginning of a
line, and ends with ```.
"""
_NO_CODE = "Your answer contains no Python code that can be extracted."
_CUT = "Your answer was cut off at the most tokens you may write, so be shorter: the block alone."
_ONLY_THOUGHTS = "Your answer is empty: all tokens were spent on thinking. Think briefly."
_REFUSED = (
    "Your answer was a refusal. The data are published and de-identified, and what is asked for is "
    "code that computes with them on this machine."
)


def ask_for_code(ask: Callable[[Request], Reply], request: Request) -> WrittenCode:
    """Ask for code; a model has one chance to repair an answer without any."""
    model, error = "", None
    for _ in range(2):
        try:
            reply = ask(request)
        except (BadAnswerError, RefusedError) as failure:
            said, why, error = "(no answer)", _why(failure), failure
        else:
            cut = reply.stop == "length"
            found = written_code(reply.text, cut=cut)
            if found is not None:
                return found
            said, why, error, model = reply.text, _CUT if cut else _NO_CODE, None, reply.model
        told = (Message("assistant", said), Message("user", _REPAIR.format(why=why)))
        request = replace(request, messages=(*request.messages, *told))
    if error is not None:
        raise error
    msg = "the answer contains no Python code, also when asked again"
    raise BadAnswerError(msg, model=model, hint=f"role {request.role}; try another model")


def _why(failure: BadAnswerError | RefusedError) -> str:
    if isinstance(failure, RefusedError):
        return _REFUSED
    return _ONLY_THOUGHTS if "thinking" in failure.message else _NO_CODE


@dataclass(frozen=True)
class StepChoice:
    """What to do next."""

    unit: ActionUnit
    retract_to: int | None = None  # Number of the first step to drop before
    why: str = ""
    # Whether the planner's answer could not be used, so that the usual order decided.
    unreadable: bool = False


def choose_step(
    models: RoleModels, request: Request, task: Task, done: Sequence[str], droppable: int
) -> StepChoice:
    """Ask the planner; the usual order decides where its answer cannot be used.

    `done` names the steps done; `droppable` of them can be dropped, 0 where the notebook may not go
    back any more.
    """
    try:
        plan = models.ask_for(request, _plan_of(task, droppable)).value
    except (BadAnswerError, RefusedError) as error:
        return StepChoice(usual_next(task, done), why=str(error), unreadable=True)
    if plan.retract and plan.retract_to_step is None:
        why = "the plan goes back, but does not state to which step"
        return StepChoice(usual_next(task, done), why=why, unreadable=True)
    return StepChoice(
        action_unit(task.kind, plan.action),
        plan.retract_to_step if plan.retract else None,
        plan.reasoning,
    )


def _plan_of(task: Task, steps: int) -> type[Plan]:
    """Return the type of a plan that can choose only existing steps; 0: no step can be dropped."""

    def described(name: str, **more: Any) -> Any:
        return field(metadata={**Plan.__dataclass_fields__[name].metadata, **more})

    names = tuple(unit.name for unit in action_units(task.kind))
    number = described("retract_to_step", **({"ge": 1, "le": steps} if steps else {}))
    fields = [
        ("action", Literal[names], described("action", json_schema_extra={"type": "string"})),
        (
            "retract",
            bool if steps else Literal[False],
            described("retract", json_schema_extra={"type": "boolean"}),
        ),
        ("retract_to_step", int | None if steps else None, number),
    ]
    namespace = {"__doc__": Plan.__doc__}
    return make_dataclass("Plan", fields, bases=(Plan,), namespace=namespace, frozen=True)
