"""Scores on the screen: averages with their intervals, kinds of problems, what was missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from genotex.cli import screen

if TYPE_CHECKING:
    from genotex.evaluation.plain_table import PlainTable
    from genotex.evaluation.scores import Scores
    from genotex.evaluation.summary import Summary

__all__ = ["show_scores", "show_table"]

GAP = 2
"""Blanks between columns."""


def show_scores(scores: Scores, summary: Summary) -> None:
    """Print what an evaluation came to.

    Parameters
    ----------
    scores : Scores
        The items.
    summary : Summary
        Their averages.
    """
    from genotex.evaluation.score_tables import (
        average_tables,
        kind_table,
        missing_table,
        settings_rows,
    )

    screen.say(f"{scores.prediction} against {scores.reference}")
    for name, value in settings_rows(scores):
        screen.say(f"  {name}: {value}")
    notes = []
    for table in average_tables(summary):
        show_table(table, note=False)
        notes.append(table.note)
    for other in (kind_table(summary), missing_table(scores)):
        if other is not None:
            show_table(other)
    screen.out.print()
    screen.say(
        "Figures without % are fractions or counts. Intervals: bootstrap over the items, "
        f"{summary.draws:,} draws, seed {summary.seed}."
    )
    for note in dict.fromkeys(filter(None, notes)):
        screen.say(note)
    for note in scores.notes:
        screen.tell(note, "note")


def show_table(table: PlainTable, *, note: bool = True) -> None:
    """Print a table under its title, as much of it side by side as the screen has room for.

    Where it is too wide, spare columns go first; then the columns of numbers come in several
    blocks, each with the columns of words.
    """
    screen.out.print()
    screen.out.print(table.title, style="bold", markup=False)
    words, blocks = _columns(table)
    rows = [dict(zip(table.head, row, strict=True)) for row in table.rows]
    for i, numbers in enumerate(blocks):
        if i:
            screen.out.print()
        screen.table([*words, *numbers], rows, fold=words, right=numbers)
    if note and table.note:
        screen.say(table.note)


def _columns(table: PlainTable) -> tuple[list[str], list[list[str]]]:
    """Return the columns of words, and those of numbers in blocks that fit beside them."""
    cells = zip(table.head, *table.rows, strict=True)
    widths = {column[0]: max(map(len, column)) + GAP for column in cells}
    room = screen.out.width + GAP
    for name in table.spare:
        if sum(widths.values()) > room:
            del widths[name]
    words = [name for name in table.head[: table.words] if name in widths]
    numbers = [name for name in table.head[table.words :] if name in widths]
    left = room - sum(widths[name] for name in words)
    blocks: list[list[str]] = [[]]
    for name in numbers:
        if blocks[-1] and sum(widths[other] for other in (*blocks[-1], name)) > left:
            blocks.append([])
        blocks[-1].append(name)
    return words, blocks
