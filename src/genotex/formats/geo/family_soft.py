"""Series of a family SOFT file, one `Series` for each platform."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.errors import FormatError, TruncatedFileError
from genotex.formats.geo.series import Cells, ExpressionMatrix, Series
from genotex.formats.geo.series_matrix import no_samples_error
from genotex.formats.geo.soft import SoftEntity, entity_line, table_end
from genotex.formats.lines import Block, LineReader, is_marker
from genotex.formats.tables import (
    CellCounts,
    average_duplicates,
    first_repeated,
    text_rows,
    to_numbers,
    unquote,
)
from genotex.outside import FETCH_AGAIN, current_limits


@dataclass
class _SampleTable:
    """ID_REF and VALUE of one sample, and its non-numeric cells."""

    ids: pl.Series
    values: NDArray[np.float64]
    bad: int
    bad_example: str


def read_family_soft(path: Path | str, *, expression: bool = True) -> list[Series]:
    """Read the samples of a family SOFT file.

    `path`: ``GSE..._family.soft``, gzip or plain. `expression`: whether to read the ``VALUE``
    columns of the sample tables. Returns one for each platform, most samples first, then the lowest
    GPL number. An attribute that a sample has n times gives n rows; the i-th row holds each
    sample's i-th value. Expression rows are all ids of the platform's samples in the order in which
    they are first seen.
    """
    path = Path(path)
    with LineReader(path) as reader:
        series, samples = _read_entities(reader, expression)
    if not samples:
        if series is None:
            msg = "no ^SAMPLE in this file"
            hint = "give the family SOFT file of a series"
            raise FormatError(msg, path=path, hint=hint)
        raise no_samples_error(path, series.fields)
    names = [entity.name for entity, _ in samples]
    if (repeated := first_repeated(names)) is not None:
        msg = f"sample {repeated} occurs twice"
        raise FormatError(msg, path=path, field="^SAMPLE", hint=FETCH_AGAIN)
    fields = series.frozen_fields() if series is not None else {}
    groups: dict[str, list[tuple[SoftEntity, _SampleTable | None]]] = {}
    for entity, table in samples:
        groups.setdefault(entity.first("platform_id"), []).append((entity, table))
    order = sorted(groups, key=lambda name: (-len(groups[name]), _accession_number(name)))
    return [_build(path, fields, groups[name], expression) for name in order]


def read_family_accession(path: Path | str) -> str:
    """Return the GSE accession of a family SOFT file, empty if it states none.

    Only the beginning is read, up to the first platform or sample.
    """
    with LineReader(Path(path)) as reader:
        while (text := reader.next_line()) is not None:
            if text.startswith("^"):
                entity = entity_line(text, reader.line)
                if entity.kind == "SERIES":
                    return entity.name
                if entity.kind in ("PLATFORM", "SAMPLE"):
                    return ""
    return ""


def _accession_number(name: str) -> tuple[int, str]:
    digits = re.search(r"\d{1,18}", name)
    return (int(digits.group()) if digits else 0, name)


def _read_entities(
    reader: LineReader, expression: bool
) -> tuple[SoftEntity | None, list[tuple[SoftEntity, _SampleTable | None]]]:
    series: SoftEntity | None = None
    samples: list[tuple[SoftEntity, _SampleTable | None]] = []
    current: SoftEntity | None = None
    known_ids: list[pl.Series] = []
    while (text := reader.next_line()) is not None:
        if text.startswith("^"):
            current = entity_line(text, reader.line)
            if current.kind == "SERIES" and series is None:
                series = current
            elif current.kind == "SAMPLE":
                samples.append((current, None))
        elif current is None:
            _refuse_other_text(text, reader)
        elif (end := table_end(text)) is not None:
            if expression and current.kind == "SAMPLE" and samples[-1][1] is None:
                if (table := _read_sample_table(reader, end)) is not None:
                    _share_ids(table, known_ids)
                samples[-1] = (current, table)
            else:
                reader.skip_table(end)
        elif text.startswith("!"):
            current.add(text)
    for entity, _ in samples:
        entity.name = entity.name or entity.first("geo_accession")
        if not entity.name:
            msg = "a sample without a name"
            raise FormatError(msg, path=reader.path, line=entity.line, field="^SAMPLE")
    return series, samples


def _refuse_other_text(text: str, reader: LineReader) -> None:
    if not text.strip() or text.startswith("#"):
        return
    msg = "not a SOFT file: its first line should start with ^"
    hint = FETCH_AGAIN
    if text.startswith(("!Series_", "!Sample_")):
        hint = "this is a series matrix: read it as such"
    raise FormatError(msg, path=reader.path, line=reader.line, hint=hint)


def _read_sample_table(reader: LineReader, end: str) -> _SampleTable | None:
    """Return the values, None if the table has no VALUE column."""
    header = reader.next_line()
    if header is None:
        msg = f"the line {end} is missing"
        raise TruncatedFileError(msg, path=reader.path, line=reader.line, hint=FETCH_AGAIN)
    if is_marker(header, end):
        return None
    names = [unquote(name.strip()) for name in header.split("\t")]
    if "VALUE" not in names:
        reader.skip_table(end)
        return None
    id_column = names.index("ID_REF") if "ID_REF" in names else 0
    picked = {"id": id_column, "value": names.index("VALUE")}
    parts = [_two_columns(b, len(names), picked, reader.path) for b in reader.table_blocks(end)]
    if not parts:
        return None
    frame = pl.concat(parts)
    numbers, bad = to_numbers(frame["value"])
    values = numbers.to_numpy(writable=True)
    if bad is None:
        return _SampleTable(frame["id"], values, 0, "")
    example = str(frame["value"][bad.arg_max() or 0])
    return _SampleTable(frame["id"], values, int(bad.sum()), example)


def _share_ids(table: _SampleTable, known: list[pl.Series]) -> None:
    """Let samples with the same ids hold them once: there may be a thousand."""
    for ids in known:
        if ids.equals(table.ids):
            table.ids = ids
            return
    known.insert(0, table.ids)
    del known[4:]


def _two_columns(block: Block, width: int, picked: Mapping[str, int], path: Path) -> pl.DataFrame:
    names = [f"c{i}" for i in range(width)]
    frame = text_rows(block, names, path, sorted(set(picked.values())))
    frame = frame.select(pl.col(f"c{i}").alias(name) for name, i in picked.items())
    if frame["id"].str.contains('"', literal=True).any():
        ids = [unquote(cell or "") for cell in frame["id"].to_list()]
        frame = frame.with_columns(pl.Series("id", ids, dtype=pl.String))
    return frame


def _build(
    path: Path,
    series_fields: Mapping[str, tuple[str, ...]],
    samples: Sequence[tuple[SoftEntity, _SampleTable | None]],
    expression: bool,
) -> Series:
    names = tuple(entity.name for entity, _ in samples)
    notes: list[str] = []
    matrix = None
    if expression:
        matrix = _join(path, names, [table for _, table in samples], notes)
    fields = _sample_fields(path, [entity for entity, _ in samples])
    return Series(path, names, series_fields, fields, matrix, tuple(notes))


def _sample_fields(path: Path, samples: Sequence[SoftEntity]) -> dict[str, tuple[Cells, ...]]:
    heights: dict[str, int] = {}
    written = 0
    for sample in samples:
        for key, values in sample.fields.items():
            heights[key] = max(heights.get(key, 0), len(values))
            written += len(values)
    current_limits().check_padding(sum(heights.values()) * len(samples), written, path)
    fields = {}
    for key, height in heights.items():
        columns = [sample.fields.get(key, []) for sample in samples]
        fields[key] = tuple(
            tuple((values[i] or None) if i < len(values) else None for values in columns)
            for i in range(height)
        )
    return fields


def _join(
    path: Path, names: tuple[str, ...], tables: Sequence[_SampleTable | None], notes: list[str]
) -> ExpressionMatrix:
    """Join the samples by id; ids in the order in which they are first seen."""
    counts = CellCounts(path)
    places: dict[str, int] = {}
    columns: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = []
    last: tuple[pl.Series, NDArray[np.int64], int] | None = None
    repeated = 0
    for table in tables:
        if table is None:
            columns.append((np.empty(0, np.int64), np.empty(0)))
            continue
        values = table.values
        _count(table, counts)
        if last is None or last[0] is not table.ids:
            ids = [cell or "" for cell in table.ids.to_list()]
            rows = np.array([places.setdefault(i, len(places)) for i in ids], dtype=np.int64)
            last = (table.ids, rows, len(ids) - len(set(ids)))
        rows = last[1]
        if last[2]:
            repeated += 1
            kept, merged, _ = average_duplicates([str(i) for i in rows], values[:, None])
            rows, values = np.array([int(i) for i in kept]), merged[:, 0]
        columns.append((rows, values))
    current_limits().check_table(len(places), len(names), path)
    current_limits().check_padding(len(places) * len(names), counts.cells, path)
    matrix = np.full((len(places), len(names)), np.nan)
    for i, (rows, values) in enumerate(columns):
        matrix[rows, i] = values
    notes.extend(counts.notes())
    if repeated:
        notes.append(f"ids occur on several rows in {repeated} samples; these were averaged")
    ids = list(places)
    if "" in places:
        keep = [i for i, name in enumerate(ids) if name]
        notes.append("rows without an id were left out")
        ids, matrix = [ids[i] for i in keep], matrix[keep]
    return ExpressionMatrix(tuple(ids), names, matrix)


def _count(table: _SampleTable, counts: CellCounts) -> None:
    counts.cells += table.values.size
    if table.bad:
        counts.add_bad(table.bad, table.bad_example, None)
    counts.clear_infinite(table.values)
