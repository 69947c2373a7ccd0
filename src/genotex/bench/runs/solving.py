"""The end of a problem's process: its answer is taken over; and solving one on a worker."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from genotex.bench.runs.children import Children, Ended, Report, Setup, Task
from genotex.bench.runs.children.processes import SHORTEST_SECRET
from genotex.bench.runs.methods.method import ChosenMethod
from genotex.bench.runs.outputs import take_answer, take_cohorts, withdraw
from genotex.bench.runs.problem_record import ErrorClass, ProblemRecord, check_exit
from genotex.bench.runs.run_folder import RunFolder
from genotex.errors import FormatError, MethodFailedError
from genotex.layout import OutputFolder
from genotex.problems import Problem

_LEAST_MEMORY = 600_000_000
_MEMORY_PER_BYTE = 4
"""Bytes of memory for each byte of linked tables (docs/cluster.md)."""


def conclude(
    run: RunFolder, method: ChosenMethod, task: Task, ended: Ended, basis: str
) -> ProblemRecord:
    """Take over the result of a process, or record why there is none."""
    record = ProblemRecord(
        task.problem, seconds=ended.seconds, peak_memory_mb=ended.peak_memory_mb, basis=basis
    )
    secrets = {name: os.environ[name] for name in method.secrets}
    cohorts: dict[str, str] = {}
    try:
        _check_end(task, ended)
        if method.own_cohorts:
            cohorts = take_cohorts(task.output, run, task.problem, tuple(secrets.values()))
        answer, files = take_answer(
            task.output,
            run,
            task.problem,
            tuple(secrets.values()),
            own_cohorts=method.own_cohorts,
        )
    except MethodFailedError as error:
        withdraw(run, task.problem)
        kind = ErrorClass(error.error_class)
        message = _plain(str(error), task, run, secrets)
        return replace(record, error_class=kind, error=message, files=cohorts)
    return replace(record, genes=answer.genes, cohort=answer.cohort, files=cohorts | files)


def _plain(text: str, task: Task, run: RunFolder, secrets: Mapping[str, str]) -> str:
    """Remove the run's folder from a message, so that it is the same anywhere, and secrets."""
    for folder in (task.output, task.folder, run.root):
        text = text.replace(f"{folder}/", "")
    for name, value in secrets.items():
        if len(value) >= SHORTEST_SECRET:
            text = text.replace(value, f"[{name}]")
    return text.strip()


def _check_end(task: Task, ended: Ended) -> None:
    """Raise for a process that ended early, or whose method failed."""
    if ended.timed_out:
        raise MethodFailedError(ErrorClass.TIMED_OUT, "the time limit was reached")
    check_exit(ended.code, "its process")
    try:
        report = Report.read(task.report)
    except FormatError as error:
        msg = "its process ended before the method did"
        raise MethodFailedError(ErrorClass.CRASHED, msg) from error
    if report.error_class is not None:
        raise MethodFailedError(report.error_class, report.error)


@dataclass(frozen=True)
class Solving:
    """What all problems of a run share on a worker."""

    run: RunFolder
    method: ChosenMethod
    setup: Setup


_started: list[tuple[Solving, Children]] = []
"""What starts the processes of the run that this process works for; it ends with it."""


def solve_on_worker(shared: Solving, work: tuple[Problem, str]) -> ProblemRecord:
    """Solve one problem in local scratch space, and put its answer into the run's folder."""
    problem, basis = work
    unset = [name for name in shared.method.secrets if name not in os.environ]
    if unset:
        msg = f"a worker lacks the variables {', '.join(unset)}; set them where workers start"
        return ProblemRecord(problem, ErrorClass.USAGE, msg, basis=basis)
    children = _children_of(shared)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        task = Task(0, problem, Path(folder) / "work", shared.run.log(problem))
        children.start(task)
        return conclude(shared.run, shared.method, task, children.wait(), basis)


def _children_of(shared: Solving) -> Children:
    if not _started or _started[0][0] is not shared:
        while _started:
            _started.pop()[1].__exit__()
        _started.append((shared, Children(shared.setup, 1)))
    return _started[0][1]


def short_of_memory(record: ProblemRecord) -> bool:
    """Return whether a problem may be solved on a machine with more memory."""
    return record.error_class in (ErrorClass.KILLED, ErrorClass.SYSTEM)


def memory_of(problem: Problem, cohorts: Path | None) -> int:
    """Return the bytes of memory that a problem is expected to need."""
    if cohorts is None:
        return _LEAST_MEMORY
    output = OutputFolder(cohorts)
    sizes = [
        table.stat().st_size
        for trait in problem.traits
        for table in output.cohort_info(trait).parent.glob("*.csv")
    ]
    return _LEAST_MEMORY + _MEMORY_PER_BYTE * max(sizes, default=0)
