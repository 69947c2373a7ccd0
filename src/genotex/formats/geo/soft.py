"""SOFT files and their platform annotation: family SOFT, GPL SOFT, GPL annot, plain tables."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from genotex.errors import FormatError, TruncatedFileError
from genotex.formats.lines import LineReader, is_marker, read_ahead
from genotex.formats.tables import text_rows, unique_names
from genotex.outside import FETCH_AGAIN

_TABLE_BEGIN = re.compile(r"!(\w*table)_begin", re.IGNORECASE)


@dataclass
class SoftEntity:
    """One ``^KIND = NAME`` and its ``!Kind_key = value`` lines."""

    kind: str  # ``PLATFORM``, ``SAMPLE``, ``SERIES``, ``ANNOTATION``, ``DATABASE``
    name: str  # accession
    line: int  # its line number
    fields: dict[str, list[str]] = field(default_factory=dict)
    _last: tuple[str, list[str]] = ("\n", [])  # how the last line began, and its values

    def add(self, text: str) -> None:
        """Take in an attribute line."""
        label, sign, value = text[1:].partition("=")
        name = label.strip()
        prefix, _, key = name.partition("_")
        name = key if key and prefix.upper() == self.kind else name
        values = self.fields.setdefault(name, [])
        values.append(value.strip())
        self._last = f"!{label}{sign}" if sign else "\n", values

    def add_another(self, text: str) -> bool:
        """Take in a line if it is of the same attribute as the last one."""
        start, values = self._last
        if not text.startswith(start):
            return False
        values.append(text[len(start) :].strip())
        return True

    def first(self, name: str) -> str:
        """Return the first value of an attribute, empty if there is none."""
        return next(iter(self.fields.get(name, ())), "")

    def frozen_fields(self) -> dict[str, tuple[str, ...]]:
        """Return the attributes as plain data."""
        return {name: tuple(values) for name, values in self.fields.items()}


def entity_line(text: str, line: int) -> SoftEntity:
    """Return the entity that a ``^KIND = NAME`` line opens."""
    kind, _, name = text[1:].partition("=")
    return SoftEntity(kind.strip().upper(), name.strip(), line)


def table_end(text: str) -> str | None:
    """Return the end line of the table that `text` begins, None if it begins none."""
    found = _TABLE_BEGIN.fullmatch(text.strip(' \t"'))
    return f"!{found.group(1).lower()}_end" if found else None


@dataclass(frozen=True, eq=False)
class Platform:
    """A platform (GPL) and its table."""

    path: Path
    """The file it was read from."""
    accession: str
    """GPL accession, empty if the file does not state it."""
    fields: Mapping[str, tuple[str, ...]]
    """All ``!Platform_*`` (or ``!Annotation_*``) lines; keys without that prefix."""
    table: pl.DataFrame
    """The annotation, every column a string, null where the cell is empty; the column names are
    those of the file (a repeated name gets ``_duplicated_1`` and so on)."""

    @property
    def title(self) -> str:
        """Platform title."""
        return " ".join(self.fields.get("title", self.fields.get("platform_title", ())))


_PLATFORM_KINDS = ("PLATFORM", "ANNOTATION")


def read_platforms(
    path: Path | str, *, accessions: Collection[str] | None = None
) -> list[Platform]:
    """Read the annotation tables of a file and nothing else.

    The type of file is judged by its contents: family SOFT, GPL SOFT, GPL annot, or a plain
    table with a header line. Reading stops at the first sample after the platforms, or when all
    requested platforms were found, so damage further down does not matter. Cells are split at
    tabs; quotes, ``!`` and ``#`` in them are text.

    `path`: the file, gzip or plain. `accessions`: GPL accessions wanted; all if None. A table whose
    file does not state its accession is always returned. Returns in file order. A platform without
    a table has a table without columns.
    """
    path = Path(path)
    wanted = None if accessions is None else {name.strip().upper() for name in accessions}
    seen = 0
    found = []
    with LineReader(path) as reader:
        for platform in _platforms(reader, wanted):
            seen += 1
            if not _is_wanted(platform.accession, wanted):
                continue
            found.append(platform)
            if wanted is not None and wanted <= {p.accession.upper() for p in found}:
                break
    if not seen:
        msg = "no platform in this file"
        hint = "give a family SOFT, a GPL SOFT, annot or table file"
        raise FormatError(msg, path=path, hint=hint)
    return found


def _is_wanted(accession: str, wanted: Collection[str] | None) -> bool:
    return wanted is None or not accession or accession.upper() in wanted


def _platforms(reader: LineReader, wanted: Collection[str] | None) -> Iterator[Platform]:
    """Yield the platforms of a file up to the first sample after them."""
    entity: SoftEntity | None = None
    is_soft = any_platform = False
    while (text := reader.next_line()) is not None:
        # A platform lists all its samples, a line for each: tens of thousands.
        if entity is not None and entity.add_another(text):
            continue
        if text.startswith("^"):
            if entity is not None:
                yield _platform(reader.path, entity, None)
            opened = entity_line(text, reader.line)
            if opened.kind == "SAMPLE" and any_platform:
                return
            entity = opened if opened.kind in _PLATFORM_KINDS else None
            any_platform = any_platform or entity is not None
            is_soft = True
        elif (end := table_end(text)) is not None:
            if not is_soft and "platform" in end.lower():
                entity = entity or SoftEntity("PLATFORM", "", reader.line)
            if entity is not None and _is_wanted(_accession(entity), wanted):
                yield _platform(reader.path, entity, _read_table(reader, end))
                entity = None
            else:
                reader.skip_table(end)
            is_soft = True
        elif text.startswith("!"):
            _refuse_series_matrix(text, reader)
            if not is_soft and text.startswith(("!Platform_", "!Annotation_")):
                kind = text[1:].partition("_")[0].upper()
                entity = entity or SoftEntity(kind, "", reader.line)
            if entity is not None:
                entity.add(text)
        elif text.strip() and not text.startswith("#") and not is_soft and entity is None:
            yield _plain_table(reader, text)
            return
    if entity is not None:
        yield _platform(reader.path, entity, None)


def _refuse_series_matrix(text: str, reader: LineReader) -> None:
    if text.startswith(("!Series_", "!Sample_")) and "\t" in text.partition("=")[0]:
        msg = "this is a series matrix, not a platform"
        hint = "give a family SOFT, a GPL SOFT, annot or table file"
        raise FormatError(msg, path=reader.path, line=reader.line, hint=hint)


def _accession(entity: SoftEntity) -> str:
    return entity.name or entity.first("geo_accession") or entity.first("platform")


def _platform(path: Path, entity: SoftEntity, table: pl.DataFrame | None) -> Platform:
    frame = pl.DataFrame() if table is None else table
    return Platform(path, _accession(entity), entity.frozen_fields(), frame)


def _plain_table(reader: LineReader, header: str) -> Platform:
    if "\t" not in header:
        msg = "neither SOFT nor a tab-separated table"
        raise FormatError(msg, path=reader.path, line=reader.line, hint=FETCH_AGAIN)
    accession = re.search(r"GPL\d+", reader.path.name, re.IGNORECASE)
    cells = [cell.strip() for cell in header.split("\t")]
    all_quoted = all(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in cells)
    table = rows_below(reader, header.replace('"', "") if all_quoted else header, None)
    if all_quoted:
        bare = pl.all().str.strip_chars('"')
        table = table.with_columns(pl.when(bare != "").then(bare).name.keep())
    name = accession.group().upper() if accession else ""
    return Platform(reader.path, name, {}, table)


def _read_table(reader: LineReader, end: str) -> pl.DataFrame:
    header = reader.next_line()
    while header is not None and not header.strip():
        header = reader.next_line()
    if header is None:
        msg = f"the line {end} is missing"
        raise TruncatedFileError(msg, path=reader.path, line=reader.line, hint=FETCH_AGAIN)
    if is_marker(header, end):
        return pl.DataFrame()
    return rows_below(reader, header, end)


def rows_below(reader: LineReader, header: str, end: str | None) -> pl.DataFrame:
    """Return the tab-separated rows below a header line, up to `end` or the end of the file."""
    names = unique_names([name.strip() for name in header.split("\t")])
    with read_ahead(reader.table_blocks(end)) as blocks:
        frames = [text_rows(block, names, reader.path) for block in blocks]
    if not frames:
        return pl.DataFrame(schema=dict.fromkeys(names, pl.String))
    return pl.concat(frames)
