"""Texts in CSV files for people: a spreadsheet takes none of them for a formula.

A program that opens a CSV file computes a cell that begins with ``=``, ``+``, ``-`` or ``@``, and
what it computes may fetch an address or start a program. Such a cell is written with an apostrophe
before it, which makes it text; numbers, and signs alone such as ``-`` and ``+/-``, stay as they
are. Cells of Excel files have a type, and need no sign. Where the package reads such a file again,
the apostrophe is taken off, so that every text comes back as it was.
"""

from __future__ import annotations

import re

import polars as pl

_WIDE = r"\uff1d\uff0b\uff0d\uff20"
"""The same signs as they are typed in Chinese and Japanese."""
_START = rf"^'*[=+\-@\t\r\n{_WIDE}]"
_WORD = r"[\p{L}\p{N}]"
_NUMBER = r"^'*[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?$"
_starts, _is_number = re.compile(_START), re.compile(_NUMBER)


def _is_formula(text: str) -> bool:
    return (
        _starts.match(text) is not None
        and any(map(str.isalnum, text))
        and _is_number.match(text) is None
    )


def inert(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if _is_formula(text) else text


def original(text: str) -> str:
    """Return the text that `inert` was given."""
    return text[1:] if text.startswith("'") and _is_formula(text[1:]) else text


def inert_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose texts and headers no spreadsheet takes for formulas."""
    names = [name for name, kind in frame.schema.items() if kind in _TEXTS]
    columns = frame.with_columns(
        _changed(pl.col(name).cast(pl.String)).alias(name) for name in names
    )
    return columns.rename({name: inert(name) for name in frame.columns})


_TEXTS = (pl.String, pl.Categorical, pl.Enum)


def _changed(text: pl.Expr) -> pl.Expr:
    signs = text.str.contains(_START) & text.str.contains(_WORD) & ~text.str.contains(_NUMBER)
    return pl.when(signs).then(pl.concat_str(pl.lit("'"), text)).otherwise(text)


def original_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table as `inert_frame` was given it; its headers must be known ones."""
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    found = [name for name in texts if frame[name].str.starts_with("'").any()]
    return frame.with_columns(
        pl.Series(name, [None if c is None else original(c) for c in frame[name]], pl.String)
        for name in found
    )
