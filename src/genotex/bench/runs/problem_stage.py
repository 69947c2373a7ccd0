"""The problems of a run: which are still unsolved, and solving them in parallel."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass

from genotex.bench.runs.children import Children, Setup, Task
from genotex.bench.runs.cohort_stage import Basis
from genotex.bench.runs.methods.method import ChosenMethod
from genotex.bench.runs.outputs import withdraw
from genotex.bench.runs.problem_record import RETRIED, ErrorClass, ProblemRecord
from genotex.bench.runs.run_folder import RunFolder
from genotex.bench.runs.solving import (
    Solving,
    conclude,
    memory_of,
    short_of_memory,
    solve_on_worker,
)
from genotex.formats import sha256
from genotex.journal import Journal
from genotex.parallel import Executor, Piece
from genotex.problems import Problem

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
        *,
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
            Task(number, problem, work / str(number), self.run.log(problem), work / "shared")
            for number, problem in enumerate(problems)
        ]
        under_way: dict[int, Task] = {}
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
                yield conclude(self.run, self.method, task, ended, basis)
                shutil.rmtree(task.folder, ignore_errors=True)

    def _on_workers(self, problems: Sequence[Problem], executor: Executor) -> _Records:
        """Yield the outcomes of problems that are solved on other machines, as they come."""
        shared = Solving(self.run, self.method, self.setup)
        pieces = [
            Piece((problem, self.basis.of(problem)), memory_of(problem, self.setup.cohorts))
            for problem in problems
        ]
        for outcome in executor.run(solve_on_worker, shared, pieces, short_of_memory):
            if outcome.result is not None:
                yield outcome.result
                continue
            problem, basis = pieces[outcome.number].work
            withdraw(self.run, problem)
            yield ProblemRecord(problem, ErrorClass.KILLED, outcome.lost, basis=basis)


def _next(waiting: Sequence[Task], trait: str, under_way: Collection[str]) -> Task:
    """Return the next problem: of the trait that was last solved, else of one nobody works on.

    Problems of a trait have work in common, which the first of them does for those that follow.
    """
    same = (task for task in waiting if task.problem.trait == trait)
    others = (task for task in waiting if task.problem.trait not in under_way)
    return next(same, None) or next(others, None) or waiting[0]
