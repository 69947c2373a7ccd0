"""Which step comes next: the planner's choice, or the next one in the usual order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from genotex.agents.action_units import ActionUnit, action_unit, action_units
from genotex.agents.answers import Plan
from genotex.agents.context import TaskContext
from genotex.agents.models import Request, RoleModels
from genotex.agents.models.schema import build, schema_of
from genotex.agents.questions import Questions
from genotex.agents.task import Task
from genotex.bench.problems import ProblemKind
from genotex.errors import BadAnswerError, RefusedError

__all__ = ["Choice", "choose_step", "usual_next", "usual_steps"]

_REGRESSIONS = {
    ProblemKind.UNCONDITIONAL: "unconditional_regression",
    ProblemKind.ONE_STEP: "one_step_regression",
    ProblemKind.TWO_STEP: "two_step_regression",
}


@dataclass(frozen=True)
class Choice:
    """What to do next.

    Attributes
    ----------
    unit : ActionUnit
    retract_to : int or None
        Number of the first step to drop before.
    why : str
    unreadable : bool
        Whether the planner's answer could not be used, so that the usual order decided.
    """

    unit: ActionUnit
    retract_to: int | None = None
    why: str = ""
    unreadable: bool = False


def usual_steps(task: Task) -> tuple[ActionUnit, ...]:
    """Return the steps in their usual order; of the regressions the one that fits the problem."""
    units = action_units(task.kind)
    if task.kind != "statistics":
        return units
    fitting = _REGRESSIONS[task.problem.kind]
    return tuple(unit for unit in units if unit.completes or unit.name == fitting)


def usual_next(task: Task, done: Sequence[str]) -> ActionUnit:
    """Return the first step after the last one done, in the usual order."""
    units = usual_steps(task)
    names = [unit.name for unit in units]
    last = max((names.index(name) for name in done if name in names), default=-1)
    return units[min(last + 1, len(units) - 1)]


def choose_step(
    models: RoleModels, questions: Questions, context: TaskContext, retractions_left: int
) -> Choice:
    """Ask the planner; an answer that cannot be used leaves it to the usual order.

    Raises
    ------
    ModelError
        If no answer comes.
    BudgetReachedError
        If a limit does not allow to ask.
    """
    request = questions.plan(context, retractions_left)
    steps = len(context.steps) if retractions_left else 0
    try:
        answer = models.ask_data(_with_schema(request, questions.task, steps))
        plan = build(Plan, answer.value)
    except (BadAnswerError, RefusedError) as error:
        return Choice(usual_next(questions.task, context.names), why=str(error), unreadable=True)
    if plan.retract and plan.retract_to_step is None:
        why = "the plan goes back, but does not say to which step"
        return Choice(usual_next(questions.task, context.names), why=why, unreadable=True)
    return Choice(
        action_unit(questions.task.kind, plan.action),
        plan.retract_to_step if plan.retract else None,
        plan.reasoning,
    )


def _with_schema(request: Request, task: Task, steps: int) -> Request:
    """Ask for a plan of which only the steps there are can be chosen.

    Parameters
    ----------
    request : Request
    task : Task
    steps : int
        Number of steps that can be dropped; 0 where going back is not possible.
    """
    schema = schema_of(Plan)
    fields: dict[str, Any] = schema["properties"]
    fields["action"]["enum"] = [unit.name for unit in action_units(task.kind)]
    number = {"type": "integer", "minimum": 1, "maximum": steps}
    kinds = [number, {"type": "null"}] if steps else [{"type": "null"}]
    fields["retract_to_step"]["anyOf"] = kinds
    if not steps:
        fields["retract"]["enum"] = [False]
    return replace(request, schema=schema)
