"""Draws declared figures with matplotlib: as SVG for pages, on axes of a user, and to files.

matplotlib is imported when the first figure is drawn: commands without figures do not pay for it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from genotex.figures.look import INK, QUIET, TEXT, ZERO
from genotex.figures.marks import KINDS, MOST_HOVERED, name_points
from genotex.figures.model import Axis, Figure, Line, Panel, Scale
from genotex.figures.svg import to_svg
from genotex.options import refuse_unknown_format

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_MOST_NAMES = 12
_MOST_TICKS = 60
"""With more named places, those on a line are not named."""

# Keys are strings; the stubs of some matplotlib versions want literals.
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "genotex",
    "svg.image_inline": True,
    "pdf.fonttype": 42,
    "text.parse_math": False,
    "axes.unicode_minus": True,
    "font.family": "DejaVu Sans",
    "axes.linewidth": 0.7,
    "axes.edgecolor": "#9aa5b1",
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
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as New

    with rc_context(_SETTINGS | _sizes_of_text(text)), warnings.catch_warnings():
        # Names in other scripts: the reader's browser has the glyphs, matplotlib's font may not.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        canvas = New(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(canvas)
        yield canvas


def draw_svg(figure: Figure) -> str:
    """Return a figure as an ``<svg>`` element for a page."""
    with _drawing(figure.width, figure.height) as canvas:
        titles = _draw(figure, canvas)
        return to_svg(canvas, figure.key, figure.alt, titles, dpi=160 if figure.wide else 144)


def to_matplotlib(figure: Figure) -> Canvas:
    """Return a figure as one of matplotlib."""
    with _drawing(figure.width, figure.height) as canvas:
        _draw(figure, canvas)
        canvas.draw_without_rendering()
        return canvas


def get_ready() -> None:
    """Draw a small figure, so that the next ones need not load matplotlib and its font."""
    draw_svg(Figure(key="ready", rows=((Panel(x=Axis("x"), y=Axis("y")),),), width=1, height=1))


def save_figure(
    figure: Figure, path: Path, *, width: float | None = None, text: float = TEXT
) -> None:
    """Write a figure as PDF, SVG or PNG (300 dots per inch), by the ending of its name.

    `width` is in inches, the height goes with it; `text` is the size of ordinary text in points.
    """
    from genotex.io import atomic_write

    width = figure.width if width is None else width
    metadata = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}.get(path.suffix[1:], {})
    with _drawing(width, figure.height * width / figure.width, text) as canvas:
        _draw(figure, canvas)
        with atomic_write(path) as part, part.open("wb") as handle:
            canvas.savefig(
                handle, format=path.suffix[1:], dpi=300, facecolor="white", metadata=metadata
            )


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
        import matplotlib.pyplot as plt

        size = (figure.width, figure.height)
        _, axes = plt.subplots(figsize=size, layout="constrained")
    _draw_panel(axes, figure.panel, "")
    if not figure.panel.legend and axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False)
    _colour_bar(axes, figure.panel)
    return axes


def _draw(figure: Figure, canvas: Canvas) -> dict[str, list[str]]:
    """Draw all panels; return what their marks say, by the id of their group."""
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
    titles: dict[str, list[str]] = {}
    for i, row in enumerate(grid):
        for k, axes in enumerate(row):
            if k >= len(figure.rows[i]):
                axes.set_axis_off()
                continue
            panel = figure.rows[i][k]
            titles |= _draw_panel(axes, panel, f"panel-{i}-{k}-" if i or k else "")
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
    return titles


def _draw_panel(axes: Axes, panel: Panel, prefix: str) -> dict[str, list[str]]:
    titles: dict[str, list[str]] = {}
    _set_axes(axes, panel)
    for number, series in enumerate(panel.series):
        gid = f"{prefix}{series.kind}-{number}-{series.meaning}"
        KINDS[series.kind](axes, series, gid)
        if series.kind == "points" and series.texts and series.meaning != "rest":
            titles[gid] = list(series.texts[:MOST_HOVERED])
    for line in panel.lines:
        across = axes.axvline if line.along == "x" else axes.axhline
        across(line.at, label=line.label or None, **_LINES[line.role])
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
        axes.text(1.03, at, text, transform=place, va="center", fontsize="small", color=INK)
    _write_below(axes, panel)
    return titles


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
        axes.grid(axis="x", color="#e6eaee", linewidth=0.8)
        axes.set_axisbelow(True)


def _make_logarithmic(axes: Axes, name: str, above: float) -> None:
    set_scale = axes.set_xscale if name == "x" else axes.set_yscale
    set_scale("symlog", linthresh=above, linscale=0.4)
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
                turned = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
            places = [at for at, _ in declared.ticks]
            crowded = panel.framed and len(places) > _MOST_TICKS
            set_ticks(places, ["" if crowded else text for _, text in declared.ticks], **turned)
            axes.tick_params(axis="x" if is_x else "y", length=0, labelcolor=INK)
            if declared.far:
                (axes.xaxis.tick_top if is_x else axes.yaxis.tick_right)()
        ends = (declared.low, declared.high)
        if ends != (None, None):
            set_limits(*(ends[::-1] if declared.flipped else ends))
    if panel.x.percent:
        axes.xaxis.set_major_formatter("{x:.0%}")
    if panel.y.percent:
        axes.yaxis.set_major_formatter("{x:.0%}")


_LINES: dict[str, dict[str, Any]] = {
    "zero": {"color": ZERO, "linewidth": 0.9, "zorder": 0},
    "threshold": {"color": QUIET, "linewidth": 0.9, "dashes": (4, 3), "zorder": 1},
    "edge": {"color": "white", "linewidth": 2.5},
}


def _text_at_line(axes: Axes, line: Line) -> None:
    if line.text:
        axes.annotate(
            line.text, (axes.get_xlim()[0], line.at), xytext=(4, 2), textcoords="offset points",
            va="bottom", color=QUIET, fontsize="small",
        )  # fmt: skip


def _write_names(axes: Axes, panel: Panel) -> None:
    if not panel.names:
        return
    if panel.naming == "leader":
        dots = [
            np.column_stack([series.x, series.y])
            for series in panel.series
            if series.kind == "points" and series.meaning != "rest"
        ]
        name_points(axes, panel.names, np.vstack(dots) if dots else np.empty((0, 2)))
        return
    middle = sum(axes.get_xlim()) / 2
    for name in panel.names[:_MOST_NAMES] if panel.naming == "inwards" else panel.names:
        right = panel.naming == "right" or name.x <= middle
        axes.annotate(
            name.text, (name.x, name.y), xytext=(6 if right else -6, 0), textcoords="offset points",
            ha="left" if right else "right", va="center", fontsize="small", color=INK,
        )  # fmt: skip


def _write_below(axes: Axes, panel: Panel) -> None:
    for at, text in panel.below:
        axes.annotate(
            text, (at, 0), xytext=(0, -26), textcoords="offset points",
            xycoords=("data", "axes fraction"), ha="center", fontsize="x-small", color=QUIET,
            annotation_clip=False,
        )  # fmt: skip
    if panel.below:
        axes.xaxis.labelpad = 16


def _colour_bar(axes: Axes, panel: Panel) -> None:
    """Draw the bar of a colour scale, below wide cells and next to everything else."""
    scaled = [s for s in panel.series if s.scale is not None and s.scale.bar]
    if not scaled:
        return
    scale: Scale = scaled[0].scale  # type: ignore[assignment]
    drawn = [each for each in (*axes.images, *axes.collections) if each.get_array() is not None]
    figure: Any = axes.figure
    place: dict[str, Any] = {"shrink": 0.75, "aspect": 24, "pad": 0.02}
    if scale.below:
        share = 0.22 if figure.get_figwidth() > 8 else 0.5
        place = {
            "orientation": "horizontal", "fraction": 0.018, "aspect": 40, "pad": 0.02,
            "shrink": share, "anchor": (0.0, 1.0), "ticks": [-2, -1, 0, 1, 2],
        }  # fmt: skip
    bar = figure.colorbar(drawn[-1], ax=axes, **place)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0, labelsize="small")
    bar.set_label(scale.label, fontsize="small")
