"""One notebook of a run, from its journal to its place in the output folder."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from genotex.agents.code_shelf import CodeShelf
from genotex.agents.file_listing import list_files
from genotex.agents.manager import WRITTEN, is_recorded
from genotex.agents.models import PriceSnapshot, UsageLedger, reply_from_json
from genotex.agents.notebook import Event, Notebook
from genotex.agents.notebook_file import to_ipynb
from genotex.agents.sandbox import Folders, Session
from genotex.agents.switches import Agent, Switches
from genotex.agents.task import Task
from genotex.agents.team.folder import TeamFolder
from genotex.agents.team.notebook_journal import NotebookJournal
from genotex.agents.team.notebook_record import NotebookRecord, State
from genotex.agents.team.recorded_model import RoutedModel, Router, error_from_json
from genotex.agents.team.recorded_session import RecordedSession
from genotex.agents.team.recorded_shelf import RecordedShelf
from genotex.agents.team.recorded_work import recorded_work
from genotex.agents.team.taking import take
from genotex.bench.runs.problem_record import ErrorClass
from genotex.errors import ContextTooLongError, MethodFailedError
from genotex.formats import write_json
from genotex.journal import Entry, open_journal
from genotex.layout import OutputFolder

__all__ = ["Bench", "MakeSession", "book_calls", "do_notebook", "taken"]

MOST_REMOVED = 10
"""Links and the like that are told of one by one."""

MakeSession = Callable[[Folders], Session]


@dataclass(frozen=True)
class Bench:
    """What all notebooks of a run share.

    Attributes
    ----------
    folder : TeamFolder
        Its lock is held.
    switches : Switches
    router : Router
        The models.
    prices : PriceSnapshot
    make_session : callable
        From the folders that code may see to a session.
    shelf : CodeShelf
    temperature, max_output : float or None, int or None
        For all requests.
    agent : str
        Who works (see `agents.switches.Agent`).
    """

    folder: TeamFolder
    switches: Switches
    router: Router
    prices: PriceSnapshot
    make_session: MakeSession
    shelf: CodeShelf
    temperature: float | None = None
    max_output: int | None = None
    agent: Agent = "team"


def book_calls(entries: Sequence[Entry], ledger: UsageLedger) -> None:
    """Book every call of a notebook's journal, also those whose answer was none."""
    for entry in entries:
        if entry["kind"] != "call":
            continue
        role = entry["request"]["role"]
        if "reply" in entry:
            ledger.book(role, reply_from_json(entry["reply"]))
        else:
            error = error_from_json(entry["error"])
            ledger.book_failure(role, error.model or "", error)


def do_notebook(
    task: Task, bench: Bench, on_event: Callable[[Event], None] | None = None
) -> NotebookRecord:
    """Do a notebook, or go on with it, and take what it wrote.

    Raises
    ------
    SandboxError
        If the session cannot be used.
    ModelError
        If a model cannot be asked.
    BudgetReachedError
        If a limit of the run is reached.
    """
    with open_journal(bench.folder.notebook_journal(task)) as lines:
        journal = NotebookJournal(lines)
        shelf = RecordedShelf(bench.shelf, journal)
        writable = bench.folder.work_of(task)
        readable = readable_of(task)
        session = RecordedSession(lambda: bench.make_session(Folders(writable, readable)), journal)
        work = recorded_work(
            bench.agent,
            task,
            bench.switches,
            journal,
            model=RoutedModel(bench.router),
            session=session,
            shelf=shelf,
            look=lambda: list_files(readable),
            is_recorded=lambda: is_recorded(task, writable / WRITTEN),
            temperature=bench.temperature,
            max_output=bench.max_output,
            on_event=on_event,
        )
        record = NotebookRecord(task, State.FAILED)
        try:
            with session:
                notebook = work.run()
                session.settle()
                record = replace(record, confinement=session.confinement.to_dict())
            record = replace(record, doubts=_told_of(session.removed))
            record = taken(record, writable / WRITTEN, bench)
        except ContextTooLongError as error:
            # Asked again, it would be as long.
            record = replace(record, why=str(error), error_class=ErrorClass.ANALYSIS)
            notebook = work.notebook
        finally:
            shutil.rmtree(writable, ignore_errors=True)
            write_notebook(bench.folder.notebook(task), work.notebook)
        usage = UsageLedger(bench.prices)
        book_calls(journal.entries, usage)
        return replace(
            record,
            ending=notebook.ending,
            steps=notebook.context.names,
            tally=notebook.tally,
            usage=usage.to_json(),
            kept=tuple(shelf.kept) if record.state is State.DONE and not record.doubts else (),
        )


def _told_of(removed: Sequence[str]) -> tuple[str, ...]:
    """Return what was removed from what code left, in words; of thousands the first ones."""
    told = [f"{name} was no plain file, and was removed" for name in removed[:MOST_REMOVED]]
    rest = len(removed) - len(told)
    return (*told, *([f"{rest} more were no plain files, and were removed"] if rest else []))


def taken(record: NotebookRecord, written: Path, bench: Bench) -> NotebookRecord:
    """Return the record with what was taken into the output folder, or why nothing was."""
    try:
        by_code = bench.agent in ("team", "codeact")
        taken = take(record.task, written, bench.folder, by_code=by_code)
    except MethodFailedError as error:
        # The same wherever the run lies.
        why = str(error).replace(f"{written}/", "").replace(f"{bench.folder.root}/", "")
        return replace(record, why=why, error_class=ErrorClass(error.error_class))
    doubts = (*record.doubts, *taken.doubts)
    return replace(record, state=State.DONE, files=taken.files, facts=taken.facts, doubts=doubts)


def readable_of(task: Task) -> tuple[Path, ...]:
    """Return what code of a notebook may read: the files of its task, and no others."""
    if task.kind != "statistics":
        return (task.input_folder,)
    prepared = OutputFolder(task.input_folder)
    folders = [prepared.cohort_info(trait).parent for trait in task.problem.traits]
    tasks = [] if task.task_info is None else [Path(task.task_info)]
    return tuple(path for path in [*folders, *tasks] if path.exists())


def write_notebook(path: Path, notebook: Notebook) -> None:
    """Write a notebook as it stands."""
    content: Mapping[str, object] = to_ipynb(notebook, platform.python_version())
    write_json(path, dict(content))
