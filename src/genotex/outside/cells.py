"""Rows of cells that are in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import BinaryIO

import polars as pl

Schema = Mapping[str, type[pl.DataType]]


def parse_rows(
    rows: bytes | BinaryIO,
    schema: Schema,
    *,
    separator: str = "\t",
    columns: Sequence[int] | None = None,
    quotes: bool = False,
    missing: Sequence[str] = (),
    decimal_comma: bool = False,
    lossy: bool = False,
) -> pl.DataFrame:
    """Return rows without a header, all of the schema's width; a PolarsError where one differs."""
    return pl.read_csv(
        rows,
        has_header=False,
        separator=separator,
        quote_char='"' if quotes else None,
        schema=schema,
        columns=None if columns is None else list(columns),
        null_values=list(missing) or None,
        decimal_comma=decimal_comma,
        encoding="utf8-lossy" if lossy else "utf8",
    )
