"""One notebook of a run, from its journal to its place in the output folder.

It is kept as a file of Jupyter (nbformat 4.5), which can be run again cell by cell. Agents that
write no code have none: models answer with data, and a program does the rest.
"""

from __future__ import annotations

import os
import platform
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from genotex.agents.audit import Audit, audit_here, audit_in_session
from genotex.agents.code_shelf import CodeShelf
from genotex.agents.context import Attempt, Step, TalliedModel
from genotex.agents.notebook import Event, Notebook
from genotex.agents.sandbox import CellResult, CellStatus, Folders, Output, Session
from genotex.agents.sandbox.confined.removing import remove_tree
from genotex.agents.structured import ask_without_data, model_expert
from genotex.agents.switches import WITHOUT_CODE, WorkSettings
from genotex.agents.task import Task
from genotex.agents.team.accepting import MakeAudit, accept
from genotex.agents.team.folder import NotebookRecord, State, TeamFolder
from genotex.agents.team.journal import (
    Live,
    NotebookJournal,
    RecordedModel,
    RecordedNotebook,
    Router,
    error_from_json,
)
from genotex.agents.team.plan import WRITTEN, is_recorded
from genotex.analysis import solve_problem, write_result
from genotex.bench.runs.method import write_answer
from genotex.bench.runs.problem_record import ErrorClass
from genotex.clinical import rule_expert
from genotex.cohorts import PreprocessOptions, choose_folder
from genotex.cohorts.preprocess import preprocess_cohort
from genotex.cohorts.tasks import CohortTask
from genotex.errors import (
    BadAnswerError,
    ContextTooLongError,
    FormatError,
    MethodFailedError,
    RefusedError,
)
from genotex.formats import CohortInfo, decode, read_chunks, update_cohort_info, write_json
from genotex.journal import Entry, open_journal
from genotex.layout import OutputFolder
from genotex.models import PriceSnapshot, RoleModels, UsageLedger, cut, reply_from_json
from genotex.options import AnalysisOptions

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
    settings: WorkSettings
    router: Router  # The models
    prices: PriceSnapshot
    make_session: MakeSession  # From the folders that code may see to a session
    shelf: CodeShelf
    made_from: Callable[[Task], str]  # Digest of the input of a notebook
    # Whether audits run in this process: where generated code is not isolated, they are not.
    audits_here: bool = False


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
    """Do or resume a notebook, or what an agent does that writes no code, and accept the results.

    A session that cannot be used, a model that cannot be asked, and a limit of the run that is
    reached are errors.
    """
    agent = resources.settings.agent
    if agent not in WITHOUT_CODE:
        return _do_in_session(task, resources, on_event)
    if agent == "zero-shot":
        return _do_without_code(task, resources, _ask)
    do = _solve if task.kind == "statistics" else _prepare
    return _do_without_code(task, resources, do)


def _do_in_session(
    task: Task, resources: RunResources, on_event: Callable[[Event], None] | None
) -> NotebookRecord:
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
    if resources.settings.agent in WITHOUT_CODE:
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


def _do_without_code(
    task: Task, resources: RunResources, do: Callable[[Task, Path, RoleModels], None]
) -> NotebookRecord:
    """Have a cohort or a problem done, and take what was written."""
    record = NotebookRecord(task, State.FAILED)
    written = resources.folder.work_of(task) / WRITTEN
    written.mkdir(parents=True)
    with open_journal(resources.folder.notebook_journal(task)) as lines:
        journal = NotebookJournal(lines, resources.made_from(task))
        model = TalliedModel(RecordedModel(resources.router, journal), record.tally)
        settings = resources.settings
        models = RoleModels(model, temperature=settings.temperature, max_output=settings.max_output)
        start = time.monotonic()
        try:
            do(task, written, models)
            record = accepted(record, written, resources)
        except (BadAnswerError, RefusedError) as error:
            record = replace(record, why=str(error), error_class=ErrorClass.NO_ANSWER)
        except FormatError as error:
            record = replace(record, why=str(error), error_class=ErrorClass.FORMAT)
        finally:
            shutil.rmtree(written.parent, ignore_errors=True)
        record.tally.cell_seconds = time.monotonic() - start - record.tally.model_seconds
        usage = UsageLedger(resources.prices)
        book_calls(journal.entries, usage)
        return replace(record, usage=usage.to_json())


def _prepare(task: Task, written: Path, models: RoleModels) -> None:
    options = PreprocessOptions(procedure=task.procedure)
    output = OutputFolder(written)
    expert = model_expert(models, task) if task.kind == "geo" else rule_expert(task.procedure)
    evidence, _ = preprocess_cohort(_cohort(task), output, options, expert)
    update_cohort_info(output.cohort_info(task.trait), task.cohort, CohortInfo(**evidence.info))


def _cohort(task: Task) -> CohortTask:
    if task.kind == "geo":
        return CohortTask(task.trait, task.cohort, geo=task.geo_files)
    choice = choose_folder(task.trait, task.studies)
    return CohortTask(task.trait, task.cohort, tcga=choice.folder, why=choice.reason)


def _solve(task: Task, written: Path, models: RoleModels) -> None:
    options = AnalysisOptions(procedure=task.procedure)
    tasks = task.read_task_info()
    result = solve_problem(
        OutputFolder(task.input_folder), task.problem, options, tasks, threads=os.cpu_count() or 1
    )
    write_result(OutputFolder(written), result)


def _ask(task: Task, written: Path, models: RoleModels) -> None:
    write_answer(OutputFolder(written), task.problem, ask_without_data(models, task))


def to_ipynb(notebook: Notebook, python: str) -> dict[str, Any]:
    """Return a notebook as plain JSON values.

    Run again in an empty folder it writes the same tables into ``output/`` there.
    """
    cells = _notebook_cells(notebook)
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python", "version": python},
            "genotex": {
                "task": notebook.task.to_json(),
                "ending": None if notebook.ending is None else notebook.ending.value,
                "tally": notebook.tally.to_json(),
            },
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _notebook_cells(notebook: Notebook) -> list[dict[str, Any]]:
    """Return the cells without their ids: the first cell, then text and code of each step."""
    cells = [_code(notebook.set_up, CellResult(CellStatus.OK), 1)]
    ran = 1
    for number, step in enumerate(notebook.context.steps, start=1):
        cells.append(_text(number, step))
        if step.final.result.state_kept and step.final.code:
            ran += 1
            cells.append(_code(step.final.code, step.final.result, ran))
        else:
            cells.append(_not_run(step.final))
    return cells


def _text(number: int, step: Step) -> dict[str, Any]:
    lines = [f"## Step {number}: {step.unit.title}", "", step.instruction.rstrip()]
    for attempt in step.attempts:
        lines += [f"\n*{remark}*" for remark in attempt.remarks]
        if attempt.verdict is not None:
            word = "approved" if attempt.approved else "rejected"
            lines += ["", f"*Review: {word}. {attempt.verdict.reasoning}*"]
    return {"cell_type": "markdown", "metadata": {}, "source": _lines("\n".join(lines))}


def _code(code: str, result: CellResult, count: int) -> dict[str, Any]:
    failed = result.exception is not None
    # With this tag, running all cells continues after a cell that failed the first time, too.
    metadata = {"tags": ["raises-exception"]} if failed else {}
    return {
        "cell_type": "code",
        "execution_count": count,
        "metadata": metadata,
        "source": _lines(code.rstrip("\n")),
        "outputs": [_output(each, count) for each in result.outputs] + _error(result),
    }


def _output(output: Output, count: int) -> dict[str, Any]:
    if output.kind in ("stdout", "stderr"):
        return {"output_type": "stream", "name": output.kind, "text": _lines(output.text)}
    data = {"text/plain": _lines(output.text)}
    if output.kind == "result":
        return {
            "output_type": "execute_result",
            "execution_count": count,
            "data": data,
            "metadata": {},
        }
    return {"output_type": "display_data", "data": data, "metadata": {}}


def _error(result: CellResult) -> list[dict[str, Any]]:
    if result.exception is None:
        return []
    return [
        {
            "output_type": "error",
            "ename": result.exception,
            "evalue": result.message or "",
            "traceback": result.traceback.splitlines(),
        }
    ]


def _not_run(attempt: Attempt) -> dict[str, Any]:
    """Return a stopped cell as text: later cells do not build on it."""
    output = cut(attempt.result.text).strip()
    source = f"{attempt.code.rstrip()}\n\n# Not part of the notebook's state: {output}"
    return {"cell_type": "raw", "metadata": {}, "source": _lines(source)}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
