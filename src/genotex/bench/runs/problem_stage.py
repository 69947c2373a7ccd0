"""The problems of a run: which are still unsolved, and solving them in parallel."""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from genotex.bench.problems import Problem
from genotex.bench.runs.children import Children, Ended, Report, Setup, Task
from genotex.bench.runs.children.processes import SHORTEST_SECRET
from genotex.bench.runs.cohort_stage import Basis
from genotex.bench.runs.methods.method import ChosenMethod
from genotex.bench.runs.outputs import take_answer, take_cohorts, withdraw
from genotex.bench.runs.problem_record import (
    RETRIED,
    ErrorClass,
    ProblemRecord,
    check_exit,
)
from genotex.bench.runs.run_folder import RunFolder
from genotex.errors import MethodFailedError
from genotex.formats import sha256
from genotex.journal import Journal

ProblemProgress = Callable[[ProblemRecord, int], None]

_STEP = "problem"


def finished_problems(journal: Journal) -> dict[Problem, ProblemRecord]:
    """Return the last record of every problem in the journal."""
    entries = (entry for entry in journal.entries if entry["step"] == _STEP)
    records = (ProblemRecord.from_json(entry) for entry in entries)
    return {record.problem: record for record in records}


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
        return all(
            _has_digest(self.run.root / name, digest) for name, digest in record.files.items()
        )

    def solve(
        self,
        problems: Sequence[Problem],
        *,
        jobs: int = 1,
        progress: ProblemProgress | None = None,
    ) -> None:
        """Solve problems and record the outcome of each."""
        work = self.run.begin_work()
        waiting = deque(
            Task(number, problem, work / str(number), self.run.log(problem))
            for number, problem in enumerate(problems)
        )
        under_way: dict[int, Task] = {}
        with Children(self.setup, jobs) as children:
            while waiting or under_way:
                while waiting and len(under_way) < jobs:
                    task = waiting.popleft()
                    children.start(task)
                    under_way[task.number] = task
                ended = children.wait()
                task = under_way.pop(ended.number)
                record = self._conclude(task, ended)
                self.journal.add({"step": _STEP, **record.to_json()})
                shutil.rmtree(task.folder, ignore_errors=True)
                if progress is not None:
                    progress(record, len(problems))

    def _conclude(self, task: Task, ended: Ended) -> ProblemRecord:
        """Take over the result of a process, or record why there is none."""
        record = ProblemRecord(
            task.problem,
            seconds=ended.seconds,
            peak_memory_mb=ended.peak_memory_mb,
            basis=self.basis.of(task.problem),
        )
        secrets = {name: os.environ[name] for name in self.method.secrets}
        cohorts: dict[str, str] = {}
        try:
            _check_end(task, ended)
            if self.method.own_cohorts:
                cohorts = take_cohorts(task.output, self.run, task.problem, tuple(secrets.values()))
            answer, files = take_answer(
                task.output,
                self.run,
                task.problem,
                tuple(secrets.values()),
                own_cohorts=self.method.own_cohorts,
            )
        except MethodFailedError as error:
            withdraw(self.run, task.problem)
            kind = ErrorClass(error.error_class)
            message = self._plain(str(error), task, secrets)
            return replace(record, error_class=kind, error=message, files=cohorts)
        return replace(record, genes=answer.genes, cohort=answer.cohort, files=cohorts | files)

    def _plain(self, text: str, task: Task, secrets: Mapping[str, str]) -> str:
        """Remove the run's folder from a message, so that it is the same anywhere, and secrets."""
        for folder in (task.output, task.folder, self.run.root):
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
    except (OSError, ValueError) as error:
        msg = "its process ended before the method did"
        raise MethodFailedError(ErrorClass.CRASHED, msg) from error
    if report.error_class is not None:
        raise MethodFailedError(report.error_class, report.error)


def _has_digest(path: Path, digest: str) -> bool:
    return path.is_file() and sha256(path) == digest
