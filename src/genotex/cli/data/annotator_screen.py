"""What a command says of the model that annotates: before it is asked, and afterwards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from genotex.cli import screen

if TYPE_CHECKING:
    from genotex.clinical import Expert, SeriesDescription

_MOST_WARNINGS = 5


def show_estimate(expert: Expert, asked: Iterable[tuple[SeriesDescription, str]]) -> None:
    """Print about what a model will take; nothing for the rules."""
    from genotex.clinical import AskingExpert

    if isinstance(expert, AskingExpert):
        screen.notify(str(expert.estimate(asked)), "annotator")


def show_spent(expert: Expert, stopped: str = "") -> None:
    """Print what a model took, what it answered badly, and why it stopped; nothing for rules."""
    from genotex.clinical import AskingExpert

    if not isinstance(expert, AskingExpert):
        return
    for text in expert.warnings[:_MOST_WARNINGS]:
        screen.notify(f"{text}; decided by the rules, for review", "warning")
    if (more := len(expert.warnings) - _MOST_WARNINGS) > 0:
        screen.notify(f"and {more} more series, marked for review", "warning")
    screen.notify(f"in the record: {expert.spent()}", "annotator")
    if stopped:
        screen.notify(f"{stopped}. The same command goes on from here", "stopped", "red")
