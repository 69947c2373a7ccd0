"""Gene symbols in the cells of an annotation: scanned as text, or split by the platform's rules."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum

import polars as pl

__all__ = ["CellForm", "cell_form", "is_excluded", "scan_column", "scan_symbols", "split_cell"]

SYMBOL_PATTERN = r"\b(?:[A-Z][A-Z0-9-]{1,9}|C[0-9]+orf[0-9]+)\b"
"""Symbols, according to the published procedure.

An upper-case letter, then one to nine of upper-case letters, digits and ``-``, between two word
boundaries; or ``C<digits>orf<digits>``. As ``-`` is not a word character, a longer token gives its
longest piece that ends at a boundary: ``TMEM189-UBE2V1`` is ``TMEM189-`` and ``UBE2V1``.
"""

_SYMBOL = re.compile(SYMBOL_PATTERN)
_EXCLUDED_START = re.compile(r"NR_|XR_|LOC[0-9]|LINC[0-9]")
_EXCLUDED = frozenset({"DNA", "RNA", "PCR", "EST", "CHR"})


def is_excluded(token: str) -> bool:
    """Return whether the published procedure ignores this token."""
    return token in _EXCLUDED or _EXCLUDED_START.match(token) is not None


def scan_symbols(text: str) -> tuple[str, ...]:
    """Scan a cell for tokens that look like human symbols, as `benchmark` does."""
    return tuple(token for token in dict.fromkeys(_SYMBOL.findall(text)) if not is_excluded(token))


def scan_column(cells: pl.Series) -> list[tuple[str, ...]]:
    """Scan many cells at once, with the result of `scan_symbols` for each."""
    # Many rows of an array name the same gene.
    different = cells.unique()
    found = different.str.extract_all(SYMBOL_PATTERN).to_list()
    symbols = {
        cell: tuple(t for t in dict.fromkeys(tokens) if not is_excluded(t))
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
