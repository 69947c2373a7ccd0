"""Which row of a sample table belongs to which column of an expression table."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from genotex.errors import GenotexError
from genotex.formats import TableFile

_SHOWN = 10
_GSM = re.compile(r"GSM\d+", re.IGNORECASE)
_ENDING = re.compile(
    r"[._-](?:bam|sam|cram|cel|idat|fastq|fq|gz|txt|tsv|csv|sf|counts?|tpm|fpkm|rpkm|cpm|reads"
    r"|avg_signal|sorted|sortedbycoord|aligned|out|dedup|markdup|genes|results|abundance|expected_count)$"
)


def _exact(name: str) -> str:
    return name.strip()


def _accession(name: str) -> str:
    found = _GSM.findall(name)
    return found[0].upper() if len(found) == 1 else ""


def _letters(name: str) -> str:
    return name.strip().casefold()


def _file_stem(name: str) -> str:
    stem = re.split(r"[/\\]", name.strip())[-1].casefold()
    while (shorter := _ENDING.sub("", stem)) and shorter != stem:
        stem = shorter
    return stem


def _plain(name: str) -> str:
    """Return letters and digits alone, without the X that R puts before a digit."""
    return re.sub(r"[\W_]", "", re.sub(r"^x(?=[\d._])", "", _file_stem(name)))


_STEPS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("exactly", _exact),
    ("by GSM accession", _accession),
    ("ignoring upper and lower case", _letters),
    ("without path and file ending", _file_stem),
    ("without spaces, dots, hyphens, underscores and the X of R's make.names", _plain),
)


def name_keys(name: str) -> frozenset[str]:
    """Return every form in which a sample's name may match another."""
    return frozenset(key for _, form in _STEPS if (key := form(name)))


def table_keys(table: TableFile) -> frozenset[str]:
    """Return the forms of every cell and column name of a sample table."""
    cells = {cell for column in table.columns for cell in column.drop_nulls().unique().to_list()}
    return frozenset().union(*map(name_keys, cells | set(table.header)))


@dataclass(frozen=True)
class SampleMatch:
    """Rows of the sample table for the samples of the expression table.

    Attributes
    ----------
    column : int
        Column of the sample table that holds the names.
    rows : dict of str to int
        Sample of the expression table -> row of the sample table.
    steps : tuple of (str, int)
        How many samples matched in which way.
    """

    column: int
    rows: dict[str, int]
    steps: tuple[tuple[str, int], ...]
    ambiguous: str = ""

    @property
    def rank(self) -> tuple[int, int]:
        """More samples first, then stricter steps."""
        order = [words for words, _ in _STEPS]
        return len(self.rows), -sum(order.index(words) * count for words, count in self.steps)


def match_samples(samples: Sequence[str], table: TableFile) -> SampleMatch:
    """Match the samples of an expression table to the rows of a sample table.

    Parameters
    ----------
    samples : sequence of str
        Names in the expression table, all different.
    table : TableFile
        The sample table as text.

    Raises
    ------
    GenotexError
        If no name matches, or names match in several ways.
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


def some_names(names: Sequence[str]) -> str:
    """Return up to ten names, and how many more there are."""
    shown = ", ".join(names[:_SHOWN])
    more = len(names) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def counted(names: Sequence[str], noun: str) -> str:
    """Return the number of names with its noun."""
    return f"{len(names):,} {noun}{'' if len(names) == 1 else 's'}"


def repeated_names(names: Sequence[str]) -> list[str]:
    """Return the names that occur more than once."""
    return [name for name, count in Counter(names).items() if count > 1]
