"""A figure of matplotlib as inline SVG: text stays text, marks tell their names, half the size."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FONT = "font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif"


_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_MARKERS = re.compile(
    r'<g([^>]*)>((?:\s*<use [^>]*style="[^"]*"[^>]*(?:/>|><title>[^<]*</title></use>))+\s*)</g>'
)
_STYLE = re.compile(r' style="([^"]*)"')
_IMAGE = re.compile(r"(?<=data:image/png;base64,)[A-Za-z0-9+/=\s]+")
_MOST_COLOURS = 256


def to_svg(
    figure: Figure,
    key: str,
    alt: str,
    titles: Mapping[str, Sequence[str]] | None = None,
    *,
    dpi: float = 144,
) -> str:
    """Return the figure as an ``<svg>`` element for a page."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = io.BytesIO()
    # Not by `savefig`, which draws everything once before, to find out how large it is.
    figure.dpi = dpi
    canvas: Any = FigureCanvasSVG(figure)
    canvas.print_svg(buffer, metadata={"Date": None, "Creator": None})
    text = buffer.getvalue().decode()
    svg = text[text.index("<svg") :].strip()
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    for gid, names in (titles or {}).items():
        svg = _title_markers(svg, gid, names)
    svg = _own_ids(svg, key)
    # Keep size, weight and anchor of each text, and let the page choose the family.
    svg = re.sub(r"font: ([^;\"]*?)([\d.]+px) 'DejaVu Sans'[^;\"]*", _font, svg)
    return _open_tag(_compact(svg), alt)


def _font(match: re.Match[str]) -> str:
    weight = "; font-weight: 600" if re.search(r"bold|[6-9]00", match[1]) else ""
    style = "; font-style: italic" if "italic" in match[1] else ""
    return f"font-size: {match[2]}{weight}{style}; {_FONT}"


def _title_markers(svg: str, gid: str, names: Sequence[str]) -> str:
    start = svg.find(f'<g id="{gid}">')
    if start < 0:
        return svg
    end = svg.find('<g id="', start + 1)
    end = len(svg) if end < 0 else end
    part = svg[start:end]
    if len(re.findall(r"<use [^>]*/>", part)) != len(names):
        return svg
    return svg[:start] + re.sub(r"<use ([^>]*)/>", _with_titles(names), part) + svg[end:]


def _with_titles(names: Sequence[str]) -> Callable[[re.Match[str]], str]:
    rest = iter(names)

    def replace(match: re.Match[str]) -> str:
        return f"<use {match[1]}><title>{escape(next(rest), quote=False)}</title></use>"

    return replace


def _own_ids(svg: str, key: str) -> str:
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{key}-\1"', svg)
    svg = re.sub(r'href="#([^"]+)"', rf'href="#{key}-\1"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{key}-\1)", svg)


def _open_tag(svg: str, alt: str) -> str:
    box = re.search(r'viewBox="([^"]+)"', svg)
    end = svg.index(">") + 1
    view = box[1] if box else "0 0 400 300"
    head = (
        f'<svg role="img" aria-label="{escape(alt)}" viewBox="{view}"'
        ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg">'
    )
    return head + svg[end:]


def _compact(svg: str) -> str:
    """Return an SVG of matplotlib that looks the same and is about half as large."""
    svg = re.sub(r'(?<= d=")[^"]+', lambda path: _short_path(path[0]), svg)
    svg = re.sub(r' [xy]="[^"]+"', lambda place: _short_numbers(place[0]), svg)
    svg = _MARKERS.sub(_with_one_style, svg)
    svg = _IMAGE.sub(lambda image: _with_palette(image[0]), svg)
    return re.sub(r">\s+<", ">\n<", svg)


def _short_numbers(text: str) -> str:
    """Round to a hundredth of a point."""
    return _NUMBER.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), text)


def _short_path(path: str) -> str:
    return re.sub(r"\s*\n\s*|(?<=[A-Za-z]) ", "", _short_numbers(path)).strip()


def _with_one_style(match: re.Match[str]) -> str:
    """State the style of markers in their group, where all have the same one."""
    attributes, markers = match[1], match[2]
    styles = set(_STYLE.findall(markers))
    if len(styles) != 1 or " style=" in attributes:
        return match[0]
    return f'<g{attributes} style="{styles.pop()}">{_STYLE.sub("", markers)}</g>'


def _with_palette(encoded: str) -> str:
    """Return a PNG of at most 256 colours with a palette, where that is smaller."""
    from PIL import Image

    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(encoded))).convert("RGBA"))
    flat = np.ascontiguousarray(pixels).view(np.uint32).ravel()
    colours, place = np.unique(flat, return_inverse=True)
    if len(colours) > _MOST_COLOURS:
        return encoded
    image = Image.fromarray(place.astype(np.uint8).reshape(pixels.shape[:2]), mode="P")
    palette = colours.view(np.uint8).reshape(-1, 4)
    image.putpalette(palette[:, :3].tobytes())
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True, transparency=palette[:, 3].tobytes())
    written = base64.b64encode(buffer.getvalue()).decode()
    return written if len(written) < len(encoded) else encoded
