"""Benchmark-layout CSV files: gene expression and clinical features, rows x samples."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.errors import FormatError, TruncatedFileError
from genotex.formats.geo.series import ExpressionMatrix
from genotex.formats.lines import (
    Block,
    LineReader,
    as_utf8,
    decode,
    note_missing_line_end,
    read_bytes,
)
from genotex.formats.tables import to_numbers
from genotex.io import atomic_write
from genotex.outside import FETCH_AGAIN, current_limits, parse_rows

TextCells = Literal["refuse", "missing"]
"""What to do with a cell that is neither a number nor missing."""

PIECE = 1 << 21
"""Bytes that are read at once: they fit into the cache of a processor."""


_WIDE = 1000
_COMMA = ord(",")
_LONG = 1 << 14
"""Bytes of a line with thousands of cells."""


class _NumberLine(NamedTuple):
    """One row of a table: its line number in the file, its name, and the cells with commas."""

    number: int
    name: str
    cells: bytes


class _NumberCells:
    """Collects the rows of a table of numbers."""

    def __init__(self, columns: Sequence[str], path: Path, text: TextCells) -> None:
        self._columns = columns
        self._path = path
        self._text = text
        self._names: list[str] = []
        self._waiting: list[_NumberLine] = []
        self._bytes = 0
        self._values = [np.empty((0, len(columns)))]
        self._limits = current_limits()

    def add_all(self, lines: Iterable[_NumberLine]) -> None:
        """Take rows with as many cells as there are columns."""
        for line in lines:
            self._names.append(line.name)
            self._waiting.append(line)
            self._bytes += len(line.cells)
            if self._bytes >= PIECE:
                self._limits.check_table(len(self._names), len(self._columns), self._path)
                self._take()

    def finish(self) -> tuple[list[str], NDArray[np.float64]]:
        """Return the names of the rows and their values (C order, missing is NaN)."""
        self._take()
        return self._names, np.concatenate(self._values)

    def _take(self) -> None:
        lines, self._waiting, self._bytes = self._waiting, [], 0
        if lines:
            self._values.append(self._numbers(lines).reshape(len(lines), -1))

    def _numbers(self, lines: Sequence[_NumberLine]) -> NDArray[np.float64]:
        column = b"\n".join([*(line.cells for line in lines), b""]).replace(b",", b"\n")
        try:
            return _one_column(column, pl.Float64).to_numpy()
        except pl.exceptions.PolarsError:
            cells = _one_column(column, pl.String)
        numbers, bad = to_numbers(cells)
        if bad is not None and self._text == "refuse":
            place = bad.arg_max() or 0
            row, at = divmod(place, len(self._columns))
            raise _no_number(self._path, lines[row].number, self._columns[at], str(cells[place]))
        return numbers.to_numpy()


def _one_column(cells: bytes, kind: type[pl.DataType]) -> pl.Series:
    return parse_rows(cells, {"cell": kind}, separator=",")["cell"]


def _no_number(path: Path, line: int, column: str, cell: str) -> FormatError:
    """Return the error for a cell that should be a number."""
    msg = f"{cell[:40]!r} is not a number"
    return FormatError(msg, path=path, line=line, field=f"column {column}")


def _plain_lines(
    block: Block, columns: Sequence[str], path: Path, *, cut: bool
) -> Iterator[_NumberLine]:
    """Yield the lines of a block without quotes, blank ones left out; the last may be `cut`."""
    wanted = len(columns)
    start, number = 0, block.first_line - 1
    while start < len(block.data):
        number += 1
        end = block.data.find(b"\n", start)
        line = block.data[start:end]
        start = end + 1
        if (commas := _commas(line)) == wanted:
            name, _, cells = line.partition(b",")
            yield _NumberLine(number, name.decode(), cells)
        elif line.strip():
            at_end = cut and start == len(block.data)
            raise _uneven(path, number, commas + 1, wanted + 1, cut=at_end)


def _commas(line: bytes) -> int:
    if len(line) < _LONG:
        return line.count(b",")
    # Thousands take five times as long when they are found one after the other.
    return int(np.count_nonzero(np.frombuffer(line, np.uint8) == _COMMA))


def _quoted_lines(
    data: bytes, start: int, columns: Sequence[str], path: Path, text: TextCells
) -> Iterator[_NumberLine]:
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
                    raise _no_number(path, number, columns[split[0] - 1], cells[split[0]])
                for i in split:
                    cells[i] = ""
                yield _NumberLine(number, cells[0], ",".join(cells[1:]).encode())
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


_PIECE = 1 << 16
_TO_BE_QUOTED = re.compile('[,"\n\r]')


@dataclass(frozen=True, eq=False)
class CsvTable:
    """A table of numbers with named rows and columns; names may be doubled."""

    rows: list[str]
    columns: list[str]
    values: NDArray[np.float64]


def write_gene_csv(path: Path, matrix: ExpressionMatrix) -> None:
    """Write gene expression, genes x samples, as ``gene_data/<cohort>.csv``."""
    # As pandas writes it: the first header cell is empty, missing values are empty cells, and
    # numbers have as many digits as they need to be read back exactly.
    with atomic_write(path) as part, part.open("wb") as handle:
        write_csv_table(handle, matrix.ids, matrix.samples, matrix.values)


def read_gene_csv(path: Path | str) -> ExpressionMatrix:
    """Read gene expression, genes x samples, from any source."""
    path = Path(path)
    table = read_csv_table(path)
    return ExpressionMatrix(tuple(table.rows), tuple(table.columns), table.values)


def write_clinical_csv(
    path: Path, samples: Sequence[str], features: Mapping[str, NDArray[np.floating]]
) -> None:
    """Write clinical features, features x samples, as ``clinical_data/<cohort>.csv``."""
    values = np.empty((len(features), len(samples)))
    for i, codes in enumerate(features.values()):
        values[i] = codes
    with atomic_write(path) as part, part.open("wb") as handle:
        write_csv_table(handle, list(features), samples, values)


def read_clinical_csv(path: Path | str) -> tuple[tuple[str, ...], dict[str, NDArray[np.float64]]]:
    """Read clinical features, features x samples, from any source.

    Returns sample ids; feature name -> codes; NaN is missing.
    """
    path = Path(path)
    table = read_csv_table(path)
    features: dict[str, NDArray[np.float64]] = {}
    for name, codes in zip(table.rows, table.values, strict=True):
        if name in features:
            msg = "the feature has two rows"
            raise FormatError(msg, path=path, field=name, hint="keep one of them")
        features[name] = codes.copy()
    return tuple(table.columns), features


def write_csv_table(
    handle: BinaryIO,
    rows: Sequence[str],
    columns: Sequence[str],
    values: NDArray[np.floating] | Callable[[slice], NDArray[np.floating]],
) -> None:
    """Write numbers with names; fast for many rows as for many columns.

    `values`: Rows x columns, or a function that returns some of its rows.
    """
    part = values if callable(values) else values.__getitem__
    handle.write((",".join(["", *map(_quoted, columns)]) + "\n").encode())
    if len(columns) > _WIDE:
        one_by_one = (row for i in range(len(rows)) for row in part(slice(i, i + 1)))
        for name, row in zip(rows, one_by_one, strict=True):
            cells = pl.Series(row, nan_to_null=True).to_frame()
            line = cells.write_csv(include_header=False, line_terminator=",")
            handle.write(f"{_quoted(name)},{line[:-1]}\n".encode())
        return
    for at in range(0, len(rows), _PIECE):
        piece = np.ascontiguousarray(part(slice(at, at + _PIECE)).T)
        data: dict[str, pl.Series] = {"name": pl.Series(rows[at : at + _PIECE], dtype=pl.String)}
        for i, column in enumerate(piece):
            data[str(i)] = pl.Series(column, nan_to_null=True)
        pl.DataFrame(data).write_csv(handle, include_header=False)


def _quoted(name: str) -> str:
    if _TO_BE_QUOTED.search(name):
        return '"' + name.replace('"', '""') + '"'
    return name


def parse_csv_header(line: bytes, path: Path) -> list[str]:
    """Return the column names after the index column."""
    commas = line.count(b",")
    current_limits().check("columns", commas, f"has {commas:,} columns", path)
    try:
        cells = next(csv.reader([decode(line)], strict=True), [])
    except csv.Error as error:
        msg = f"the header is not valid CSV: {error}"
        raise FormatError(msg, path=path, line=1) from error
    if len(cells) < 2:
        msg = "not a table of comma-separated values: no column after the first"
        raise FormatError(msg, path=path, line=1)
    return cells[1:]


def read_csv_table(path: Path | str, *, text: TextCells = "refuse") -> CsvTable:
    """Read a CSV file whose first column names the rows and whose other columns are numbers.

    `text`: what to do with a cell that is neither a number nor missing.
    """
    path = Path(path)
    with LineReader(path) as reader:
        columns = parse_csv_header((reader.next_line() or "").encode(), path)
        cells = _NumberCells(columns, path, text)
        for found in reader.table_blocks(None):
            block = found._replace(data=as_utf8(found.data))
            if b'"' in block.data:
                return _read_quoted(path, text)
            cells.add_all(_plain_lines(block, columns, path, cut=reader.ended_within_line))
    if reader.ended_within_line:
        note_missing_line_end(path)
    names, values = cells.finish()
    return CsvTable(names, columns, values)


def _read_quoted(path: Path, text: TextCells) -> CsvTable:
    """Read a table with quotes, which needs the whole file at once."""
    data = as_utf8(read_bytes(path))
    start = data.find(b"\n") + 1
    columns = parse_csv_header(data[:start], path)
    if not data.endswith(b"\n"):
        note_missing_line_end(path)
    cells = _NumberCells(columns, path, text)
    cells.add_all(_quoted_lines(data, start, columns, path, text))
    names, values = cells.finish()
    return CsvTable(names, columns, values)


_WIDE_FRAME = r"\uff1d\uff0b\uff0d\uff20"
"""The same signs as they are typed in Chinese and Japanese."""
_START = rf"^'*[=+\-@\t\r\n{_WIDE_FRAME}]"
_WORD = r"[\p{L}\p{N}]"
_NUMBER = r"^'*[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?$"
_starts, _is_number = re.compile(_START), re.compile(_NUMBER)


def _is_formula(text: str) -> bool:
    return (
        _starts.match(text) is not None
        and any(map(str.isalnum, text))
        and _is_number.match(text) is None
    )


def inert(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if _is_formula(text) else text


def original(text: str) -> str:
    """Return the text that `inert` was given."""
    return text[1:] if text.startswith("'") and _is_formula(text[1:]) else text


def inert_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose texts and headers no spreadsheet takes for formulas."""
    names = [name for name, kind in frame.schema.items() if kind in _TEXTS]
    columns = frame.with_columns(
        _changed(pl.col(name).cast(pl.String)).alias(name) for name in names
    )
    return columns.rename({name: inert(name) for name in frame.columns})


_TEXTS = (pl.String, pl.Categorical, pl.Enum)


def _changed(text: pl.Expr) -> pl.Expr:
    signs = text.str.contains(_START) & text.str.contains(_WORD) & ~text.str.contains(_NUMBER)
    return pl.when(signs).then(pl.concat_str(pl.lit("'"), text)).otherwise(text)


def original_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table as `inert_frame` was given it; its headers must be known ones."""
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    found = [name for name in texts if frame[name].str.starts_with("'").any()]
    return frame.with_columns(
        pl.Series(name, [None if c is None else original(c) for c in frame[name]], pl.String)
        for name in found
    )
