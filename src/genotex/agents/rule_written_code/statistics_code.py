"""The code of each step of a statistics notebook, as the built-in rules write it."""

from __future__ import annotations

from genotex.agents.rule_written_code.converters import literal
from genotex.agents.task import Task
from genotex.bench.problems import ProblemKind, choose_cohort, choose_pair
from genotex.errors import NoUsableCohortError
from genotex.layout import OutputFolder

__all__ = ["statistics_steps", "write_statistics_code"]

_STEPS = {
    ProblemKind.UNCONDITIONAL: "unconditional_regression",
    ProblemKind.ONE_STEP: "one_step_regression",
    ProblemKind.TWO_STEP: "two_step_regression",
}

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


def statistics_steps(task: Task) -> tuple[str, ...]:
    """Return the names of the steps that the rules take: none where no cohort fits."""
    fits = _fits(task)
    return (_STEPS[task.problem.kind], "task_completed") if fits else ("task_completed",)


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


def write_statistics_code(task: Task, step: str) -> str:
    """Return the code of one step."""
    if task.problem.kind is not ProblemKind.ONE_STEP:
        return _CHOOSE + _SOLVE
    condition = _CONDITION.format(name=literal(str(task.condition)))
    return f"import numpy as np\n\n{_CHOOSE}{condition}{_SOLVE}"
