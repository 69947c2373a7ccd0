"""Any table of people: text in any dialect, a workbook, Parquet, or a data frame in memory."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import polars as pl

from genotex.errors import FormatError, GenotexError, UsageError

_PACKED = (".gz", ".bz2", ".zst", ".xz")
_SAVE_AS = {
    ".xls": "save it from the spreadsheet as .xlsx or .csv",
    ".ods": "save it from the spreadsheet as .xlsx or .csv",
    ".cel": "raw arrays: summarise them first, with oligo or affy and rma()",
    ".idat": "raw arrays: read them first, with limma's read.idat or minfi",
    ".bam": "aligned reads: count them first, with featureCounts",
    ".fastq": "reads: quantify them first, with salmon or STAR and featureCounts",
}


@dataclass(frozen=True, eq=False)
class TableFile:
    """A table as it is in a file or in memory."""

    path: Path | None
    label: str
    """What messages call it."""
    form: str
    """What it was taken as: "text with tabs between cells"."""
    header: tuple[str, ...]
    """Names of the columns as given, also repeated ones; empty where there is none."""
    columns: pl.DataFrame
    """``c0``, ``c1``, ...: numbers where every cell is one or missing, else text as the first."""
    first_line: int = 2
    """Line (of a workbook: row) of the first row, for messages."""
    notes: tuple[str, ...] = ()
    """What was recognised."""

    def error(
        self, message: str, *, row: int | None = None, hint: str | None = None
    ) -> GenotexError:
        """Return an error that names the table, and the line of a row."""
        if self.path is None:
            place = self.label if row is None else f"{self.label}, row {row + 1}"
            return UsageError(f"{place}: {message}" + (f" ({hint})" if hint else ""))
        line = None if row is None else self.first_line + row
        return FormatError(message, path=self.path, line=line, hint=hint)


def titled(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return named columns, as cells or series, as header and columns of a `TableFile`."""
    frame = [pl.Series(f"c{i}", cells) for i, cells in enumerate(columns.values())]
    return {"header": tuple(columns), "columns": pl.DataFrame(frame)}


@dataclass(frozen=True)
class TableFormat:
    """A kind of file that holds a table."""

    endings: tuple[str, ...]
    read: Callable[[Path, bool], TableFile]
    """From a path, and whether columns of numbers become numbers."""
    shown: str
    """The endings as messages list them."""
    rank: int = 0
    """Its place in that list."""
    is_text: bool = False
    """Text may be packed, and may be tab-separated as GEO has it."""
    holds_samples: bool = False
    """Whether it is no single table: it describes its samples, too."""


@functools.cache
def table_formats() -> tuple[TableFormat, ...]:
    """Return the formats of the modules of this package."""
    package = import_module(__name__.rpartition(".")[0])
    names = [module.name for module in iter_modules(package.__path__)]
    modules = [import_module(f"{package.__name__}.{name}") for name in names]
    found = [each for module in modules for each in getattr(module, "FORMATS", ())]
    return tuple(sorted(found, key=lambda each: each.rank))


def read_table_file(source: Any, *, numbers: bool = True, label: str = "the table") -> TableFile:
    """Read a table from a file, or from any data frame, which messages call `label`.

    Without `numbers` every cell stays text; else columns that hold numbers alone become numbers.
    """
    if isinstance(source, TableFile):
        return _checked(source)
    if not isinstance(source, str | Path):
        from genotex.formats.own_tables.frames import table_of_frame

        return _checked(table_of_frame(source, label, numbers=numbers))
    path = Path(source)
    if path.is_dir():
        msg = f"{path} is a folder; name the table in it"
        raise UsageError(msg)
    form = table_format(path)
    if not path.is_file():
        msg = f"{path} does not exist"
        raise UsageError(msg)
    return _checked(form.read(path, numbers))


def table_format(path: Path) -> TableFormat:
    """Return the format of a table by its name; a UsageError tells what to do with any other."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = bool(suffixes) and suffixes[-1] in _PACKED
    kind = suffixes[-2] if packed and len(suffixes) > 1 else (suffixes[-1] if suffixes else "")
    for form in table_formats():
        if kind in form.endings:
            if packed and not form.is_text:
                msg = f"{path.name} is packed twice: unpack it first"
                raise UsageError(msg)
            return form
    why = _SAVE_AS.get(kind, f"give one of {', '.join(f.shown for f in table_formats())}")
    named = f"the ending {kind}" if kind else "a name without ending"
    msg = f"{path.name} has {named}, which is not a table that can be read; {why}"
    raise UsageError(msg)


def _checked(table: TableFile) -> TableFile:
    """Refuse a table without rows or with a single column; leave out unnamed empty columns."""
    columns, header = table.columns, table.header
    empty = [
        name
        for name, title in zip(columns.columns, header, strict=True)
        if not title.strip() and columns[name].null_count() == columns.height
    ]
    if empty and columns.height:
        kept = [i for i, name in enumerate(columns.columns) if name not in set(empty)]
        columns = pl.DataFrame([columns.to_series(i).alias(f"c{j}") for j, i in enumerate(kept)])
        table = replace(table, header=tuple(header[i] for i in kept), columns=columns)
    if columns.width < 2:
        msg = "has one column; a table has names in the first and values in the others"
        raise table.error(msg, hint="check the separator")
    if columns.height == 0:
        msg = "has a header and no rows"
        raise table.error(msg)
    return table
