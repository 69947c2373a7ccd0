"""Sends declared figures: as JSON that the script of the page draws, or as a file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from genotex.figures import Figure, save_figure, to_json
from genotex.options import FIGURE_FORMATS

Window = tuple[float, float, float, float]
_TYPES = {"pdf": "application/pdf", "svg": "image/svg+xml", "png": "image/png"}
_WIDTHS = (1.0, 30.0)
_TEXTS = (4.0, 40.0)


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
    if ending not in FIGURE_FORMATS:
        msg = f"a figure as {ending!r}; known are {', '.join(FIGURE_FORMATS)}"
        raise HTTPException(404, msg)
    width, text = _number(request, "width", _WIDTHS), _number(request, "text", _TEXTS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{figure.key}.{ending}"
        save_figure(figure, path, width=width, text=9.0 if text is None else text)
        content = path.read_bytes()
    headers = {"Content-Disposition": f'attachment; filename="{path.name}"'}
    return Response(content, media_type=_TYPES[ending], headers=headers)


def _number(request: Request, name: str, ends: tuple[float, float]) -> float | None:
    """Return a number of the address within its ends; what makes no sense counts as not given."""
    try:
        value = float(request.query_params.get(name, ""))
    except ValueError:
        return None
    return min(max(value, ends[0]), ends[1]) if value == value else None
