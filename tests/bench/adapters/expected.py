"""The averages of ``genotex evaluate``, by the names that the adapters give them."""

from pathlib import Path

from genotex.bench import (
    AgentTask,
    EvaluationOptions,
    SimulatedBenchmark,
    evaluate,
    figure_names,
    summarise,
)

EVALUATE_TASKS = {
    "gta": "analysis",
    "analyse": "analysis",
    "preprocess": "preprocessing",
    "select": "selection",
}


def evaluated(
    task: AgentTask, run_folder: Path, simulated: SimulatedBenchmark
) -> dict[str, float | None]:
    """Return the average of every figure of a task."""
    options = EvaluationOptions(tasks=(EVALUATE_TASKS[task],), task_info=simulated.task_info)
    sections = summarise(evaluate(run_folder, simulated.reference, options), draws=2).sections
    return {
        name: sections[section][key].average for name, (section, key) in figure_names(task).items()
    }
