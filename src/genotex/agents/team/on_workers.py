"""Notebooks on Dask workers: each is done by one worker, with the models' keys of that worker."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from genotex.agents.code_shelf import CodeShelf
from genotex.agents.rules.model import register_rules
from genotex.agents.sandbox import SandboxPolicy
from genotex.agents.task import Task
from genotex.agents.team.folder import TeamFolder
from genotex.agents.team.notebooks import MakeSession, RunResources, book_calls, do_notebook
from genotex.agents.team.plan import TeamPlan
from genotex.agents.team.records import NotebookRecord
from genotex.agents.team.sessions import local_sessions
from genotex.errors import SandboxError
from genotex.io import lock
from genotex.journal import read_journal
from genotex.models import (
    Budget,
    Limits,
    Model,
    PriceSnapshot,
    UsageLedger,
    UsageRow,
    role_models,
)
from genotex.parallel import Executor, Piece

MEMORY = 3_000_000_000
"""Bytes that a notebook is expected to need: what generated code loads is unknown before."""


@dataclass(frozen=True)
class TeamWork:
    """What all notebooks of a run share on workers; keys are not part of it."""

    plan: TeamPlan
    limits: Limits
    prices: PriceSnapshot
    shelf: CodeShelf
    began: float  # seconds since the epoch, less what a resumed run took before
    made_from: Mapping[Task, str]  # digests of the input of notebooks


class FolderLedger(UsageLedger):
    """The usage of a whole run, as the journals of its notebooks state it at any moment."""

    def __init__(self, folder: TeamFolder, prices: PriceSnapshot) -> None:
        super().__init__(prices)
        self._folder = folder
        self._read: dict[Path, tuple[int, UsageLedger]] = {}

    def _sums(self, group: Callable[[str, str], str]) -> dict[str, UsageRow]:
        sums: dict[str, UsageRow] = {}
        for path in self._folder.notebook_journals():
            for name, row in self._booked(path)._sums(group).items():
                sums[name] = sums.get(name, UsageRow()) + row
        return dict(sorted(sums.items()))

    def _booked(self, path: Path) -> UsageLedger:
        size = path.stat().st_size
        known = self._read.get(path)
        if known is None or known[0] != size:
            known = self._read[path] = size, UsageLedger(self.prices)
            book_calls(read_journal(path), known[1])
        return known[1]


class NoModels:
    """In place of the models, in the process that submits to workers: it needs no key."""

    def model_of(self, role: str) -> Model:
        """Refuse: models are asked on workers."""
        raise NotImplementedError(role)


def notebooks_on_workers(
    executor: Executor, shared: TeamWork, tasks: Sequence[Task]
) -> Iterator[tuple[Task, NotebookRecord | Exception]]:
    """Yield the record of each notebook as it ends, or why it stopped."""
    # A copy of a slow notebook would accept its results while they are read here.
    pieces = [Piece(task, MEMORY, repeats=False) for task in tasks]
    outcomes = executor.run(_do_on_worker, shared, pieces)
    for outcome in outcomes:
        yield tasks[outcome.number], outcome.result or SandboxError(outcome.lost)


def _do_on_worker(shared: TeamWork, task: Task) -> NotebookRecord | Exception:
    plan = shared.plan
    register_rules()
    try:
        usage, own = FolderLedger(plan.folder, shared.prices), UsageLedger(shared.prices)
        spent = time.time() - shared.began
        budget = Budget(shared.limits, usage, time.time, spent)
        resources = RunResources(
            plan.folder,
            plan.work_settings,
            role_models(plan.models, own, budget, os.environ),
            shared.prices,
            _sessions(shared),
            shared.shelf,
            lambda task: shared.made_from.get(task, ""),
            audits_here=plan.sandbox is SandboxPolicy.OFF,
        )
        # A worker that was given up may still be at it.
        with lock(plan.folder.notebook_journal(task)):
            return do_notebook(task, resources)
    except MemoryError:
        raise
    except Exception as error:
        return _portable(error)


def _portable(error: Exception) -> Exception:
    """Return the error, or one with its text if it does not survive the way back."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return SandboxError(f"{type(error).__name__}: {error}")
    return error


_open: list[tuple[TeamWork, MakeSession]] = []
_stack = ExitStack()
"""What starts sessions of the run that this process works for; it ends with it."""


def _sessions(shared: TeamWork) -> MakeSession:
    if not _open or _open[0][0] is not shared:
        _stack.close()
        made = _stack.enter_context(local_sessions(shared.plan.sandbox, shared.plan.switches, 1))
        _open[:] = [(shared, made)]
    return _open[0][1]
