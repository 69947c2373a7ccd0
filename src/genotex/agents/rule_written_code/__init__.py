"""The code that the built-in rules write for every step, and their judgement of code that ran."""

from __future__ import annotations

from genotex.agents.action_units import ActionUnit, action_unit, whole_task
from genotex.agents.rule_written_code.faults import FAULTS, faults_of, with_fault
from genotex.agents.rule_written_code.geo_code import geo_steps, write_geo_code
from genotex.agents.rule_written_code.judging import Verdict, judge_output
from genotex.agents.rule_written_code.statistics_code import (
    statistics_steps,
    write_statistics_code,
)
from genotex.agents.rule_written_code.tcga_code import tcga_steps, write_tcga_code
from genotex.agents.task import Task
from genotex.errors import UsageError

__all__ = [
    "FAULTS",
    "Verdict",
    "faults_of",
    "judge_output",
    "plan_units",
    "with_fault",
    "write_code",
]

_STEPS = {"geo": geo_steps, "tcga": tcga_steps, "statistics": statistics_steps}
_WRITERS = {"geo": write_geo_code, "tcga": write_tcga_code, "statistics": write_statistics_code}


def plan_units(task: Task) -> tuple[ActionUnit, ...]:
    """Return the steps that the rules take for a task, in order; the last one completes it.

    Raises
    ------
    FormatError
        If a file that is needed cannot be read.
    """
    return tuple(action_unit(task.kind, name) for name in _STEPS[task.kind](task))


def write_code(task: Task, unit: ActionUnit) -> str:
    """Write the code of one step.

    Parameters
    ----------
    task : Task
        What the notebook is about.
    unit : ActionUnit
        The step, or the whole task: then all steps that the rules take are joined.

    Returns
    -------
    str
        Python for one cell, which uses the toolkit and the variables of earlier cells alone; empty
        for the step that completes the notebook.

    Raises
    ------
    FormatError
        If a file that is needed cannot be read.
    UsageError
        If the step is one of another kind of notebook.
    """
    if unit.kind != task.kind:
        msg = f"{unit.name} is a step of {unit.kind}, but the task is one of {task.kind}"
        raise UsageError(msg)
    if unit == whole_task(task.kind):
        steps = [each for each in plan_units(task) if not each.completes]
        return "\n\n".join(f"# {each.title}\n{write_code(task, each)}" for each in steps)
    return "" if unit.completes else _WRITERS[task.kind](task, unit.name)
