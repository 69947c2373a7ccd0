"""One notebook of a run, from its journal to its place in the output folder."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from genotex.agents.audit import Audit, audit_here, audit_in_session
from genotex.agents.code_shelf import CodeShelf
from genotex.agents.notebook import Event
from genotex.agents.notebook_file import to_ipynb
from genotex.agents.sandbox import Folders, Session
from genotex.agents.sandbox.confined.removing import remove_tree
from genotex.agents.switches import Agent, Switches
from genotex.agents.task import Task
from genotex.agents.team.accepting import MakeAudit, accept
from genotex.agents.team.folder import TeamFolder
from genotex.agents.team.journal import (
    Live,
    NotebookJournal,
    RecordedNotebook,
    Router,
    WorkSettings,
    error_from_json,
)
from genotex.agents.team.plan import WRITTEN, is_recorded
from genotex.agents.team.records import NotebookRecord, State
from genotex.bench.runs.problem_record import ErrorClass
from genotex.errors import ContextTooLongError, FormatError, MethodFailedError
from genotex.formats import (
    CohortInfo,
    decode,
    read_chunks,
    write_json,
)
from genotex.journal import Entry, open_journal
from genotex.layout import OutputFolder
from genotex.models import PriceSnapshot, UsageLedger, reply_from_json

MOST_CHARACTERS = 20_000
"""Of the beginnings of all files together."""
_LINES, _WIDTH = 100, 160
"""Of one file: the header of a series matrix, its long lines cut."""


def list_files(roots: Sequence[Path]) -> str:
    """Return names and sizes of all files, and how each begins, as far as there is room."""
    files = list(_files(roots))
    names = [f"{name} ({path.stat().st_size} bytes)" for name, path in files]
    parts, room = ["\n".join(names) or "(no files)"], MOST_CHARACTERS
    for number, (name, path) in enumerate(files):
        # What a short file leaves is for those after it.
        beginning = _beginning(path)[: room // (len(files) - number)]
        room -= len(beginning)
        parts.append(f"== {name} ==\n{beginning}")
    return "\n\n".join(parts)


def _files(roots: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    for root in roots:
        found = sorted(root.rglob("*")) if root.is_dir() else [root]
        for path in found:
            if path.is_file() and not path.name.startswith("."):
                yield path.relative_to(root.parent).as_posix(), path


def _beginning(path: Path) -> str:
    """Return the first lines of a file, which may be packed; of a huge one no more is read."""
    try:
        with closing(read_chunks(path)) as chunks:
            text = decode(next(chunks, b""))
    except FormatError:
        return "(no text)"
    return "\n".join(line[:_WIDTH] for line in text.splitlines()[:_LINES])


MOST_REMOVED = 10
"""Links and the like that are listed one by one."""

MakeSession = Callable[[Folders], Session]


@dataclass(frozen=True)
class RunResources:
    """What all notebooks of a run share."""

    folder: TeamFolder  # Its lock is held
    switches: Switches
    router: Router  # The models
    prices: PriceSnapshot
    make_session: MakeSession  # From the folders that code may see to a session
    shelf: CodeShelf
    made_from: Callable[[Task], str]  # Digest of the input of a notebook
    # temperature, max_output: For all requests.
    temperature: float | None = None
    max_output: int | None = None
    agent: Agent = "team"
    # Whether audits run in this process: where generated code is not isolated, they are not.
    audits_here: bool = False

    @property
    def settings(self) -> WorkSettings:
        """How notebooks are worked on."""
        return WorkSettings(self.agent, self.switches, self.temperature, self.max_output)


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
    task: Task, resources: RunResources, on_event: Callable[[Event], None] | None = None
) -> NotebookRecord:
    """Do or resume a notebook, and accept what it wrote.

    Raises
    ------
    SandboxError
        If the session cannot be used.
    ModelError
        If a model cannot be asked.
    BudgetReachedError
        If a limit of the run is reached.
    """
    writable, readable = resources.folder.work_of(task), _readable(task)
    live = Live(
        resources.router,
        lambda: resources.make_session(Folders(writable, readable)),
        resources.shelf,
        lambda: list_files(readable),
        lambda: is_recorded(task, writable / WRITTEN),
    )
    with open_journal(resources.folder.notebook_journal(task)) as lines:
        journal = NotebookJournal(lines, resources.made_from(task))
        recorded = RecordedNotebook(task, resources.settings, live, journal, on_event)
        record = NotebookRecord(task, State.FAILED)
        try:
            with recorded.session as session:
                recorded.work.run()
                recorded.session.settle()
                record = replace(record, confinement=session.confinement.to_dict())
            record = replace(record, flags=_removals(recorded.session.removed))
            record = accepted(record, writable / WRITTEN, resources)
        except ContextTooLongError as error:
            # Asked again, it would be as long.
            record = replace(record, why=str(error), error_class=ErrorClass.ANALYSIS)
        finally:
            for folder in (writable, resources.folder.audit_of(task)):
                with suppress(OSError):
                    remove_tree(folder)
            notebook = recorded.work.notebook
            page = to_ipynb(notebook, platform.python_version())
            write_json(resources.folder.notebook(task), page)
        usage = UsageLedger(resources.prices)
        book_calls(journal.entries, usage)
        return replace(
            record,
            ending=notebook.ending,
            steps=notebook.context.names,
            tally=notebook.tally,
            usage=usage.to_json(),
            kept=recorded.kept if record.state is State.DONE and not record.flags else (),
        )


def _removals(removed: Sequence[str]) -> tuple[str, ...]:
    """Return in words what was removed from what code left; of thousands the first ones."""
    named = [f"{name} was not a regular file and was removed" for name in removed[:MOST_REMOVED]]
    rest = len(removed) - len(named)
    return (*named, *([f"{rest} more were not regular files and were removed"] if rest else []))


def accepted(record: NotebookRecord, written: Path, resources: RunResources) -> NotebookRecord:
    """Return the record with what was accepted into the output folder, or why nothing was."""
    try:
        found = accept(record.task, written, resources.folder, _audit(record.task, resources))
    except MethodFailedError as error:
        # The same text wherever the run's folder is.
        why = str(error).replace(f"{written}/", "").replace(f"{resources.folder.root}/", "")
        return replace(record, why=why, error_class=ErrorClass(error.error_class))
    flags = (*record.flags, *found.flags)
    return replace(record, state=State.DONE, files=found.files, facts=found.facts, flags=flags)


def _audit(task: Task, resources: RunResources) -> MakeAudit | None:
    """Return what audits a notebook whose code was generated; None where there is no such code."""
    if resources.agent not in ("team", "codeact"):
        return None
    folder = resources.folder.audit_of(task)

    def audit(written: Path, about: CohortInfo | str | None) -> Audit:
        with suppress(OSError):
            remove_tree(folder)
        if resources.audits_here:
            return audit_here(task, written, about, folder)
        readable = _readable(task)
        return audit_in_session(task, written, about, resources.make_session, folder, readable)

    return audit


def _readable(task: Task) -> tuple[Path, ...]:
    """Return what code of a notebook may read: the files of its task, and no others."""
    if task.kind != "statistics":
        return (task.input_folder,)
    prepared = OutputFolder(task.input_folder)
    folders = [prepared.cohort_info(trait).parent for trait in task.problem.traits]
    tasks = [] if task.task_info is None else [Path(task.task_info)]
    return tuple(path for path in [*folders, *tasks] if path.exists())
