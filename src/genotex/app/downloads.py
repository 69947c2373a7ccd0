"""Tables that a page shows part of, whole, as CSV or Excel; and texts as files."""

from __future__ import annotations

import io

import polars as pl
from starlette.responses import Response

__all__ = ["send_table", "send_text"]

_CSV = "text/csv; charset=utf-8"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def send_table(frame: pl.DataFrame, name: str, path: str, sheet: str = "genes") -> Response:
    """Send a table as a file; the ending of the address decides between Excel and CSV."""
    if path.endswith(".xlsx"):
        headers = _attached(f"{name}.xlsx")
        return Response(_workbook(frame, sheet), media_type=_XLSX, headers=headers)
    return Response(frame.write_csv(), media_type=_CSV, headers=_attached(f"{name}.csv"))


def send_text(text: str, name: str) -> Response:
    """Send a text as a file."""
    kind = "text/plain; charset=utf-8"
    return Response(text, media_type=kind, headers=_attached(name))


def _attached(name: str) -> dict[str, str]:
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in name)
    return {"Content-Disposition": f'attachment; filename="{safe}"'}


def _workbook(frame: pl.DataFrame, title: str) -> bytes:
    """Return a table as an Excel workbook; texts stay texts."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    book = Workbook(write_only=True)
    sheet = book.create_sheet(title)
    sheet.freeze_panes = "B2"
    sheet.append(frame.columns)
    for row in frame.iter_rows():
        cells = []
        for value in row:
            cell = WriteOnlyCell(sheet, value)
            if isinstance(value, str):
                cell.data_type = "s"
            cells.append(cell)
        sheet.append(cells)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()
