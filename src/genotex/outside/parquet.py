"""Parquet files: what they state is checked, page by page, before polars reads them."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import polars as pl

from genotex.errors import FormatError
from genotex.outside.limits import Gauge, Limits, current_limits
from genotex.outside.unpacking import PARQUET_MAGIC

_CELL_BYTES = 8
_TAIL = 8
_REPEATED = 2
_KINDS = {1: "maps", 2: "maps", 3: "lists"}
_DEPTH = 16
"""Levels of nesting in the metadata; the format has about eight."""


@dataclass(frozen=True)
class _ParquetShape:
    """Rows, and names of the columns that are read, as the metadata state them."""

    rows: int
    names: tuple[str, ...]


def read_parquet(
    source: Path | bytes,
    *,
    path: Path | None = None,
    columns: Sequence[str] | None = None,
    lists: bool = False,
    limits: Limits | None = None,
) -> pl.DataFrame:
    """Read a table from a Parquet file, within the limits.

    `source`: the file, or its content. `path`: names bytes in errors. `columns`: only these, of
    those that are there; the others may be anything. `lists`: whether cells may be lists. `limits`:
    Those of the process by default.
    """
    limits = limits or current_limits()
    place = source if isinstance(source, Path) else path or Path("parquet")
    try:
        with BytesIO(source) if isinstance(source, bytes) else source.open("rb") as handle:
            names = check_parquet(handle, place, limits, columns=columns, lists=lists).names
            chosen = None if columns is None else list(names)
            handle.seek(0)
            frame = pl.read_parquet(
                handle, columns=chosen, hive_partitioning=False, use_statistics=False, glob=False
            )
            packed = handle.seek(0, 2)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        _refuse(reason, place)
    _check_columns(frame, place, lists=lists)
    _check_texts(frame, packed, place, limits)
    return frame


def _check_columns(frame: pl.DataFrame, path: Path, *, lists: bool) -> None:
    for name, kind in frame.schema.items():
        if kind == pl.Binary or (kind.is_nested() and not lists):
            raise _not_flat(name, f"{'bytes' if kind == pl.Binary else 'lists'} ({kind})", path)


def _not_flat(name: str, what: str, path: Path) -> FormatError:
    msg = f"column {name!r} holds {what}, not numbers or text"
    return FormatError(msg, path=path, hint="leave it out, or store numbers or text in it")


def _check_texts(frame: pl.DataFrame, packed: int, path: Path, limits: Limits) -> None:
    """Refuse texts that a file holds once and repeats in every row."""
    gauge = Gauge(packed, path, limits, "memory")
    for column in frame.iter_columns():
        while isinstance(column.dtype, pl.List):
            column = column.explode()
        if column.dtype == pl.String:
            gauge.add(int(column.str.len_bytes().sum() or 0))
        elif column.dtype in (pl.Categorical, pl.Enum):
            gauge.add(int(column.cat.len_bytes().sum() or 0))


def check_parquet(
    handle: BinaryIO,
    path: Path,
    limits: Limits | None = None,
    *,
    columns: Sequence[str] | None = None,
    lists: bool = False,
    is_table: bool = True,
) -> _ParquetShape:
    """Refuse a Parquet file that becomes more than the limits allow.

    Of every page the header is read: a column states its size, its pages what they unpack to.

    `handle`: the open file. `path`: Named in errors; not opened. `limits`: Those of the process by
    default. `columns`: only these are read; the others are not looked at. `lists`: whether cells
    may be lists. `is_table`: whether the file is read as one table, of plain columns and with
    limited cells. Else it is searched, and what each part of a column unpacks to is limited.
    """
    limits = limits or current_limits()
    handle.seek(0, 2)
    if handle.tell() < 12:
        _refuse("it is too short", path)
    try:
        content: Any = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, AttributeError):
        handle.seek(0)
        content = handle.read()
    try:
        return _CheckedFile(content, path, limits, columns, lists=lists, is_table=is_table).shape
    except _LongList as error:
        limits.check("columns", error.args[0], f"has {error.args[0]:,} columns", path)
        raise
    except (IndexError, struct.error, KeyError, TypeError, ValueError) as error:
        _refuse(f"its metadata are damaged ({error})", path)
    finally:
        if isinstance(content, mmap.mmap):
            content.close()


def _refuse(why: str, path: Path) -> NoReturn:
    msg = f"is not a Parquet file that can be read: {why}"
    raise FormatError(msg, path=path, hint="write it again")


def _top_level(schema: Sequence[dict[int, Any]]) -> list[bytes]:
    """Return the names of the columns; the first element is the root, children follow parents."""
    names, at = [], 1
    while at < len(schema):
        names.append(schema[at][4])
        inside = 1
        while inside:
            inside += schema[at].get(5, 0) - 1
            at += 1
    return names


class _CheckedFile:
    """A Parquet file whose metadata and page headers were checked."""

    # Fields by the numbers that parquet.thrift gives them.
    def __init__(
        self,
        content: Any,
        path: Path,
        limits: Limits,
        columns: Sequence[str] | None,
        *,
        lists: bool,
        is_table: bool,
    ) -> None:
        self._content, self._path, self._limits = content, path, limits
        self._flat, self._counts = is_table and not lists, is_table
        self._cells = 0
        footer = self._footer()
        top = _top_level(footer[2])
        names = [name for name in top if columns is None or name.decode() in columns]
        self._chosen, width = set(names), len(names)
        self.shape = _ParquetShape(footer[3], tuple(name.decode() for name in names))
        self._gauge = Gauge(len(content), path, limits)
        if is_table:
            rows, cells = self.shape.rows, self.shape.rows * width
            limits.check("columns", width, f"has {width:,} columns", path)
            limits.check("cells", cells, f"has {rows:,} rows x {width:,} columns", path)
            Gauge(len(content), path, limits).add(self.shape.rows * width * _CELL_BYTES)
        rows = 0
        for group in footer.get(4, ()):
            if group[3] < 0:
                msg = "a row group with fewer than no rows"
                raise ValueError(msg)
            rows += group[3]
            for chunk in group[1]:
                if not is_table:
                    self._gauge = Gauge(len(content), path, limits)
                self._check_chunk(chunk, group[3])
        if rows != self.shape.rows:
            msg = "the row groups have another number of rows than the file"
            raise ValueError(msg)
        self._refuse_nested(footer[2])

    def _footer(self) -> dict[int, Any]:
        content, size = self._content, len(self._content)
        if content[:4] != PARQUET_MAGIC or content[size - 4 : size] != PARQUET_MAGIC:
            msg = "no Parquet data at its start and end"
            raise ValueError(msg)
        length = int.from_bytes(content[size - _TAIL : size - 4], "little")
        start = size - _TAIL - length
        if start < 4:
            msg = "its length"
            raise ValueError(msg)
        # A column has an element of the schema, and one more for each level that it is nested.
        metadata = _Thrift(content[start : size - _TAIL], self._limits.columns + 1)
        return metadata.struct(0)[0]

    def _refuse_nested(self, schema: Sequence[dict[int, Any]]) -> None:
        """Refuse columns of lists and structures, of which a row may have any number of values."""
        for element in schema[1:]:
            name = element[4]
            nested = element.get(5) or element.get(3) == _REPEATED
            if nested and self._flat and name in self._chosen:
                what = _KINDS.get(element.get(6, 0), "structures")
                raise _not_flat(name.decode(errors="replace"), what, self._path)

    def _check_chunk(self, chunk: dict[int, Any], rows: int) -> None:
        if chunk.get(1):
            msg = f"keeps a column in another file ({chunk[1][:80]!r}), which is never opened"
            raise FormatError(msg, path=self._path, hint="write all columns into one file")
        column = chunk[3]
        if column[3][0] not in self._chosen:
            return
        at = min(column[9], column.get(11) or column[9])
        end = at + column[7]
        if not 4 <= at <= end <= len(self._content):
            msg = "a column outside the file"
            raise ValueError(msg)
        values, pages = 0, _Thrift(self._content, self._limits.columns)
        while at < end:
            page, at = pages.struct(at)
            if page[2] < 0 or page[3] < 0:
                msg = "a page of a negative size"
                raise ValueError(msg)
            self._gauge.add(page[2])
            header = page.get(5) or page.get(8) or {}
            values += header.get(1, 0)
            at += page[3]
        if values != column[5] or (len(column[3]) == 1 and values > rows):
            msg = "the pages of a column have another number of values than the column"
            raise ValueError(msg)
        if len(column[3]) > 1 and self._counts:
            self._cells += values
            what = f"has {self._cells:,} values in lists"
            self._limits.check("cells", self._cells, what, self._path)
            self._gauge.add(values * _CELL_BYTES)


_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12


class _LongList(Exception):
    """A list with more items than a table may have columns."""


class _Thrift:
    """Thrift's compact protocol, read from bytes.

    `most`: Items that a list may have.
    """

    def __init__(self, data: Any, most: int) -> None:
        self._data, self._most = data, most

    def struct(self, at: int, depth: int = 0) -> tuple[dict[int, Any], int]:
        """Read a structure: field number -> value, and where it ends."""
        if depth > _DEPTH:
            msg = "nested too deep"
            raise ValueError(msg)
        found: dict[int, Any] = {}
        number = 0
        while head := self._data[at]:
            at += 1
            kind, step = head & 15, head >> 4
            if step:
                number += step
            else:
                number, at = self._signed(at)
            if kind in (_TRUE, _FALSE):
                found[number] = kind == _TRUE
            else:
                found[number], at = self._value(at, kind, depth)
        return found, at + 1

    def _value(self, at: int, kind: int, depth: int) -> tuple[Any, int]:
        if 4 <= kind <= 6:
            return self._signed(at)
        if kind == _BINARY:
            length, at = self._unsigned(at)
            if length > len(self._data) - at:
                msg = "a text that is longer than the file"
                raise ValueError(msg)
            return bytes(self._data[at : at + length]), at + length
        if kind == _STRUCT:
            return self.struct(at, depth + 1)
        if kind in (_LIST, _SET):
            return self._list(at, depth + 1)
        if kind == _BYTE:
            return self._data[at], at + 1
        if kind == _DOUBLE:
            return struct.unpack_from("<d", self._data, at)[0], at + 8
        msg = f"a field of the unknown kind {kind}"
        raise ValueError(msg)

    def _list(self, at: int, depth: int) -> tuple[list[Any], int]:
        head = self._data[at]
        at += 1
        kind, length = head & 15, head >> 4
        if length == 15:
            length, at = self._unsigned(at)
        if length > len(self._data) - at or depth > _DEPTH:
            msg = "a list that is longer than the file"
            raise ValueError(msg)
        if length > self._most:
            raise _LongList(length)
        found = []
        for _ in range(length):
            if kind in (_TRUE, _FALSE):
                item, at = self._data[at] == _TRUE, at + 1
            else:
                item, at = self._value(at, kind, depth)
            found.append(item)
        return found, at

    def _unsigned(self, at: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            byte = self._data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value, at
            shift += 7
            if shift > 63:
                msg = "a number that is too long"
                raise ValueError(msg)

    def _signed(self, at: int) -> tuple[int, int]:
        value, at = self._unsigned(at)
        return (value >> 1) ^ -(value & 1), at
