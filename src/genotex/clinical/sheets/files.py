"""Tables that people edit in a spreadsheet: CSV in any dialect, and Excel workbooks."""

from __future__ import annotations

import csv
import datetime
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genotex.errors import FileLimitError, FormatError, SampleSheetError, UsageError
from genotex.formats import inert, original
from genotex.io import atomic_write
from genotex.outside import current_limits, need_openpyxl, read_document, read_sheets

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

KINDS = (".csv", ".tsv", ".txt", ".xlsx")
_EXCEL = ".xlsx"
_SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_ZIP, _OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_SAVE_AS = "save it from the spreadsheet as .xlsx or as CSV UTF-8"
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_WIDEST_COLUMN = 50


@dataclass(frozen=True)
class SheetRow:
    """One row of a table: its number in the spreadsheet, and its cells by header."""

    number: int
    cells: dict[str, str]

    def __getitem__(self, header: str) -> str:
        """Return the cell under a header, empty where there is none."""
        return self.cells.get(header, "")


@dataclass(frozen=True)
class SheetTable:
    """A table as a person saved it."""

    path: Path
    headers: tuple[str, ...]
    """As in the file, without white space around them."""
    rows: tuple[SheetRow, ...]
    """Those with at least one cell that is not empty."""
    form: str
    """What the file was taken as: "text with semicolons between cells"."""


def read_sheet_table(path: Path) -> SheetTable:
    """Read a table that may have been through a spreadsheet.

    The separator is found by the header line; a byte order mark, Excel's ``sep=;`` line, UTF-16,
    empty rows and missing cells at the end of rows are accepted. Of a workbook the first sheet with
    a header ``sample`` is read. Whole numbers lose a trailing ``.0``; dates become ``2024-05-03``.

    Raises SampleSheetError if the file cannot be read as such a table.
    """
    try:
        data = read_document(path, "sheet")
    except OSError as error:
        msg = f"cannot be opened: {error.strerror or error}"
        raise SampleSheetError(msg, path=path) from error
    except FileLimitError:
        raise
    except FormatError as error:
        raise SampleSheetError(error.message, path=path) from error
    if data.startswith(_OLD_EXCEL):
        msg = "is an old Excel workbook (.xls)"
        raise SampleSheetError(msg, path=path, hint=_SAVE_AS)
    if data.startswith(_ZIP):
        records, form = _read_workbook(data, path)
    else:
        records, form = _read_text(data, path)
    return _table(path, records, form)


def _table(path: Path, records: Sequence[Sequence[str]], form: str) -> SheetTable:
    numbered = [(n, row) for n, row in enumerate(records, 1) if any(row)]
    if not numbered:
        msg = "has no rows"
        raise SampleSheetError(msg, path=path)
    headers = tuple(cell.strip() for cell in numbered[0][1])
    named = [header for header in headers if header]
    lower = [header.casefold() for header in named]
    repeated = sorted({name for name in named if lower.count(name.casefold()) > 1})
    if repeated:
        msg = f"has the column {' and '.join(map(repr, repeated))} twice"
        hint = "remove or rename one of the columns"
        raise SampleSheetError(msg, path=path, hint=hint)
    rows = []
    for number, row in numbered[1:]:
        if any(row[len(headers) :]):
            msg = f"row {number} has {len(row)} cells, and the header has {len(headers)}"
            hint = "quote cells that hold the separator, or save the file again"
            raise SampleSheetError(msg, path=path, hint=hint)
        cells = {h: c.strip() for h, c in zip(headers, row, strict=False) if h}
        rows.append(SheetRow(number, cells))
    return SheetTable(path, tuple(named), tuple(rows), form)


def _read_text(data: bytes, path: Path) -> tuple[list[list[str]], str]:
    text = _decoded(data, path)
    cells = max(map(text.count, _SIGNS)) + text.count("\n")
    current_limits().check("workbook", cells, f"has up to {cells:,} cells", path)
    first, _, rest = text.partition("\n")
    declared = re.fullmatch(r'"?sep=(.)"?\s*', first)
    if declared:
        text, sign = rest, declared[1]
    else:
        head = next((line for line in text.splitlines() if line.strip()), "")
        outside = re.sub(r'"[^"]*"', "", head)
        sign = max(_SIGNS, key=outside.count)
    try:
        records = list(csv.reader(io.StringIO(text, newline=""), delimiter=sign))
    except csv.Error as error:
        msg = f"is not a table: {error}"
        raise SampleSheetError(msg, path=path, hint=_SAVE_AS) from error
    records = [[original(cell.strip()) for cell in record] for record in records]
    # Row numbers are those of the spreadsheet, which hides the line of the separator.
    return records, f"text with {_SIGNS.get(sign, repr(sign))} between cells"


def _decoded(data: bytes, path: Path) -> str:
    if data.startswith(_UTF16):
        return data.decode("utf-16", errors="replace")
    if b"\0" in data[:4096]:
        msg = "is not a table of text"
        raise SampleSheetError(msg, path=path, hint=_SAVE_AS)
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def _read_workbook(data: bytes, path: Path) -> tuple[list[list[str]], str]:
    limits = current_limits()
    small = replace(limits, unpacked=min(limits.unpacked, limits.sheet))
    try:
        found = read_sheets(io.BytesIO(data), path, small)
    except FileLimitError:
        raise
    except FormatError as error:
        raise SampleSheetError(error.message, path=path, hint=error.hint) from error
    sheets = {
        title: [[_cell_text(cell) for cell in row] for row in rows] for title, rows in found.items()
    }
    if not sheets:
        msg = "has no worksheet"
        raise SampleSheetError(msg, path=path)
    named = next((name for name, rows in sheets.items() if _has_samples(rows)), next(iter(sheets)))
    more = f", sheet {named!r} of {len(sheets)}" if len(sheets) > 1 else ""
    return sheets[named], f"Excel workbook{more}"


def _has_samples(rows: Sequence[Sequence[str]]) -> bool:
    head: Sequence[str] = next((row for row in rows if any(row)), ())
    return "sample" in [cell.strip().casefold() for cell in head]


def _cell_text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return f"{cell:.0f}" if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.10g}"
    if isinstance(cell, datetime.datetime | datetime.date):
        return cell.isoformat()[:10]
    return str(cell)


def write_sheet_table(path: Path, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a table for a spreadsheet, whole or not at all; the kind is that of the name.

    Raises UsageError if the name ends in none of ``.csv``, ``.tsv``, ``.txt``, ``.xlsx``.
    """
    kind = path.suffix.lower()
    check_kind(path)
    if kind == _EXCEL:
        _write_workbook(path, headers, rows)
        return
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter="," if kind == ".csv" else "\t", lineterminator="\n")
    writer.writerows([inert(cell) for cell in row] for row in (headers, *rows))
    content = text.getvalue()
    # Excel takes a file for UTF-8 by this mark alone.
    encoding = "utf-8" if content.isascii() else "utf-8-sig"
    with atomic_write(path) as part:
        part.write_bytes(content.encode(encoding, errors="replace"))


def load_pairs(path: Path) -> dict[str, str]:
    """Load a table with the columns ``sample`` and ``pair``.

    Returns sample -> its pair; samples with an empty pair are not in it. Raises SampleSheetError if
    it lacks a column, or a sample is in it twice.
    """
    table = read_sheet_table(path)
    names = {header.casefold(): header for header in table.headers}
    if missing := [name for name in ("sample", "pair") if name not in names]:
        there = ", ".join(table.headers)
        msg = f"has no column {' and no column '.join(missing)}; it has: {there}"
        hint = "a table of pairs has the columns sample and pair"
        raise SampleSheetError(msg, path=path, hint=hint)
    pairs: dict[str, str] = {}
    for row in table.rows:
        sample, pair = row[names["sample"]], row[names["pair"]]
        if sample in pairs:
            msg = f"row {row.number}: {sample} is there twice; keep one of the rows"
            raise SampleSheetError(msg, path=path)
        if sample and pair:
            pairs[sample] = pair
    return pairs


def check_kind(path: Path) -> None:
    """Refuse a file name that is no table, and a workbook where its library is missing."""
    if path.suffix.lower() not in KINDS:
        msg = f"{path} must end in .csv, .tsv or .xlsx"
        raise UsageError(msg)
    if path.suffix.lower() == _EXCEL:
        need_openpyxl()


def _write_workbook(path: Path, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    library = need_openpyxl()
    book = library.Workbook()
    sheet: Worksheet = book.active
    sheet.title = "samples"
    for number, row in enumerate((headers, *rows), 1):
        for column, text in enumerate(row, 1):
            cell = sheet.cell(number, column)
            plain = _CONTROL.sub("", text)
            if _NUMBER.fullmatch(plain) and "," not in plain and f"{float(plain):.10g}" == plain:
                cell.value = float(plain)
            elif plain:
                # As a text, whatever it begins with.
                cell.value, cell.data_type = plain, "s"
    sheet.freeze_panes = "C2"
    for column, header in enumerate(headers, 1):
        sheet.cell(1, column).font = library.styles.Font(bold=True)
        longest = max((len(row[column - 1]) for row in rows), default=0)
        letter = library.utils.get_column_letter(column)
        width = min(max(longest, len(header)) + 2, _WIDEST_COLUMN)
        sheet.column_dimensions[letter].width = width
    with atomic_write(path) as part, part.open("wb") as handle:
        book.save(handle)
