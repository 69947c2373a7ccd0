"""What became of the problems and cohorts of a run of the team, as any run tells it."""

from __future__ import annotations

from collections.abc import Sequence

from genotex.agents.task import Task
from genotex.agents.team.notebook_record import NotebookRecord, State
from genotex.bench.problems import ProblemKind, choose_cohort, choose_pair
from genotex.bench.runs.cohort_stage import why_no_cohort
from genotex.bench.runs.problem_record import ErrorClass, ProblemRecord
from genotex.errors import FormatError, NoUsableCohortError
from genotex.formats import read_json_object, write_json
from genotex.layout import OutputFolder

__all__ = ["order_cohorts", "problem_record", "why_hopeless"]


def problem_record(notebook: NotebookRecord) -> ProblemRecord | None:
    """Return what became of a problem; None where its notebook is not at its end."""
    if notebook.state is State.STOPPED:
        return None
    return ProblemRecord(
        notebook.task.problem,
        notebook.error_class,
        notebook.why,
        notebook.facts.get("cohort"),
        notebook.facts.get("genes"),
        round(notebook.tally.work_seconds + notebook.tally.waiting_seconds, 3),
        round(notebook.tally.peak_bytes / 1e6, 1) or None,
        notebook.files,
        notebook.basis,
    )


def order_cohorts(output: OutputFolder, tasks: Sequence[Task]) -> None:
    """Bring the records of each trait's cohorts into the order of the work, however it went."""
    for trait in dict.fromkeys(task.trait for task in tasks):
        path = output.cohort_info(trait)
        if not path.is_file():
            continue
        found = read_json_object(path)
        wanted = [task.cohort for task in tasks if task.trait == trait and task.cohort in found]
        names = [*wanted, *(name for name in found if name not in wanted)]
        if names != list(found):
            write_json(path, {name: found[name] for name in names})


def why_hopeless(task: Task) -> tuple[ErrorClass, str] | None:
    """Return why a problem needs no notebook, as no cohort can answer it; None where one can."""
    output, problem = OutputFolder(task.input_folder), task.problem
    if missing := why_no_cohort(output, problem):
        return ErrorClass.NO_COHORT, missing
    try:
        if problem.kind is not ProblemKind.TWO_STEP:
            choose_cohort(output, problem)
        elif (tasks := task.read_task_info()) is not None:
            choose_pair(output, problem, tasks)
    except NoUsableCohortError as error:
        return ErrorClass.NO_USABLE_COHORT, str(error)
    except FormatError as error:
        return ErrorClass.FORMAT, str(error)
    return None
