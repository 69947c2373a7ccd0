"""Runs of agents and of the benchmark that a folder holds, and their scores."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from genotex.agents.context import Step
from genotex.agents.notebook import Notebook
from genotex.agents.task import Task
from genotex.agents.team.folder import TeamFolder, notebook_name
from genotex.agents.team.plan import METHOD, read_plan
from genotex.agents.team.trace import Trace, trace
from genotex.bench.evaluation.figures import PlainTable
from genotex.bench.evaluation.score_files import (
    average_tables,
    kind_table,
    missing_table,
    read_scores,
    trap_table,
)
from genotex.bench.evaluation.summary import summarise
from genotex.errors import FormatError
from genotex.formats import original, read_json_object
from genotex.journal import read_journal
from genotex.outside import read_document
from genotex.records import checked
from genotex.studies import Workspace

_SETTINGS = "run/run.json"
_SCORES = ("scores.json", "scores/scores.json")
_QUIET = 600.0
"""Seconds without a line in any journal after which a run counts as interrupted."""


@dataclass(frozen=True)
class _RunOptions:
    """What pages show of the options of a run."""

    models: dict[str, Any] | None = None


@dataclass(frozen=True)
class _Settings:
    """What pages show of the ``run.json`` of a run."""

    options: _RunOptions = field(default_factory=_RunOptions)
    problems: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class _Summary:
    """What pages show of the summary of a finished run."""

    answered: int = 0
    by_error_class: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class FoundRun:
    """A run: `settings` as in its ``run.json``, and `summary` of a finished one."""

    name: str
    folder: Path
    settings: dict[str, Any]
    summary: dict[str, Any]
    written: float
    problem: str = ""

    @property
    def of_agents(self) -> bool:
        """Whether it has notebooks."""
        return bool(self.settings.get("method") == METHOD)

    @property
    def state(self) -> str:
        """``finished``, ``running`` or ``not finished``."""
        if self.summary:
            return "finished"
        return "running" if time.time() - self.written < _QUIET else "not finished"

    @property
    def who(self) -> str:
        """Who answers: the agent and its model, or the method."""
        if not self.of_agents:
            return str(self.settings.get("method", ""))
        options = self.settings.get("options", {})
        model = (options.get("models") or {}).get("model")
        return ", ".join(str(part) for part in (options.get("agent", "team"), model) if part)

    @property
    def problems(self) -> list[dict[str, Any]]:
        """The problems to solve."""
        return list(self.settings.get("problems", ()))


def find_runs(workspace: Workspace) -> list[FoundRun]:
    """Return the runs of a folder, the newest first; a damaged one with its problem."""
    runs = []
    for name, folder in workspace.holding(_SETTINGS).items():
        if all(workspace.holds(folder / "run" / each) for each in ("journal.jsonl", "notebooks")):
            runs.append(_described(workspace, name, folder))
    return sorted(runs, key=lambda run: run.written, reverse=True)


def _described(workspace: Workspace, name: str, folder: Path) -> FoundRun:
    files = TeamFolder(folder)
    written = _last_line(files)
    try:
        settings = _read(files.settings, _Settings)
        found = workspace.file(files.summary)
        summary = {} if found is None else _read(found, _Summary)
    except FormatError as error:
        return FoundRun(name, folder, {}, {}, written, str(error))
    return FoundRun(name, folder, settings, summary, written)


def _read(path: Path, shown: type[_Settings | _Summary]) -> dict[str, Any]:
    """Return a record; what pages show of it, where it is there, is as they need it."""
    record = read_json_object(path)
    checked(shown, record, path=path, hint="repeat the run, or remove its folder")
    return record


def _last_line(files: TeamFolder) -> float:
    """Return when a journal of the run was written last."""
    journals = [files.settings, files.journal, *files.notebook_journals()]
    return max((path.stat().st_mtime for path in journals if path.is_file()), default=0.0)


def outcomes(workspace: Workspace, run: FoundRun) -> list[dict[str, Any]]:
    """Return what became of each problem so far, those without an answer first."""
    files = TeamFolder(run.folder)
    table = workspace.file(files.table)
    if run.summary and table is not None:
        text = io.StringIO(read_document(table).decode(errors="replace"), newline="")
        rows: list[dict[str, Any]] = [
            {name: original(cell) if isinstance(cell, str) else cell for name, cell in row.items()}
            for row in csv.DictReader(text)
        ]
    else:
        rows = [_outcome(entry) for entry in _problem_entries(files)]
    return sorted(rows, key=lambda row: not row.get("error"))


def _problem_entries(files: TeamFolder) -> list[dict[str, Any]]:
    """Return the journal's line of each problem; of several attempts the last."""
    if not files.journal.is_file():
        return []
    ended = [dict(e) for e in read_journal(files.journal) if e.get("step") == "problem"]
    return list({(e.get("trait"), _condition(e)): e for e in ended}.values())


def _condition(entry: dict[str, Any]) -> str | None:
    task = (entry.get("notebook") or {}).get("task") or entry
    found = task.get("condition")
    return None if found is None else str(found)


def _outcome(entry: dict[str, Any]) -> dict[str, Any]:
    return {
        "trait": entry.get("trait", ""),
        "condition": _condition(entry) or "",
        "seconds": "" if entry.get("seconds") is None else entry["seconds"],
        "error": entry.get("error") or "",
        "error_class": entry.get("error_class") or "",
    }


def notebook_of(workspace: Workspace, run: FoundRun, trait: str, name: str) -> Trace | None:
    """Return a notebook of a run, step by step; None if the run has none of this name."""
    files = TeamFolder(run.folder)
    tasks: tuple[Task, ...] = read_plan(run.folder).work().all
    for task in tasks:
        if (task.trait, notebook_name(task)) == (trait, name):
            return (
                trace(run.folder, task) if workspace.holds(files.notebook_journal(task)) else None
            )
    return None


@dataclass(frozen=True)
class _ShownStep:
    """A step of a notebook with the plan that led to it; `dropped` ones do not count."""

    number: int
    step: Step
    why: str
    dropped: bool


def shown_steps(notebook: Notebook) -> list[_ShownStep]:
    """Return the steps of a notebook in order, and those that were dropped after them."""
    under_way = [] if notebook.under_way is None else [notebook.under_way]
    kept = [*notebook.context.steps, *under_way]
    return [*_with_plans(notebook, kept, False), *_with_plans(notebook, notebook.dropped, True)]


def _with_plans(notebook: Notebook, steps: list[Step], dropped: bool) -> Iterator[_ShownStep]:
    for number, step in enumerate(steps, start=1):
        plans = [plan.why for plan in notebook.plans if plan.unit.name == step.unit.name]
        why = (plans[0] if dropped else plans[-1]) if plans else ""
        yield _ShownStep(number, step, why, dropped)


def find_scores(workspace: Workspace) -> dict[str, Path]:
    """Return the files of scores in the folder, by the name of the folder that they score."""
    found: dict[str, Path] = {}
    for file in _SCORES:
        for name, folder in workspace.holding(file).items():
            found.setdefault(name, folder / file)
    return found


def score_tables(path: Path) -> list[PlainTable]:
    """Return the tables of an evaluation: averages, kinds of problems, what is missing."""
    scores = read_scores(path)
    summary = summarise(scores)
    tables = [
        *average_tables(summary),
        kind_table(summary),
        trap_table(scores),
        missing_table(scores),
    ]
    return [table for table in tables if table is not None]
