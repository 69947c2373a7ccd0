"""Tables that are not text: workbooks, Parquet files, and data frames in memory."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from genotex import outside
from genotex.errors import FormatError, UsageError
from genotex.formats.own_tables.table_file import TableFile, TableFormat
from genotex.formats.tables import MISSING_WORDS
from genotex.outside import current_limits, read_sheets, unreadable

_MOST_TITLE_ROWS = 30
_NO_CELLS = (bytes, bytearray, complex, np.complexfloating, list, tuple, dict, set, np.ndarray)


def _read_workbook(path: Path, numbers: bool) -> TableFile:
    return read_sheet_tables(path, numbers=numbers, most=1)[0]


def read_sheet_tables(
    path: Path, *, numbers: bool = True, most: int | None = None
) -> tuple[TableFile, ...]:
    """Read the sheets of a workbook, those with most cells first, `most` of them at most.

    Rows above a header are left out, and sheets without cells.
    """
    try:
        with path.open("rb") as handle:
            sheets = read_sheets(handle, path)
    except OSError as error:
        raise unreadable(path, error) from error
    size = {name: _filled(rows) for name, rows in sheets.items()}
    names = sorted((name for name in sheets if size[name]), key=lambda name: -size[name])
    if not names:
        msg = "has no sheet with cells"
        raise FormatError(msg, path=path)
    of = f" of {len(sheets)}" if len(sheets) > 1 else ""
    return tuple(
        _sheet_table(path, name, sheets[name], numbers=numbers, of=of) for name in names[:most]
    )


def _sheet_table(
    path: Path, name: str, rows: Sequence[Sequence[Any]], *, numbers: bool, of: str
) -> TableFile:
    first = _header_row(rows)
    header = tuple(_text(cell) or "" for cell in rows[first])
    width = max((i for i, title in enumerate(header) if title), default=0) + 1
    width = max(width, *(_width(row) for row in rows[first + 1 : first + 6]), 1)
    header = (*header, *[""] * width)[:width]
    size = (len(rows) - first) * width
    current_limits().check("workbook", size, f"has {size:,} cells in sheet {name!r}", path)
    current_limits().check_padding(size, _filled(rows), path)
    cells = [(*row, *[None] * width)[:width] for row in rows[first + 1 :]]
    while cells and not any(cell is not None for cell in cells[-1]):
        cells.pop()
    columns = [_column([row[i] for row in cells], numbers=numbers and i > 0) for i in range(width)]
    form = f"Excel workbook, sheet {name!r}{of}"
    return TableFile(path, path.name, form, header, _frame(columns), first + 2)


def _filled(rows: Sequence[Sequence[Any]]) -> int:
    return sum(cell is not None for row in rows for cell in row)


def _width(row: Sequence[Any]) -> int:
    return max((i + 1 for i, cell in enumerate(row) if cell is not None), default=0)


def _header_row(rows: Sequence[Sequence[Any]]) -> int:
    """Return the first row that is about as wide as the table: titles above it are narrow."""
    widths = [sum(cell is not None for cell in row) for row in rows[: _MOST_TITLE_ROWS + 1]]
    return next(i for i, width in enumerate(widths) if width > 0 and width >= 0.5 * max(widths))


def _text(cell: Any) -> str | None:
    """Return a cell of a workbook or data frame as text, None where it is missing."""
    if cell is None or (isinstance(cell, float) and cell != cell):
        return None
    if isinstance(cell, bool | np.bool_):
        return "true" if cell else "false"
    if isinstance(cell, float | np.floating):
        value = float(cell)
        whole = value.is_integer() and abs(value) < 1e15
        return f"{value:.0f}" if whole else f"{value:.10g}"
    if isinstance(cell, datetime.datetime | datetime.date):
        return cell.isoformat()[:10]
    return str(cell).strip()


def _column(cells: list[Any], *, numbers: bool) -> pl.Series:
    if numbers:
        given = [None if isinstance(c, str) and c.strip() in MISSING_WORDS else c for c in cells]
        found = _number_column(given)
        if found is not None:
            return found
        text = pl.Series([_text(cell) for cell in given], dtype=pl.String)
        parsed = text.cast(pl.Float64, strict=False)
        return text if parsed.null_count() > text.null_count() else parsed
    return pl.Series([_text(cell) for cell in cells], dtype=pl.String)


def _number_column(cells: Sequence[object]) -> pl.Series | None:
    """Return cells as numbers, None where some is neither a number nor missing."""
    values = np.full(len(cells), np.nan)
    for i, cell in enumerate(cells):
        if isinstance(cell, bool) or not isinstance(cell, int | float | np.number | None):
            return None
        if cell is not None:
            values[i] = float(cell)
    return pl.Series(values, nan_to_null=True)


def _frame(columns: Sequence[pl.Series]) -> pl.DataFrame:
    return pl.DataFrame([column.alias(f"c{i}") for i, column in enumerate(columns)])


def _read_parquet(path: Path, numbers: bool) -> TableFile:
    """Read a Parquet file; the row names of pandas come first."""
    frame = outside.read_parquet(path)
    current_limits().check_table(frame.height, frame.width, path)
    index = [name for name in frame.columns if name.startswith("__index_level_")]
    frame = frame.select(*index, pl.exclude(index)) if index else frame
    table = _of_polars(frame, path.name, "Parquet", numbers=numbers)
    header = tuple("" if name in index else name for name in table.header)
    return TableFile(path, path.name, "Parquet", header, table.columns, 1)


def table_of_frame(frame: Any, label: str, *, numbers: bool) -> TableFile:
    """Return a data frame in memory as a table, the row names of pandas in the first column."""
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, pl.DataFrame):
        return _of_polars(frame, label, "polars data frame", numbers=numbers)
    if type(frame).__module__.partition(".")[0] == "pandas" and hasattr(frame, "iloc"):
        return _of_pandas(frame, label, numbers=numbers)
    if hasattr(frame, "__dataframe__"):
        given = pl.from_dataframe(frame)
        return _of_polars(given, label, "data frame", numbers=numbers)
    msg = f"{label}: a {type(frame).__name__} is not a table; give a path or a data frame"
    raise UsageError(msg)


def _of_polars(frame: pl.DataFrame, label: str, form: str, *, numbers: bool) -> TableFile:
    for name, kind in frame.schema.items():
        if kind.is_nested() or kind in (pl.Binary, pl.Object):
            raise _no_cells(label, name, str(kind))
    columns = [
        _typed(column, numbers=numbers and i > 0) for i, column in enumerate(frame.get_columns())
    ]
    return TableFile(None, label, form, tuple(frame.columns), _frame(columns), 1)


def _no_cells(label: str, column: str, kind: str) -> UsageError:
    """Return the error for a column of what is neither numbers nor text."""
    return UsageError(f"{label}: column {column!r} holds {kind}; give numbers or text")


def _typed(column: pl.Series, *, numbers: bool) -> pl.Series:
    if numbers and column.dtype.is_numeric():
        return column.cast(pl.Float64).fill_nan(None)
    if column.dtype == pl.Boolean or column.dtype.is_float():
        return pl.Series([_text(cell) for cell in column.to_list()], dtype=pl.String)
    text = column.cast(pl.String)
    if not numbers:
        return text
    cells = text.set(text.str.strip_chars().is_in(list(MISSING_WORDS)), None)
    parsed = cells.str.strip_chars().cast(pl.Float64, strict=False)
    return text if parsed.null_count() > cells.null_count() else parsed


def _of_pandas(frame: Any, label: str, *, numbers: bool) -> TableFile:
    if getattr(frame, "ndim", 2) != 2 or any(a.nlevels > 1 for a in (frame.index, frame.columns)):
        msg = f"{label}: give a pandas data frame whose rows and columns have one level of names"
        raise UsageError(msg)
    if type(frame.index).__name__ == type(frame.columns).__name__ == "RangeIndex":
        msg = f"{label}: neither rows nor columns have names; give an index or column names"
        raise UsageError(msg)
    header = [str(name) for name in frame.columns]
    columns = [_of_series(frame.iloc[:, i], label, numbers=numbers) for i in range(frame.shape[1])]
    if type(frame.index).__name__ != "RangeIndex":
        names = pl.Series([_text(name) for name in frame.index.tolist()], dtype=pl.String)
        header, columns = [str(frame.index.name or ""), *header], [names, *columns]
    elif columns and columns[0].dtype != pl.String:
        columns[0] = pl.Series([_text(cell) for cell in columns[0].to_list()], dtype=pl.String)
    return TableFile(None, label, "pandas data frame", tuple(header), _frame(columns), 1)


def _of_series(column: Any, label: str, *, numbers: bool) -> pl.Series:
    kind = getattr(column.dtype, "kind", "O")
    if kind == "c":
        raise _no_cells(label, str(column.name), f"complex numbers ({column.dtype})")
    if numbers and kind in "iuf" and hasattr(column.dtype, "itemsize"):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return pl.Series(values, nan_to_null=True)
    missing = column.isna().tolist()
    cells = [None if gone else c for c, gone in zip(column.tolist(), missing, strict=True)]
    for cell in cells:
        if isinstance(cell, _NO_CELLS):
            raise _no_cells(label, str(column.name), f"a {type(cell).__name__} in a cell")
    return _column(cells, numbers=numbers)


FORMATS = (
    TableFormat((".xlsx",), _read_workbook, ".xlsx", rank=1),
    TableFormat((".parquet",), _read_parquet, ".parquet", rank=2),
)
