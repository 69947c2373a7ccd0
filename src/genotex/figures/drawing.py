"""Draws declared figures with matplotlib: on axes of a user, and to PDF and PNG files.

matplotlib is imported when the first figure is drawn: commands without such figures do not pay.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from genotex.arrays import Floats
from genotex.extras import load_extra
from genotex.figures.layout import BAR_SHAPE, BAR_SHARE, BELOW, BESIDE, FLAT_BAR, TURNED
from genotex.figures.look import FRAME, GRID, INK, QUIET, SCALES, TEXT
from genotex.figures.model import Figure, Line, Panel
from genotex.figures.naming import Box, is_far, placed_names
from genotex.figures.scales import LINEAR_LENGTH, named_ticks
from genotex.figures.shapes import Area, Cells, Dots, Shape, colour_bar, line_look, shapes_of
from genotex.figures.shapes import Path as Lines
from genotex.figures.svg import svg_file
from genotex.options import refuse_unknown_format

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


# Keys are strings; the stubs of some matplotlib versions want literals.
_SETTINGS: dict[Any, Any] = {
    "pdf.fonttype": 42,
    "text.parse_math": False,
    "axes.unicode_minus": True,
    "font.family": "DejaVu Sans",
    "axes.linewidth": 0.7,
    "axes.edgecolor": FRAME,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "legend.frameon": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}


def _sizes_of_text(points: float) -> dict[Any, Any]:
    small = points * 8.5 / TEXT
    return {
        "font.size": points,
        "axes.labelsize": points,
        "xtick.labelsize": small,
        "ytick.labelsize": small,
        "legend.fontsize": small,
    }


@contextmanager
def _drawing(width: float, height: float, text: float = TEXT) -> Iterator[Canvas]:
    """Give a figure of `width` x `height` inches; the settings are put back behind the block."""
    load_extra("matplotlib", "figures", "a figure on axes, as PDF or as PNG")
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as New

    with rc_context(_SETTINGS | _sizes_of_text(text)), warnings.catch_warnings():
        # Names in other scripts: the reader's browser has the glyphs, matplotlib's font may not.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        canvas = New(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(canvas)
        yield canvas


def to_matplotlib(figure: Figure) -> Canvas:
    """Return a figure as one of matplotlib."""
    with _drawing(figure.width, figure.height) as canvas:
        _draw(figure, canvas)
        canvas.draw_without_rendering()
        return canvas


def save_figure(
    figure: Figure, path: Path, *, width: float | None = None, text: float = TEXT
) -> None:
    """Write a figure as PDF, SVG or PNG (300 dots per inch), by the ending of its name.

    `width` is in inches, the height goes with it; `text` is the size of ordinary text in points.
    """
    from genotex.io import atomic_write

    width = figure.width if width is None else width
    ending, height = path.suffix[1:], figure.height * width / figure.width
    if ending == "svg":
        with atomic_write(path) as part:
            part.write_text(svg_file(figure, width, height, text), encoding="utf-8")
        return
    metadata = {"CreationDate": None} if ending == "pdf" else {}
    with _drawing(width, height, text) as canvas:
        _draw(figure, canvas)
        with atomic_write(path) as part, part.open("wb") as handle:
            canvas.savefig(handle, format=ending, dpi=300, facecolor="white", metadata=metadata)


def save_figures(
    figures: Sequence[Figure],
    folder: Path,
    formats: Sequence[str],
    *,
    width: float | None = None,
    text: float = TEXT,
) -> list[Path]:
    """Write figures to a folder, each in every format; return the files.

    Raises
    ------
    UsageError
        If a format is unknown.
    """
    refuse_unknown_format(tuple(formats))
    paths = []
    for figure in figures:
        for ending in formats:
            path = folder / f"{figure.key}.{ending}"
            save_figure(figure, path, width=width, text=text)
            paths.append(path)
    return paths


def plot(figure: Figure, axes: Axes | None = None) -> Axes:
    """Draw the first panel of a figure on axes of matplotlib, new ones by default."""
    if axes is None:
        plt = load_extra("matplotlib.pyplot", "figures", "a figure on axes")
        size = (figure.width, figure.height)
        _, axes = plt.subplots(figsize=size, layout="constrained")
    _draw_panel(axes, figure.panel)
    if not figure.panel.legend and axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False)
    _colour_bar(axes, figure.panel)
    return axes


def _draw(figure: Figure, canvas: Canvas) -> None:
    """Draw all panels."""
    columns = max(map(len, figure.rows))
    grid = canvas.subplots(
        len(figure.rows),
        columns,
        squeeze=False,
        sharex=figure.share_x,
        sharey=figure.share_y,
        height_ratios=figure.heights or None,
        width_ratios=figure.widths or None,
    )
    if figure.tight:
        engine: Any = canvas.get_layout_engine()
        engine.set(h_pad=0.02, hspace=0.0)
    for row, panels in zip(grid, figure.rows, strict=True):
        for axes, panel in zip_longest(row, panels):
            if panel is None:
                axes.set_axis_off()
                continue
            _draw_panel(axes, panel)
            _colour_bar(axes, panel)
    if figure.x_label:
        canvas.supxlabel(figure.x_label, fontsize="medium", color=INK)
    if figure.y_label:
        canvas.supylabel(figure.y_label, fontsize="medium", color=INK)
    if figure.legend == "above":
        handles, labels = grid[0][0].get_legend_handles_labels()
        canvas.legend(
            handles,
            labels,
            loc="outside upper left",
            ncols=figure.legend_columns,
            handletextpad=0.4,
            columnspacing=1.2,
        )


def _draw_panel(axes: Axes, panel: Panel) -> None:
    _set_axes(axes, panel)
    for shape in shapes_of(panel):
        _SHAPES[type(shape)](axes, shape)
    for line in panel.lines:
        across, look = axes.axvline if line.along == "x" else axes.axhline, line_look(line)
        dashes: dict[str, Any] = {"dashes": (4, 3)} if look.dashed else {}
        across(
            line.at, label=line.label or None, color=look.colour, linewidth=look.width,
            zorder=look.order, **dashes,
        )  # fmt: skip
    _set_limits(axes, panel)
    for line in panel.lines:
        _text_at_line(axes, line)
    if panel.legend and axes.get_legend_handles_labels()[0]:
        axes.legend(
            loc="upper right", borderaxespad=0.2, title=panel.note or None, title_fontsize="small"
        )
    _write_names(axes, panel)
    for at, text in panel.beside:
        place = axes.get_yaxis_transform()
        axes.text(BESIDE, at, text, transform=place, va="center", fontsize="small", color=INK)
    _write_below(axes, panel)


def _dots(axes: Axes, dots: Dots) -> None:
    one_look = isinstance(dots.fill, str) and not isinstance(dots.size, np.ndarray)
    same: dict[str, Any] = {
        "marker": dots.shape, "alpha": dots.opacity, "zorder": dots.order,
        "label": dots.label or None, "gid": dots.key or None,
    }  # fmt: skip
    if dots.crowd or not one_look:
        axes.scatter(
            dots.x, dots.y, s=np.square(dots.size), facecolors=dots.fill,
            edgecolors=dots.edge or dots.fill, rasterized=dots.crowd,
            linewidths=np.atleast_1d(dots.edge_width).tolist(), **same,
        )  # fmt: skip
        return
    axes.plot(
        dots.x, dots.y, linestyle="none", markersize=dots.size, color=dots.fill or dots.edge,
        markerfacecolor=dots.fill or "none", markeredgecolor=dots.edge or dots.fill,
        markeredgewidth=dots.edge_width,
        # Unclipped marks without a place have no bounds, and the layout would give up.
        clip_on=not (dots.key and len(dots.x)), **same,
    )  # fmt: skip


def _path(axes: Axes, path: Lines) -> None:
    more: dict[str, Any] = {"dashes": (4, 3)} if path.dashed else {}
    axes.plot(
        path.x, path.y, color=path.colour, linewidth=path.width, alpha=path.opacity,
        drawstyle="steps-post" if path.step else "default", clip_on=path.clipped,
        solid_capstyle="butt" if path.butt else "projecting", label=path.label or None,
        zorder=path.order, gid=path.key or None, **more,
    )  # fmt: skip


def _area(axes: Axes, area: Area) -> None:
    (drawn,) = axes.fill(
        area.x, area.y, facecolor=area.colour, alpha=area.opacity, edgecolor="white",
        linewidth=area.edge_width, label=area.label or None, gid=area.key or None,
    )  # fmt: skip
    if area.stands_on is not None:
        drawn.sticky_edges.y.append(area.stands_on)


def _cells(axes: Axes, cells: Cells) -> None:
    axes.imshow(cells.colours, aspect="auto", interpolation="nearest", gid=cells.key)


_SHAPES: dict[type[Shape], Any] = {Dots: _dots, Lines: _path, Area: _area, Cells: _cells}


def _set_axes(axes: Axes, panel: Panel) -> None:
    """Leave two spines and short ticks, and put the labels."""
    for side in ("top", "right") if panel.framed else ("top", "right", "bottom", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=3 if panel.framed else 0, pad=3)
    axes.set_xlabel(panel.x.label)
    axes.set_ylabel(panel.y.label)
    if panel.title:
        axes.set_title(panel.title, loc="left", fontsize="medium", fontweight="bold", pad=5)
    ends: Any = (("x", panel.x, "bottom"), ("y", panel.y, "left"))
    for name, declared, side in ends:
        if declared.log_above is not None:
            _make_logarithmic(axes, name, declared.log_above)
        if declared.most_ticks:
            axes.locator_params(axis=name, nbins=declared.most_ticks)
        if not declared.line:
            axes.spines[side].set_visible(False)
    if panel.grid:
        axes.grid(axis="x", color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)


def _make_logarithmic(axes: Axes, name: str, above: float) -> None:
    set_scale = axes.set_xscale if name == "x" else axes.set_yscale
    set_scale("symlog", linthresh=above, linscale=LINEAR_LENGTH)
    axis = axes.xaxis if name == "x" else axes.yaxis
    axis.set_major_formatter("{x:,.4g}")
    axes.minorticks_off()


def _set_limits(axes: Axes, panel: Panel) -> None:
    """Set ticks and ends of the axes, after everything is drawn."""
    for declared, set_ticks, set_limits in (
        (panel.x, axes.set_xticks, axes.set_xlim),
        (panel.y, axes.set_yticks, axes.set_ylim),
    ):
        if declared.ticks is not None:
            is_x = declared is panel.x
            turned: dict[str, Any] = {}
            if declared.turned:
                turned = {"rotation": TURNED, "ha": "right", "rotation_mode": "anchor"}
            places = [at for at, _ in declared.ticks]
            set_ticks(
                places, [text for _, text in named_ticks(declared, framed=panel.framed)], **turned
            )
            axes.tick_params(axis="x" if is_x else "y", length=0, labelcolor=INK)
            if declared.far:
                (axes.xaxis.tick_top if is_x else axes.yaxis.tick_right)()
        ends = (declared.low, declared.high)
        if ends != (None, None):
            set_limits(*(ends[::-1] if declared.flipped else ends))


def _text_at_line(axes: Axes, line: Line) -> None:
    if line.text:
        axes.annotate(
            line.text, (axes.get_xlim()[0], line.at), xytext=(4, 2), textcoords="offset points",
            va="bottom", color=QUIET, fontsize="small",
        )  # fmt: skip


def _write_names(axes: Axes, panel: Panel) -> None:
    if not panel.names:
        return
    from matplotlib import rcParams

    figure: Any = axes.figure
    figure.draw_without_rendering()
    scale, around = 72.0 / figure.dpi, axes.get_window_extent()
    frame = Box(*(float(v) * scale for v in (around.x0, around.y0, around.x1, around.y1)))

    def to_points(places: Floats) -> Floats:
        found: Floats = axes.transData.transform(places) * scale
        return found

    for name, offset in placed_names(panel, to_points, frame, float(rcParams["font.size"])):
        dx = offset[0]
        leader = {"arrowstyle": "-", "color": QUIET, "linewidth": 0.5, "shrinkB": 2}
        axes.annotate(
            name.text, (name.x, name.y), xytext=offset, textcoords="offset points",
            ha="left" if dx > 0 else "right" if dx < 0 else "center", va="center",
            fontsize="small", color=INK, arrowprops=leader if is_far(offset) else None,
        )  # fmt: skip


def _write_below(axes: Axes, panel: Panel) -> None:
    for at, text in panel.below:
        axes.annotate(
            text, (at, 0), xytext=(0, -BELOW), textcoords="offset points",
            xycoords=("data", "axes fraction"), ha="center", fontsize="x-small", color=QUIET,
            annotation_clip=False,
        )  # fmt: skip
    if panel.below:
        axes.xaxis.labelpad = 16


def _colour_bar(axes: Axes, panel: Panel) -> None:
    """Draw the bar of a colour scale, below wide cells and next to everything else."""
    declared = colour_bar(panel)
    if declared is None:
        return
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    scale = declared.scale
    colours = LinearSegmentedColormap.from_list("colours", list(SCALES[scale.name]))
    figure: Any = axes.figure
    place: dict[str, Any] = {"shrink": BAR_SHARE, "aspect": BAR_SHAPE, "pad": 0.02}
    if scale.below:
        share = 0.22 if figure.get_figwidth() > 8 else 0.5
        place = {
            "orientation": "horizontal", "fraction": 0.018, "aspect": FLAT_BAR, "pad": 0.02,
            "shrink": share, "anchor": (0.0, 1.0), "ticks": [-2, -1, 0, 1, 2],
        }  # fmt: skip
    ends = Normalize(declared.low, declared.high)
    bar = figure.colorbar(ScalarMappable(ends, colours), ax=axes, **place)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0, labelsize="small")
    bar.set_label(scale.label, fontsize="small")
