"""Lines of a CSV table: the row's name and its cells, every line with the same number of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from genotex.errors import FormatError, TruncatedFileError
from genotex.formats.number_cells import NumberLine, TextCells, no_number
from genotex.formats.raw import FETCH_AGAIN

__all__ = ["plain_lines", "quoted_lines"]


def plain_lines(
    data: bytes, start: int, columns: Sequence[str], path: Path
) -> Iterator[NumberLine]:
    """Yield the lines of a table without quotes, blank ones left out."""
    wanted = len(columns)
    number = 1
    while start < len(data):
        end = data.find(b"\n", start)
        cut = end < 0
        line = data[start : len(data) if cut else end]
        start += len(line) + 1
        number += 1
        if (commas := line.count(b",")) == wanted:
            name, _, cells = line.partition(b",")
            yield NumberLine(number, name.decode(), cells)
        elif line.strip():
            raise _uneven(path, number, commas + 1, wanted + 1, cut=cut)


def quoted_lines(
    data: bytes, start: int, columns: Sequence[str], path: Path, text: TextCells
) -> Iterator[NumberLine]:
    """Yield the same of a table with quotes, which may hold commas and line ends."""
    width = len(columns) + 1
    last = data.count(b"\n", start) + 1
    number = 2
    reader = csv.reader(io.StringIO(data[start:].decode(), newline="\n"), strict=True)
    try:
        for cells in reader:
            if cells and not (len(cells) == 1 and not cells[0].strip()):
                if len(cells) != width:
                    cut = reader.line_num == last
                    raise _uneven(path, number, len(cells), width, cut=cut)
                split = _split_cells(cells)
                if split and text == "refuse":
                    raise no_number(path, number, columns[split[0] - 1], cells[split[0]])
                for i in split:
                    cells[i] = ""
                yield NumberLine(number, cells[0], ",".join(cells[1:]).encode())
            number = reader.line_num + 2
    except csv.Error as error:
        kind = TruncatedFileError if reader.line_num == last else FormatError
        msg = f"the quotes do not match: {error}"
        raise kind(msg, path=path, line=number, hint=FETCH_AGAIN) from error


def _split_cells(cells: Sequence[str]) -> list[int]:
    """Return the positions of cells that would be split without their quotes."""
    line = ",".join(cells[1:])
    if line.count(",") == len(cells) - 2 and "\n" not in line:
        return []
    return [i for i in range(1, len(cells)) if "," in cells[i] or "\n" in cells[i]]


def _uneven(path: Path, line: int, cells: int, width: int, *, cut: bool) -> FormatError:
    if cut and cells < width:
        msg = "the last line is cut off"
        return TruncatedFileError(msg, path=path, line=line, hint=FETCH_AGAIN)
    msg = f"{cells} cells for {width} columns"
    return FormatError(msg, path=path, line=line, hint=FETCH_AGAIN)
