"""Tables of pages, as a person reads them."""

from __future__ import annotations

import re
from html import unescape


def rows_of(page: str) -> list[dict[str, str]]:
    """Return the rows of the only table of a page: the text of each cell by its header."""
    (table,) = re.findall(r"<table.*?</table>", page, re.DOTALL)
    head, *rows = (
        [unescape(re.sub("<.*?>", "", cell)) for cell in re.findall(r"<t[hd]\b.*?</t[hd]>", line)]
        for line in table.split("<tr")[1:]
    )
    return [dict(zip(head, cells, strict=True)) for cells in rows]
