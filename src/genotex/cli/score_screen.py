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
    """Print a table under its title; spare columns only where there is room for them."""
    columns = _fitting(table)
    screen.out.print()
    screen.out.print(table.title, style="bold", markup=False)
    rows = [dict(zip(table.head, row, strict=True)) for row in table.rows]
    right = [name for i, name in enumerate(table.head) if table.is_number(i)]
    fold = [name for name in columns if name not in right]
    screen.table(columns, rows, fold=fold, right=right)
    if note and table.note:
        screen.say(table.note)


def _fitting(table: PlainTable) -> list[str]:
    """Return the columns without the spare ones that the screen has no room for."""
    cells = zip(table.head, *table.rows, strict=True)
    widths = {column[0]: max(map(len, column)) + GAP for column in cells}
    for name in table.spare:
        if sum(widths.values()) - GAP > screen.out.width:
            del widths[name]
    return list(widths)
