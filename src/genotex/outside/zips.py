"""Zip archives and Excel workbooks: members, sizes and XML are checked before they are read."""

from __future__ import annotations

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO
from xml.parsers import expat

from genotex.errors import FormatError, UsageError
from genotex.outside.limits import Gauge, Limits, current_limits

_CHUNK = 1 << 16
_ENTRY = b"PK\x01\x02"
"""Start of a member's entry in the directory of a zip archive."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ELEMENT_BYTES = 64
"""Memory of an element of XML, about."""
_LAST_ROW, _LAST_COLUMN = 1 << 20, 1 << 14
"""Rows and columns of a sheet (ECMA-376): more is not a workbook."""
_LINKED = "xl/externalLinks/"
_PLACE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_WORKBOOK = "an Excel workbook"
_SAVE_AS = "save it again as .xlsx or as .csv"


def check_zip(
    handle: BinaryIO, path: Path, limits: Limits | None = None, kind: str = "a zip archive"
) -> None:
    """Refuse an archive that unpacks to too much, or whose members are not plain files inside it.

    `handle`: the open file. `path`: Named in errors; not opened. `limits`: Those of the process by
    default. `kind`: what the file should be, for messages.
    """
    limits = limits or current_limits()
    _refuse_many(handle, path, limits)
    with _archive(handle, path, kind) as archive:
        _check_members(archive, handle, path, limits)


def _refuse_many(handle: BinaryIO, path: Path, limits: Limits) -> None:
    """Refuse an archive with too many members before its directory is read."""
    handle.seek(0)
    found, before = 0, b""
    while piece := handle.read(1 << 20):
        found += (before + piece).count(_ENTRY)
        before = piece[-len(_ENTRY) + 1 :]
    limits.check("objects", found, f"has {found:,} members", path)


def _archive(handle: BinaryIO, path: Path, kind: str) -> zipfile.ZipFile:
    handle.seek(0)
    try:
        return zipfile.ZipFile(handle)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        msg = f"is not {kind} that can be read: {error}"
        raise FormatError(msg, path=path, hint=_SAVE_AS) from error


def _check_members(archive: zipfile.ZipFile, handle: BinaryIO, path: Path, limits: Limits) -> None:
    packed = handle.seek(0, os.SEEK_END)
    gauge, taken = Gauge(packed, path, limits), 0
    names: set[str] = set()
    for member in archive.infolist():
        if why := _why_not(member, names):
            msg = f"has a member {member.filename[:80]!r} {why}"
            raise FormatError(msg, path=path, hint=_SAVE_AS)
        names.add(member.filename)
        taken += member.compress_size
        gauge.add(member.file_size)
    if taken > packed:
        msg = "has members that overlap, which is how archives hide their size"
        raise FormatError(msg, path=path, hint=_SAVE_AS)


def _why_not(member: zipfile.ZipInfo, names: set[str]) -> str:
    """Return why a member is refused, empty if it is not."""
    name = member.filename
    kind = stat.S_IFMT(member.external_attr >> 16)
    if name in names:
        return "twice"
    if name.startswith(("/", "\\")) or name[1:2] == ":" or "\\" in name:
        return "with an absolute path or a backslash"
    if ".." in PurePosixPath(name).parts:
        return "whose name leads out of the archive"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "that is a link or a device"
    if member.flag_bits & 1:
        return "that is encrypted"
    if member.compress_type not in _METHODS:
        return "packed by a method that workbooks do not use"
    return ""


def need_openpyxl() -> Any:
    """Return the library of workbooks."""
    try:
        import openpyxl
    except ImportError as error:
        msg = (
            "Excel workbooks need the package openpyxl, which is not installed: install it with "
            "'pip install openpyxl', or use a .csv file"
        )
        raise UsageError(msg) from error
    return openpyxl


def read_sheets(
    handle: BinaryIO, path: Path, limits: Limits | None = None
) -> dict[str, list[tuple[Any, ...]]]:
    """Read the values of every sheet of a workbook; formulas give the values last computed.

    `handle`: the open file: the one that is checked is the one that is read. `path`: Named in
    errors; not opened. `limits`: Those of the process by default. Returns sheet -> rows, from the
    first; a row ends with its last cell that is there.
    """
    limits = limits or current_limits()
    library = need_openpyxl()
    check_zip(handle, path, limits, _WORKBOOK)
    with _archive(handle, path, _WORKBOOK) as archive:
        packed = sum(member.compress_size for member in archive.infolist())
        scan = _Scan(Gauge(packed, path, limits, "memory"), path, limits)
        for member in archive.infolist():
            if member.filename.startswith(_LINKED):
                msg = "is linked to other workbooks, which are never opened"
                hint = "break the links in the spreadsheet (Data, Edit Links), or save it as .csv"
                raise FormatError(msg, path=path, hint=hint)
            scan.part(archive, member)
    handle.seek(0)
    try:
        book = library.load_workbook(handle, read_only=True, data_only=True, keep_links=False)
        text = Gauge(packed, path, limits, "memory")
        return {sheet.title: list(_rows(sheet, text)) for sheet in book.worksheets}
    except FormatError:
        raise
    # The library raises whatever a damaged archive or its XML makes it raise.
    except Exception as error:
        msg = f"is not {_WORKBOOK} that can be read: {error}"
        raise FormatError(msg, path=path, hint=_SAVE_AS) from error


def _rows(sheet: Any, text: Gauge) -> Iterator[tuple[Any, ...]]:
    # The range that a sheet states may be any; the scan has counted the cells.
    sheet.reset_dimensions()
    for row in sheet.values:
        text.add(sum(len(cell) for cell in row if isinstance(cell, str)))
        yield tuple(row)


class _Scan:
    """Walks through the XML of a workbook before it is read, and counts what it would become."""

    def __init__(self, gauge: Gauge, path: Path, limits: Limits) -> None:
        self._gauge, self._path, self._limits = gauge, path, limits
        self._cells = self._claimed = self._row = self._column = self._depth = 0

    def part(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
        """Walk through one part; what is not XML ends at once, as it does for the reader."""
        self._row = self._column = self._depth = 0
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._refuse_dtd
        parser.EntityDeclHandler = self._refuse_dtd
        try:
            with archive.open(member) as content:
                while piece := content.read(_CHUNK):
                    parser.Parse(piece)
                parser.Parse(b"", True)
        except expat.ExpatError:
            return
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError) as error:
            msg = f"is not {_WORKBOOK} that can be read: {error}"
            raise FormatError(msg, path=self._path, hint=_SAVE_AS) from error

    def _refuse_dtd(self, *_: object) -> None:
        msg = "has a document type or entities in its XML, which no spreadsheet writes"
        raise FormatError(msg, path=self._path, hint=_SAVE_AS)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._gauge.add(_ELEMENT_BYTES)
        self._depth += 1
        if self._depth > self._limits.depth:
            what = f"has XML nested {self._depth} levels deep"
            self._limits.refuse("depth", what, self._path, 2 * self._depth)
        name = tag.rpartition(" ")[2]
        if name == "row":
            given = attributes.get("r", "")
            row = int(given) if given.isdecimal() and len(given) < 12 else self._row + 1
            # Rows that are left out become empty ones.
            self._claim(max(1, row - self._row), row, 0)
            self._row, self._column = row, 0
        elif name == "c":
            place = _PLACE.fullmatch(attributes.get("r", "").upper())
            column = _number(place[1]) if place else self._column + 1
            self._cells += 1
            self._claim(max(1, column - self._column), self._row, column)
            self._column = column

    def _end(self, _: str) -> None:
        self._depth -= 1

    def _claim(self, cells: int, row: int, column: int) -> None:
        self._claimed += cells
        if row > _LAST_ROW or column > _LAST_COLUMN:
            msg = f"has a cell in row {row:,}, column {column:,}, beyond the end of any sheet"
            raise FormatError(msg, path=self._path, hint=_SAVE_AS)
        if self._claimed > self._limits.workbook:
            what = f"has {self._claimed:,} cells and more"
            self._limits.refuse("workbook", what, self._path, 2 * self._claimed)
        self._limits.check_padding(self._claimed, self._cells, self._path)


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number
