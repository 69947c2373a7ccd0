"""Tables of text: rows of cells, numbers in them, and whole tables read in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.errors import FormatError, TruncatedFileError
from genotex.formats.lines import Block, LineReader, as_utf8, decode, note_missing_line_end
from genotex.outside import FETCH_AGAIN, current_limits, parse_rows

MISSING_WORDS = (
    "", "NA", "na", "Na", "null", "Null", "NULL", "NaN", "nan", "N/A", "n/a", "n.a.", "N.A.",
    "-", "--", "#N/A",
)  # fmt: skip
"""Common spellings of a missing measurement in GEO and Xena tables."""

_LINE_FEED, _TAB = 0x0A, 0x09
_MOST_LINES_OF_A_CELL = 100


@dataclass(frozen=True)
class RegularRows:
    """Lines with exactly as many cells as there are columns."""

    data: bytes  # the lines, each ended by a line feed
    first_line: int  # number of the first line in the file
    starts: NDArray[np.int64]  # where each line starts in `data`
    first_tabs: NDArray[np.int64]  # where the first cell of each line ends
    numbers: Sequence[int] | None = None
    padded: Sequence[int] = ()  # numbers of the lines that had too few cells

    def line_number(self, row: int) -> int:
        """Return the line number of a row."""
        return self.numbers[row] if self.numbers is not None else self.first_line + row


def _regular_rows(
    block: Block, width: int, path: Path, *, surplus: Literal["refuse", "drop"]
) -> RegularRows:
    """Return the lines of a block with `width` cells each, blank lines left out.

    `block`: Whole lines. `width`: number of columns. `surplus`: what to do with filled cells after
    the last column; empty ones are always dropped.
    """
    found = _index_rows(block.data, width)
    if found is not None:
        return RegularRows(block.data, block.first_line, *found)
    lines, numbers, padded = [], [], []
    found_lines = block.data[:-1].split(b"\n")
    filled = sum(map(bool, found_lines))
    current_limits().check_padding(filled * width, filled + block.data.count(b"\t"), path)
    if surplus == "refuse" and b'"' in block.data:
        _join_quoted(found_lines, width)
    for number, line in enumerate(found_lines, block.first_line):
        if not line.strip():
            continue
        missing = width - 1 - line.count(b"\t")
        if missing > 0:
            line += b"\t" * missing
            padded.append(number)
        elif missing < 0:
            line = _cut(line, width, surplus, path, number)
            if not line:
                continue
        lines.append(line)
        numbers.append(number)
    data = b"\n".join(lines) + b"\n" if lines else b""
    again = _index_rows(data, width)
    assert again is not None
    return RegularRows(data, block.first_line, *again, numbers, padded)


def _ends_in_quotes(line: bytes) -> bool:
    """Return whether the last cell of a line opens a quote that it does not close."""
    cell = line[line.rfind(b"\t") + 1 :]
    return cell[:1] == b'"' and cell.count(b'"') % 2 == 1


def _join_quoted(lines: list[bytes], width: int) -> None:
    """Join the lines of a quoted cell in place, with a space for each line end."""
    # Only if they have `width` cells together: a lone quote is part of its cell. Joined lines are
    # left empty, so that the others keep their numbers.
    for i, line in enumerate(lines):
        if line.count(b"\t") >= width - 1 or not _ends_in_quotes(line):
            continue
        joined = line
        for j in range(i + 1, min(i + 1 + _MOST_LINES_OF_A_CELL, len(lines))):
            joined += b" " + lines[j]
            if (tabs := joined.count(b"\t")) >= width - 1 or b'"' in lines[j]:
                if tabs == width - 1 and joined.count(b'"') % 2 == 0:
                    lines[i : j + 1] = [joined, *[b""] * (j - i)]
                break


def _cut(line: bytes, width: int, surplus: str, path: Path, number: int) -> bytes:
    cells = line.split(b"\t")
    if surplus == "refuse" and any(cell.strip() for cell in cells[width:]):
        msg = f"{len(cells)} cells in a table of {width} columns"
        hint = "fetch the file again, or correct the line by hand"
        raise FormatError(msg, path=path, line=number, hint=hint)
    return b"\t".join(cells[:width])


def _index_rows(data: bytes, width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return where lines start and their first cells end, None if they are not all `width` wide."""
    array = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(array == _LINE_FEED)
    starts = np.empty_like(ends)
    starts[:1] = 0
    starts[1:] = ends[:-1] + 1
    if width < 2:
        regular = not (array == _TAB).any() and bool((ends > starts).all())
        return (starts, ends) if regular else None
    tabs = np.flatnonzero(array == _TAB)
    if tabs.size != ends.size * (width - 1):
        return None
    grid = tabs.reshape(ends.size, width - 1)
    if not ((grid[:, 0] >= starts) & (grid[:, -1] < ends)).all():
        return None
    return starts, grid[:, 0].copy()


def first_cells(rows: RegularRows) -> list[str]:
    """Return the first cell of every row as text, surrounding quotes taken off."""
    data = rows.data
    spans = zip(rows.starts.tolist(), rows.first_tabs.tolist(), strict=True)
    joined = b"\n".join([data[start:end] for start, end in spans])
    if not len(rows.starts):
        return []
    try:
        text = joined.decode()
        # As GEO writes them: every cell in quotes, and no quote inside any.
        quoted = text.count('"\n"') + 1 == len(rows.starts) and text[:1] == text[-1:] == '"'
        if quoted and text.count('"') == 2 * len(rows.starts):
            return text[1:-1].split('"\n"')
        cells = text.split("\n")
    except UnicodeDecodeError:
        cells = [decode(cell) for cell in joined.split(b"\n")]
    return [unquote(cell) for cell in cells] if b'"' in joined else cells


def unquote(cell: str) -> str:
    """Return a cell without the quotes around it; a lone quote is part of the name."""
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    return cell


def unique_names(names: Sequence[str]) -> list[str]:
    """Return names that differ: a repeated one gets ``_duplicated_1`` and so on."""
    taken = set(names)
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        new = name
        if name in seen:
            count = seen[name] + 1
            while (new := f"{name}_duplicated_{count}") in seen or new in taken:
                count += 1
            seen[name] = count
        seen[new] = 0
        unique.append(new)
    return unique


def first_repeated(names: Sequence[str]) -> str | None:
    """Return the first repeated name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


_LARGEST_BAD_SHARE = 0.05
_MISSING = sorted({word.lower() for word in MISSING_WORDS})


class CellCounts:
    """Counts of non-numeric cells; a table with too many of them is refused."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cells = 0
        self.bad = 0
        self.infinite = 0
        self.first_bad: tuple[str, int | None] | None = None

    def add_bad(self, count: int, example: str, line: int | None) -> None:
        """Count cells that hold text."""
        self.bad += count
        if self.first_bad is None:
            self.first_bad = (example, line)

    def clear_infinite(self, values: NDArray[np.float64]) -> None:
        """Set infinite values to missing, in place, and count them."""
        infinite = np.isinf(values)
        if infinite.any():
            self.infinite += int(np.count_nonzero(infinite))
            values[infinite] = np.nan

    def notes(self) -> list[str]:
        """Return the irregularities found."""
        notes = []
        if self.bad and self.first_bad is not None:
            example, line = self.first_bad
            share = self.bad / self.cells
            where = f", first {example[:40]!r}" + (f" in line {line}" if line else "")
            if share > _LARGEST_BAD_SHARE:
                msg = f"{self.bad} of {self.cells} cells ({share:.1%}) are not numbers{where}"
                hint = "are these measurements, with a point as decimal sign?"
                raise FormatError(msg, path=self.path, line=line, hint=hint)
            notes.append(f"{self.bad} cells are not numbers and were taken as missing{where}")
        if self.infinite:
            notes.append(f"{self.infinite} infinite values were taken as missing")
        return notes


_RESERVED = 1 << 26
"""Bytes set aside for values, of which those that are used take memory. So much has a place of its
own, which goes back to the system when it is freed; what grows among small pieces may not."""


class ValueTable:
    """Collector of the blocks of a table of measurements."""

    def __init__(self, path: Path, width: int, *, numbers: bool = True) -> None:
        self.path = path
        self.width = width
        self._taken = width if numbers else 0
        self.counts = CellCounts(path)
        self._ids: list[str] = []
        self._values = np.empty((_RESERVED // (8 * max(self._taken, 1)), self._taken))
        self._missing: Sequence[str] = ()
        """Words that stood for a value so far: all known ones, once a cell is none and not empty.
        Searching each cell for them takes half as long as reading it."""
        self._limits = current_limits()
        self.padded: list[int] = []
        """Numbers of the lines that had too few cells."""

    def add(self, block: Block) -> None:
        """Read the lines of one block."""
        rows = _regular_rows(block, self.width + 1, self.path, surplus="refuse")
        self.padded.extend(rows.padded)
        ids = first_cells(rows)
        if not ids:
            return
        self._ids.extend(ids)
        self._limits.check_table(len(self._ids), self._taken, self.path)
        self.counts.cells += len(ids) * self._taken
        if self._taken:
            values = _typed(rows, self.width, self._missing)
            if values is None and not self._missing:
                self._missing = MISSING_WORDS[1:]
                values = _typed(rows, self.width, self._missing)
            self._append(self._cell_by_cell(rows) if values is None else values)

    def finish(self) -> tuple[list[str], NDArray[np.float64], list[str]]:
        """Return the ids, the values (C order, missing is NaN), and notes."""
        notes = self.counts.notes()
        if self.padded:
            notes.append(
                f"{len(self.padded)} table lines have too few cells, first line "
                f"{self.padded[0]}; their last cells were taken as missing"
            )
        self._values.resize((len(self._ids), self._taken), refcheck=False)
        return self._ids, self._values, notes

    def _append(self, part: pl.DataFrame) -> None:
        """Add the values of a block to those before it, which stay where they are in memory."""
        end = len(self._ids)
        if end > len(self._values):
            self._values.resize((end, self._taken), refcheck=False)
        block = self._values[end - part.height : end]
        block[:] = part.to_numpy()
        self.counts.clear_infinite(block)

    def _cell_by_cell(self, rows: RegularRows) -> pl.DataFrame:
        names = [f"c{i}" for i in range(self.width + 1)]
        schema = dict.fromkeys(names, pl.String)
        frame = parse_rows(as_utf8(rows.data), schema, columns=range(1, self.width + 1))
        columns = []
        for text in frame.get_columns():
            numbers, bad = to_numbers(text)
            columns.append(numbers)
            if bad is not None:
                row = bad.arg_max() or 0
                self.counts.add_bad(int(bad.sum()), text[row], rows.line_number(row))
        return pl.DataFrame(columns)


def _typed(rows: RegularRows, width: int, missing: Sequence[str]) -> pl.DataFrame | None:
    """Return the numbers, or None if some cell is neither a number nor empty nor `missing`."""
    schema: dict[str, type[pl.DataType]] = {"c0": pl.String}
    schema.update({f"c{i}": pl.Float64 for i in range(1, width + 1)})
    try:
        return parse_rows(rows.data, schema, columns=range(1, width + 1), missing=missing)
    except pl.exceptions.PolarsError:
        return None


def to_numbers(text: pl.Series) -> tuple[pl.Series, pl.Series | None]:
    """Parse cells as numbers."""
    cells = text.str.strip_chars(' "')
    numbers = cells.cast(pl.Float64, strict=False)
    bad = numbers.is_null() & cells.is_not_null() & ~cells.str.to_lowercase().is_in(_MISSING)
    return numbers, (bad if bad.any() else None)


def average_duplicates(
    ids: Sequence[str], values: NDArray[np.float64]
) -> tuple[list[str], NDArray[np.float64], int]:
    """Average the rows of one id, missing values left out, at the place of the first."""
    if len(set(ids)) == len(ids):
        return list(ids), values, 0
    places: dict[str, int] = {}
    group = np.fromiter((places.setdefault(i, len(places)) for i in ids), np.int64, len(ids))
    first = np.full(len(places), -1)
    first[group[::-1]] = np.arange(len(ids) - 1, -1, -1)
    often = np.bincount(group, minlength=len(places)) > 1
    repeated = np.flatnonzero(often)
    number = np.full(len(places), -1)
    number[repeated] = np.arange(repeated.size)
    rows = np.flatnonzero(often[group])
    known = ~np.isnan(values[rows])
    sums = np.zeros((repeated.size, values.shape[1]))
    counts = np.zeros_like(sums)
    np.add.at(sums, number[group[rows]], np.where(known, values[rows], 0.0))
    np.add.at(counts, number[group[rows]], known)
    merged = values[first]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        merged[repeated] = sums / counts
    return list(places), merged, int(repeated.size)


def text_rows(
    block: Block, names: Sequence[str], path: Path, columns: Sequence[int] | None = None
) -> pl.DataFrame:
    """Return the cells as strings, null where empty; short lines padded, long ones cut."""
    rows = _regular_rows(block, len(names), path, surplus="drop")
    if rows.data:
        return parse_rows(as_utf8(rows.data), dict.fromkeys(names, pl.String), columns=columns)
    taken = range(len(names)) if columns is None else columns
    return pl.DataFrame(schema={names[i]: pl.String for i in taken})


def read_text_table(path: Path | str) -> pl.DataFrame:
    """Read a table whose columns are all texts."""
    path = Path(path)
    with LineReader(path) as reader:
        names = unique_names(_header(reader))
        schema = dict.fromkeys(names, pl.String)
        frames, padded = [pl.DataFrame(schema=schema)], [0]
        for block in reader.table_blocks(None):
            rows = _regular_rows(block, len(names), path, surplus="refuse")
            padded.extend(rows.padded)
            if rows.data:
                frames.append(parse_rows(as_utf8(rows.data), schema))
        _judge_last_line(reader, padded[-1])
    return pl.concat(frames)


def read_number_table(
    path: Path,
) -> tuple[Sequence[str], Sequence[str], NDArray[np.float64], Sequence[str]]:
    """Read a table of one column of ids and further columns of numbers."""
    with LineReader(path) as reader:
        names = _header(reader)
        table = ValueTable(path, len(names) - 1)
        for block in reader.table_blocks(None):
            table.add(block)
        _judge_last_line(reader, table.padded[-1] if table.padded else 0)
    return (names, *table.finish())


def count_lines(path: Path) -> int:
    """Return the number of lines of a text that are not blank."""
    with LineReader(path) as reader:
        return reader.count_filled()


def read_column_names(path: Path) -> list[str]:
    """Return the names of a table's columns, from its header alone."""
    with LineReader(path) as reader:
        return _header(reader)


def _header(reader: LineReader) -> list[str]:
    text = reader.next_line()
    while text is not None and not text.strip():
        text = reader.next_line()
    if text is None or "\t" not in text:
        msg = "not a tab-separated table with samples"
        raise FormatError(msg, path=reader.path, line=reader.line, hint=FETCH_AGAIN)
    names = [unquote(name.strip()) for name in text.split("\t")]
    while len(names) > 2 and not names[-1]:
        names.pop()
    return names


def _judge_last_line(reader: LineReader, last_padded: int) -> None:
    """Refuse a last line that lacks cells and its line end; warn if it lacks the line end only."""
    if not reader.ended_within_line:
        return
    if last_padded == reader.line:
        msg = "the last line is cut off"
        raise TruncatedFileError(msg, path=reader.path, line=reader.line, hint=FETCH_AGAIN)
    note_missing_line_end(reader.path)
