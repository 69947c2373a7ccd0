"""What pages send as files: tables as CSV, Excel or JSON, texts, AnnData, and figures."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

import polars as pl
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from genotex.figures import Figure, Window, save_figure, save_figures, to_json
from genotex.formats import inert_frame
from genotex.options import FigureOptions, declared, written_formats
from genotex.studies import safe_name
from genotex.workflows import write_h5ad

if TYPE_CHECKING:
    from anndata import AnnData

_CSV = "text/csv; charset=utf-8"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

_FIGURES = {"pdf": "application/pdf", "svg": "image/svg+xml", "png": "image/png"}

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OFFICE = "http://schemas.openxmlformats.org"
_MAIN = f"{_OFFICE}/spreadsheetml/2006/main"
_LINKS = f"{_OFFICE}/officeDocument/2006/relationships"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_FIXED_PARTS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_OFFICE}/package/2006/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
        '<Override PartName="/xl/worksheets/sheet1.xml" '
        f'ContentType="{_KIND}.worksheet+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{_OFFICE}/package/2006/relationships"><Relationship Id="rId1" '
        f'Type="{_LINKS}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{_OFFICE}/package/2006/relationships"><Relationship Id="rId1" '
        f'Type="{_LINKS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>'
    ),
}
"""The fixed parts of a workbook (Office Open XML, ECMA-376)."""
_BOOK = (
    f'<workbook xmlns="{_MAIN}" xmlns:r="{_LINKS}"><sheets>'
    '<sheet name="{title}" sheetId="1" r:id="rId1"/></sheets></workbook>'
)
_LONGEST_CELL = 32_767
"""Characters; with more, Excel calls the file damaged."""
_SHEET = (
    f'<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
    '<pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/>'
    "</sheetView></sheetViews><sheetData><row>"
)


def send_table(frame: pl.DataFrame, name: str, path: str, sheet: str = "genes") -> Response:
    """Send a table as a file of the kind that the ending of the address states."""
    if path.endswith(".json"):
        headers = attached(f"{name}.json")
        return Response(frame.write_json(), media_type="application/json", headers=headers)
    if path.endswith(".xlsx"):
        headers = attached(f"{name}.xlsx")
        return Response(_workbook(frame, sheet), media_type=_XLSX, headers=headers)
    text = inert_frame(frame).write_csv()
    return Response(text, media_type=_CSV, headers=attached(f"{name}.csv"))


def send_text(text: str, name: str) -> Response:
    """Send a text as a file."""
    kind = "text/plain; charset=utf-8"
    return Response(text, media_type=kind, headers=attached(name))


def send_anndata(data: AnnData, name: str) -> Response:
    """Send AnnData; the file that it is written to is removed once it is sent."""
    folder = tempfile.TemporaryDirectory()
    try:
        path = write_h5ad(data, Path(folder.name) / "data.h5ad")
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(path, filename=safe_name(name), background=BackgroundTask(folder.cleanup))


def attached(name: str) -> dict[str, str]:
    """Return the header of what is saved as a file of this name."""
    return {"Content-Disposition": f'attachment; filename="{safe_name(name)}"'}


def _workbook(frame: pl.DataFrame, title: str) -> bytes:
    """Return a table as an Excel workbook; texts stay texts.

    20,000 genes take openpyxl 20 s, cell by cell; here whole columns become XML at once.
    """
    head = "".join(_text(pl.Series([name]))[0] for name in frame.columns)
    cells = [_cells(column) for column in frame.iter_columns()]
    rows = pl.concat_str(pl.all(), separator="")
    # There is nothing to join where a table has no columns, as that of no runs.
    lines = pl.DataFrame(cells).select(rows).to_series().to_list() if cells else []
    body = "</row><row>".join([head, *lines])
    parts = {
        **_FIXED_PARTS,
        "xl/worksheets/sheet1.xml": f"{_SHEET}{body}</row></sheetData></worksheet>",
    }
    parts["xl/workbook.xml"] = _BOOK.format(title=escape(title, {'"': "&quot;"}))
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        for name, text in parts.items():
            archive.writestr(name, f"{_XML}{text}")
    return content.getvalue()


def _cells(column: pl.Series) -> pl.Series:
    """Return the XML of the cells of a column; missing values are empty cells."""
    if column.dtype == pl.Boolean:
        found = pl.format('<c t="b"><v>{}</v></c>', pl.col("v").cast(pl.Int8))
    elif column.dtype.is_numeric():
        finite = pl.col("v").cast(pl.Float64).is_finite()
        found = pl.when(finite).then(pl.format("<c><v>{}</v></c>", pl.col("v")))
    else:
        return _text(column).fill_null("<c/>").alias(column.name)
    return column.to_frame("v").select(found.fill_null("<c/>").alias(column.name)).to_series()


def _text(column: pl.Series) -> pl.Series:
    """Return the XML of texts, without the control characters that XML cannot hold."""
    text = pl.col("v").cast(pl.String).str.slice(0, _LONGEST_CELL)
    text = text.str.replace_all(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "")
    for character, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.str.replace_all(character, name, literal=True)
    cell = pl.format('<c t="inlineStr"><is><t xml:space="preserve">{}</t></is></c>', text)
    return column.to_frame("v").select(cell).to_series()


def send_figure(
    request: Request,
    figure: Figure | None,
    note: str = "",
    *,
    window: Window | None = None,
    **facts: Any,
) -> Response:
    """Send a figure, as a file where the address has a ``format``; `note` is shown below it."""
    ending = request.query_params.get("format", "")
    if figure is None:
        return JSONResponse({"note": note, **facts})
    if not ending:
        return JSONResponse(to_json(figure, window) | {"note": note, **facts})
    if ending not in written_formats():
        msg = f"a figure as {ending!r}; known are {', '.join(written_formats())}"
        raise HTTPException(404, msg)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{figure.key}.{ending}"
        save_figure(figure, path, **figure_sizes(request))
        content = path.read_bytes()
    return Response(content, media_type=_FIGURES[ending], headers=attached(path.name))


def send_zip(
    name: str,
    table: pl.DataFrame,
    figures: Sequence[Figure],
    texts: Mapping[str, str],
    files: Sequence[Path],
    sizes: Mapping[str, float],
) -> Response:
    """Send a table, figures in every format, texts and files as one archive."""
    content = io.BytesIO()
    with (
        zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive,
        tempfile.TemporaryDirectory() as folder,
    ):
        archive.writestr(f"{name}/genes.csv", inert_frame(table).write_csv())
        archive.writestr(f"{name}/genes.xlsx", _workbook(table, "genes"))
        for path in save_figures(figures, Path(folder), written_formats(), **sizes):
            archive.write(path, f"{name}/figures/{path.name}")
        for title, text in texts.items():
            archive.writestr(f"{name}/{title}", text)
        for path in files:
            archive.write(path, f"{name}/{path.name}")
    headers = attached(f"{name}.zip")
    return Response(content.getvalue(), media_type="application/zip", headers=headers)


def figure_sizes(request: Request) -> dict[str, float]:
    """Return the sizes of an address within their bounds; what makes no sense is not given."""
    sizes = {}
    for each in declared(FigureOptions):
        least, most = each.option.least, each.option.most
        try:
            value = float(request.query_params.get(each.field, ""))
        except ValueError:
            continue
        if least is not None and most is not None and value == value:
            sizes[each.field] = min(max(value, least), most)
    return sizes
