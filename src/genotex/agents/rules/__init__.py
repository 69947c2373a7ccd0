"""Code that the built-in rules write for every step, and their review of code that ran."""

from __future__ import annotations

from genotex.agents.action_units import ActionUnit, action_unit, usual_steps, whole_task
from genotex.agents.rules.geo import geo_steps, write_geo_code
from genotex.agents.rules.review import Review, review_output
from genotex.agents.rules.source_text import literal
from genotex.agents.rules.tcga import tcga_steps, write_tcga_code
from genotex.agents.task import Task
from genotex.errors import NoUsableCohortError, UsageError
from genotex.layout import OutputFolder
from genotex.problems import ProblemKind, choose_cohort, choose_pair

__all__ = ["Review", "plan_units", "review_output", "write_code"]

_CHOOSE = """\
choice = choose_data(task)
print(choice)

data = load_data(choice)
print(data)
"""

_CONDITION = """
condition = data.values[:, data.columns.index({name})]
print({name}, "from", np.nanmin(condition), "to", np.nanmax(condition))
"""

_SOLVE = """
result = analyse(data)
print(result)
print(save_result(result))
"""


def _statistics_steps(task: Task) -> tuple[str, ...]:
    """Return the names of the steps, of which only the last is left where no cohort fits."""
    names = tuple(unit.name for unit in usual_steps(task))
    return names if _fits(task) else names[-1:]


def _fits(task: Task) -> bool:
    output, problem, tasks = OutputFolder(task.input_folder), task.problem, task.read_task_info()
    try:
        if problem.kind is not ProblemKind.TWO_STEP:
            choose_cohort(output, problem)
        elif tasks is not None:
            choose_pair(output, problem, tasks)
    except NoUsableCohortError:
        return False
    return True


def _write_statistics_code(task: Task, step: str) -> str:
    """Return the code of one step."""
    if task.problem.kind is not ProblemKind.ONE_STEP:
        return _CHOOSE + _SOLVE
    condition = _CONDITION.format(name=literal(str(task.condition)))
    return f"import numpy as np\n\n{_CHOOSE}{condition}{_SOLVE}"


_STEPS = {"geo": geo_steps, "tcga": tcga_steps, "statistics": _statistics_steps}
_WRITERS = {"geo": write_geo_code, "tcga": write_tcga_code, "statistics": _write_statistics_code}


def plan_units(task: Task) -> tuple[ActionUnit, ...]:
    """Return the steps that the rules take for a task, in order; the last one completes it."""
    return tuple(action_unit(task.kind, name) for name in _STEPS[task.kind](task))


def write_code(task: Task, unit: ActionUnit) -> str:
    """Write the code of one step."""
    if unit.kind != task.kind:
        msg = f"{unit.name} is a step of {unit.kind}, but the task is one of {task.kind}"
        raise UsageError(msg)
    if unit == whole_task(task.kind):
        steps = [each for each in plan_units(task) if not each.completes]
        return "\n\n".join(f"# {each.title}\n{write_code(task, each)}" for each in steps)
    return "" if unit.completes else _WRITERS[task.kind](task, unit.name)
