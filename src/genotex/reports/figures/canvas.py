"""From numbers to inline SVG: colours and marks, settings, and conversion of a figure.

matplotlib is imported when the first figure is drawn: commands without figures do not pay for it.
"""

from __future__ import annotations

import base64
import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

INK = "#1f2933"
QUIET = "#5b6770"
GREY = "#b4bcc4"
ACCENT = "#1b5e83"
UP = "#b8501f"
DOWN = "#22689b"

COLOURS = {"case": UP, "control": DOWN, "other": "#8a7a1f", "unknown": "#8b95a0"}
MARKERS = {"case": "o", "control": "s", "other": "^", "unknown": "X"}

RUN_COLOURS = (
    "#1b5e83", "#c8742f", "#7d8f2b", "#8d4f8a", "#3f9c93", "#b23a48", "#6b7280", "#b89a1e",
)  # fmt: skip
RUN_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
"""Of kinds of problems, and of runs side by side."""

_SHORT = {"case": "case", "control": "control", "other": "other", "unknown": "?"}


def level_key(place: int) -> str:
    """Return the style of the group that is a level of a factor, by its place."""
    return f"level-{place % MOST_LEVELS}"


MOST_LEVELS = 40
"""Beyond 8 levels colours come again."""
for _i in range(MOST_LEVELS):
    COLOURS[level_key(_i)] = RUN_COLOURS[_i % len(RUN_COLOURS)]
    MARKERS[level_key(_i)] = RUN_MARKERS[_i % len(RUN_MARKERS)]

DIVERGING = ("#134b78", "#5f9bc6", "#f6f5f2", "#dc8a5e", "#8f3510")
LEVELS = ("#c9d8e3", "#4f88ab", "#12354b")
"""Colours that a colour map runs through, lowest first."""


@dataclass(frozen=True, eq=False)
class SampleMarks:
    """How the samples are marked in every figure."""

    names: tuple[str, ...]
    keys: tuple[str, ...]
    labels: dict[str, str]
    levels: NDArray[np.float64] | None = None
    level_name: str = ""
    order: tuple[str, ...] = ("control", "other", "case", "unknown")

    @property
    def ordered(self) -> list[str]:
        """The groups from left to right."""
        return sorted(self.labels, key=self.order.index)

    @property
    def own_labels(self) -> bool:
        """Whether groups are levels that the user named."""
        return self.order != SampleMarks.order

    def short(self, key: str, room: int) -> str:
        """Return the label of a group in about so many letters."""
        if key in _SHORT and not self.own_labels:
            return _SHORT[key]
        label = self.labels[key]
        return (
            label if len(label) <= room else f"{label[: max(room - 1, 2)]}\N{HORIZONTAL ELLIPSIS}"
        )

    def members(self, key: str) -> NDArray[np.intp]:
        """Return the indices of a group's samples."""
        return np.flatnonzero(np.asarray(self.keys) == key)


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


_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_MARKERS = re.compile(
    r'<g([^>]*)>((?:\s*<use [^>]*style="[^"]*"[^>]*(?:/>|><title>[^<]*</title></use>))+\s*)</g>'
)
_STYLE = re.compile(r' style="([^"]*)"')
_IMAGE = re.compile(r"(?<=data:image/png;base64,)[A-Za-z0-9+/=\s]+")
_MOST_COLOURS = 256


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


def plot_points(
    axes: Axes,
    x: ArrayLike,
    y: ArrayLike,
    style: tuple[str, str],
    *,
    size: float = 5.6,
    edge: float = 0.5,
    **more: Any,
) -> None:
    """Draw points of one colour and marker with a white edge; `more` goes to ``Axes.plot``."""
    colour, marker = style
    axes.plot(
        x,
        y,
        linestyle="none",
        marker=marker,
        markersize=size,
        color=colour,
        markeredgecolor="white",
        markeredgewidth=edge,
        **more,
    )


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
