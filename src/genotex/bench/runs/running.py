"""A whole benchmark run, from its settings to its summary."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from genotex.bench.comparison.run_record import (
    NO_DATA,
    PREPARED_TABLES,
    RAW_FILES,
    TABLES_OF_GENOTEX,
    StoredRun,
)
from genotex.bench.runs.cohort_stage import Basis, CohortProgress, check_given_cohorts, read_cohorts
from genotex.bench.runs.fork_server import Setup
from genotex.bench.runs.method import ChosenMethod
from genotex.bench.runs.outputs import merge_cohorts
from genotex.bench.runs.problem_record import ProblemRecord
from genotex.bench.runs.problem_stage import ProblemProgress, ProblemStage, finished_problems
from genotex.bench.runs.run_folder import RunFolder, begin_or_resume, run_settings
from genotex.bench.runs.summary import RunSummary, cohort_times, divide, summarise, write_outcomes
from genotex.errors import UsageError
from genotex.formats import sha256
from genotex.journal import Journal, open_journal
from genotex.layout import InputFolder, OutputFolder
from genotex.parallel import Executor, Processes
from genotex.problems import Problem, TaskInfo


@dataclass(frozen=True)
class BenchmarkRun:
    """What is to be run.

    Raises
    ------
    UsageError
        If these contradict each other.
    """

    target: Path  # Output folder; created if missing, resumed if it contains the same run
    tasks: TaskInfo  # The task list
    # In the order of the results; a problem listed twice is solved once
    problems: Sequence[Problem]
    method: ChosenMethod
    # Input folder; not needed for a method without data, nor with `preprocessed`
    source: Path | None = None
    # An output folder whose cohorts are taken as they are; nothing is written there
    preprocessed: Path | None = None
    seed: int = 42  # For anything random

    def __post_init__(self) -> None:
        """Refuse what cannot be run, before anything is written."""
        object.__setattr__(self, "problems", tuple(dict.fromkeys(self.problems)))
        if not self.problems:
            msg = "there is no problem to solve; check --problems and --trait"
            raise UsageError(msg)
        for trait in dict.fromkeys(problem.trait for problem in self.problems):
            self.tasks.related_genes(trait)
        if type(self.method.method).__module__ == "__main__":
            msg = (
                f"the method {self.method.name} is defined in a script, which the process of a "
                "problem cannot import; define it in a module of its own"
            )
            raise UsageError(msg)
        self._check_folders()
        if self.source is not None and (self.preprocesses or self.method.own_cohorts):
            InputFolder(self.source)

    def _check_folders(self) -> None:
        method, given = self.method, self.preprocessed
        if self.source is not None and self.preprocesses:
            InputFolder(self.source)
        elif self.source is not None and not self.source.is_dir():
            msg = f"{self.source} is not a folder; give the folder of the raw files"
            raise UsageError(msg)
        if method.own_cohorts and self.source is None:
            msg = "a plug-in that makes its own cohorts reads the raw files; give INPUT"
            raise UsageError(msg)
        if given is None:
            if method.reads == "cohorts" and self.source is None:
                msg = f"the method {method.name} reads cohorts; give INPUT, or --preprocessed"
                raise UsageError(msg)
            return
        if method.reads == "nothing" or method.own_cohorts:
            who = "makes its own cohorts" if method.own_cohorts else "reads no data"
            msg = f"--preprocessed has no effect here: {method.name} {who}; leave it out"
            raise UsageError(msg)
        check_given_cohorts(given, self.target)

    @property
    def preprocesses(self) -> bool:
        """Whether raw files are preprocessed first."""
        reads = self.method.reads != "nothing" and not self.method.own_cohorts
        return reads and self.preprocessed is None and self.source is not None

    @property
    def cohorts(self) -> OutputFolder | None:
        """Where the method finds preprocessed cohorts."""
        if self.preprocessed is not None:
            return OutputFolder(self.preprocessed.absolute())
        return RunFolder(self.target).output if self.preprocesses else None

    @property
    def start(self) -> str:
        """Where the method starts; preprocessing by genotex is the work of the rules alone."""
        if self.method.own_cohorts:
            return RAW_FILES
        if self.preprocessed is not None:
            return PREPARED_TABLES
        if not self.preprocesses:
            return NO_DATA
        return RAW_FILES if self.method.name == "rules" else TABLES_OF_GENOTEX

    def settings(self) -> StoredRun:
        """Return what the answers depend on."""
        reads = self.method.reads != "nothing"
        return run_settings(
            self.target,
            self.problems,
            source=self.source if reads else None,
            preprocessed=self.preprocessed,
            method=self.method.name,
            procedure=self.method.procedure if reads else None,
            options={**self.method.record, "seed": self.seed},
            task_info={"name": self.tasks.path.name, "sha256": sha256(self.tasks.path)},
            start=self.start,
        )


@dataclass(frozen=True)
class Finished:
    """A run whose problems are all finished."""

    records: tuple[ProblemRecord, ...]  # in the order of the run's list
    summary: RunSummary
    solved_now: int  # how many of the problems were not finished before


def run_benchmark(
    plan: BenchmarkRun,
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    time_limit: float | None = None,
    retry: bool = False,
    on_cohort: CohortProgress | None = None,
    on_problem: ProblemProgress | None = None,
) -> Finished:
    """Run a benchmark, or resume one that was interrupted.

    Cohorts are preprocessed first, once for all problems; then each problem is solved in a process
    of its own. A finished step stays finished, however the run ends. The final content
    of ``preprocess/``, ``regress/`` and ``run/outcomes.json`` depends neither on interruptions nor
    on `jobs`.

    Parameters
    ----------
    jobs
        Cohorts, and then problems, side by side.
    executor
        Where cohorts and problems are done, in place of processes of this machine.
    time_limit
        Seconds for a problem.
    retry
        Retry every problem that failed, not only those that failed because of the machine.
    on_cohort, on_problem
        Called with each outcome and the number of them all.

    Raises
    ------
    UsageError
        If the folder contains another run, or one that is active.
    WorkerLostError
        If a process that others depend on was ended from outside.
    """
    run = RunFolder(plan.target)
    with run.hold():
        begin_or_resume(run, plan.settings())
        with open_journal(run.journal) as journal:
            if plan.preprocesses and plan.source is not None:
                place, procedure = executor or Processes(jobs), plan.method.procedure
                read_cohorts(
                    plan.source, run.output, plan.problems, procedure, journal, place, on_cohort
                )
            stage = _stage(plan, run, journal, jobs, time_limit)
            unsolved = stage.unsolved(plan.problems, retry=retry)
            if unsolved:
                run.withdraw_outcomes()
                stage.solve(unsolved, min(jobs, len(unsolved)), executor, on_problem)
            return _finish(plan, run, journal, len(unsolved))


def _stage(
    plan: BenchmarkRun, run: RunFolder, journal: Journal, jobs: int, time_limit: float | None
) -> ProblemStage:
    cohorts = plan.cohorts
    setup = Setup(
        method=plan.method.method,
        source=None if plan.source is None else plan.source.absolute(),
        cohorts=None if cohorts is None else cohorts.root,
        tasks=plan.tasks,
        procedure=plan.method.procedure,
        seed=plan.seed,
        threads=max(1, (os.cpu_count() or 1) // jobs),
        time_limit=time_limit,
        secrets=plan.method.secrets,
    )
    return ProblemStage(run, plan.method, setup, journal, Basis(cohorts))


def _finish(plan: BenchmarkRun, run: RunFolder, journal: Journal, solved_now: int) -> Finished:
    finished = finished_problems(journal)
    records = tuple(finished[problem] for problem in plan.problems)
    if plan.method.own_cohorts:
        merge_cohorts(run, records)
    cohorts = run.output if plan.method.own_cohorts else plan.cohorts
    summary = summarise(records, journal, cohorts)
    write_outcomes(run, records, summary, divide(plan.problems, cohort_times(journal)))
    return Finished(records, summary, solved_now)
