"""What a model does, what comes of it, and where that can be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tests.agents.team.misbehaving.runs import Ended
from tests.agents.team.misbehaving.service import Moment


class Outcome(StrEnum):
    """How it ends, for the person who asked."""

    RIGHT = "right result"
    """The same files, byte by byte, as from a model that behaves."""
    FAILED = "honest failure"
    """The run says that it has no result, and why."""
    STOPPED = "stopped"
    """The run says where, and goes on when told to; nothing is paid for twice."""
    FLAGGED = "flagged result"
    """There is a result, and the record says what speaks against it."""
    WRONG = "wrong, without a flag"
    """There is a wrong result without a mark; the record shows what led to it."""


@dataclass(frozen=True)
class Case:
    """One way in which a model misbehaves.

    Parameters
    ----------
    name : str
        In a few words.
    moments : sequence of Moment
        When it does what.
    outcome : Outcome
    happened, recorded : str
        In a sentence each, for the page.
    check : callable
        Asserts what the case says beyond its outcome: above all, what is recorded.
    source : str
        Where in the paper such a failure is reported.
    notebook : str
        ``cohort`` or ``problem``.
    structured : bool
        Of the structured agent, whose models answer with data.
    place : str
        Which input: of `runs.INPUTS`.
    """

    name: str
    moments: Sequence[Moment]
    outcome: Outcome
    happened: str
    recorded: str
    check: Callable[[Ended], None]
    source: str = ""
    notebook: str = "cohort"
    structured: bool = False
    place: str = "symbols"
