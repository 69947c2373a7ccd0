"""Any table of people: text in any dialect, a workbook, Parquet, or a data frame in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from genotex.errors import FormatError, GenotexError, UsageError

_TEXT = (
    ".csv", ".tsv", ".txt", ".tab", ".tabular", ".gct", ".counts", ".out", ".results", ".sf",
)  # fmt: skip
_PACKED = (".gz", ".bz2", ".zst", ".xz")
TABLE_KINDS = ".csv, .tsv, .txt (also with .gz, .bz2, .zst, .xz), .xlsx, .parquet, .h5ad"
_SAVE_AS = {
    ".xls": "save it from the spreadsheet as .xlsx or .csv",
    ".ods": "save it from the spreadsheet as .xlsx or .csv",
    ".rds": "write it from R with write.csv(table, 'table.csv')",
    ".rda": "write it from R with write.csv(table, 'table.csv')",
    ".rdata": "write it from R with write.csv(table, 'table.csv')",
    ".cel": "raw arrays: summarise them first, with oligo or affy and rma()",
    ".idat": "raw arrays: read them first, with limma's read.idat or minfi",
    ".bam": "aligned reads: count them first, with featureCounts",
    ".fastq": "reads: quantify them first, with salmon or STAR and featureCounts",
}


@dataclass(frozen=True, eq=False)
class TableFile:
    """A table as it is in a file or in memory.

    Attributes
    ----------
    path : Path or None
        None for a table in memory.
    label : str
        What messages call it.
    form : str
        What it was taken as: "text with tabs between cells".
    header : tuple of str
        Names of the columns as given, also repeated ones; empty where there is none.
    columns : polars.DataFrame
        ``c0``, ``c1``, ...: numbers where every cell is a number or missing, else text. The first
        column is text.
    first_line : int
        Line (of a workbook: row) of the first row, for messages.
    notes : tuple of str
        What was recognised.
    """

    path: Path | None
    label: str
    form: str
    header: tuple[str, ...]
    columns: pl.DataFrame
    first_line: int = 2
    notes: tuple[str, ...] = ()

    def error(
        self, message: str, *, row: int | None = None, hint: str | None = None
    ) -> GenotexError:
        """Return an error that names the table, and the line of a row."""
        if self.path is None:
            place = self.label if row is None else f"{self.label}, row {row + 1}"
            return UsageError(f"{place}: {message}" + (f" ({hint})" if hint else ""))
        line = None if row is None else self.first_line + row
        return FormatError(message, path=self.path, line=line, hint=hint)


def read_table_file(source: Any, *, numbers: bool = True, label: str = "the table") -> TableFile:
    """Read a table from a file or a data frame.

    Parameters
    ----------
    source : path or data frame
        A file (`TABLE_KINDS`), a polars or pandas data frame, or any that offers the data frame
        interchange protocol.
    numbers : bool
        Turn columns that hold numbers alone into numbers; otherwise every cell stays text.
    label : str
        What messages call a data frame.

    Raises
    ------
    FormatError
        If the file cannot be read as a table.
    UsageError
        If the kind of file or object is unknown.
    """
    if not isinstance(source, str | Path):
        from genotex.formats.table_frames import table_of_frame

        return _checked(table_of_frame(source, label, numbers=numbers))
    path = Path(source)
    if path.is_dir():
        msg = f"{path} is a folder; name the table in it"
        raise UsageError(msg)
    kind = table_kind(path)
    if not path.is_file():
        msg = f"{path} does not exist"
        raise UsageError(msg)
    if kind in _TEXT:
        from genotex.formats.table_text import read_text

        return _checked(read_text(path, numbers=numbers))
    if kind == ".h5ad":
        msg = f"{path.name} is AnnData; give it as the expression table, without a sample table"
        raise UsageError(msg)
    from genotex.formats.table_frames import read_parquet, read_workbook

    read = read_workbook if kind == ".xlsx" else read_parquet
    return _checked(read(path, numbers=numbers))


def table_kind(path: Path) -> str:
    """Return the kind of a table by its name, such as ``.csv`` of ``a.csv.gz``.

    Raises
    ------
    UsageError
        If it is none that can be read, with what to do.
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = bool(suffixes) and suffixes[-1] in _PACKED
    kind = suffixes[-2] if packed and len(suffixes) > 1 else (suffixes[-1] if suffixes else "")
    if kind in _TEXT or (kind in (".xlsx", ".parquet", ".h5ad") and not packed):
        return kind
    if kind in (".xlsx", ".parquet", ".h5ad"):
        msg = f"{path.name} is packed twice: unpack it first"
        raise UsageError(msg)
    why = _SAVE_AS.get(kind, f"give one of {TABLE_KINDS}")
    named = f"the ending {kind}" if kind else "a name without ending"
    msg = f"{path.name} has {named}, which is not a table that can be read; {why}"
    raise UsageError(msg)


def _checked(table: TableFile) -> TableFile:
    """Refuse a table without rows or with a single column; leave out unnamed empty columns."""
    columns, header = table.columns, table.header
    empty = [
        name
        for name, title in zip(columns.columns, header, strict=True)
        if not title.strip() and columns[name].null_count() == columns.height
    ]
    if empty and columns.height:
        kept = [i for i, name in enumerate(columns.columns) if name not in set(empty)]
        columns = pl.DataFrame([columns.to_series(i).alias(f"c{j}") for j, i in enumerate(kept)])
        table = replace(table, header=tuple(header[i] for i in kept), columns=columns)
    if columns.width < 2:
        msg = "has one column; a table has names in the first and values in the others"
        raise table.error(msg, hint="check the separator")
    if columns.height == 0:
        msg = "has a header and no rows"
        raise table.error(msg)
    return table


def number_column(cells: Sequence[object]) -> pl.Series | None:
    """Return cells as numbers, None where some is neither a number nor missing."""
    values = np.full(len(cells), np.nan)
    for i, cell in enumerate(cells):
        if isinstance(cell, bool) or not isinstance(cell, int | float | np.number | None):
            return None
        if cell is not None:
            values[i] = float(cell)
    return pl.Series(values, nan_to_null=True)
