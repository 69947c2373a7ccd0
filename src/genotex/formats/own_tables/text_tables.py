"""Text of a table in any dialect: separator, decimal sign, comments, a header one cell short."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import polars as pl

from genotex.errors import FormatError, NotDataError, TruncatedFileError
from genotex.formats.lines import BYTE_ORDER_MARK, as_utf8, refuse_other_contents
from genotex.formats.own_tables.table_file import TableFile, TableFormat
from genotex.formats.tables import MISSING_WORDS
from genotex.outside import (
    CHUNK,
    FETCH_AGAIN,
    Gauge,
    Packing,
    Schema,
    StoredFile,
    current_limits,
    packing_of,
    parse_rows,
    read_whole,
    stored_file,
    unpack,
    zstd_size,
)

_SIGNS = {"\t": "tabs", ";": "semicolons", ",": "commas", " ": "spaces", "|": "bars"}
_LINES, _FEWEST_LINES, _ENOUGH_TEXT = 40, 4, 1 << 20
_DIGITS = 3
_JUDGED, _MOST_JUDGED = 200, 4 << 20
_PREFACE = re.compile(
    rb"\A(?:TYPE\t.*?\n(?=FEATURES\t)|.*?\[(?:Data|Sample (?:Probe|Gene) Profile)\][^\n]*\n"
    rb"|Illumina Inc\. .*?\n(?=\"?(?:PROBE_?ID|TargetID|ID_REF|SYMBOL)\b))",
    re.DOTALL | re.IGNORECASE,
)
"""What Agilent's and Illumina's programs write above a table."""
_MOST_PREFACE = 1 << 16
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+(?:[eE][-+]?\d+)?")
_DECIMAL_POINT = re.compile(r"-?\d*\.\d+(?:[eE][-+]?\d+)?")
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_UNLIKE_NUMBER = re.compile(r"[^\d.,eE+-]")
_QUOTED = re.compile(r'(?:^|(?<=[\t;, |]))"(?:[^"]|"")*+"(?=[\t;, |\r]|$)')


def _read_text(path: Path, numbers: bool) -> TableFile:
    return read_text_table(stored_file(path), numbers=numbers)


def read_text_table(file: StoredFile, *, numbers: bool = True) -> TableFile:
    """Read a table of text, whatever its separator and compression."""
    path = file.place
    data = _utf8(_unpacked(file))
    start, line = _skip_comments(data)
    _refuse_wide(data, start, path)
    dialect = _dialect(_first_lines(data, start), path, line)
    end_of_header = data.find(b"\n", start)
    if end_of_header < 0:
        msg = "has a header and no rows"
        raise FormatError(msg, path=path)
    # A series matrix ends in "!series_matrix_table_end".
    end = data.rfind(b"\n!", max(end_of_header, len(data) - 100))
    body = data[end_of_header + 1 : end + 1 if end > 0 else None]
    del data
    if dialect.sign == " ":
        body = re.sub(rb" +", b" ", re.sub(rb"(?m)^ +| +$", b"", body))
    _refuse_cut(body, dialect, path)
    _refuse_large(body, dialect, path)
    body = _padded(body, dialect)
    columns = _columns(body, dialect, path, line + 1, numbers=numbers)
    form = f"text with {_SIGNS[dialect.sign]} between cells"
    if dialect.decimal_comma:
        form += " and decimal commas"
    if dialect.thousands:
        form += " and commas between thousands"
    return TableFile(path, path.name, form, dialect.header, columns, line + 1, tuple(dialect.notes))


def _refuse_wide(data: bytes, start: int, path: Path) -> None:
    """Refuse a header with too many columns before it is split."""
    end = data.find(b"\n", start)
    header = data[start : end if end >= 0 else None]
    columns = 1 + max(header.count(sign.encode()) for sign in _SIGNS)
    current_limits().check("columns", columns, f"has up to {columns:,} columns", path)


def _refuse_large(body: bytes, dialect: _Dialect, path: Path) -> None:
    """Refuse more cells than there may be, also those that short rows leave out."""
    limits, width = current_limits(), len(dialect.header)
    # No table has more cells than this; most need not be counted.
    if len(body) * width * 8 <= limits.free:
        return
    rows = body.count(b"\n") + (not body.endswith(b"\n"))
    limits.check_table(rows, width, path)
    if rows * width * 8 > limits.free:
        limits.check_padding(rows * width, rows + body.count(dialect.sign.encode()), path)


def _padded(body: bytes, dialect: _Dialect) -> bytes:
    """Return the rows with all cells in the first: polars takes the width from it."""
    first = body[: body.find(b"\n")] if b"\n" in body else body
    if not first.strip():
        return body
    lacking = len(dialect.header) - len(_cells(first.decode(errors="replace"), dialect.sign))
    return first + dialect.sign.encode() * lacking + body[len(first) :] if lacking > 0 else body


def _refuse_cut(body: bytes, dialect: _Dialect, path: Path) -> None:
    """Refuse a last line that lacks cells and its line end."""
    if body.endswith(b"\n") or not body:
        return
    last = body[body.rfind(b"\n") + 1 :].decode(errors="replace")
    if last.strip() and len(_cells(last, dialect.sign)) < len(dialect.header):
        msg = "the last line is cut off"
        raise TruncatedFileError(msg, path=path, hint=FETCH_AGAIN)


def _unpacked(file: StoredFile) -> bytes:
    """Return the contents of a file, unpacked; judged by content, not by name."""
    path, size = file.place, file.size
    try:
        with file.open() as handle:
            gauge = Gauge(size, path)
            first = handle.read(6)
            handle.seek(0)
            packing = packing_of(first)
            if packing is Packing.ZSTD:
                data = _zstd(handle, path, gauge)
            elif packing is not None:
                data = b"".join(unpack(handle, path, gauge))
            else:
                data = read_whole(handle, size, gauge)
                if first.startswith(_UTF16):
                    return data.decode("utf-16").encode()
            refuse_other_contents(data[:CHUNK], path)
            return data
    except UnicodeDecodeError as error:
        msg = f"the text is damaged: {error}"
        raise TruncatedFileError(msg, path=path, hint=FETCH_AGAIN) from error


def _zstd(handle: BinaryIO, path: Path, gauge: Gauge) -> bytes:
    """Unpack by polars, whose readers know zstd: each line is one cell of a single column."""
    gauge.add(zstd_size(handle, path))
    handle.seek(0)
    try:
        lines = parse_rows(handle, {"line": pl.String}, separator="\x01", lossy=True)["line"]
    except (pl.exceptions.PolarsError, OSError) as error:
        msg = f"the zstd data cannot be unpacked: {error}"
        raise TruncatedFileError(msg, path=path, hint=FETCH_AGAIN) from error
    return ("\n".join(lines.fill_null("").to_list()) + "\n").encode()


def _utf8(data: bytes) -> bytes:
    data = data.removeprefix(BYTE_ORDER_MARK)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return as_utf8(data)


def _skip_comments(data: bytes) -> tuple[int, int]:
    """Return where the header starts, and the number of its line."""
    # A comment in the last line before the first row may be the header itself: "#gene<tab>A<tab>B".
    at, line = 0, 1
    if preface := _PREFACE.search(data[:_MOST_PREFACE]):
        at, line = preface.end(), data.count(b"\n", 0, preface.end()) + 1
    while at < len(data):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        text = data[at:end].strip()
        excel = re.fullmatch(rb'"?sep=.?"?', text)
        if text and not excel and not text.startswith((b"#", b"!", b"%%")):
            break
        if text.startswith(b"#") and _heads(data[at:end], data[end + 1 : end + 1 + 100_000]):
            break
        at, line = end + 1, line + 1
    return _skip_sizes(data, at, line)


def _heads(comment: bytes, below: bytes) -> bool:
    """Return whether a line that begins with # has as many cells as the line below it."""
    following = below.split(b"\n", 1)[0]
    tabs = comment.count(b"\t")
    return tabs > 0 and tabs == following.count(b"\t") and not following.startswith(b"#")


def _skip_sizes(data: bytes, at: int, line: int) -> tuple[int, int]:
    """Skip the line with the numbers of rows and columns of a GCT file."""
    end = data.find(b"\n", at)
    sizes = re.fullmatch(rb"\d+\t\d+\s*", data[at:end]) if end > 0 else None
    if sizes and data[end + 1 : end + 5].lower() == b"name":
        return end + 1, line + 1
    return at, line


@dataclass(frozen=True)
class _Dialect:
    """How the text of a table is written."""

    sign: str
    header: tuple[str, ...]
    decimal_comma: bool = False
    thousands: bool = False
    notes: tuple[str, ...] = ()


def _first_lines(data: bytes, start: int) -> list[str]:
    """Return the header and the first rows, whole; lines of 60,000 genes are long."""
    lines: list[str] = []
    at = start
    while at < len(data) and len(lines) <= _LINES:
        if len(lines) >= _FEWEST_LINES and at - start > _ENOUGH_TEXT:
            break
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        text = data[at:end].decode(errors="replace")
        lines += [text] if text.strip() else []
        at = end + 1
    return lines


def _dialect(lines: Sequence[str], path: Path, line: int) -> _Dialect:
    if not lines:
        msg = "the file is empty"
        raise TruncatedFileError(msg, path=path, hint=FETCH_AGAIN)
    if lines[0].lstrip().startswith("<"):
        msg = "an HTML or XML page in place of the data"
        raise NotDataError(msg, path=path, hint="fetch the file again")
    sign = _separator(lines)
    if sign is None:
        msg = "is not a table with several columns: no tab, comma, semicolon or space separates it"
        hint = "a table has a header line and at least two columns"
        raise FormatError(msg, path=path, line=line, hint=hint)
    header, *rows = (_cells(text, sign) for text in lines)
    width = _width(len(header), [len(row) for row in rows])
    notes = []
    header[0] = header[0].removeprefix("#").strip() if header[0].startswith("#") else header[0]
    if len(header) == width - 1 and not any(row[-1].strip() for row in rows if len(row) == width):
        header = [*header, ""]
    elif len(header) == width - 1:
        header = ["", *header]
        notes.append("the header is one cell short, as R writes row names")
    while len(header) > width and not header[-1].strip():
        header.pop()
    if len(header) != width:
        msg = f"the header has {len(header)} cells and most rows have {width}"
        raise FormatError(msg, path=path, line=line, hint="separate cells in the same way")
    names = tuple(cell.strip() for cell in header)
    return _with_decimals(_Dialect(sign, names, notes=tuple(notes)), rows)


def _width(header: int, rows: Sequence[int]) -> int:
    """Return the number of columns: that of the header, unless most rows have more."""
    if not rows or max(rows) <= header:
        # Some programs leave out empty cells at the end of a row.
        return header
    return Counter(rows).most_common(1)[0][0]


def _separator(lines: Sequence[str]) -> str | None:
    """Return the sign that splits the lines into the same number of cells, more than one."""
    found = {}
    # A sign between quotes separates nothing.
    bare = [text if text.count('"') % 2 else _QUOTED.sub("x", text) for text in lines]
    for rank, sign in enumerate(_SIGNS):
        header, *rows = (len(_cells(text, sign)) for text in bare)
        width, often = Counter(rows).most_common(1)[0] if rows else (header, 1)
        same = often / max(1, len(rows))
        if width > 1 and same > 0.8 and header in (width, width - 1, width + 1):
            found[sign] = (same, -rank)
        elif rows and 1 < max(rows) <= header:
            found[sign] = (same - 1, -rank)
    return max(found, key=lambda sign: found[sign], default=None)


def _cells(text: str, sign: str) -> list[str]:
    if text.count('"') % 2:
        return text.split(sign)
    try:
        return next(csv.reader([text], delimiter=sign, skipinitialspace=sign == " "), [""])
    except csv.Error:
        return text.split(sign)


def _with_decimals(dialect: _Dialect, rows: Sequence[Sequence[str]]) -> _Dialect:
    """Find out whether commas in numbers are decimal signs or separate thousands."""
    cells = [cell.strip() for row in rows for cell in row[1:]]
    commas = [c for c in cells if "," in c and not _UNLIKE_NUMBER.search(c)]
    if not commas:
        return dialect
    thousands = sum(_THOUSANDS.fullmatch(c) is not None for c in commas)
    decimal = sum(_DECIMAL_COMMA.fullmatch(c) is not None for c in commas)
    points = any(_DECIMAL_POINT.fullmatch(c) for c in cells)
    whole = [len(c) for c in cells if c.isdecimal()]
    # "1,234" may be either: in a table of whole numbers, 999 has no comma and 1000 has one.
    small = bool(whole) and max(whole) <= _DIGITS
    small = small and not any(c.lstrip("-").startswith("0") for c in commas)
    if thousands == len(commas) and (points or small or decimal < len(commas)):
        return replace(dialect, thousands=True)
    if decimal == len(commas) and dialect.sign != ",":
        return replace(dialect, decimal_comma=True)
    return dialect


def _columns(
    body: bytes, dialect: _Dialect, path: Path, line: int, *, numbers: bool
) -> pl.DataFrame:
    names = [f"c{i}" for i in range(len(dialect.header))]
    text = dict.fromkeys(names, pl.String)
    if not numbers:
        return _parsed(body, dialect, text, path, line)
    head = _parsed(_first_rows(body), dialect, text, path, line)
    typed: dict[str, type[pl.DataType]] = {name: _guess(head[name], dialect) for name in names}
    typed[names[0]] = pl.String
    try:
        if not dialect.thousands:
            return _polars(body, dialect, typed)
    except pl.exceptions.PolarsError:
        # Some cell is not what the first rows promised.
        pass
    frame = _parsed(body, dialect, text, path, line)
    return frame.select(
        frame[names[0]], *(_as_numbers(column, dialect) for column in frame.get_columns()[1:])
    )


def _first_rows(body: bytes) -> bytes:
    """Return the rows by which the columns are judged, whole."""
    at = 0
    for number in range(_JUDGED):
        end = body.find(b"\n", at)
        if end < 0:
            return body
        at = end + 1
        if number and at > _MOST_JUDGED:
            break
    return body[:at]


def _parsed(body: bytes, dialect: _Dialect, schema: Schema, path: Path, line: int) -> pl.DataFrame:
    try:
        return _polars(body, dialect, schema)
    except pl.exceptions.PolarsError as error:
        if body.count(b'"') % 2:
            # A quotation mark that is part of a cell, as in 5".
            with suppress(pl.exceptions.PolarsError):
                return _polars(body, dialect, schema, quotes=False)
        raise _irregular(body, dialect, path, line, error) from error


def _polars(body: bytes, dialect: _Dialect, schema: Schema, *, quotes: bool = True) -> pl.DataFrame:
    if not body[:1000].strip() and not body.strip():
        return pl.DataFrame(schema=schema)
    return parse_rows(
        body,
        schema,
        separator=dialect.sign,
        quotes=quotes,
        missing=MISSING_WORDS[1:],
        decimal_comma=dialect.decimal_comma,
    )


def _irregular(
    body: bytes, dialect: _Dialect, path: Path, line: int, error: Exception
) -> FormatError:
    """Return an error that names the first line of another width."""
    width = len(dialect.header)
    for number, text in enumerate(io.BytesIO(body), line):
        cells = len(_cells(text.decode(errors="replace").rstrip("\n"), dialect.sign))
        if text.strip() and cells > width:
            msg = f"{cells} cells in a table of {width} columns"
            return FormatError(msg, path=path, line=number, hint="correct the line")
    if body.count(b'"') % 2:
        msg = "a quotation mark is opened and not closed"
        return FormatError(msg, path=path, hint="remove it, or save the table again")
    first = str(error).splitlines()[0]
    return FormatError(f"is not a table that can be read: {first}", path=path)


def _guess(column: pl.Series, dialect: _Dialect) -> type[pl.DataType]:
    """Return the type of a column by its first cells; of an empty one, a number."""
    return _as_numbers(column, dialect).dtype.base_type()


def _as_numbers(column: pl.Series, dialect: _Dialect) -> pl.Series:
    """Return the column as numbers where every cell is one or is missing, else as it is."""
    cells = column.str.strip_chars(' "')
    cells = cells.set(cells.is_in(list(MISSING_WORDS)), None)
    if dialect.thousands:
        cells = cells.str.replace_all(",", "", literal=True)
    elif dialect.decimal_comma:
        cells = cells.str.replace(",", ".", literal=True)
    numbers = cells.cast(pl.Float64, strict=False)
    return column if numbers.null_count() > cells.null_count() else numbers


FORMATS = (
    TableFormat(
        (".csv", ".tsv", ".txt", ".tab", ".tabular", ".gct", ".counts", ".out", ".results", ".sf"),
        _read_text,
        ".csv, .tsv, .txt (also with .gz, .bz2, .zst, .xz)",
        is_text=True,
    ),
)
