"""Notebooks of a run side by side: which are done, which are left, and when to stop."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from genotex.agents.action_units import action_unit
from genotex.agents.notebook import Event
from genotex.agents.task import Task
from genotex.agents.team.accepting import withdraw_cohort
from genotex.agents.team.folder import NotebookRecord, State, input_of
from genotex.agents.team.notebooks import RunResources, do_notebook
from genotex.agents.team.plan import TeamPlan, WorkList
from genotex.agents.team.sessions import LiveSessions, TeamWork, in_threads, notebooks_on_workers
from genotex.bench.runs.cohort_stage import why_no_cohort
from genotex.bench.runs.outputs import withdraw
from genotex.bench.runs.problem_record import ErrorClass
from genotex.errors import (
    BudgetReachedError,
    ConfinementError,
    FormatError,
    GenotexError,
    ModelTimeoutError,
    ModelUnavailableError,
    NoUsableCohortError,
    RateLimitedError,
    SandboxError,
    SessionDeadError,
)
from genotex.formats import sha256
from genotex.io import is_no_space, no_space
from genotex.journal import Journal
from genotex.layout import TCGA_COHORT, OutputFolder
from genotex.models import Budget, SpendingLimits, UsageLedger
from genotex.parallel import Executor
from genotex.problems import ProblemKind, choose_cohort, choose_pair

PATIENCE = 3
"""So many notebooks in a row may stop for the same passing trouble before the run does."""

_PASSING = (RateLimitedError, ModelUnavailableError, ModelTimeoutError, SandboxError)
_NOT_REPEATABLE = (FormatError, SessionDeadError)


class Progress:
    """Receives the events of a run; does nothing itself."""

    def begin(self, notebooks: int, done: int) -> None:
        """Receive how many notebooks there are, and how many were done before."""

    def event(self, task: Task, event: Event, usage: UsageLedger) -> None:
        """Receive an event of a notebook; called from several threads."""

    def end(self, record: NotebookRecord, usage: UsageLedger) -> None:
        """Receive a notebook that has ended or stopped."""


@dataclass(frozen=True)
class NotebookSpread:
    """How the notebooks of a run are spread: over threads here, or over workers elsewhere."""

    plan: TeamPlan
    limits: SpendingLimits
    jobs: int = 1
    executor: Executor | None = None

    def start(
        self, tasks: Sequence[Task], resources: RunResources, budget: Budget
    ) -> Iterator[tuple[Task, NotebookRecord | Exception]]:
        """Yield the records of notebooks that workers do."""
        if self.executor is None:
            return iter(())
        began = time.time() - budget.time
        made_from = {task: resources.made_from(task) for task in tasks}
        shared = TeamWork(
            self.plan, self.limits, resources.prices, resources.shelf, began, made_from
        )
        return notebooks_on_workers(self.executor, shared, tasks)


class Stage:
    """Does notebooks, and records the outcome of each."""

    def __init__(
        self,
        resources: RunResources,
        journal: Journal,
        ledger: UsageLedger,
        budget: Budget,
        sessions: LiveSessions,
        progress: Progress,
        *,
        spread: NotebookSpread,
    ) -> None:
        self._resources = resources
        self._journal = journal
        self._ledger = ledger
        self._budget = budget
        self._sessions = sessions
        self._progress = progress
        self._spread = spread
        self._troubles = 0
        self._retry = False
        self.records: dict[Task, NotebookRecord] = {}
        self.stopped = ""
        self.did_anything = False
        self.solved_now = 0

    def begin(self, work: WorkList, *, retry: bool) -> None:
        """Take over what was done before; set aside the journals of what is rerun."""
        self._retry = retry
        found = [
            NotebookRecord.from_json(entry["notebook"], self._resources.folder.journal)
            for entry in self._journal.entries
            if "notebook" in entry
        ]
        latest = {record.task: record for record in found}
        for task in work.all:
            record = latest.get(task)
            if record is None:
                continue
            if self._input_changed(record):
                self._put_aside(task)
                withdraw_cohort(task, self._resources.folder)
            elif record.state is State.FAILED and retry:
                self._put_aside(task)
            elif self._files_are_there(record):
                self.records[task] = record
        for record in self.records.values():
            self._offer_to_others(record)
        self._progress.begin(len(work.all), len(self.records))

    def _input_changed(self, record: NotebookRecord) -> bool:
        """Return whether the raw files of a cohort have changed; problems come after cohorts."""
        if record.task.kind == "statistics" or not record.basis:
            return False
        return record.basis != self._resources.made_from(record.task)

    def _offer_to_others(self, record: NotebookRecord) -> None:
        for each in record.kept:
            unit = action_unit(record.task.kind, each.unit)
            self._resources.shelf.keep(record.task, unit, each.before, each.code)

    def _files_are_there(self, record: NotebookRecord) -> bool:
        root = self._resources.folder.root
        return all(
            (root / name).is_file() and sha256(root / name) == digest
            for name, digest in record.files.items()
        )

    def _journal_of(self, task: Task) -> Path:
        return self._resources.folder.notebook_journal(task)

    def _put_aside(self, task: Task) -> None:
        """Keep the journal of a notebook that is rerun: its calls were paid for."""
        path = self._journal_of(task)
        if path.exists():
            tries = len(self._resources.folder.put_aside(task))
            path.rename(path.with_name(f"{path.stem}.try{tries + 1}.jsonl"))

    def ready(self, problems: Sequence[Task]) -> list[Task]:
        """Return the problems whose cohorts are finished.

        An answer that was found from other cohorts is withdrawn.
        """
        stopped = {r.task.trait for r in self.records.values() if r.state is State.STOPPED}
        ready = []
        for task in problems:
            if stopped & set(task.problem.traits):
                continue
            record = self.records.get(task)
            if record is not None and record.basis != self._resources.made_from(task):
                del self.records[task]
                self._put_aside(task)
                # That answer is no longer valid, even if the next attempt fails.
                withdraw(self._resources.folder, task.problem)
            ready.append(task)
        return ready

    def do(self, tasks: Sequence[Task]) -> None:
        """Do all notebooks that are not done."""
        left = [task for task in tasks if task not in self.records]
        if left:
            self.did_anything = True
            self._resources.folder.withdraw_outcomes()
        results: Iterator[tuple[Task, NotebookRecord | Exception | None]]
        if self._spread.executor:
            results = self._on_workers(left)
        else:
            results = in_threads(left, self._spread.jobs, self._do, self._sessions.close_all)
        for task, result in results:
            if result is not None:
                self._conclude(task, result)

    def _on_workers(
        self, tasks: Sequence[Task]
    ) -> Iterator[tuple[Task, NotebookRecord | Exception | None]]:
        """Yield the records of notebooks that workers do, until the run is to stop."""
        left = []
        for task in tasks:
            if (hopeless := self._hopeless(task)) is None:
                self._begin_again_if_changed(task, self._resources.made_from(task))
                left.append(task)
            else:
                yield task, hopeless
        went_before = {task for task in left if self._journal_of(task).exists()}
        while left:
            once_more = []
            for task, result in self._spread.start(left, self._resources, self._budget):
                if task in went_before and self._cannot_be_repeated(result):
                    once_more.append(task)
                    continue
                yield task, self._with_basis(task, result)
                if self.stopped:
                    return
            # Not before: other workers add up what the journals state was spent.
            for task in once_more:
                self._put_aside(task)
            left, went_before = once_more, set()

    def _cannot_be_repeated(self, result: NotebookRecord | Exception) -> bool:
        """Return whether a notebook is begun again: the steps in its journal do not fit."""
        return self._retry and isinstance(result, _NOT_REPEATABLE)

    def _with_basis(
        self, task: Task, result: NotebookRecord | Exception
    ) -> NotebookRecord | Exception:
        """Return a record of a worker with what only this process knows."""
        if not isinstance(result, NotebookRecord):
            return result
        more = self._flags_of(result) if task.kind == "statistics" else ()
        basis = self._resources.made_from(task)
        return replace(result, basis=basis, flags=(*result.flags, *more))

    def _hopeless(self, task: Task) -> NotebookRecord | None:
        """Return the record of a problem that no notebook can solve."""
        if task.kind != "statistics" or self._resources.settings.agent == "zero-shot":
            return None
        if (reason := _why_unsolvable(task)) is None:
            return None
        error_class, why = reason
        basis = self._resources.made_from(task)
        return NotebookRecord(task, State.FAILED, why=why, error_class=error_class, basis=basis)

    def _do(self, task: Task) -> NotebookRecord | None:
        if self.stopped:
            return None
        basis = self._resources.made_from(task)
        if task.kind != "statistics":
            return replace(self._work(task, basis), basis=basis)
        if (hopeless := self._hopeless(task)) is not None:
            return hopeless
        record = self._work(task, basis)
        return replace(record, basis=basis, flags=(*record.flags, *self._flags_of(record)))

    def _flags_of(self, answer: NotebookRecord) -> tuple[str, ...]:
        """Return that the cohort of an answer is flagged itself, and which cohorts are lost."""
        cohort, traits = answer.facts.get("cohort"), answer.task.problem.traits
        prepared = [r for r in self.records.values() if r.task.kind != "statistics"]
        flagged = (
            f"{cohort}, from which it was found, is flagged itself"
            for record in prepared
            if record.task.trait == traits[0] and record.task.cohort == cohort and record.flags
        )
        lost = (
            f"{record.task.cohort or TCGA_COHORT} of {record.task.trait} was not prepared, so that "
            "it could not be chosen"
            for record in prepared
            if record.task.trait in traits and record.state is State.FAILED
        )
        return (*flagged, *sorted(lost))

    def _begin_again_if_changed(self, task: Task, basis: str) -> None:
        """Put the journal of a notebook aside whose cells ran on files that changed since."""
        begun_with = input_of(self._journal_of(task))
        if begun_with not in ("", basis):
            self._put_aside(task)

    def _work(self, task: Task, basis: str) -> NotebookRecord:
        self._begin_again_if_changed(task, basis)
        went_before = self._journal_of(task).exists()
        try:
            return self._go_on(task)
        except _NOT_REPEATABLE as error:
            if not (went_before and self._cannot_be_repeated(error)):
                raise
            self._put_aside(task)
            return self._go_on(task)

    def _go_on(self, task: Task) -> NotebookRecord:
        return do_notebook(task, self._resources, partial(self._report, task))

    def _report(self, task: Task, event: Event) -> None:
        self._progress.event(task, event, self._ledger)

    def _conclude(self, task: Task, result: NotebookRecord | Exception) -> None:
        if isinstance(result, NotebookRecord):
            try:
                self._journal.add({**result.entry(), "elapsed": round(self._budget.time, 3)})
            except OSError as error:
                result = error
        if isinstance(result, OSError) and is_no_space(result):
            result = no_space(result)
        if isinstance(result, NotebookRecord):
            self._troubles = 0
            self.solved_now += task.kind == "statistics"
            record = result
            self._offer_to_others(record)
        elif isinstance(result, GenotexError) and not isinstance(result, ConfinementError):
            record = NotebookRecord(task, State.STOPPED, why=str(result))
            self._judge_trouble(result)
        else:
            raise result
        self.records[task] = record
        self._progress.end(record, self._ledger)

    def _judge_trouble(self, error: GenotexError) -> None:
        """Stop at once for what every notebook would meet, or after some in a row."""
        self._troubles += 1
        if isinstance(error, BudgetReachedError) or not isinstance(error, _PASSING):
            self.stopped = str(error)
        elif self._troubles >= PATIENCE:
            self.stopped = f"{self._troubles} notebooks in a row stopped, the last one for: {error}"


def _why_unsolvable(task: Task) -> tuple[ErrorClass, str] | None:
    """Return why no cohort can answer a problem; None where one can."""
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
