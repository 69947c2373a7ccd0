"""A sample table of one's own: rows in the order of the expression table, columns as given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from genotex.cohorts.own.sample_matching import (
    SampleMatch,
    counted,
    match_samples,
    name_keys,
    repeated_names,
    some_names,
)
from genotex.errors import UsageError
from genotex.formats import (
    MISSING_WORDS,
    TableFile,
    original,
    original_frame,
    read_table_file,
)

SAMPLE = "sample"
_EXCLUDE = "exclude"
_YES, _NO = frozenset({"yes", "y", "true", "1", "x"}), frozenset({"", "no", "n", "false", "0"})
_CODE = re.compile(r"0\d+")
_WHOLE = re.compile(r"[-+]?\d{1,18}")
_DECIMAL_COMMA = re.compile(r"[-+]?\d+(,\d+)?")
_FEWEST = 2


@dataclass(frozen=True, eq=False)
class MatchedSamples:
    """The samples that both tables have.

    Attributes
    ----------
    columns : tuple of int
        Their columns in the expression matrix.
    table : polars.DataFrame
        Column ``sample``, then those of the sample table.
    notes, warnings : tuple of str
    record : dict
    """

    columns: tuple[int, ...]
    table: pl.DataFrame
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    record: dict[str, Any]


def read_samples(source: Any) -> TableFile:
    """Read a sample table as text.

    Raises
    ------
    GenotexError
        If it cannot be read or a column is there twice.
    """
    table = source if isinstance(source, TableFile) else None
    if table is None:
        table = read_table_file(source, numbers=False, label="the sample table")
        if table.form.startswith("text"):
            # As genotex writes sample sheets: an apostrophe before what looks like a formula.
            columns = original_frame(table.columns)
            table = replace(table, header=tuple(map(original, table.header)), columns=columns)
    titles = [title.strip() for title in table.header]
    if repeated := repeated_names([title for title in titles if title]):
        msg = f"columns occur more than once: {some_names(repeated)}"
        raise table.error(msg, hint="remove or rename one of the columns")
    return table


def matched_samples(samples: Sequence[str], table: TableFile) -> MatchedSamples:
    """Bring the rows of a sample table into the order of the samples of the expression table.

    Raises
    ------
    GenotexError
        If no sample matches, or samples match in several ways.
    """
    table, turned = _upright(samples, table)
    match = match_samples(samples, table)
    excluded = _excluded(table)
    rows = {name: row for name, row in match.rows.items() if row not in excluded}
    left_out = [name for name, row in match.rows.items() if row in excluded]
    if len(rows) < _FEWEST:
        number = "only 1 sample is" if rows else "no sample that is not excluded is"
        msg = f"{number} in both tables; at least {_FEWEST} are needed"
        raise table.error(msg)
    columns = tuple(j for j, name in enumerate(samples) if name in rows)
    order = [rows[samples[j]] for j in columns]
    title = table.header[match.column].strip()
    names = table.columns.to_series(match.column)
    only_here = [name for name in samples if name not in match.rows]
    taken = set(match.rows.values())
    only_there = [str(names[i]) for i in range(len(names)) if i not in taken and names[i]]
    notes = [_how(table, title, match, turned, len(columns))]
    if left_out:
        notes.append(
            f"{counted(left_out, 'sample')} excluded by the sample table: {some_names(left_out)}"
        )
    warnings = []
    if only_here:
        warnings.append(
            f"{counted(only_here, 'sample')} only in the expression table, left out: "
            f"{some_names(only_here)}"
        )
    if only_there:
        warnings.append(
            f"{counted(only_there, 'sample')} only in the sample table, left out: "
            f"{some_names(only_there)}"
        )
    record = {
        "column": title,
        "matched": dict(match.steps),
        "excluded": left_out,
        "only_in_expression": only_here,
        "only_in_samples": only_there,
    }
    frame = _frame(table, match.column, order, [samples[j] for j in columns])
    return MatchedSamples(columns, frame, tuple(notes), tuple(warnings), record)


def _how(table: TableFile, title: str, match: SampleMatch, turned: bool, kept: int) -> str:
    place = f"column {title!r}" if title else "its first column"
    ways = ", ".join(f"{count} {words}" for words, count in match.steps)
    form = f"{table.form}, samples in columns" if turned else table.form
    return f"{table.label} ({form}): {kept} samples by {place}, matched {ways}"


def _upright(samples: Sequence[str], table: TableFile) -> tuple[TableFile, bool]:
    """Turn a table with a column for each sample, as GEO has them, into one with rows."""
    keys = frozenset().union(*map(name_keys, samples))
    in_header = sum(bool(name_keys(title) & keys) for title in table.header[1:])
    if in_header < _FEWEST or in_header <= 0.5 * len(table.header[1:]):
        return table, False
    cells = table.columns.transpose(include_header=False)
    names = pl.Series("c0", table.header[1:], dtype=pl.String)
    columns = [
        names,
        *(cells.to_series(i)[1:].alias(f"c{i + 1}") for i in range(cells.width)),
    ]
    header = (SAMPLE, *(str(cell or "") for cell in table.columns.to_series(0).to_list()))
    return replace(table, header=header, columns=pl.DataFrame(columns)), True


def _excluded(table: TableFile) -> set[int]:
    """Return the rows that a column ``exclude`` leaves out, as in a sheet of genotex."""
    titles = [title.strip().casefold() for title in table.header]
    if _EXCLUDE not in titles:
        return set()
    cells = table.columns.to_series(titles.index(_EXCLUDE)).fill_null("").str.strip_chars()
    words = cells.str.to_lowercase().to_list()
    for i, word in enumerate(words):
        if word not in _YES | _NO:
            msg = f"exclude {word!r} is not known"
            raise table.error(msg, row=i, hint="write yes or nothing")
    return {i for i, word in enumerate(words) if word in _YES}


def _frame(
    table: TableFile, names: int, order: Sequence[int], samples: Sequence[str]
) -> pl.DataFrame:
    """Return the column ``sample`` and the others as given; unnamed empty columns are left out."""
    found = table.columns.to_series(names)[list(order)].str.strip_chars()
    frame = {SAMPLE: found.alias(SAMPLE)}
    for i, title in enumerate(table.header):
        title = title.strip() or f"column {i + 1}"
        column = table.columns.to_series(i)[list(order)]
        if (i == names and title.casefold() in (SAMPLE, "column 1")) or (
            not table.header[i].strip() and column.null_count() == len(column)
        ):
            continue
        if title in frame:
            title = f"{title} (as given)"
        frame[title] = _typed(column).alias(title)
    if found.to_list() != list(samples):
        title = "name in the expression table"
        frame.setdefault(title, pl.Series(title, list(samples), dtype=pl.String))
    return pl.DataFrame(list(frame.values()))


def _typed(column: pl.Series) -> pl.Series:
    """Return a column of numbers alone as numbers; codes such as ``007`` stay text."""
    text = column.str.strip_chars()
    text = text.set(text.is_in(list(MISSING_WORDS)), None)
    cells = text.drop_nulls().to_list()
    if not cells or any(_CODE.fullmatch(cell) for cell in cells):
        return text
    if all(_WHOLE.fullmatch(cell) for cell in cells):
        return text.cast(pl.Int64)
    if all(_DECIMAL_COMMA.fullmatch(cell) for cell in cells):
        text = text.str.replace(",", ".", literal=True)
    numbers = text.cast(pl.Float64, strict=False)
    return text if numbers.null_count() > text.null_count() else numbers


def refuse_missing() -> UsageError:
    """Return the error where no sample table is given and none is in the expression file."""
    msg = "give a sample table: a row for each sample, with the columns that the design names"
    return UsageError(msg)
