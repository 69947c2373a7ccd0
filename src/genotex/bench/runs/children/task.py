"""One problem for a process of its own: input, report, and running the method there."""

from __future__ import annotations

import json
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path

from genotex.bench.runs.methods.method import Context, Method
from genotex.bench.runs.problem_record import ErrorClass, classify
from genotex.errors import GenotexError
from genotex.formats import read_record
from genotex.layout import OutputFolder
from genotex.problems import Problem, TaskInfo
from genotex.procedure import Procedure


@dataclass(frozen=True)
class Setup:
    """What is the same for all problems of a run."""

    method: Method
    source: Path | None
    cohorts: Path | None
    tasks: TaskInfo
    procedure: Procedure
    seed: int
    threads: int
    time_limit: float | None = None
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Task:
    """One problem."""

    number: int
    problem: Problem
    folder: Path
    log: Path
    shared: Path | None = None

    @property
    def output(self) -> Path:
        """Where the method writes its answer."""
        return self.folder / "output"

    @property
    def scratch(self) -> Path:
        """Where the method may write anything."""
        return self.folder / "scratch"

    @property
    def report(self) -> Path:
        """Where the process writes its report."""
        return self.folder / "report.json"


@dataclass(frozen=True)
class Report:
    """The outcome of a problem, from the process that solved it."""

    error_class: ErrorClass | None = None
    error: str = ""

    def write(self, path: Path) -> None:
        """Write the report."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Report:
        """Read the report; raises a FormatError when there is no whole one."""
        return read_record(cls, path)


def solve_task(setup: Setup, task: Task) -> None:
    """Run the method on a problem; any exception becomes a report."""
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
        shared=task.shared,
    )
    report = Report()
    try:
        setup.method.solve(task.problem, context)
    except GenotexError as error:
        report = Report(classify(error), str(error))
    except Exception as error:
        traceback.print_exc()
        report = Report(classify(error), "".join(traceback.format_exception_only(error)))
    except SystemExit as end:
        # A plug-in may be a script that reports failure by an exit code other than 0.
        if end.code not in (None, 0):
            report = Report(ErrorClass.CRASHED, f"ended by exit({end.code!r})")
    report.write(task.report)
