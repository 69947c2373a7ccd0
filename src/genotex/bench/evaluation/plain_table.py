"""A table of formatted cells for the screen, Markdown and the page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PlainTable:
    """Formatted cells under headers."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    note: str = ""
    marked: int | None = None
    spare: tuple[str, ...] = ()

    def is_number(self, column: int) -> bool:
        """Return whether a column, counted from 0, contains numbers."""
        return column >= self.words


def to_markdown(table: PlainTable, level: int = 2) -> str:
    """Return the table as Markdown under a headline of that level."""
    rule = tuple("---:" if table.is_number(i) else "---" for i in range(len(table.head)))
    lines = [_line(cells) for cells in (table.head, rule, *table.rows)]
    parts = [f"{'#' * level} {table.title}", "\n".join(lines)]
    if table.note:
        parts.append(table.note)
    return "\n\n".join(parts) + "\n"


def _line(cells: tuple[str, ...]) -> str:
    safe = (" ".join(cell.split()).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(safe)} |"
