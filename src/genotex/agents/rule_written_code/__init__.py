"""The code that the built-in rules write for every step, and their judgement of code that ran."""

from __future__ import annotations

from genotex.agents.action_units import ActionUnit
from genotex.agents.task import Task

__all__ = ["write_code"]


def write_code(task: Task, unit: ActionUnit) -> str:
    """Write the code of one step.

    Parameters
    ----------
    task : Task
        What the notebook is about.
    unit : ActionUnit
        The step.

    Returns
    -------
    str
        Python for one cell, which uses the toolkit and the variables of earlier cells alone.
    """
    raise NotImplementedError
