"""Figures: names, units and how they are written; tables of written cells; sections."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args, get_type_hints

MetricsVersion = Literal["default", "legacy"]
"""Of the benchmark's code: ``legacy`` computes AUROC and trait prediction as older versions do."""

Table = Literal["gene", "clinical", "linked"]

Section = Literal["filtering", "selection", "gene", "clinical", "linked", "analysis"]
"""What is averaged by itself; also the task of a `Missing`."""

TABLES: tuple[Section, ...] = ("gene", "clinical", "linked")
"""The sections of preprocessing."""

_Unit = Literal["%", "fraction", "genes"]

_DECIMALS: Mapping[_Unit, int] = {"%": 2, "fraction": 3, "genes": 1}
_GREATEST: Mapping[_Unit, float] = {"%": 100.0, "fraction": 1.0, "genes": math.inf}


@dataclass(frozen=True)
class _SectionName:
    """What a section is called, alone and before a figure, and what its items are called."""

    title: str
    short: str
    item: str
    items: str


@dataclass(frozen=True)
class ScoreFigure:
    """A figure of a score, declared with `figure`; its key is the name of the field."""

    key: str
    label: str
    unit: _Unit
    meaning: str
    headline: bool = False

    @property
    def scale(self) -> float:
        """Return the value of the whole: 100 for percent, else 1."""
        return 100.0 if self.unit == "%" else 1.0

    @property
    def limits(self) -> tuple[float, float]:
        """Return the least and the greatest value; an R2 has no least."""
        return (-math.inf if self.unit == "fraction" else 0.0), _GREATEST[self.unit]

    @property
    def name(self) -> str:
        """Return the label with its unit."""
        return f"{self.label} (%)" if self.unit == "%" else self.label

    def write(self, value: float | None, *, signed: bool = False) -> str:
        """Return a value with the digits of its unit; a dash where it is undefined.

        A whole number, as the length of one list, stays whole.
        """
        if value is None:
            return "-"
        if isinstance(value, int):
            return str(value)
        text = f"{value:{'+' if signed else ''}.{_DECIMALS[self.unit]}f}"
        # A value that rounds to 0 has no sign.
        return text.lstrip("+-") if float(text) == 0 else text

    def write_interval(self, interval: tuple[float, float] | None, *, signed: bool = False) -> str:
        """Return "low to high"; a dash where there is none."""
        if interval is None:
            return "-"
        return " to ".join(self.write(end, signed=signed) for end in interval)

    def write_with_interval(
        self, value: float | None, interval: tuple[float, float] | None, *, signed: bool = False
    ) -> str:
        """Return a value, with its interval in brackets where there is one."""
        text = self.write(value, signed=signed)
        if value is None or interval is None:
            return text
        return f"{text} ({self.write_interval(interval, signed=signed)})"


def figure(label: str, unit: _Unit, meaning: str, *, headline: bool = False) -> ScoreFigure:
    """Declare a field of a score as a figure: ``f1: Annotated[float, figure("F1", "%", ...)]``.

    A headline figure is also shown where space is short.
    """
    return ScoreFigure("", label, unit, meaning, headline)


def figures_of(kind: type[Any]) -> tuple[ScoreFigure, ...]:
    """Return the figures that a score class declares; lengths of lists come last."""
    found = [
        replace(declared, key=name)
        for name, hint in get_type_hints(kind, include_extras=True).items()
        for declared in get_args(hint)[1:]
        if isinstance(declared, ScoreFigure)
    ]
    return tuple(sorted(found, key=lambda one: one.unit == "genes"))


SECTIONS: Mapping[Section, _SectionName] = {
    "filtering": _SectionName("Dataset filtering", "filtering", "trait", "traits"),
    "selection": _SectionName("Dataset selection", "selection", "problem", "problems"),
    "gene": _SectionName("Preprocessing: gene tables", "gene tables", "table", "tables"),
    "clinical": _SectionName(
        "Preprocessing: clinical tables", "clinical tables", "table", "tables"
    ),
    "linked": _SectionName("Preprocessing: linked tables", "linked tables", "table", "tables"),
    "analysis": _SectionName("Statistical analysis", "", "problem", "problems"),
}


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


def to_markdown(table: PlainTable) -> str:
    """Return the table as Markdown under a headline."""
    rule = tuple("---:" if table.is_number(i) else "---" for i in range(len(table.head)))
    lines = [_line(cells) for cells in (table.head, rule, *table.rows)]
    parts = [f"## {table.title}", "\n".join(lines)]
    if table.note:
        parts.append(table.note)
    return "\n\n".join(parts) + "\n"


def _line(cells: tuple[str, ...]) -> str:
    safe = (" ".join(cell.split()).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(safe)} |"
