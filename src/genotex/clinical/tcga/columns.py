"""Age and gender in the clinical matrix of a TCGA study, from any Xena hub."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from genotex.clinical.tcga.studies import load_tcga_words
from genotex.features import (
    OLDEST_AGE,
    SampleFeature,
    parse_age_years,
    parse_number,
    parse_sex,
    simplify,
)

_Cells = Sequence[str | None]

_FEWER_IN_YEARS = 2
"""A column in days is used when it has more than so many times as many ages as one in years."""


@dataclass(frozen=True)
class TcgaColumn:
    """A column of age or gender.

    Attributes
    ----------
    name : str
        As in the file.
    values : tuple of float or None
        Years, or 0 for female and 1 for male; None where it is not known.
    unit : str
        ``years`` or ``days``, as in the file; empty for gender.
    """

    name: str
    values: tuple[float | None, ...]
    unit: Literal["years", "days", ""]

    @property
    def known(self) -> int:
        """Number of samples with a value."""
        return sum(value is not None for value in self.values)


def find_tcga_column(feature: SampleFeature, table: Mapping[str, _Cells]) -> TcgaColumn | None:
    """Return the column of the age at diagnosis, or of gender, with the fewest missing values.

    A column in years is preferred to one in days (days to birth are counted back from the
    diagnosis and come out as years), unless it is less than half as complete. Codes of gender are
    read by a legend in the name of the column ("gender (1=male, 2=female)").

    Parameters
    ----------
    feature : SampleFeature
        Age or sex.
    table : mapping of str to sequence of str or None
        Column name to cells; all of one length.
    """
    return _gender_column(table) if feature.levels else _age_column(table)


def _age_column(table: Mapping[str, _Cells]) -> TcgaColumn | None:
    years = _fullest([_read_age(n, table[n], "years") for n in _named(table, "age_years")])
    days = _fullest([_read_age(n, table[n], "days") for n in _named(table, "age_days")])
    if years is None or days is None:
        return years or days
    return days if days.known > _FEWER_IN_YEARS * years.known else years


def _gender_column(table: Mapping[str, _Cells]) -> TcgaColumn | None:
    columns = []
    for name in _named(table, "gender"):
        sexes = [None if cell is None else parse_sex(cell, name) for cell in _known(table[name])]
        columns.append(TcgaColumn(name, tuple(sexes), ""))
    return _fullest(columns)


def named_columns(
    table: Mapping[str, _Cells], feature: Literal["age", "gender"]
) -> tuple[str, ...]:
    """Return the columns that are named as ones of age or of gender, the best names first."""
    kinds = ("age_years", "age_days") if feature == "age" else ("gender",)
    return tuple(dict.fromkeys(name for kind in kinds for name in _named(table, kind)))


def is_age_or_gender_column(name: str) -> bool:
    """Return whether a column is named as one of age or gender."""
    plain = plain_column_name(name)
    return any(plain in _names(kind) for kind in ("age_years", "age_days", "gender"))


@lru_cache(maxsize=4096)
def plain_column_name(name: str) -> str:
    """Return the name of a column without entity (``demographic.``), legend and punctuation."""
    entities = frozenset(simplify(word) for word in load_tcga_words()["columns"]["entities"])
    outside = re.sub(r"[(\[].*?[)\]]", " ", name)
    parts = [simplify(part) for part in outside.split(".")]
    return " ".join(part for part in parts if part and not part.isdigit() and part not in entities)


def read_tcga_cell(cell: str | None) -> str | None:
    """Return a cell, None where it is one of TCGA's words for missing (``[Not Available]``)."""
    text = "" if cell is None else cell.strip()
    in_brackets = text.startswith("[") and text.endswith("]")
    return None if in_brackets or simplify(text) in _missing() else text


def _named(table: Mapping[str, _Cells], kind: str) -> list[str]:
    """Return the columns of a kind, the best name first."""
    order = {name: place for place, name in reversed(list(enumerate(_names(kind))))}
    found = [name for name in table if plain_column_name(name) in order]
    return sorted(found, key=lambda name: order[plain_column_name(name)])


def _fullest(columns: Sequence[TcgaColumn]) -> TcgaColumn | None:
    best = max(columns, key=lambda column: (column.known, column.unit != "days"), default=None)
    return None if best is None or not best.known else best


def _read_age(name: str, cells: _Cells, unit: Literal["years", "days"]) -> TcgaColumn:
    known = _known(cells)
    if unit == "years" and _are_days(known):
        unit = "days"
    # The key gives the unit of bare numbers; negative ones are days to birth under any key.
    ages = [None if cell is None else parse_age_years(cell, f"age in {unit}") for cell in known]
    return TcgaColumn(name, tuple(ages), unit)


def _are_days(cells: _Cells) -> bool:
    numbers = [parse_number(cell) for cell in cells if cell is not None]
    sizes = [abs(number) for number in numbers if number is not None]
    return 2 * sum(size > OLDEST_AGE for size in sizes) > len(sizes)


def _known(cells: _Cells) -> list[str | None]:
    return [read_tcga_cell(cell) for cell in cells]


@lru_cache(maxsize=8)
def _names(kind: str) -> tuple[str, ...]:
    return tuple(simplify(name) for name in load_tcga_words()["columns"][kind])


@lru_cache(maxsize=1)
def _missing() -> frozenset[str]:
    words = load_tcga_words()["columns"]["missing"]
    return frozenset({simplify(word) for word in words} | {""})
