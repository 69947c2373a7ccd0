"""Scores on the screen: averages with intervals, kinds of problems, missing predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from genotex.cli import screen

if TYPE_CHECKING:
    from genotex.bench.evaluation.figures import PlainTable
    from genotex.bench.evaluation.scores import Scores
    from genotex.bench.evaluation.summary import Summary

GAP = 2
"""Blanks between columns."""


def show_scores(scores: Scores, summary: Summary) -> None:
    """Print the averages of an evaluation, with notes."""
    from genotex.bench.evaluation.score_files import (
        average_tables,
        kind_table,
        missing_table,
        settings_rows,
        trap_table,
    )

    screen.show(f"{scores.prediction} against {scores.reference}")
    for name, value in settings_rows(scores):
        screen.show(f"  {name}: {value}")
    notes = []
    for table in average_tables(summary):
        show_table(table, note=False)
        notes.append(table.note)
    for other in (kind_table(summary), trap_table(scores), missing_table(scores)):
        if other is not None:
            show_table(other)
    screen.out.print()
    screen.show(
        "Figures without % are fractions or counts. Intervals: bootstrap over the items, "
        f"{summary.draws:,} draws, seed {summary.seed}."
    )
    for note in dict.fromkeys(filter(None, notes)):
        screen.show(note)
    for note in scores.notes:
        screen.notify(note, "note")


def show_table(table: PlainTable, *, note: bool = True) -> None:
    """Print a table under its title, as many of its columns together as fit the screen.

    Where it is too wide, spare columns go first; then the columns of numbers come in several
    blocks: the first with all columns of words, the others with those that distinguish the rows.
    """
    screen.out.print()
    screen.out.print(table.title, style="bold", markup=False)
    rows = [dict(zip(table.head, row, strict=True)) for row in table.rows]
    for i, (words, numbers) in enumerate(_blocks(table)):
        if i:
            screen.out.print()
        screen.table([*words, *numbers], rows, fold=words, right=numbers)
    if note and table.note:
        screen.show(table.note)


def _blocks(table: PlainTable) -> list[tuple[list[str], list[str]]]:
    """Return the columns of words and of numbers of each block that fits the screen."""
    cells = zip(table.head, *table.rows, strict=True)
    widths = {column[0]: max(map(len, column)) + GAP for column in cells}
    room = screen.out.width + GAP
    for name in table.spare:
        if sum(widths.values()) > room:
            del widths[name]
    words = [name for name in table.head[: table.words] if name in widths]
    numbers = [name for name in table.head[table.words :] if name in widths]
    blocks: list[tuple[list[str], list[str]]] = [(words, [])]
    for name in numbers:
        words_there, so_far = blocks[-1]
        if so_far and sum(widths[other] for other in (*words_there, *so_far, name)) > room:
            blocks.append((_distinguishing(table, words), []))
        blocks[-1][1].append(name)
    return blocks


def _distinguishing(table: PlainTable, words: list[str]) -> list[str]:
    """Return as many of the first columns of words as distinguish the rows."""
    places = [table.head.index(name) for name in words]
    for number in range(1, len(words)):
        if len({tuple(row[place] for place in places[:number]) for row in table.rows}) == len(
            table.rows
        ):
            return words[:number]
    return words
