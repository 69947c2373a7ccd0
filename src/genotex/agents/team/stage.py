"""Notebooks of a run side by side: which are done, which are left, and when to stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from genotex.agents.action_units import action_unit
from genotex.agents.models import Budget, UsageLedger
from genotex.agents.notebook import Event
from genotex.agents.switches import Agent
from genotex.agents.task import Task
from genotex.agents.team.notebooks import RunResources, do_notebook
from genotex.agents.team.plan import WorkList
from genotex.agents.team.records import NotebookRecord, State, why_unsolvable
from genotex.agents.team.sessions import LiveSessions, in_threads
from genotex.agents.team.without_code import do_structured, do_zero_shot
from genotex.bench.runs.cohort_stage import Basis
from genotex.bench.runs.outputs import withdraw
from genotex.errors import (
    BudgetReachedError,
    ConfinementError,
    FormatError,
    GenotexError,
    ModelTimeoutError,
    ModelUnavailableError,
    RateLimitedError,
    SandboxError,
    SessionDeadError,
)
from genotex.formats import sha256
from genotex.journal import Journal

__all__ = ["Progress", "Stage"]

PATIENCE = 3
"""So many notebooks in a row may stop for the same passing trouble before the run does."""

_WITHOUT_CODE: Mapping[Agent, Callable[[Task, RunResources], NotebookRecord]] = {
    "structured": do_structured,
    "zero-shot": do_zero_shot,
}

_PASSING = (RateLimitedError, ModelUnavailableError, ModelTimeoutError, SandboxError)


class Progress:
    """Receives the events of a run; does nothing itself."""

    def begin(self, notebooks: int, done: int) -> None:
        """Receive how many notebooks there are, and how many were done before."""

    def event(self, task: Task, event: Event, usage: UsageLedger) -> None:
        """Receive an event of a notebook; called from several threads."""

    def end(self, record: NotebookRecord, usage: UsageLedger) -> None:
        """Receive a notebook that has ended or stopped."""


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
        basis: Basis,
        *,
        jobs: int,
    ) -> None:
        self._resources = resources
        self._journal = journal
        self._ledger = ledger
        self._budget = budget
        self._sessions = sessions
        self._progress = progress
        self._jobs = jobs
        self._basis = basis
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
            if record.state is State.FAILED and retry:
                self._put_aside(task)
            elif self._files_are_there(record):
                self.records[task] = record
        for record in self.records.values():
            self._offer_to_others(record)
        self._progress.begin(len(work.all), len(self.records))

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

    def _put_aside(self, task: Task) -> None:
        """Keep the journal of a notebook that is rerun: its calls were paid for."""
        path = self._resources.folder.notebook_journal(task)
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
            if record is not None and record.basis != self._basis.of(task.problem):
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
        for task, result in in_threads(left, self._jobs, self._do, self._sessions.close_all):
            if result is not None:
                self._conclude(task, result)

    def _do(self, task: Task) -> NotebookRecord | None:
        if self.stopped:
            return None
        if task.kind != "statistics":
            return self._work(task)
        basis = self._basis.of(task.problem)
        hopeless = None if self._resources.agent == "zero-shot" else why_unsolvable(task)
        if hopeless is not None:
            error_class, why = hopeless
            return NotebookRecord(task, State.FAILED, why=why, error_class=error_class, basis=basis)
        record = self._work(task)
        return replace(record, basis=basis, flags=(*record.flags, *self._flags_of(record)))

    def _flags_of(self, answer: NotebookRecord) -> tuple[str, ...]:
        """Return that the cohort of an answer is flagged itself."""
        cohort = answer.facts.get("cohort")
        found = (r for r in self.records.values() if r.task.trait == answer.task.trait)
        return tuple(
            f"{cohort}, from which it was found, is flagged itself"
            for record in found
            if record.task.cohort == cohort and record.flags
        )

    def _work(self, task: Task) -> NotebookRecord:
        went_before = self._resources.folder.notebook_journal(task).exists()
        try:
            return self._go_on(task)
        except (FormatError, SessionDeadError):
            # The steps in its journal cannot be repeated.
            if not (self._retry and went_before):
                raise
            self._put_aside(task)
            return self._go_on(task)

    def _go_on(self, task: Task) -> NotebookRecord:
        if self._resources.agent in _WITHOUT_CODE:
            return _WITHOUT_CODE[self._resources.agent](task, self._resources)
        return do_notebook(task, self._resources, partial(self._report, task))

    def _report(self, task: Task, event: Event) -> None:
        self._progress.event(task, event, self._ledger)

    def _conclude(self, task: Task, result: NotebookRecord | Exception) -> None:
        if isinstance(result, NotebookRecord):
            self._troubles = 0
            self._journal.add({**result.entry(), "elapsed": round(self._budget.time, 3)})
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
