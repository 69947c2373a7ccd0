"""Gene symbols: found in the cells of an annotation, and converted to their official form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from genotex.genes.table import AMBIGUOUS, GeneTable
from genotex.id_kinds import IdKind
from genotex.procedure import Procedure

SYMBOL_PATTERN = r"\b(?:[A-Z][A-Z0-9-]{1,9}|C[0-9]+orf[0-9]+)\b"
"""Symbols, according to the published procedure.

An upper-case letter, then one to nine of upper-case letters, digits and ``-``, between two word
boundaries; or ``C<digits>orf<digits>``. As ``-`` is not a word character, a longer token gives its
longest piece that ends at a boundary: ``TMEM189-UBE2V1`` is ``TMEM189-`` and ``UBE2V1``.
"""

_SYMBOL = re.compile(SYMBOL_PATTERN)
_EXCLUDED_START = re.compile(r"NR_|XR_|LOC[0-9]|LINC[0-9]")
_EXCLUDED = frozenset({"DNA", "RNA", "PCR", "EST", "CHR"})


def _is_excluded(token: str) -> bool:
    """Return whether the published procedure ignores this token."""
    return token in _EXCLUDED or _EXCLUDED_START.match(token) is not None


def scan_symbols(text: str) -> tuple[str, ...]:
    """Scan a cell for tokens that look like human symbols, as `benchmark` does."""
    return tuple(token for token in dict.fromkeys(_SYMBOL.findall(text)) if not _is_excluded(token))


def scan_column(cells: pl.Series) -> list[tuple[str, ...]]:
    """Scan many cells at once, with the result of `scan_symbols` for each."""
    # Many rows of an array name the same gene.
    different = cells.unique()
    found = different.str.extract_all(SYMBOL_PATTERN).to_list()
    symbols = {
        cell: tuple(t for t in dict.fromkeys(tokens) if not _is_excluded(t))
        for cell, tokens in zip(different.to_list(), found, strict=True)
    }
    return [symbols[cell] for cell in cells.to_list()]


class CellForm(StrEnum):
    """How the cells of a gene column are built."""

    LIST = "list"
    """Symbols or ids between ``///``, ``//``, ``;``, ``|`` or ``,``."""
    ASSIGNMENT = "assignment"
    """Records between ``///``, fields between ``//``, the second field is the symbol."""
    TEXT = "text"
    """Descriptions with the symbol in parentheses: ``... member 5 (OR4F5), mRNA.``"""


_RECORDS = re.compile(r"\s*///\s*")
_FIELDS = re.compile(r"\s*//\s*")
_SEPARATOR = re.compile(r"[/;|,]")
_LIST = re.compile(r"\s*(?:/{2,3}|[;|,])\s*")
_PARENTHESES = re.compile(r"\(([A-Za-z][A-Za-z0-9.@-]*)\)(?=,| //|$|\.| gene\b| transcript| mRNA)")
_MISSING = frozenset({"", "-", "--", "---", "?", "NA", "N/A", "NULL", "NONE", "NAN"})
_QUOTES = "\"' \t"


def split_cell(text: str, form: CellForm = CellForm.LIST) -> tuple[str, ...]:
    """Split a cell by the platform's own separators."""
    if form is CellForm.ASSIGNMENT:
        records = (_FIELDS.split(record) for record in _RECORDS.split(text))
        parts = [fields[1] if len(fields) > 1 else fields[0] for fields in records]
    elif form is CellForm.TEXT:
        parts = _PARENTHESES.findall(text)
    elif _SEPARATOR.search(text):
        parts = _LIST.split(text)
    else:
        # Most cells are of this kind, and there are many.
        part = text.strip(_QUOTES)
        return () if part.upper() in _MISSING else (part,)
    stripped = dict.fromkeys(part.strip(_QUOTES) for part in parts)
    return tuple(part for part in stripped if part.upper() not in _MISSING)


def cell_form(cells: Sequence[str], symbols: Mapping[str, str]) -> CellForm:
    """Find out how the cells of a symbol column are built."""
    cells = [cell for cell in cells if split_cell(cell)]
    hits = {
        form: sum(any(t.upper() in symbols for t in split_cell(cell, form)) for cell in cells)
        for form in CellForm
    }
    fields = sum(" // " in cell for cell in cells)
    if hits[CellForm.ASSIGNMENT] and fields * 2 > len(cells):
        # Records of several fields: other fields (RefSeq, ENSEMBL) may be aliases by chance.
        best = max(hits[CellForm.ASSIGNMENT], hits[CellForm.TEXT])
        return CellForm.ASSIGNMENT if hits[CellForm.ASSIGNMENT] == best else CellForm.TEXT
    return CellForm.TEXT if hits[CellForm.TEXT] > hits[CellForm.LIST] else CellForm.LIST


_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_SPELLINGS = {"MAR": ("MARCH", "MARC"), "SEP": ("SEPT",)}
"""Families whose official symbols were longer than the month; MAR3 and SEP1 never were official."""
_RENAMED = {"SEPT": "SEPTIN", "MARCH": "MARCHF", "MARC": "MTARC"}
"""Families that HGNC renamed in 2019 because spreadsheets took their symbols for dates."""
_FAMILY = re.compile(r"(SEPT|MARCH|MARC)(\d{1,2})$")
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
    names: Sequence[str], table: GeneTable, procedure: Procedure | str
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
            symbol = _other_form(key, table, known)
        if not symbol and Procedure(procedure).drops_ambiguous_aliases:
            symbol = _renamed(key, table) or symbol
        if symbol is None and (candidates := date_symbols(name.strip())):
            symbol = _from_date(candidates, table)
            (dates if symbol else lost).append(name)
        unknown += symbol is None
        ambiguous += symbol == AMBIGUOUS
        found.append(symbol or None)
    return OfficialSymbols(tuple(found), unknown, ambiguous, tuple(dates), tuple(lost))


def _other_form(key: str, table: GeneTable, known: Mapping[str, str]) -> str | None:
    """Look up a symbol followed by its Entrez id, several spellings, or a NanoString suffix."""
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


def _renamed(key: str, table: GeneTable) -> str | None:
    """Return the gene whose official symbol this was: SEPT2 is an alias of SEPTIN6 as well."""
    family = _FAMILY.match(key)
    return table.official.get(_RENAMED[family[1]] + family[2]) if family else None


def _from_date(candidates: Sequence[str], table: GeneTable) -> str | None:
    """Return the one gene that the spellings name, `AMBIGUOUS` for several, None for none."""
    # The bare month (SEP15) counts only if no longer spelling is known.
    genes: set[str] = set()
    for candidate in candidates:
        if genes and candidate == candidates[-1]:
            break
        if known := table.official.get(candidate) or _renamed(candidate, table):
            genes.add(known)
        else:
            genes.update(table.alias_genes.get(candidate, ()))
    if not genes:
        return None
    return genes.pop() if len(genes) == 1 else AMBIGUOUS
