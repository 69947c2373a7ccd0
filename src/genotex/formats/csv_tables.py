"""Benchmark-layout CSV files: gene expression and clinical features, rows x samples."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.errors import FormatError, TruncatedFileError
from genotex.formats.matrix import ExpressionMatrix
from genotex.formats.raw import FETCH_AGAIN, as_utf8, decode, note_missing_line_end, read_bytes
from genotex.formats.rows import index_rows
from genotex.formats.value_table import to_numbers
from genotex.layout import atomic_write

__all__ = [
    "CsvTable",
    "parse_csv_header",
    "read_clinical_csv",
    "read_csv_table",
    "read_gene_csv",
    "write_clinical_csv",
    "write_csv_table",
    "write_gene_csv",
]

_WIDE = 1000
_PIECE = 1 << 16


@dataclass(frozen=True, eq=False)
class CsvTable:
    """A table of numbers with named rows and columns; names may be doubled."""

    rows: list[str]
    columns: list[str]
    values: NDArray[np.float64]


def write_gene_csv(path: Path, matrix: ExpressionMatrix) -> None:
    """Write gene expression, genes x samples, as ``gene_data/<cohort>.csv``.

    The file is as pandas writes it: the first header cell is empty, missing values are empty
    cells, and numbers have as many digits as they need to be read back exactly.

    Parameters
    ----------
    path : Path
        Replaced whole or not at all.
    matrix : ExpressionMatrix
        Genes x samples.
    """
    with atomic_write(path) as part, part.open("wb") as handle:
        write_csv_table(handle, matrix.ids, matrix.samples, matrix.values)


def read_gene_csv(path: Path) -> ExpressionMatrix:
    """Read gene expression, genes x samples, ours or anyone's.

    Raises
    ------
    FormatError
        If the file is no such table.
    """
    table = read_csv_table(path)
    return ExpressionMatrix(tuple(table.rows), tuple(table.columns), table.values)


def write_clinical_csv(
    path: Path, samples: Sequence[str], features: Mapping[str, NDArray[np.floating]]
) -> None:
    """Write clinical features, features x samples, as ``clinical_data/<cohort>.csv``.

    Parameters
    ----------
    path : Path
        Replaced whole or not at all.
    samples : sequence of str
        Sample ids.
    features : mapping of str to ndarray, shape (len(samples),)
        The trait, ``Age``, ``Gender``; NaN is missing.
    """
    values = np.empty((len(features), len(samples)))
    for i, codes in enumerate(features.values()):
        values[i] = codes
    with atomic_write(path) as part, part.open("wb") as handle:
        write_csv_table(handle, list(features), samples, values)


def read_clinical_csv(path: Path) -> tuple[tuple[str, ...], dict[str, NDArray[np.float64]]]:
    """Read clinical features, features x samples, ours or anyone's.

    Returns
    -------
    samples : tuple of str
        Sample ids.
    features : dict of str to ndarray of float64, shape (len(samples),)
        Feature name -> codes; NaN is missing.

    Raises
    ------
    FormatError
        If the file is no such table, or a feature stands twice.
    """
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
    values: NDArray[np.floating],
) -> None:
    """Write numbers with names; fast for many rows as for many columns.

    A data frame of 20,000 columns is slow to write in any table engine, so wide tables are
    formatted row by row.
    """
    handle.write((",".join(["", *map(_quoted, columns)]) + "\n").encode())
    if len(columns) > _WIDE:
        for name, row in zip(rows, values, strict=True):
            text = pl.Series(row, nan_to_null=True).cast(pl.String).fill_null("").str.join(",")
            handle.write(f"{_quoted(name)},{text.item()}\n".encode())
        return
    for at in range(0, len(rows), _PIECE):
        piece = np.ascontiguousarray(values[at : at + _PIECE].T)
        data: dict[str, pl.Series] = {"name": pl.Series(rows[at : at + _PIECE], dtype=pl.String)}
        for i, column in enumerate(piece):
            data[str(i)] = pl.Series(column, nan_to_null=True)
        pl.DataFrame(data).write_csv(handle, include_header=False)


def _quoted(name: str) -> str:
    if any(sign in name for sign in ',"\n\r'):
        return '"' + name.replace('"', '""') + '"'
    return name


def parse_csv_header(line: bytes, path: Path) -> list[str]:
    """Return the column names behind the index column.

    Raises
    ------
    FormatError
        If the line is no CSV.
    """
    try:
        cells = next(csv.reader([decode(line)], strict=True), [])
    except csv.Error as error:
        msg = f"the header is no CSV: {error}"
        raise FormatError(msg, path=path, line=1) from error
    if len(cells) < 2:
        msg = "not a table of comma-separated values: no column behind the first"
        raise FormatError(msg, path=path, line=1)
    return cells[1:]


def read_csv_table(path: Path) -> CsvTable:
    """Read a CSV file whose first column names the rows and whose other columns are numbers.

    Raises
    ------
    FormatError
        If it is no such table, or a cell is neither a number nor missing.
    TruncatedFileError
        If the last line lacks cells and its line end.
    """
    data = read_bytes(path)
    head, _, body = data.partition(b"\n")
    columns = parse_csv_header(head, path)
    body = as_utf8(body)
    split = _quoted_lines if b'"' in body else _plain_lines
    lines = split(body, columns, path)
    if not data.endswith(b"\n"):
        note_missing_line_end(path)
    if not lines.data:
        return CsvTable([], columns, np.empty((0, len(columns))))
    frame = _frame(lines, columns, path)
    names = lines.names or [cell or "" for cell in frame[frame.columns[0]].to_list()]
    numbers = pl.DataFrame(frame.get_columns()[1:])
    values = numbers.to_numpy(order="c", writable=True)
    return CsvTable(names, columns, np.asarray(values, dtype=np.float64))


@dataclass(frozen=True)
class _Lines:
    """Lines without quotes or blank ones, every one with the same number of cells."""

    data: bytes
    names: list[str] | None = None
    """First cells, where the lines themselves lack them."""
    numbers: Sequence[int] | None = None
    """Their line numbers in the file, where those do not simply count up from 2."""

    def line_number(self, row: int) -> int:
        return self.numbers[row] if self.numbers is not None else row + 2


def _plain_lines(body: bytes, columns: Sequence[str], path: Path) -> _Lines:
    """Return the lines of a table without quotes."""
    width = len(columns) + 1
    if index_rows(body if body.endswith(b"\n") else body + b"\n", width, ",") is not None:
        return _Lines(body)
    lines = body.split(b"\n")
    kept, numbers = [], []
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        if (cells := line.count(b",") + 1) != width:
            raise _uneven(path, number, cells, width, cut=number == len(lines) + 1)
        kept.append(line)
        numbers.append(number)
    return _Lines(b"\n".join(kept), numbers=numbers)


def _quoted_lines(body: bytes, columns: Sequence[str], path: Path) -> _Lines:
    """Return the lines of a table with quotes, which may hold commas and line ends."""
    width = len(columns) + 1
    last = body.count(b"\n") + 1
    kept, names, numbers = [], [], []
    number = 2
    reader = csv.reader(io.StringIO(body.decode(), newline="\n"), strict=True)
    try:
        for cells in reader:
            if cells and not (len(cells) == 1 and not cells[0].strip()):
                if len(cells) != width:
                    cut = reader.line_num == last
                    raise _uneven(path, number, len(cells), width, cut=cut)
                line = ",".join(cells[1:])
                if line.count(",") != width - 2 or "\n" in line:
                    bad = next(i for i in range(1, width) if "," in cells[i] or "\n" in cells[i])
                    raise _no_number(path, number, columns[bad - 1], cells[bad])
                kept.append("," + line)
                names.append(cells[0])
                numbers.append(number)
            number = reader.line_num + 2
    except csv.Error as error:
        kind = TruncatedFileError if reader.line_num == last else FormatError
        msg = f"the quotes do not match: {error}"
        raise kind(msg, path=path, line=number, hint=FETCH_AGAIN) from error
    return _Lines("\n".join(kept).encode(), names, numbers)


def _uneven(path: Path, line: int, cells: int, width: int, *, cut: bool) -> FormatError:
    if cut and cells < width:
        msg = "the last line is cut off"
        return TruncatedFileError(msg, path=path, line=line, hint=FETCH_AGAIN)
    msg = f"{cells} cells for {width} columns"
    return FormatError(msg, path=path, line=line, hint=FETCH_AGAIN)


def _no_number(path: Path, line: int, column: str, cell: str) -> FormatError:
    msg = f"{cell[:40]!r} is no number"
    return FormatError(msg, path=path, line=line, field=f"column {column}")


def _frame(lines: _Lines, columns: Sequence[str], path: Path) -> pl.DataFrame:
    """Return the row names as strings and the rest as numbers."""
    names = ["name", *map(str, range(len(columns)))]
    typed: dict[str, type[pl.DataType]] = dict.fromkeys(names, pl.Float64)
    typed["name"] = pl.String
    try:
        return pl.read_csv(lines.data, has_header=False, quote_char=None, schema=typed)
    except pl.exceptions.PolarsError:
        text = pl.read_csv(
            lines.data, has_header=False, quote_char=None, schema=dict.fromkeys(names, pl.String)
        )
    read = [text["name"]]
    for column, cells in zip(columns, text.get_columns()[1:], strict=True):
        numbers, bad = to_numbers(cells)
        if bad is not None:
            row = bad.arg_max() or 0
            raise _no_number(path, lines.line_number(row), column, str(cells[row]))
        read.append(numbers)
    return pl.DataFrame(read)
