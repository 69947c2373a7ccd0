"""Which step comes next: the planner's choice, or the next one in the usual order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, make_dataclass
from typing import Any, Literal

from genotex.agents.action_units import ActionUnit, action_unit, action_units
from genotex.agents.answers import Plan
from genotex.agents.context import TaskContext
from genotex.agents.models import RoleModels
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
        plan = models.ask_for(request, _plan_of(questions.task, steps)).value
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
