"""The problems of a run: which are unsolved, solving them in parallel, and taking their answers."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from genotex.bench.runs.cohort_stage import Basis
from genotex.bench.runs.fork_server import Children, Ended, ProblemTask, Report, Setup
from genotex.bench.runs.method import ChosenMethod
from genotex.bench.runs.outputs import take_answer, take_cohorts, withdraw
from genotex.bench.runs.problem_record import RETRIED, ErrorClass, ProblemRecord, check_exit
from genotex.bench.runs.processes import SHORTEST_SECRET
from genotex.bench.runs.run_folder import RunFolder
from genotex.errors import FormatError, MethodFailedError
from genotex.formats import sha256
from genotex.journal import Journal
from genotex.layout import OutputFolder
from genotex.parallel import Executor, Piece
from genotex.problems import Problem

_LEAST_MEMORY = 600_000_000
_MEMORY_PER_BYTE = 4
"""Bytes of memory for each byte of linked tables (docs/cluster.md)."""


def _conclude(
    run: RunFolder, method: ChosenMethod, task: ProblemTask, ended: Ended, basis: str
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
            task.output, run, task.problem, tuple(secrets.values()), own_cohorts=method.own_cohorts
        )
    except MethodFailedError as error:
        withdraw(run, task.problem)
        kind = ErrorClass(error.error_class)
        message = _plain(str(error), task, run, secrets)
        return replace(record, error_class=kind, error=message, files=cohorts)
    return replace(record, genes=answer.genes, cohort=answer.cohort, files=cohorts | files)


def _plain(text: str, task: ProblemTask, run: RunFolder, secrets: Mapping[str, str]) -> str:
    """Remove the run's folder from a message, so that it is the same anywhere, and secrets."""
    for folder in (task.output, task.folder, run.root):
        text = text.replace(f"{folder}/", "")
    for name, value in secrets.items():
        if len(value) >= SHORTEST_SECRET:
            text = text.replace(value, f"[{name}]")
    return text.strip()


def _check_end(task: ProblemTask, ended: Ended) -> None:
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
class _Solving:
    """What all problems of a run share on a worker."""

    run: RunFolder
    method: ChosenMethod
    setup: Setup


_started: list[tuple[_Solving, Children]] = []
"""What starts the processes of the run that this process works for; it ends with it."""


def _solve_on_worker(shared: _Solving, work: tuple[Problem, str]) -> ProblemRecord:
    """Solve one problem in local scratch space, and put its answer into the run's folder."""
    problem, basis = work
    unset = [name for name in shared.method.secrets if name not in os.environ]
    if unset:
        msg = f"a worker lacks the variables {', '.join(unset)}; set them where workers start"
        return ProblemRecord(problem, ErrorClass.USAGE, msg, basis=basis)
    children = _children_of(shared)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        task = ProblemTask(0, problem, Path(folder) / "work", shared.run.log(problem))
        children.start(task)
        return _conclude(shared.run, shared.method, task, children.wait(), basis)


def _children_of(shared: _Solving) -> Children:
    if not _started or _started[0][0] is not shared:
        while _started:
            _started.pop()[1].__exit__()
        _started.append((shared, Children(shared.setup, 1)))
    return _started[0][1]


def _short_of_memory(record: ProblemRecord) -> bool:
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


ProblemProgress = Callable[[ProblemRecord, int], None]

_STEP = "problem"


def finished_problems(journal: Journal) -> dict[Problem, ProblemRecord]:
    """Return the last record of every problem in the journal."""
    entries = (entry for entry in journal.entries if entry["step"] == _STEP)
    records = (ProblemRecord.from_json(entry) for entry in entries)
    return {record.problem: record for record in records}


_Records = Generator[ProblemRecord, None, None]


@dataclass(frozen=True)
class ProblemStage:
    """Solves problems of a run, each in a process of its own."""

    run: RunFolder
    method: ChosenMethod
    setup: Setup
    journal: Journal
    basis: Basis

    def unsolved(self, problems: Iterable[Problem], *, retry: bool = False) -> list[Problem]:
        """Return the problems that are not finished.

        An answer is kept while its files and the cohorts are unchanged; a failure due to the data
        is kept too, unless `retry` asks for another attempt at all failures.
        """
        finished = finished_problems(self.journal)
        return [p for p in problems if p not in finished or not self._holds(finished[p], retry)]

    def _holds(self, record: ProblemRecord, retry: bool) -> bool:
        if record.basis != self.basis.of(record.problem):
            return False
        if record.error_class is not None:
            if retry or record.error_class in RETRIED:
                return False
            target = self.run.output.significant_genes(
                record.problem.trait, record.problem.condition
            )
            if target.exists():
                return False
        files = ((self.run.root / name, digest) for name, digest in record.files.items())
        return all(path.is_file() and sha256(path) == digest for path, digest in files)

    def solve(
        self,
        problems: Sequence[Problem],
        jobs: int = 1,
        executor: Executor | None = None,
        progress: ProblemProgress | None = None,
    ) -> None:
        """Solve problems and record the outcome of each."""
        if executor is None:
            records = self._here(problems, jobs)
        else:
            records = self._on_workers(problems, executor)
        # What cannot be recorded ends the processes at once.
        with closing(records):
            for record in records:
                self.journal.add({"step": _STEP, **record.to_json()})
                if progress is not None:
                    progress(record, len(problems))

    def _here(self, problems: Sequence[Problem], jobs: int) -> _Records:
        """Yield the outcomes of problems that are solved on this machine, as they come."""
        work = self.run.begin_work()
        waiting = [
            ProblemTask(number, problem, work / str(number), self.run.log(problem), work / "shared")
            for number, problem in enumerate(problems)
        ]
        under_way: dict[int, ProblemTask] = {}
        trait = ""
        with Children(self.setup, jobs) as children:
            while waiting or under_way:
                while waiting and len(under_way) < jobs:
                    task = _next(waiting, trait, {t.problem.trait for t in under_way.values()})
                    waiting.remove(task)
                    children.start(task)
                    under_way[task.number] = task
                ended = children.wait()
                task = under_way.pop(ended.number)
                trait = task.problem.trait
                basis = self.basis.of(task.problem)
                yield _conclude(self.run, self.method, task, ended, basis)
                shutil.rmtree(task.folder, ignore_errors=True)

    def _on_workers(self, problems: Sequence[Problem], executor: Executor) -> _Records:
        """Yield the outcomes of problems that are solved on other machines, as they come."""
        shared = _Solving(self.run, self.method, self.setup)
        pieces = [
            Piece((problem, self.basis.of(problem)), memory_of(problem, self.setup.cohorts))
            for problem in problems
        ]
        for outcome in executor.run(_solve_on_worker, shared, pieces, _short_of_memory):
            if outcome.result is not None:
                yield outcome.result
                continue
            problem, basis = pieces[outcome.number].work
            withdraw(self.run, problem)
            yield ProblemRecord(problem, ErrorClass.KILLED, outcome.lost, basis=basis)


def _next(waiting: Sequence[ProblemTask], trait: str, under_way: Collection[str]) -> ProblemTask:
    """Return the next problem: of the trait that was last solved, else of one nobody works on.

    Problems of a trait have work in common, which the first of them does for those that follow.
    """
    same = (task for task in waiting if task.problem.trait == trait)
    others = (task for task in waiting if task.problem.trait not in under_way)
    return next(same, None) or next(others, None) or waiting[0]
