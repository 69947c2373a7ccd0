"""Tables of pages, as a person reads them."""

from __future__ import annotations

import re
from html import unescape


def rows_of(page: str) -> list[dict[str, str]]:
    """Return the rows of the only table of a page: the text of each cell by its header."""
    (table,) = tables_of(page)
    return table


def tables_of(page: str) -> list[list[dict[str, str]]]:
    """Return the rows of each table of a page that has headers, as `rows_of` does."""
    tables = re.findall(r"<table.*?</table>", page, re.DOTALL)
    return [_rows(table) for table in tables if "<thead" in table]


def table_with(page: str, *headers: str) -> list[dict[str, str]]:
    """Return the rows of the only table of a page that has these headers, and rows."""
    (found,) = (table for table in tables_of(page) if table and {*headers} <= {*table[0]})
    return found


def _rows(table: str) -> list[dict[str, str]]:
    head, *rows = (
        [_text(cell) for cell in re.findall(r"<t[hd]\b.*?</t[hd]>", line, re.DOTALL)]
        for line in table.split("<tr")[1:]
    )
    assert len(set(head)) == len(head), head
    return [dict(zip(head, cells, strict=True)) for cells in rows]


def _text(cell: str) -> str:
    return unescape(re.sub("<.*?>", "", re.sub("<(svg|title).*</\\1>", "", cell, flags=re.DOTALL)))
