"""From a matplotlib figure to inline SVG that is small, repeatable and keeps its text as text.

matplotlib is imported when the first figure is drawn: commands without figures do not pay for it.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from genotex.reports.figures.style import INK, QUIET

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

__all__ = ["calm_axes", "colour_map", "drawing", "get_ready", "to_svg"]

# Keys are strings; the stubs of some matplotlib versions want literals.
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "genotex",
    "svg.image_inline": True,
    "text.parse_math": False,
    "axes.unicode_minus": True,
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.linewidth": 0.7,
    "axes.edgecolor": "#9aa5b1",
    "axes.labelcolor": INK,
    "axes.labelsize": 9.0,
    "text.color": INK,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}
_FONT = "font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif"


@contextmanager
def drawing(width: float, height: float) -> Iterator[Figure]:
    """Give a figure of `width` x `height` inches under the report's settings.

    Draw and convert it inside the block: the settings are put back behind it.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with rc_context(_SETTINGS), warnings.catch_warnings():
        # Names in other scripts: the reader's browser has the glyphs, matplotlib's font may not.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(figure)
        yield figure


def colour_map(colours: Sequence[str]) -> Colormap:
    """Return the colour map that runs through `colours`, lowest first."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("colours", list(colours))


def get_ready() -> None:
    """Draw a small figure, so that the next ones need not load matplotlib and its font."""
    with drawing(1, 1) as figure:
        calm_axes(figure.add_subplot(), x="x", y="y")
        to_svg(figure, "ready", "")


def calm_axes(axes: Axes, *, x: str = "", y: str = "") -> None:
    """Leave two spines, short ticks, and put the labels."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=3, pad=3)
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def to_svg(
    figure: Figure,
    key: str,
    alt: str,
    titles: Mapping[str, Sequence[str]] | None = None,
    *,
    dpi: float = 144,
) -> str:
    """Return the figure as an ``<svg>`` element for a page.

    Parameters
    ----------
    figure : Figure
        What to draw.
    key : str
        Put before all ids, so that figures on one page do not share any.
    alt : str
        What the figure shows, for people who cannot see it.
    titles : mapping of str to sequence of str, optional
        Group id (``set_gid`` of a line of markers) -> title of each marker, shown when hovered.
    dpi : float
        Resolution of the rasterised parts.
    """
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
    return _open_tag(svg, alt)


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
        return f"<use {match[1]}><title>{escape(next(rest))}</title></use>"

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
        f'<svg role="img" aria-label={quoteattr(alt)} viewBox="{view}"'
        ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg">'
    )
    return head + svg[end:]
