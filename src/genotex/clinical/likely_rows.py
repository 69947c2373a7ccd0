"""Rows that may hold the groups of a trait which the rules do not find."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from genotex.clinical.cells import keys_of_samples
from genotex.clinical.description import SeriesDescription
from genotex.features import age_rank, names_laboratory, sex_rank

ROWS_WITH_GROUPS = "rows with groups"
"""Beginning of the note."""
MOST_SHOWN = 3
MOST_GROUPS = 8
LONGEST = 40
SMALLEST_GROUP = 2
NEARLY_ALL = 0.8
_TELLING = re.compile(
    r"disease|diagnos|disorder|status|state|group|condition|phenotype|patholog|histolog|class"
    r"|subject|patient|type|outcome|title|source",
    re.IGNORECASE,
)
_TEXTS = ("title", "source", "description")
_NUMBERED = re.compile(
    r"[\s_.#,:()\[\]-]*\b(?:(?:rep|replicate|sample|patient|no|biological)[\s_.-]*)*\d+\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _GroupingRow:
    """A row that divides the samples into groups."""

    key: str
    sign: str  # Of a condition: the value is the group, or contains its name
    values: tuple[str, ...]  # By sample

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The groups and their samples, the largest first."""
        return Counter(value for value in self.values if value).most_common()

    @property
    def promise(self) -> float:
        """How likely it is that these are the groups: a telling key, and groups of a size."""
        even = self.groups[1][1] / len(self.values)
        return bool(_TELLING.search(self.key)) + (self.sign == "=") + even

    def splits(self, other: _GroupingRow) -> bool:
        """Return whether it says the same as another row, or divides its groups further."""
        pairs = {*zip(self.values, other.values, strict=True)}
        return len(pairs) == len({*self.values})


def likely_groups(description: SeriesDescription) -> str:
    """Return the rows that divide the samples best, with a command; empty where none does."""
    rows = list[_GroupingRow]()
    for row in sorted(_rows(description), key=lambda row: -row.promise):
        if not any(row.splits(better) for better in rows):
            rows.append(row)
    if not rows:
        return ""
    shown = "; ".join(
        f"'{row.key}' ({', '.join(f'{count} {_cut(name)}' for name, count in row.groups)})"
        for row in rows[:MOST_SHOWN]
    )
    best = rows[0]
    (first, _), (second, _) = best.groups[:2]
    case, control = (shlex.quote(f"{best.key}{best.sign}{name}") for name in (first, second))
    return (
        f"{ROWS_WITH_GROUPS}: {shown}; choose with, for example, --case {case} --control {control}"
    )


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 3]}..."


def _rows(description: SeriesDescription) -> Iterator[_GroupingRow]:
    for key, cells in keys_of_samples(description).columns.items():
        if age_rank(key) is not None or sex_rank(key) is not None or names_laboratory(key):
            continue
        values = [cell[0] if len(cell) == 1 else "" for cell in cells]
        sign = "="
        if key in _TEXTS and len(set(values)) > MOST_GROUPS:
            # "RA synovium 3" is one of several; what the titles share is still part of each.
            values, sign = [_NUMBERED.sub("", value) for value in values], "~"
        if _divides(Counter(value for value in values if value), values):
            yield _GroupingRow(key, sign, tuple(values))


def _divides(groups: Counter[str], values: Sequence[str]) -> bool:
    return (
        1 < len(groups) <= MOST_GROUPS
        and groups.most_common(2)[1][1] >= SMALLEST_GROUP
        and groups.total() >= NEARLY_ALL * len(values)
    )
