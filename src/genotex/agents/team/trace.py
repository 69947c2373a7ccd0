"""What a run did, finished from its folder alone: an overview, and one notebook step by step."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genotex.agents.action_units import ActionUnit
from genotex.agents.notebook import Notebook
from genotex.agents.sandbox import Session
from genotex.agents.switches import WITHOUT_CODE
from genotex.agents.task import Task
from genotex.agents.team.folder import OTHER_VERSION, NotebookRecord, TeamFolder, notebook_name
from genotex.agents.team.journal import Live, NotebookJournal, RecordedNotebook
from genotex.agents.team.notebooks import book_calls
from genotex.agents.team.plan import TeamPlan, read_plan
from genotex.errors import ContextTooLongError, FormatError, GenotexError, UsageError
from genotex.journal import Entry, read_journal
from genotex.layout import trait_folder_name
from genotex.models import Model, PriceSnapshot, UsageLedger, UsageRow


@dataclass(frozen=True)
class NotebookRow:
    """A notebook of a run in a line."""

    task: Task
    record: NotebookRecord | None  # None where it has not ended
    begun: bool
    usage: UsageRow  # Of all its calls

    @property
    def state(self) -> str:
        """``done``, ``failed``, ``under way`` or ``not begun``."""
        if self.record is not None:
            return self.record.state.value
        return "under way" if self.begun else "not begun"

    @property
    def why(self) -> str:
        """Why it failed, or how it ended; and what speaks against its result."""
        return "" if self.record is None else self.record.remark


@dataclass(frozen=True)
class Trace:
    """One notebook, step by step."""

    notebook: Notebook | None  # As far as it came; None for an agent that writes no code
    row: NotebookRow
    usage: UsageLedger  # Its calls by role
    # Of an agent that writes no code: what models answered, as plain JSON values.
    answers: tuple[Any, ...] = ()


def overview(target: Path) -> list[NotebookRow]:
    """Return every notebook of a run, in the order of the work."""
    plan = read_plan(target)
    folder = plan.folder
    records = _records(folder)
    prices = PriceSnapshot.read(folder.prices)
    return [_row(task, folder, records.get(task), prices) for task in plan.work().all]


def _row(
    task: Task, folder: TeamFolder, record: NotebookRecord | None, prices: PriceSnapshot
) -> NotebookRow:
    path = folder.notebook_journal(task)
    ledger = UsageLedger(prices)
    _book(path, ledger)
    return NotebookRow(task, record, path.exists(), ledger.total())


def _book(path: Path, ledger: UsageLedger) -> list[Entry]:
    """Book the calls of a notebook's journal, and return all entries."""
    entries = read_journal(path)
    with _of_this_version(path):
        book_calls(entries, ledger)
    return entries


def _records(folder: TeamFolder) -> dict[Task, NotebookRecord]:
    entries = read_journal(folder.journal)
    with _of_this_version(folder.journal):
        finished = [each["notebook"] for each in entries if "notebook" in each]
        records = [NotebookRecord.from_json(each, folder.journal) for each in finished]
    return {record.task: record for record in records}


@contextmanager
def _of_this_version(path: Path) -> Iterator[None]:
    """Name the file whose whole lines hold something else than they do now."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        msg = f"a line lacks {error}, or has it in another form"
        raise FormatError(msg, path=path, hint=OTHER_VERSION) from error


def find_notebook(target: Path, name: str) -> Task:
    """Return the notebook that a person means."""
    tasks = read_plan(target).work().all
    found = [task for task in tasks if _plainly(name) in map(_plainly, _names(task))]
    if len(found) == 1:
        return found[0]
    if found:
        several = " or ".join(f"{task.trait}/{task.cohort}" for task in found)
        msg = f"{name} is in several traits; write {several}"
        raise UsageError(msg)
    names = {_plainly(each): each for task in tasks for each in _names(task)}
    near = difflib.get_close_matches(_plainly(name), names, n=1, cutoff=0.8)
    meant = f"; did you mean {names[near[0]]}?" if near else ""
    known = ", ".join(_names(task)[0] for task in tasks[:20])
    rest = " ..." if len(tasks) > 20 else ""
    msg = f"the run has no notebook {name!r}{meant or f'; it has {known}{rest}'}"
    raise UsageError(msg)


def _plainly(name: str) -> str:
    """Return a name in the form for comparisons: that of a folder, in lower case."""
    return "/".join(trait_folder_name(part) for part in name.split("/")).lower()


def _names(task: Task) -> tuple[str, ...]:
    """Return the names of a notebook: the short ones, then those that a run prints."""
    printed = f"{task.trait} {notebook_name(task)}"
    if task.kind != "statistics":
        return (f"{task.trait}/{task.cohort}", task.cohort, printed)
    full = f"{task.trait}/{task.condition}"
    if task.condition is None:
        return (full, task.trait, printed)
    return (full, printed, str(task.problem))


class _NotYetError(GenotexError):
    """The journal ends here."""


class _EndOfJournal:
    """Source of what is not in the journal: there the replay ends."""

    def model_of(self, role: str) -> Model:
        raise _NotYetError

    def offer(self, task: Task, unit: ActionUnit, before: Sequence[str]) -> str | None:
        raise _NotYetError

    def keep(self, task: Task, unit: ActionUnit, before: Sequence[str], code: str) -> None:
        """Keep nothing."""

    def list_files(self) -> str:
        raise _NotYetError

    def make_session(self) -> Session:
        raise _NotYetError

    def is_recorded(self) -> bool:
        raise _NotYetError


def trace(target: Path, task: Task) -> Trace:
    """Go through a notebook again by its journal; nothing is asked or run."""
    plan = read_plan(target)
    folder = plan.folder
    prices = PriceSnapshot.read(folder.prices)
    usage = UsageLedger(prices)
    entries = _book(folder.notebook_journal(task), usage)
    row = _row(task, folder, _records(folder).get(task), prices)
    if plan.agent in WITHOUT_CODE:
        replies = (entry["reply"] for entry in entries if "reply" in entry)
        return Trace(None, row, usage, tuple(each["data"] or each["text"] for each in replies))
    return Trace(_replayed(plan, task, NotebookJournal(entries)), row, usage)


def _replayed(plan: TeamPlan, task: Task, journal: NotebookJournal) -> Notebook:
    end = _EndOfJournal()
    live = Live(end, end.make_session, end, end.list_files, end.is_recorded)
    work = RecordedNotebook(task, plan.work_settings, live, journal).work
    try:
        return work.run()
    except (_NotYetError, ContextTooLongError):
        # A model that cannot read the shortest prompt ends the notebook, too.
        return work.notebook
    except FormatError as error:
        msg = f"{task.trait} {notebook_name(task)}: {error.message}"
        raise FormatError(msg, path=plan.folder.notebook_journal(task)) from error
