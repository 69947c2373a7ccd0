"""Inside the process of one problem: the method is run, and how it went is told."""

from __future__ import annotations

import traceback

from genotex.bench.runs.children.task import Report, Setup, Task
from genotex.bench.runs.methods.method import Context
from genotex.bench.runs.problem_record import ErrorClass, classify
from genotex.errors import GenotexError
from genotex.layout import OutputFolder

__all__ = ["solve_task"]


def solve_task(setup: Setup, task: Task) -> None:
    """Run the method on a problem; whatever it raises becomes a report."""
    task.output.mkdir(parents=True)
    task.scratch.mkdir()
    context = Context(
        output=OutputFolder(task.output),
        scratch=task.scratch,
        cohorts=None if setup.cohorts is None else OutputFolder(setup.cohorts),
        source=setup.source,
        tasks=setup.tasks,
        procedure=setup.procedure,
        seed=setup.seed,
        threads=setup.threads,
        time_limit=setup.time_limit,
    )
    report = Report()
    try:
        setup.method.solve(task.problem, context)
    except GenotexError as error:
        report = Report(classify(error).value, str(error))
    except Exception as error:
        traceback.print_exc()
        report = Report(classify(error).value, "".join(traceback.format_exception_only(error)))
    except SystemExit as end:
        # A plug-in that is a script at heart; a code other than 0 is its way to fail.
        if end.code not in (None, 0):
            report = Report(ErrorClass.CRASHED.value, f"ended by exit({end.code!r})")
    report.write(task.report)
