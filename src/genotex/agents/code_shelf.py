"""Code that was approved of in one notebook and may be tried first in later ones."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from genotex.agents.action_units import ActionUnit
from genotex.agents.task import Task


def may_be_reused(unit: ActionUnit) -> bool:
    """Return whether code of a step may be reused in another notebook.

    Code that needs domain knowledge is about one series. All code of TCGA names one study: reused,
    it would run and prepare the wrong one.
    """
    return not unit.needs_domain_knowledge and unit.kind != "tcga"


_ACCESSION = re.compile(r"\bG(SE|SM|PL)\d")


def is_general(code: str, task: Task) -> bool:
    """Return whether code names neither its cohort, trait or condition nor anything of GEO.

    Traits may be written with spaces.
    """
    names = [name for name in (task.cohort, task.trait, task.condition) if name]
    names += [name.replace("_", " ") for name in names]
    return not (_ACCESSION.search(code) or any(name in code for name in names))


class Shelf(Protocol):
    """Where approved code is stored and found."""

    def offer(self, task: Task, unit: ActionUnit, before: Sequence[str]) -> str | None:
        """Return code for a step that comes after the steps `before`, or None."""
        ...  # pragma: no cover

    def keep(self, task: Task, unit: ActionUnit, before: Sequence[str], code: str) -> None:
        """Keep code that was approved of."""
        ...  # pragma: no cover


@dataclass(frozen=True)
class KeptCode:
    """Approved code: of which step, after which steps."""

    unit: str
    before: tuple[str, ...]
    code: str


class CodeShelf:
    """Keeps the first approved code of each step; for several threads at once.

    Code builds on the variables of the steps before it, so that it is offered only where the same
    steps came before.
    """

    def __init__(self) -> None:
        self._codes: dict[tuple[str, ...], str] = {}
        self._turn = threading.Lock()

    def __reduce__(self) -> tuple[object, ...]:
        """Travel to other machines with the code that is on it now."""
        with self._turn:
            return (_filled, (dict(self._codes),))

    def offer(self, task: Task, unit: ActionUnit, before: Sequence[str]) -> str | None:
        """Return code for a step, or None (see `Shelf`)."""
        with self._turn:
            return self._codes.get(_key(task, unit, before))

    def keep(self, task: Task, unit: ActionUnit, before: Sequence[str], code: str) -> None:
        """Keep code (see `Shelf`)."""
        with self._turn:
            self._codes.setdefault(_key(task, unit, before), code)


def _filled(codes: dict[tuple[str, ...], str]) -> CodeShelf:
    shelf = CodeShelf()
    shelf._codes.update(codes)
    return shelf


def _key(task: Task, unit: ActionUnit, before: Sequence[str]) -> tuple[str, ...]:
    return (task.procedure, task.kind, unit.name, *before)
