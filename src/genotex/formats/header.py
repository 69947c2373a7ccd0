"""The header of a series matrix: quoted cells, wrapped values, ragged lines."""

from __future__ import annotations

from dataclasses import dataclass, field

from genotex.errors import FormatError, TruncatedFileError
from genotex.formats.lines import LineReader
from genotex.formats.markers import is_marker
from genotex.formats.raw import FETCH_AGAIN
from genotex.formats.series import Cells

__all__ = ["TABLE_BEGIN", "MatrixHeader", "fit_cells", "read_header", "split_cells"]

TABLE_BEGIN = "!series_matrix_table_begin"
_STARTS = ("!series_", "!sample_")
_LONGEST_VALUE = 1 << 20
_MOST_LINES = 10_000
"""Where the lines of a value end that is never closed; real ones have some hundred lines."""


@dataclass
class MatrixHeader:
    """Everything above the table."""

    series_fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sample_lines: list[tuple[str, int, list[str | None]]] = field(default_factory=list)
    """Field name without prefix, line number, cells."""
    has_table: bool = False
    notes: list[str] = field(default_factory=list)


def read_header(reader: LineReader) -> MatrixHeader:
    """Read all ``!Series_*`` and ``!Sample_*`` lines up to the begin of the table."""
    header = MatrixHeader()
    series: dict[str, list[str]] = {}
    while (text := reader.next_line()) is not None:
        line = reader.line
        name, _, rest = text.partition("\t")
        name = name.strip().strip('"')
        if is_marker(name, TABLE_BEGIN):
            header.has_table = True
            break
        if name.startswith("!Series_"):
            cells = _read_cells(reader, rest, header, line)
            values = series.setdefault(name.removeprefix("!Series_"), [])
            values.extend(cell or "" for cell in _without_empty_end(cells, 1))
        elif name.startswith("!Sample_"):
            cells = _read_cells(reader, rest, header, line)
            header.sample_lines.append((name.removeprefix("!Sample_"), line, cells))
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
    reader: LineReader, rest: str, header: MatrixHeader, first: int
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


def fit_cells(
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
