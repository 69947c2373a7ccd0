"""Which code of other notebooks was offered, in the journal: on resuming it is the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from genotex.agents.action_units import ActionUnit
from genotex.agents.code_shelf import Shelf
from genotex.agents.task import Task
from genotex.agents.team.notebook_journal import NotebookJournal, text_digest

__all__ = ["KeptCode", "RecordedShelf"]


@dataclass(frozen=True)
class KeptCode:
    """Code that was approved of: of which step, after which steps."""

    unit: str
    before: tuple[str, ...]
    code: str


class RecordedShelf:
    """Offers what the journal says; beyond it asks the shelf, and writes down what it offers.

    Parameters
    ----------
    shelf : Shelf
        That of the run.
    journal : NotebookJournal

    Attributes
    ----------
    kept : list of KeptCode
        What this notebook has for the shelf, once it is known to have led to something.
    """

    def __init__(self, shelf: Shelf, journal: NotebookJournal) -> None:
        self._shelf = shelf
        self._journal = journal
        self.kept: list[KeptCode] = []

    def offer(self, task: Task, unit: ActionUnit, before: Sequence[str]) -> str | None:
        """Return code for a step, or None (see `Shelf`)."""
        digest = text_digest(unit.name, *before)
        entry = self._journal.recall("offer", digest)
        if entry is not None:
            code: str | None = entry["code"]
            return code
        code = self._shelf.offer(task, unit, before)
        self._journal.add("offer", digest, {"unit": unit.name, "code": code}, paid=False)
        return code

    def keep(self, task: Task, unit: ActionUnit, before: Sequence[str], code: str) -> None:
        """Put code aside for the shelf: approved code may have done nothing, or harm."""
        self.kept.append(KeptCode(unit.name, tuple(before), code))
