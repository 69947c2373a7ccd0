"""Benchmark-layout CSV files: gene expression and clinical features, rows x samples."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.errors import FormatError
from genotex.formats.csv_lines import plain_lines, quoted_lines
from genotex.formats.matrix import ExpressionMatrix
from genotex.formats.number_cells import NumberCells, TextCells
from genotex.formats.raw import as_utf8, decode, note_missing_line_end, read_bytes
from genotex.io import atomic_write

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
_TO_BE_QUOTED = re.compile('[,"\n\r]')
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
    """Read gene expression, genes x samples, from any source.

    Raises
    ------
    FormatError
        If the file is not such a table.
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
    """Read clinical features, features x samples, from any source.

    Returns
    -------
    samples : tuple of str
        Sample ids.
    features : dict of str to ndarray of float64, shape (len(samples),)
        Feature name -> codes; NaN is missing.

    Raises
    ------
    FormatError
        If the file is not such a table, or a feature is listed twice.
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
    """Write numbers with names; fast for many rows as for many columns."""
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
    if _TO_BE_QUOTED.search(name):
        return '"' + name.replace('"', '""') + '"'
    return name


def parse_csv_header(line: bytes, path: Path) -> list[str]:
    """Return the column names after the index column."""
    try:
        cells = next(csv.reader([decode(line)], strict=True), [])
    except csv.Error as error:
        msg = f"the header is not valid CSV: {error}"
        raise FormatError(msg, path=path, line=1) from error
    if len(cells) < 2:
        msg = "not a table of comma-separated values: no column after the first"
        raise FormatError(msg, path=path, line=1)
    return cells[1:]


def read_csv_table(path: Path, *, text: TextCells = "refuse") -> CsvTable:
    """Read a CSV file whose first column names the rows and whose other columns are numbers.

    Parameters
    ----------
    path : Path
    text : {"refuse", "missing"}
        What to do with a cell that is neither a number nor missing.

    Raises
    ------
    FormatError
        If it is not such a table, or contains text and that is refused.
    TruncatedFileError
        If the last line lacks cells and its line end.
    """
    data = read_bytes(path)
    columns = parse_csv_header(data[: data.find(b"\n") + 1] or data, path)
    data = as_utf8(data)
    if not data.endswith(b"\n"):
        note_missing_line_end(path)
    body = data.find(b"\n") + 1 or len(data)
    cells = NumberCells(columns, data.count(b"\n") + 1, path, text)
    if data.find(b'"', body) < 0:
        cells.add_all(plain_lines(data, body, columns, path))
    else:
        cells.add_all(quoted_lines(data, body, columns, path, text))
    names, values = cells.finish()
    return CsvTable(names, columns, values)
