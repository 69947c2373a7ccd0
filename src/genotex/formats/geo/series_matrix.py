"""The GEO series matrix file: annotation of the samples, and their expression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from genotex.errors import FormatError, SuperSeriesError, TruncatedFileError
from genotex.formats.geo.kept_matrices import kept_matrix
from genotex.formats.geo.series import Cells, ExpressionMatrix, Series
from genotex.formats.lines import LineReader, is_gzip, is_marker, read_ahead
from genotex.formats.tables import ValueTable, average_duplicates, first_repeated
from genotex.outside import FETCH_AGAIN, current_limits
from genotex.words import some_names

_TABLE_BEGIN = "!series_matrix_table_begin"
_STARTS = ("!series_", "!sample_")
_LONGEST_VALUE = 1 << 20
_MOST_LINES = 10_000
"""Where the lines of a value end that is never closed; real ones have some hundred lines."""


@dataclass
class _MatrixHeader:
    """Everything above the table."""

    series_fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sample_lines: list[tuple[str, int, list[str | None]]] = field(default_factory=list)
    """Field name without prefix, line number, cells."""
    has_table: bool = False
    notes: list[str] = field(default_factory=list)


def read_header(reader: LineReader) -> _MatrixHeader:
    """Read all ``!Series_*`` and ``!Sample_*`` lines up to the begin of the table."""
    header = _MatrixHeader()
    series: dict[str, list[str]] = {}
    limits, held = current_limits(), 0
    while (text := reader.next_line()) is not None:
        line = reader.line
        held += 1
        limits.check("values", held, f"has {held:,} lines and cells above the table", reader.path)
        name, _, rest = text.partition("\t")
        name = name.strip().strip('"')
        if is_marker(name, _TABLE_BEGIN):
            header.has_table = True
            break
        if name.startswith("!Series_"):
            cells = _read_cells(reader, rest, header, line)
            values = series.setdefault(name.removeprefix("!Series_"), [])
            values.extend(cell or "" for cell in _without_empty_end(cells, 1))
        elif name.startswith("!Sample_"):
            cells = _read_cells(reader, rest, header, line)
            header.sample_lines.append((name.removeprefix("!Sample_"), line, cells))
            held += len(cells)
        elif text.strip() and not series and not header.sample_lines:
            raise _not_a_matrix(text, reader)
    header.series_fields = {name: tuple(values) for name, values in series.items()}
    if not series and not header.sample_lines:
        msg = "no !Series_ or !Sample_ line above the table: not a whole series matrix"
        raise TruncatedFileError(msg, path=reader.path, hint=FETCH_AGAIN)
    return header


def _not_a_matrix(text: str, reader: LineReader) -> FormatError:
    msg = "not a series matrix: its lines should start with !Series_ or !Sample_"
    hint = FETCH_AGAIN
    if text.startswith("^"):
        hint = "this is a SOFT file: read it as family SOFT or platform"
    return FormatError(msg, path=reader.path, line=reader.line, hint=hint)


def _read_cells(
    reader: LineReader, rest: str, header: _MatrixHeader, first: int
) -> list[str | None]:
    """Split a line, taking in the lines below while a quoted value is still open."""
    cells, is_open = split_cells(rest)
    while is_open:
        lines, behind = _value_below(reader)
        cells[-1] = "\n".join([cells[-1] or "", *lines]) or None
        if behind is None:
            header.notes.append(f"line {first}: a quoted value is never closed; read as is")
            break
        more, is_open = split_cells(behind[1:]) if behind else ([], False)
        cells.extend(more)
    return cells


def _value_below(reader: LineReader) -> tuple[list[str], str | None]:
    """Return the continuation lines of an open value, and the text after its closing quote."""
    lines: list[str] = []
    size = 0
    while (text := reader.next_line()) is not None:
        size += len(text)
        if _starts_field(text) or size > _LONGEST_VALUE or len(lines) >= _MOST_LINES:
            reader.step_back()
            break
        value, end, is_open = _quoted_cell(text, 0)
        lines.append(value)
        if not is_open:
            return lines, text[end:]
    return lines, None


def _starts_field(text: str) -> bool:
    """Return whether a line opens a field or the table, which ends any open value."""
    return text[:20].strip('" ').lower().startswith(_STARTS)


def split_cells(text: str) -> tuple[list[str | None], bool]:
    """Split a line at its tabs, minding quotes."""
    if '"' not in text:
        return [cell or None for cell in text.split("\t")], False
    if text.startswith('"') and text.endswith('"') and len(text) > 1:
        plain = text[1:-1].split('"\t"')
        if text.count('"') == 2 * len(plain):
            return [cell or None for cell in plain], False
    cells: list[str | None] = []
    at = 0
    while True:
        if text.startswith('"', at):
            cell, at, is_open = _quoted_cell(text, at + 1)
            cells.append(cell or None)
            if is_open:
                return cells, True
        else:
            end = text.find("\t", at)
            end = end if end >= 0 else len(text)
            cells.append(text[at:end] or None)
            at = end
        if at >= len(text):
            return cells, False
        at += 1


def _quoted_cell(text: str, start: int) -> tuple[str, int, bool]:
    at = start
    while (quote := text.find('"', at)) >= 0:
        behind = quote + 1
        while text.startswith('"', behind):
            behind += 1
        if behind == len(text) or text[behind] == "\t":
            return text[start : behind - 1].replace('""', '"'), behind, False
        at = behind
    return text[start:].replace('""', '"'), len(text), True


def _without_empty_end(cells: list[str | None], least: int) -> list[str | None]:
    end = len(cells)
    while end > least and not cells[end - 1]:
        end -= 1
    return cells[:end]


def _fit_cells(
    cells: list[str | None], width: int, name: str, line: int, reader: LineReader
) -> tuple[Cells, str | None]:
    """Make a ragged line as wide as there are samples."""
    if len(cells) > width:
        cells = _without_empty_end(cells, width)
    if len(cells) > width:
        msg = f"{len(cells)} cells for {width} samples: it is unclear which belongs to which"
        hint = "fetch the file again, or correct the line by hand"
        place = f"!Sample_{name}"
        raise FormatError(msg, path=reader.path, line=line, field=place, hint=hint)
    if len(cells) == width:
        return tuple(cells), None
    note = (
        f"line {line}: !Sample_{name} has {len(cells)} cells for {width} samples; "
        "the last ones were taken as empty"
    )
    return (*cells, *[None] * (width - len(cells))), note


TABLE_END = "!series_matrix_table_end"


def read_series_matrix(
    path: Path | str, *, expression: bool = True, numbers: bool = True
) -> Series:
    """Read a GEO series matrix.

    The table is read in blocks, so that memory holds little more than the values. A cell that is
    missing (``NA``, ``null``, ``NaN``, ``--``, empty ...) is NaN; any other non-numeric cell is NaN
    and counted in the notes; rows of the same id are averaged and counted.

    `path`: ``GSE..._series_matrix.txt``, gzip or plain. `expression`: whether to read the table;
    without it, reading stops above the first row. `numbers`: whether to read its numbers; without
    them the expression has its ids and no samples, in a fraction of the time, and non-numeric cells
    go unnoticed. Returns header fields, and the expression in the order of
    ``!Sample_geo_accession``.
    """
    path, kept = Path(path), _kept.get()
    if not (expression and numbers):
        return _read(path, expression=expression, numbers=numbers)
    if kept is None:
        return _read_whole(path)
    state = path.stat()
    key = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)
    if key in kept:
        return replace(kept[key], path=path)
    found = _read_whole(path)
    kept.clear()
    if found.expression is not None and found.expression.values.nbytes <= _MOST_KEPT:
        found.expression.values.flags.writeable = False
        kept[key] = found
    return found


_MOST_KEPT = 128 << 20
_FileKey = tuple[int, int, int, int]
_kept: ContextVar[dict[_FileKey, Series] | None] = ContextVar("kept", default=None)


def keep_last_matrix() -> None:
    """From now on, read a matrix once where it is asked for again, also where it was moved."""
    _kept.set({})


def _read_whole(path: Path) -> Series:
    """Read a matrix, or its table as it was kept when it was read before."""
    if (kept := kept_matrix(path)) is None:
        return _read(path, expression=True, numbers=True)
    if (known := kept.read()) is not None:
        head = _read(path, expression=False, numbers=False)
        return replace(head, expression=known[0], notes=known[1])
    series = _read(path, expression=True, numbers=True)
    kept.keep(series)
    return series


def _read(path: Path, *, expression: bool, numbers: bool) -> Series:
    with LineReader(path) as reader:
        header, samples, columns = _read_head(reader)
        sample_fields = _sample_fields(reader, header, len(samples))
        if not header.has_table:
            msg = "the file ends above the table"
            raise TruncatedFileError(msg, path=path, line=reader.line, hint=FETCH_AGAIN)
        matrix = None
        if expression:
            matrix = _read_table(reader, header, samples, columns, numbers=numbers)
    return Series(path, samples, header.series_fields, sample_fields, matrix, tuple(header.notes))


def _read_head(reader: LineReader) -> tuple[_MatrixHeader, tuple[str, ...], list[str] | None]:
    """Read everything above the first row of the table."""
    header = read_header(reader)
    columns = _table_columns(reader, header)
    return header, _samples(reader, header, columns), columns


def _table_columns(reader: LineReader, header: _MatrixHeader) -> list[str] | None:
    """Return the sample names above the table, None if the table has not even those."""
    if not header.has_table:
        return None
    while (text := reader.next_line()) is not None:
        if is_marker(text, TABLE_END):
            reader.step_back()
            return None
        if text.strip():
            cells, _ = split_cells(text)
            names = [(cell or "").strip() for cell in cells[1:]]
            while names and not names[-1]:
                names.pop()
            return names
    msg = f"the line {TABLE_END} is missing"
    raise TruncatedFileError(msg, path=reader.path, line=reader.line, hint=FETCH_AGAIN)


def _samples(
    reader: LineReader, header: _MatrixHeader, columns: Sequence[str] | None
) -> tuple[str, ...]:
    rows = [cells for name, _, cells in header.sample_lines if name == "geo_accession"]
    named = [(cell or "").strip() for cell in rows[0]] if rows else list(columns or ())
    while named and not named[-1]:
        named.pop()
    if not named:
        if header.sample_lines:
            msg = "the samples are not named: no !Sample_geo_accession and no table columns"
            raise FormatError(msg, path=reader.path, hint=FETCH_AGAIN)
        is_whole = header.has_table or is_gzip(reader.path)
        raise no_samples_error(reader.path, header.series_fields, whole=is_whole)
    if (repeated := first_repeated(named)) is not None or "" in named:
        msg = f"sample {repeated} occurs twice" if "" not in named else "a sample without a name"
        field = "!Sample_geo_accession"
        raise FormatError(msg, path=reader.path, field=field, hint=FETCH_AGAIN)
    return tuple(named)


def no_samples_error(
    path: Path, series_fields: Mapping[str, Sequence[str]], *, whole: bool = True
) -> SuperSeriesError | TruncatedFileError:
    """Return the error for a series without samples, with its SubSeries where it names them."""
    parts = [
        value.partition(":")[2].strip()
        for value in series_fields.get("relation", ())
        if value.lower().startswith("superseries of")
    ]
    words = " ".join(value for values in series_fields.values() for value in values).lower()
    says_so = any(sign in words for sign in ("superseries", "refer to individual series"))
    if not says_so and not whole:
        return TruncatedFileError("the file ends above the samples", path=path, hint=FETCH_AGAIN)
    msg = "a SuperSeries: it has no samples or table of its own"
    hint = f"use its SubSeries {', '.join(parts)}" if parts else "use its SubSeries"
    return SuperSeriesError(msg, path=path, hint=hint)


def _sample_fields(
    reader: LineReader, header: _MatrixHeader, width: int
) -> dict[str, tuple[Cells, ...]]:
    fields: dict[str, list[Cells]] = {}
    written = sum(len(cells) for _, _, cells in header.sample_lines)
    current_limits().check_padding(len(header.sample_lines) * width, written, reader.path)
    for name, line, cells in header.sample_lines:
        fitted, note = _fit_cells(cells, width, name, line, reader)
        fields.setdefault(name, []).append(fitted)
        if note:
            header.notes.append(note)
    return {name: tuple(rows) for name, rows in fields.items()}


def _read_table(
    reader: LineReader,
    header: _MatrixHeader,
    samples: tuple[str, ...],
    columns: Sequence[str] | None,
    *,
    numbers: bool,
) -> ExpressionMatrix:
    if columns is None:
        columns = samples
    elif (repeated := first_repeated(columns)) is not None:
        msg = f"sample {repeated} has two columns in the table"
        raise FormatError(msg, path=reader.path, line=reader.line, hint=FETCH_AGAIN)
    order = _column_order(reader, header, samples, columns)
    table = ValueTable(reader.path, len(columns), numbers=numbers)
    with read_ahead(reader.table_blocks(TABLE_END)) as blocks:
        for block in blocks:
            table.add(block)
    reader.drain()
    order = order if numbers else []
    matrix, notes = _build_matrix(table, [columns[i] for i in order], order)
    header.notes.extend(notes)
    return matrix


def _column_order(
    reader: LineReader, header: _MatrixHeader, samples: Sequence[str], columns: Sequence[str]
) -> list[int]:
    """Return which table columns to take, in the order of the samples."""
    place = {name: i for i, name in enumerate(columns)}
    order = [place[name] for name in samples if name in place]
    if not order:
        msg = "no column of the table is a sample of !Sample_geo_accession"
        raise FormatError(msg, path=reader.path, line=reader.line, hint=FETCH_AGAIN)
    if absent := [name for name in samples if name not in place]:
        header.notes.append(
            f"{len(absent)} samples have no column in the table: {some_names(absent, 5)}"
        )
    if unknown := sorted(set(columns) - set(samples), key=columns.index):
        header.notes.append(
            f"{len(unknown)} columns of the table are not samples of the series and were left out: "
            f"{some_names(unknown, 5)}"
        )
    return order


def _build_matrix(
    table: ValueTable, samples: Sequence[str], order: Sequence[int]
) -> tuple[ExpressionMatrix, list[str]]:
    """Return the finished table with these columns, rows of the same id averaged, and notes."""
    ids, values, notes = table.finish()
    if list(order) != list(range(values.shape[1])):
        values = values[:, np.asarray(order, dtype=int)]
    if "" in ids:
        keep = [i for i, name in enumerate(ids) if name]
        notes.append(f"{len(ids) - len(keep)} rows without an id were left out")
        ids, values = [ids[i] for i in keep], values[keep]
    ids, values, repeated = average_duplicates(ids, values)
    if repeated:
        notes.append(f"{repeated} ids occur on several rows; these were averaged")
    return ExpressionMatrix(tuple(ids), tuple(samples), values), notes


def count_series_rows(path: Path) -> int:
    """Return the number of rows in the table of a series matrix, its header not counted."""
    # The file is read to its end, so that damaged gzip data are detected.
    with LineReader(path) as reader:
        read_header(reader)
        lines = reader.count_filled(TABLE_END)
        reader.drain()
    return max(lines - 1, 0)
