"""Official symbols of row names: outdated, composite and date-mangled ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from genotex.genes.idkind import IdKind
from genotex.genes.table import AMBIGUOUS, GeneTable
from genotex.layout import Procedure

__all__ = ["OfficialSymbols", "date_symbols", "official_symbols"]

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_SPELLINGS = {"MAR": ("MARCH", "MARC"), "SEP": ("SEPT",)}
"""Families whose official symbols were longer than the month; MAR3 and SEP1 never were official."""
_DAY_MONTH = re.compile(r"(\d{1,2})[-. /]([A-Za-z]{3})(?:[-. /]\d{2,4})?$")
_MONTH_DAY = re.compile(r"([A-Za-z]{3})[-. /](\d{1,2})$")
_ISO = re.compile(r"\d{4}-(\d{2})-(\d{2})(?:[ T]00:00:00(?:\.0+)?)?$")
_XENA = re.compile(r"([^|]+)\|(\d+)$")


def date_symbols(name: str) -> tuple[str, ...]:
    """Return the symbols that a spreadsheet may have turned into this date."""
    if match := _DAY_MONTH.match(name):
        day, month = match[1], match[2].upper()
    elif match := _MONTH_DAY.match(name):
        day, month = match[2], match[1].upper()
    elif match := _ISO.match(name):
        number = int(match[1])
        day, month = match[2], _MONTHS[number - 1] if 1 <= number <= 12 else ""
    else:
        return ()
    if month not in _MONTHS or not 1 <= int(day) <= 31:
        return ()
    return tuple(f"{stem}{int(day)}" for stem in (*_SPELLINGS.get(month, ()), month))


@dataclass(frozen=True)
class OfficialSymbols:
    """Official symbols of a list of names."""

    symbols: tuple[str | None, ...]  # one for each name
    unknown: int  # names that the table does not know, dates included
    ambiguous: int  # names that belong to several genes
    dates: tuple[str, ...]  # names that were dates and could be restored
    lost_dates: tuple[str, ...]  # names that are dates and could not be restored


def official_symbols(
    names: Sequence[str], table: GeneTable, procedure: Procedure
) -> OfficialSymbols:
    """Convert symbols to their official form (spec, preprocessing, step 7)."""
    known = table.symbols(procedure)
    found: list[str | None] = []
    unknown = ambiguous = 0
    dates: list[str] = []
    lost: list[str] = []
    for name in names:
        key = name.strip().strip("\"'").upper()
        symbol = known.get(key)
        if symbol is None:
            symbol = _other_form(key, table, procedure)
        if symbol is None and (candidates := date_symbols(name.strip())):
            symbol = _from_date(candidates, table)
            (dates if symbol else lost).append(name)
        unknown += symbol is None
        ambiguous += symbol == AMBIGUOUS
        found.append(symbol or None)
    return OfficialSymbols(tuple(found), unknown, ambiguous, tuple(dates), tuple(lost))


def _other_form(key: str, table: GeneTable, procedure: Procedure) -> str | None:
    """Look up a symbol followed by its Entrez id, several spellings, or a NanoString suffix."""
    known = table.symbols(procedure)
    if match := _XENA.match(key):
        symbol = known.get(match[1])
        return symbol or table.lookup(IdKind.ENTREZ, [match[2]]).get(match[2], symbol)
    if key.endswith("-MRNA"):
        return known.get(key.removesuffix("-MRNA"))
    if "///" in key:
        parts = {known[part] for text in key.split("///") if (part := text.strip()) in known}
        if parts:
            return parts.pop() if len(parts) == 1 else AMBIGUOUS
    return None


def _from_date(candidates: Sequence[str], table: GeneTable) -> str | None:
    """Return the one gene that the spellings name, `AMBIGUOUS` for several, None for none."""
    # The bare month (SEP15) counts only if no longer spelling is known.
    genes: set[str] = set()
    for candidate in candidates:
        if genes and candidate == candidates[-1]:
            break
        if candidate in table.official:
            genes.add(table.official[candidate])
        else:
            genes.update(table.alias_genes.get(candidate, ()))
    if not genes:
        return None
    return genes.pop() if len(genes) == 1 else AMBIGUOUS
