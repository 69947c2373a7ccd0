"""The files of a series that may hold its values, as one table each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from genotex.cohorts.geo.affymetrix import expression_of_scans, shared_layouts
from genotex.cohorts.own.samples import match_samples, name_keys, table_keys
from genotex.errors import GenotexError, UsageError
from genotex.formats import (
    CELL_BARCODE,
    FEWEST_CELLS,
    SeriesFile,
    TableFile,
    ValueSource,
    join_samples,
    listed_files,
    read_sheet_tables,
    read_table_file,
    read_transcripts,
    sum_cells,
    titled,
    value_sources,
)
from genotex.layout import GeoCohortFiles
from genotex.outside import StoredFile, stored_files

_LONG_WIDTH, _FEWEST = 12, 2


def sources_on_disk(
    files: GeoCohortFiles, samples: int, rejected: list[str], chosen: str = ""
) -> list[ValueSource]:
    """Return what the folder of a series has besides its matrix and NCBI's counts, best first.

    A chosen file is the only one; archives that cannot be read are added to `rejected`.
    """
    stored: list[StoredFile] = []
    for path in files.supplementary:
        try:
            stored += stored_files(path)
        except GenotexError as error:
            rejected.append(f"{path.name} is not used: {error}".replace(f"{path}: ", ""))
    there = [*listed_files(stored), *shared_layouts(files.folder)]
    found = list(value_sources(there, samples=samples))
    if not chosen:
        return found
    named = [each for each in found if chosen in each.names]
    if not named:
        names = ", ".join(path.name for path in files.supplementary) or "no other file"
        msg = f"{files.cohort} has no file {chosen!r} in its folder; it has {names}"
        raise UsageError(msg)
    only = [each for each in named[0].files if chosen in (each.name, each.archive)]
    layouts = (each for each in found if each.kind == "chip layout")
    return [replace(named[0], files=tuple(only), refused=""), *layouts]


def with_sheets(names: TableFile, every: Sequence[ValueSource]) -> TableFile:
    """Add to the names of samples, by row, what sample sheets in the folder call them."""
    columns = dict(zip(names.header, names.columns.get_columns(), strict=True))
    sheets = [f.stored for each in every if each.holds == "annotation" for f in each.files]
    for stored in sheets:
        if stored is None or stored.member:
            continue
        try:
            sheet = read_table_file(stored.path, numbers=False)
            columns.update(_names_of_sheet(sheet, names))
        except GenotexError:
            # What is no sheet of these samples is left to the other readers.
            continue
    return replace(names, **titled(columns))


def _names_of_sheet(sheet: TableFile, names: TableFile) -> dict[str, pl.Series]:
    """Return the columns of a sheet that tell samples apart, in the order of `names`."""
    own = {
        title: cells
        for title, column in zip(sheet.header, sheet.columns.get_columns(), strict=True)
        if len(set(cells := [str(cell or "").strip() for cell in column])) == len(cells)
    }
    known = {
        title: match_samples(cells, names).rows
        for title, cells in own.items()
        if _is_known(cells, names)
    }
    best = max(known, key=lambda title: len(known[title]), default="")
    rows = known.get(best, {})
    if len(rows) < names.columns.height / 2:
        return {}
    found = {}
    for title, cells in own.items():
        of_row = {rows.get(key): cell for key, cell in zip(own[best], cells, strict=True)}
        filled = [of_row.get(i, "") for i in range(names.columns.height)]
        found[f"{title} in {sheet.label}"] = pl.Series(filled)
    return found


def _is_known(cells: Sequence[str], names: TableFile) -> bool:
    keys = table_keys(names)
    return all(name_keys(cell) & keys for cell in cells)


def tables_of(
    source: ValueSource,
    every: Sequence[ValueSource],
    keys: frozenset[str],
    rejected: list[str],
    cell_type: str = "",
) -> Iterator[TableFile]:
    """Read the tables of a source; what cannot be read is added to `rejected`."""

    def among(names: Sequence[str]) -> int:
        return sum(bool(name_keys(name) & keys) for name in names)

    if source.kind == "two-colour scans":
        rejected.append(f"{source.label} is not used: the series does not state two channels")
        return
    maps = [file for each in every for file in each.files if file.is_map]
    readers: list[tuple[str, Callable[[], Sequence[TableFile]]]]
    if source.kind == "tables of samples":
        readers = [(source.label, lambda: [_joined(source, maps)])]
    elif source.kind == "CEL":
        layouts = [file for each in every if each.kind == "chip layout" for file in each.files]
        readers = [(source.label, lambda: [expression_of_scans(source.files, layouts, among)])]
    elif source.holds == "cells":
        readers = [(source.label, lambda: [sum_cells(source.files, among, cell_type=cell_type)])]
    else:
        readers = [(each.name, partial(_read, each, keys)) for each in source.files]
    for label, read in readers:
        try:
            yield from read()
        except GenotexError as error:
            rejected.append(why_not_used(label, error, source))


def why_not_used(label: str, error: GenotexError, source: ValueSource) -> str:
    """Return why a source is not used, without the folders of its path."""
    text = str(error)
    for file in source.files:
        if file.stored is not None:
            text = text.replace(f"{file.stored.path}: ", "").replace(
                f"{file.stored.path.parent}/", ""
            )
    return f"{label} is not used: {text}"


def _joined(source: ValueSource, maps: Sequence[SeriesFile]) -> TableFile:
    files = [each for each in source.files if not each.is_map]
    if not maps:
        return join_samples(files)
    table = join_samples(files, read_transcripts(maps[0]))
    named = f"genes of transcripts by {maps[0].name}, if they are transcripts"
    return replace(table, notes=(*table.notes, named))


def _read(file: SeriesFile, keys: frozenset[str]) -> Sequence[TableFile]:
    """Read the sheets of a workbook or one table; long tables are made wide."""
    if file.kind == "R object":
        with file.disk_file.on_disk() as path:
            return [_widened(read_table_file(path), keys)]
    path = file.disk_file.path
    if path.suffix.lower() == ".xlsx":
        return [_widened(each, keys) for each in read_sheet_tables(path)]
    table = _with_one_header(read_table_file(path), keys)
    return [_widened(_without_cells(table), keys)]


def _with_one_header(table: TableFile, keys: frozenset[str]) -> TableFile:
    """Take the first row of a table that describes its columns as the header, or leave it out.

    It is a second header where it has text above numbers in at least half of the columns.
    """
    frame = table.columns
    below: dict[str, pl.Series] = {}
    for column in frame.get_columns()[1:]:
        if column.dtype == pl.String and column.len() > _FEWEST:
            numbers = column.str.strip_chars(' "').cast(pl.Float64, strict=False)
            if numbers[0] is None and column[0] and not numbers[1:].null_count():
                below[column.name] = numbers[1:]
    if len(below) <= frame.width / 2:
        return table
    first = [str(cell or "") for cell in frame.row(0)]
    hits = [sum(bool(name_keys(t) & keys) for t in titles) for titles in (first, table.header)]
    kept = frame[1:].with_columns(below.values())
    header, words = (first, "second") if hits[0] > hits[1] else (table.header, "first")
    note = f"two lines of column names; the {words} is used"
    return replace(
        table,
        header=tuple(header),
        columns=kept,
        first_line=table.first_line + 1,
        notes=(*table.notes, note),
    )


def _without_cells(table: TableFile) -> TableFile:
    """Add up columns of single cells, ``AAACCTGAGC-1_S1``, by the sample that is left of a name."""
    frame = table.columns
    numbers = [i for i, dtype in enumerate(frame.dtypes) if i and dtype.is_numeric()]
    groups: dict[str, list[str]] = {}
    for i in numbers:
        if CELL_BARCODE.search(title := table.header[i]):
            groups.setdefault(CELL_BARCODE.sub("", title).strip("._-:| "), []).append(
                frame.columns[i]
            )
    cells = sum(map(len, groups.values()))
    if cells < max(FEWEST_CELLS, len(numbers) / 2):
        return table
    if len(groups) < _FEWEST or "" in groups:
        msg = f"its {cells:,} columns are single cells, whose samples it does not name"
        raise table.error(msg, hint="use the tables of single samples, or an .h5ad with them")
    text = [i for i in range(frame.width) if i not in set(numbers)]
    kept = frame.select(
        *(frame.columns[i] for i in text),
        *(pl.sum_horizontal(columns).alias(f"s{j}") for j, columns in enumerate(groups.values())),
    )
    notes = (*table.notes, f"{cells:,} cells added up to {len(groups)} samples")
    header = (*(table.header[i] for i in text), *groups)
    return replace(table, **{**titled(kept.to_dict()), "header": header}, notes=notes)


def _widened(table: TableFile, keys: frozenset[str]) -> TableFile:
    """Make a table with a row for each gene and sample one with a column for each sample."""
    frame = table.columns
    text = [c.name for c in frame.get_columns() if not c.dtype.is_numeric()]
    numbers = [c.name for c in frame.get_columns() if c.dtype.is_numeric()]
    if not (len(text) > 1 and numbers and frame.width <= _LONG_WIDTH):
        return table
    names = {column: frame[column].unique().drop_nulls().to_list() for column in text}
    hits = {
        c: sum(bool(name_keys(n) & keys) for n in some)
        for c, some in names.items()
        if len(some) < frame.height / 2
    }
    sample = max(hits, key=lambda c: hits[c], default="")
    if not sample or hits[sample] < max(_FEWEST, len(names[sample]) / 2):
        return table
    genes = max((c for c in text if c != sample), key=lambda c: len(names[c]))
    if len(names[genes]) * len(names[sample]) != frame.height:
        of = f"{len(names[genes]):,} genes in {len(names[sample])} samples"
        msg = f"has {frame.height:,} rows for {of}"
        raise table.error(msg, hint="keep one row for each gene and sample")
    if len(numbers) > 1:
        titles = ", ".join(table.header[int(c[1:])] for c in numbers)
        msg = f"has several columns of values for each gene and sample: {titles}"
        raise table.error(msg, hint="keep one of them")
    wide = frame.rename({genes: "gene"}).pivot(
        sample, index="gene", values=numbers[0], maintain_order=True
    )
    note = f"long table, {len(names[sample])} samples in rows"
    return replace(table, **titled(wide.to_dict()), notes=(*table.notes, note))
