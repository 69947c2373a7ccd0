"""Lines of comma-separated numbers, parsed into a matrix a few megabytes at a time.

A data frame of 20,000 columns is slow to make in any table engine. So all cells of a piece are
read as one column, which takes a third of the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.errors import FormatError
from genotex.formats.value_table import to_numbers

__all__ = ["NumberCells", "NumberLine", "TextCells", "no_number"]

TextCells = Literal["refuse", "missing"]
"""What to do with a cell that is neither a number nor missing."""

PIECE = 1 << 21
"""Bytes that are read at once: they fit into the cache of a processor."""


class NumberLine(NamedTuple):
    """One row of a table: its line number in the file, its name, and the cells with commas."""

    number: int
    name: str
    cells: bytes


class NumberCells:
    """Collects the rows of a table of numbers."""

    def __init__(self, columns: Sequence[str], most: int, path: Path, text: TextCells) -> None:
        self._columns = columns
        self._path = path
        self._text = text
        self._names: list[str] = []
        self._waiting: list[NumberLine] = []
        self._bytes = 0
        self._values = np.empty((most, len(columns)))

    def add_all(self, lines: Iterable[NumberLine]) -> None:
        """Take rows with as many cells as there are columns."""
        for line in lines:
            self._names.append(line.name)
            self._waiting.append(line)
            self._bytes += len(line.cells)
            if self._bytes >= PIECE:
                self._take()
        self._take()

    def finish(self) -> tuple[list[str], NDArray[np.float64]]:
        """Return the names of the rows and their values (C order, missing is NaN)."""
        return self._names, self._values[: len(self._names)]

    def _take(self) -> None:
        lines, self._waiting, self._bytes = self._waiting, [], 0
        if lines:
            start, end = len(self._names) - len(lines), len(self._names)
            self._values[start:end] = self._numbers(lines).reshape(len(lines), -1)

    def _numbers(self, lines: Sequence[NumberLine]) -> NDArray[np.float64]:
        column = b"\n".join([line.cells for line in lines]).replace(b",", b"\n") + b"\n"
        try:
            return _one_column(column, pl.Float64).to_numpy()
        except pl.exceptions.PolarsError:
            cells = _one_column(column, pl.String)
        numbers, bad = to_numbers(cells)
        if bad is not None and self._text == "refuse":
            place = bad.arg_max() or 0
            row, at = divmod(place, len(self._columns))
            raise no_number(self._path, lines[row].number, self._columns[at], str(cells[place]))
        return numbers.to_numpy()


def _one_column(cells: bytes, kind: type[pl.DataType]) -> pl.Series:
    frame = pl.read_csv(cells, has_header=False, quote_char=None, schema={"cell": kind})
    return frame["cell"]


def no_number(path: Path, line: int, column: str, cell: str) -> FormatError:
    """Return the error for a cell that should be a number."""
    msg = f"{cell[:40]!r} is not a number"
    return FormatError(msg, path=path, line=line, field=f"column {column}")
