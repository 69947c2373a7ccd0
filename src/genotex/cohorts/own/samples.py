"""A sample table of one's own: its rows, matched to the columns of expression, as given."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import polars as pl

from genotex.clinical import is_excluded
from genotex.errors import GenotexError, UsageError
from genotex.formats import MISSING_WORDS, TableFile, original, original_frame, read_table_file
from genotex.words import counted, some_names

_GSM = re.compile(r"GSM\d+", re.IGNORECASE)
_ENDING = re.compile(
    r"[._-](?:bam|sam|cram|cel|idat|fastq|fq|gz|txt|tsv|csv|sf|counts?|tpm|fpkm|rpkm|cpm|reads"
    r"|avg_signal|sorted|sortedbycoord|aligned|out|dedup|markdup|genes|results|abundance|expected_count)$"
)


def _accession(name: str) -> str:
    found = _GSM.findall(name)
    return found[0].upper() if len(found) == 1 else ""


@lru_cache(maxsize=1 << 16)
def _file_stem(name: str) -> str:
    stem = re.split(r"[/\\]", name.strip())[-1].casefold()
    while (shorter := _ENDING.sub("", stem)) and shorter != stem:
        stem = shorter
    return stem


def _plain(name: str) -> str:
    """Return letters and digits alone, without the X that R puts before a digit."""
    return re.sub(r"[\W_]", "", re.sub(r"^x(?=[\d._])", "", _file_stem(name)))


_SEQUENCER = re.compile(r"(?<=.)([._-]s\d{1,3})?([._-]l00\d)?([._-]r[12])?([._-]001)?$")
_WORD = re.compile(r"^(sample|lib|library)(?=\d)")


def _without_lane(name: str) -> str:
    """Return a name without what a sequencer adds, as in ``Sample_12_S12_L001``."""
    return _WORD.sub("", _plain(_SEQUENCER.sub("", _file_stem(name))))


_REPLICATE = re.compile(r"(biol(ogical)?|bio|tech(nical)?)?rep(licate)?s?(?=\d)")


def _with_rep(name: str) -> str:
    """Return a name in which every word for a replicate is ``rep``."""
    return _REPLICATE.sub("rep", _without_lane(name))


_STEPS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("exactly", str.strip),
    ("by GSM accession", _accession),
    ("ignoring upper and lower case", lambda name: name.strip().casefold()),
    ("without path and file ending", _file_stem),
    ("without spaces, dots, hyphens, underscores and the X of R's make.names", _plain),
    ("without 'sample' and the sequencer's number and lane (_S12_L001)", _without_lane),
    ("with 'replicate' as 'rep'", _with_rep),
)


@lru_cache(maxsize=1 << 16)
def name_keys(name: str) -> frozenset[str]:
    """Return every form in which a sample's name may match another."""
    return frozenset(key for _, form in _STEPS if (key := form(name)))


def table_keys(table: TableFile) -> frozenset[str]:
    """Return the forms of every cell and column name of a sample table."""
    cells = {cell for column in table.columns for cell in column.drop_nulls().unique().to_list()}
    return frozenset().union(*map(name_keys, cells | set(table.header)))


@dataclass(frozen=True)
class SampleMatch:
    """Rows of the sample table for the samples of the expression table."""

    column: int
    """Column of the sample table that holds the names."""
    rows: dict[str, int]
    """Sample of the expression table -> row of the sample table."""
    steps: tuple[tuple[str, int], ...]
    """How many samples matched in which way."""
    ambiguous: str = ""

    @property
    def rank(self) -> tuple[int, int]:
        """More samples first, then stricter steps."""
        order = [words for words, _ in _STEPS]
        return len(self.rows), -sum(order.index(words) * count for words, count in self.steps)


def match_samples(samples: Sequence[str], table: TableFile) -> SampleMatch:
    """Match the samples of an expression table to the rows of a sample table.

    `samples`: Names in the expression table, all different. `table`: The sample table as text.
    Raises GenotexError if no name matches, or names match in several ways.
    """
    found = [_match_column(samples, i, column) for i, column in enumerate(table.columns)]
    best = max(found, key=lambda match: (match.rank, -match.column))
    if best.ambiguous:
        raise table.error(best.ambiguous, hint="give samples names that differ in more than signs")
    if not best.rows:
        raise _no_match(samples, table)
    for other in found[best.column + 1 :]:
        if other.rank == best.rank and other.rows != best.rows and not other.ambiguous:
            names = [table.header[i] or f"column {i + 1}" for i in (best.column, other.column)]
            sample = next(s for s in samples if best.rows.get(s) != other.rows.get(s))
            msg = (
                f"the columns {names[0]!r} and {names[1]!r} both hold names of the expression "
                f"table's samples, for different rows (such as {sample})"
            )
            raise table.error(msg, hint="keep the names in one column")
    return best


def _match_column(samples: Sequence[str], number: int, column: pl.Series) -> SampleMatch:
    cells = [(i, cell) for i, cell in enumerate(column.to_list()) if cell and cell.strip()]
    rows: dict[str, int] = {}
    steps = []
    ambiguous = ""
    for words, form in _STEPS:
        taken = set(rows.values())
        there, given = defaultdict(list), defaultdict(list)
        for i, cell in cells:
            if i not in taken and (key := form(cell)):
                there[key].append((i, cell))
        for sample in samples:
            if sample not in rows and (key := form(sample)):
                given[key].append(sample)
        count = 0
        for key, names in given.items():
            if key not in there:
                continue
            if len(names) > 1 or len(there[key]) > 1:
                ambiguous = ambiguous or _ambiguity(names, there[key], words)
                continue
            rows[names[0]] = there[key][0][0]
            count += 1
        if count:
            steps.append((words, count))
    return SampleMatch(number, rows, tuple(steps), ambiguous)


def _ambiguity(names: Sequence[str], rows: Sequence[tuple[int, str]], words: str) -> str:
    cells = [cell for _, cell in rows]
    if len(set(cells)) == 1 and len(cells) > 1:
        return f"sample {cells[0]} is in {len(cells)} rows; keep one"
    return (
        f"samples match in several ways ({words}): {some_names(names)} of the expression table, "
        f"{some_names(cells)} of the sample table"
    )


def _no_match(samples: Sequence[str], table: TableFile) -> GenotexError:
    column = next(
        (c for c in table.columns if c.n_unique() == len(c) and c.null_count() == 0),
        table.columns.to_series(0),
    )
    title = table.header[int(column.name[1:])] or "the first column"
    msg = (
        "no sample of the expression table is in this sample table. Expression: "
        f"{some_names(samples)}. Samples ({title}): {some_names(column.drop_nulls().to_list())}"
    )
    hint = "one column of the sample table must hold the names of the expression table's samples"
    return table.error(msg, hint=hint)


def repeated_names(names: Sequence[str]) -> list[str]:
    """Return the names that occur more than once."""
    return [name for name, count in Counter(names).items() if count > 1]


SAMPLE = "sample"
_EXCLUDE = "exclude"
_CODE = re.compile(r"0\d+")
_WHOLE = re.compile(r"[-+]?\d{1,18}")
_DECIMAL_COMMA = re.compile(r"[-+]?\d+(,\d+)?")
_FEWEST = 2


@dataclass(frozen=True, eq=False)
class MatchedSamples:
    """The samples that both tables have."""

    columns: tuple[int, ...]
    """Their columns in the expression matrix."""
    table: pl.DataFrame
    """Column ``sample``, then those of the sample table."""
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    record: dict[str, Any]


def read_samples(source: Any) -> TableFile:
    """Read a sample table as text.

    Raises GenotexError if it cannot be read or a column is there twice.
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

    Raises GenotexError if no sample matches, or samples match in several ways.
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
        number = counted(len(left_out), "sample")
        notes.append(f"{number} excluded by the sample table: {some_names(left_out)}")
    warnings = []
    if only_here:
        warnings.append(
            f"{counted(len(only_here), 'sample')} only in the expression table, left out: "
            f"{some_names(only_here)}"
        )
    if only_there:
        warnings.append(
            f"{counted(len(only_there), 'sample')} only in the sample table, left out: "
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
    columns = [names, *(cells.to_series(i)[1:].alias(f"c{i + 1}") for i in range(cells.width))]
    header = (SAMPLE, *(str(cell or "") for cell in table.columns.to_series(0).to_list()))
    return replace(table, header=header, columns=pl.DataFrame(columns)), True


def _excluded(table: TableFile) -> set[int]:
    """Return the rows that a column ``exclude`` leaves out, as in a sheet of genotex."""
    titles = [title.strip().casefold() for title in table.header]
    if _EXCLUDE not in titles:
        return set()
    cells = table.columns.to_series(titles.index(_EXCLUDE)).fill_null("").str.strip_chars()
    words = cells.str.to_lowercase().to_list()
    found = [is_excluded(word) for word in words]
    if None in found:
        row = found.index(None)
        msg = f"exclude {words[row]!r} is not known"
        raise table.error(msg, row=row, hint="write yes or nothing")
    return {i for i, excluded in enumerate(found) if excluded}


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
