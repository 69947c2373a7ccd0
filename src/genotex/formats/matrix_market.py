"""Sparse matrices in Matrix Market's format, added up row by row while they are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.errors import FormatError, TruncatedFileError
from genotex.formats.lines import read_ahead
from genotex.outside import FETCH_AGAIN, Gauge, StoredFile, parse_rows, unpack

AT_ONCE = 8 << 20
"""Values, or bytes of text, that are added up at once."""


def sum_market(file: StoredFile, genes: int, cells: int) -> NDArray[np.float64]:
    """Return the sum of each row of a sparse matrix, which is read in pieces."""
    place, sums, count, column = file.place, np.zeros(genes), 0, 0
    with read_ahead(whole_lines(file)) as pieces:
        sizes, piece = _sizes(pieces, place)
        if sizes[:2] == (cells, genes) and cells != genes:
            column = 1
        elif sizes[:2] != (genes, cells):
            msg = f"has {sizes[0]:,} x {sizes[1]:,} values for {genes:,} genes and {cells:,} cells"
            raise FormatError(msg, path=place, hint="put the files of one matrix together")
        while piece:
            count += _add(sums, piece, column, sizes, place)
            piece = next(pieces, b"")
    if count != sizes[2]:
        msg = f"holds {count:,} of the {sizes[2]:,} values that it states"
        raise TruncatedFileError(msg, path=place, hint=FETCH_AGAIN)
    return sums


def whole_lines(file: StoredFile) -> Iterator[bytes]:
    """Yield the contents of a file, unpacked, in pieces of some MiB that end with a line."""
    rest: list[bytes] = []
    size = 0
    with file.open() as handle:
        for piece in unpack(handle, file.place, Gauge(file.size, file.place)):
            rest.append(piece)
            size += len(piece)
            if size >= AT_ONCE:
                data = b"".join(rest)
                end = data.rfind(b"\n") + 1
                if end:
                    yield data[:end]
                rest, size = [data[end:]], len(data) - end
    if last := b"".join(rest):
        yield last


def _sizes(pieces: Iterator[bytes], place: Path) -> tuple[tuple[int, int, int], bytes]:
    """Read the header of a matrix; return its sizes and what follows of the first piece."""
    piece = next(pieces, b"")
    if not piece.startswith(b"%%MatrixMarket matrix coordinate"):
        msg = "is not a sparse matrix in Matrix Market's format"
        raise FormatError(msg, path=place, hint=FETCH_AGAIN)
    while piece.startswith(b"%"):
        piece = piece.partition(b"\n")[2]
    line, _, rest = piece.partition(b"\n")
    found = re.fullmatch(rb"\s*(\d{1,9})\s+(\d{1,9})\s+(\d{1,15})\s*", line)
    if found is None:
        msg = "states no sizes"
        raise FormatError(msg, path=place, hint=FETCH_AGAIN)
    return (int(found[1]), int(found[2]), int(found[3])), rest or next(pieces, b"")


def _add(
    sums: NDArray[np.float64], piece: bytes, column: int, sizes: tuple[int, int, int], place: Path
) -> int:
    """Add the values of some lines to the sums of their genes; return how many there are."""
    frame = _entries(piece, place)
    rows, other = frame.to_series(column).to_numpy(), frame.to_series(1 - column).to_numpy()
    values = frame.to_series(2).to_numpy()
    last, last_other = sizes[column], sizes[1 - column]
    if len(rows) and (
        rows.min() < 1 or rows.max() > last or other.min() < 1 or other.max() > last_other
    ):
        msg = "has a value outside the sizes that it states"
        raise FormatError(msg, path=place, hint=FETCH_AGAIN)
    refuse_no_counts(values, place)
    sums += np.bincount(rows - 1, weights=values, minlength=len(sums))
    return len(rows)


def _entries(piece: bytes, place: Path) -> pl.DataFrame:
    """Read some lines of row, column and value."""
    schema = {"0": pl.Int32, "1": pl.Int32, "2": pl.Float64}
    msg = "has a line that is not row, column and count"
    try:
        found = parse_rows(piece, schema, separator=" ")
    except pl.exceptions.PolarsError as error:
        msg = f"{msg}: {str(error).splitlines()[0]}"
        raise FormatError(msg, path=place, hint=FETCH_AGAIN) from error
    if found.null_count().sum_horizontal().item():
        msg = f"{msg}: some have fewer than three numbers"
        raise FormatError(msg, path=place, hint=FETCH_AGAIN)
    return found


def refuse_no_counts(values: NDArray[Any], place: Path) -> None:
    """Refuse values that are no counts of single cells."""
    if len(values) and not (np.isfinite(values).all() and values.min() >= 0):
        no_counts("negative or missing values", place)
    if (values != np.floor(values)).any():
        no_counts("values that are not whole numbers", place)


def no_counts(what: str, place: Path) -> NoReturn:
    """Refuse a file that holds something else than counts of single cells."""
    msg = f"holds {what}: normalised or scaled cells cannot be added up to counts"
    raise FormatError(msg, path=place, hint="give the file with the counts of the cells")
