"""How matplotlib draws each kind of series, and the names next to points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import Floats
from genotex.figures.look import COLOURS, INK, LOOKS, MISSING, QUIET, SCALES, TEXT
from genotex.figures.model import PointName, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

MOST_HOVERED = 1500
"""Points of a series that show their text under the pointer."""
_MANY = 300
"""With more points, those of the rest become an image."""


def _points(axes: Axes, series: Series, gid: str) -> None:
    look, shape = LOOKS[series.meaning], series.shape or LOOKS[series.meaning].shape
    if series.levels is not None:
        _points_by_level(axes, series)
    elif series.meaning == "rest" and len(series.x) > _MANY:
        _as_image(axes, series, label=series.label or None)
    elif series.sizes is not None or series.hollow is not None:
        _points_of_sizes(axes, series, shape)
    else:
        small = series.meaning == "rest"
        # Unclipped marks without a place have no bounds, and the layout would give up.
        clipped = not len(series.x)
        if len(series.x) > MOST_HOVERED:
            _as_image(axes, series.take(np.arange(MOST_HOVERED, len(series.x))))
        axes.plot(
            series.x[:MOST_HOVERED], series.y[:MOST_HOVERED], linestyle="none", marker=shape,
            markersize=2.6 if small else series.size, color=look.colour,
            alpha=0.55 if small else 0.9, clip_on=clipped,
            markeredgecolor=look.colour if shape == "|" else "white",
            markeredgewidth=0 if small else 0.8 if shape == "|" else 0.09 * series.size,
            label=series.label or None, gid=gid,
        )  # fmt: skip
    if series.ringed is not None and series.ringed.any():
        axes.plot(
            series.x[series.ringed], series.y[series.ringed], linestyle="none", marker="o",
            markersize=10.5, markerfacecolor="none", markeredgecolor=INK, markeredgewidth=1.0,
        )  # fmt: skip


def _as_image(axes: Axes, series: Series, **more: Any) -> None:
    """Draw many small points, which would be large as paths."""
    axes.scatter(
        series.x, series.y, s=7, color=COLOURS[series.meaning], alpha=0.55, linewidths=0,
        rasterized=True, **more,
    )  # fmt: skip


def _points_by_level(axes: Axes, series: Series) -> None:
    levels = np.asarray(series.levels)
    known = np.isfinite(levels)
    x, y = series.x, series.y
    axes.plot(x[~known], y[~known], "x", linestyle="none", color=COLOURS["unknown"])
    assert series.scale is not None
    axes.scatter(
        x[known], y[known], c=levels[known], cmap=_colour_map(series.scale.name), s=36,
        edgecolors="white", linewidths=0.5,
    )  # fmt: skip


def _points_of_sizes(axes: Axes, series: Series, shape: str) -> None:
    colour = LOOKS[series.meaning].colour
    sizes = np.full(len(series.x), series.size) if series.sizes is None else series.sizes
    hollow = np.zeros(len(series.x), dtype=bool) if series.hollow is None else series.hollow
    axes.scatter(
        series.x, series.y, s=sizes**2, marker=shape, zorder=2.5,
        facecolors=["white" if empty else colour for empty in hollow], edgecolors=colour,
        linewidths=np.where(hollow, 1.4, 0).tolist(), label=series.label or None,
    )  # fmt: skip


def _strip(axes: Axes, series: Series, gid: str) -> None:
    look, known = LOOKS[series.meaning], np.isfinite(series.y)
    x, y = series.x[known], series.y[known]
    axes.plot(
        x + series.reach / 0.3 * _sideways_by_rank(y), y, linestyle="none", marker=look.shape,
        markersize=series.size, color=look.colour, alpha=0.8, markeredgewidth=0, gid=gid,
        label=series.label or None,
    )  # fmt: skip
    for place in np.unique(x):
        ends, middle = [place - series.reach, place + series.reach], np.median(y[x == place])
        axes.plot(ends, [middle] * 2, color=INK, linewidth=1.3)


def _sideways_by_rank(values: Floats) -> Floats:
    """Return sideways steps by rank: repeatable where random jitter is not."""
    steps = np.array([0.0, 0.14, -0.14, 0.07, -0.07, 0.21, -0.21])
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    spread: Floats = steps[ranks % len(steps)]
    return spread


def _line(axes: Axes, series: Series, gid: str) -> None:
    dashes: dict[str, Any] = {"dashes": (4, 3)} if series.dashed else {}
    behind: dict[str, Any] = {"zorder": 0} if series.meaning in ("guide", "tree", "range") else {}
    axes.plot(
        series.x, series.y, color=COLOURS[series.meaning], linewidth=0.8 if behind else 1.5,
        drawstyle="steps-post" if series.step else "default", label=series.label or None, gid=gid,
        **behind, **dashes,
    )  # fmt: skip


def _curves(axes: Axes, series: Series, gid: str) -> None:
    """Draw curves as one path with gaps, which takes far less room than one for each."""
    gap = np.full((len(series.y), 1), np.nan)
    x, y = np.tile([*series.x, np.nan], (len(series.y), 1)), np.column_stack([series.y, gap])
    ringed = np.zeros(len(y), dtype=bool) if series.ringed is None else series.ringed
    colour = COLOURS[series.meaning]
    axes.plot(
        x[~ringed].ravel(), y[~ringed].ravel(), color=colour, linewidth=0.8, alpha=0.7,
        label=series.label or None, gid=gid,
    )  # fmt: skip
    if ringed.any():
        axes.plot(x[ringed].ravel(), y[ringed].ravel(), color=colour, linewidth=2.0)


def _band(axes: Axes, series: Series, gid: str) -> None:
    assert series.low is not None and series.high is not None
    axes.fill_between(
        series.x, series.low, series.high, step="post" if series.step else None,
        color=COLOURS[series.meaning], alpha=0.13, linewidth=0, gid=gid,
    )  # fmt: skip


def _bars(axes: Axes, series: Series, gid: str) -> None:
    below = 0.0 if series.low is None else series.low
    bars = axes.bar(
        series.x, series.y - below, width=series.size, bottom=below, align="edge",
        color=COLOURS[series.meaning], edgecolor="white", linewidth=0.8,
        label=series.label or None,
    )  # fmt: skip
    for number, bar in enumerate(bars):
        bar.set_gid(f"{gid}-{number}")


def _joined(at: Floats, start: Floats, end: Floats) -> tuple[Floats, Floats]:
    """Return lines across as one path with gaps."""
    gap = np.full(len(at), np.nan)
    return np.column_stack([at, at, gap]).ravel(), np.column_stack([start, end, gap]).ravel()


def _intervals(axes: Axes, series: Series, gid: str) -> None:
    assert series.low is not None and series.high is not None
    at, ends = _joined(series.x if series.upright else series.y, series.low, series.high)
    x, y = (at, ends) if series.upright else (ends, at)
    colour = COLOURS[series.meaning]
    axes.plot(x, y, color=colour, linewidth=1.3, alpha=0.75, clip_on=False, gid=gid)


def _diamonds(axes: Axes, series: Series, gid: str) -> None:
    assert series.low is not None and series.high is not None
    ends = zip(series.low, series.x, series.high, series.y, strict=True)
    for number, (low, middle, high, at) in enumerate(ends):
        across, down = [low, middle, high, middle], [at, at - 0.26, at, at + 0.26]
        axes.fill(across, down, color=COLOURS[series.meaning], linewidth=0, gid=f"{gid}-{number}")


def _cells(axes: Axes, series: Series, gid: str) -> None:
    from matplotlib.colors import ListedColormap

    same: dict[str, Any] = {"aspect": "auto", "interpolation": "nearest", "gid": gid}
    if series.meanings:
        palette = ListedColormap([COLOURS[key] for key in series.meanings])
        axes.imshow(series.y, cmap=palette, vmin=-0.5, vmax=len(series.meanings) - 0.5, **same)
        return
    assert series.scale is not None
    colours = _colour_map(series.scale.name).with_extremes(bad=MISSING)
    if series.size < 1:
        # Few colours make a small image.
        colours = colours.resampled(24)
    axes.imshow(series.y, cmap=colours, vmin=series.scale.low, vmax=series.scale.high, **same)


def _boxes(axes: Axes, series: Series, gid: str) -> None:
    """Draw a thin line from 5 to 95 %, a thick one from 25 to 75 % and a gap at the median."""
    colour, thick = COLOURS[series.meaning], series.size
    low, lower, middle, upper, high = series.y.T
    axes.plot(*_joined(series.x, low, high), color=colour, linewidth=min(0.9, thick), gid=gid)
    axes.plot(
        *_joined(series.x, lower, upper), color=colour, linewidth=thick, solid_capstyle="butt",
        label=series.label or None,
    )  # fmt: skip
    axes.plot(
        series.x, middle, linestyle="none", marker="_", markersize=thick, markeredgewidth=1.2,
        color="white" if thick > 2 else INK,
    )  # fmt: skip


KINDS: dict[str, Callable[[Axes, Series, str], None]] = {
    "points": _points,
    "strip": _strip,
    "line": _line,
    "curves": _curves,
    "band": _band,
    "bars": _bars,
    "intervals": _intervals,
    "diamonds": _diamonds,
    "cells": _cells,
    "boxes": _boxes,
}


def _colour_map(name: str) -> Colormap:
    """Return the colour map of a scale."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("colours", list(SCALES[name]))


_OFFSETS = [
    (dx, dy)
    for reach in (6, 14, 24)
    for dx, dy in ((reach, 0), (-reach, 0), (reach, reach), (-reach, reach), (reach, -reach),
                   (-reach, -reach), (0, reach), (0, -reach))
]  # fmt: skip


@dataclass(frozen=True)
class _Box:
    left: float
    bottom: float
    right: float
    top: float

    def hits(self, other: _Box) -> bool:
        return not (
            self.right <= other.left
            or other.right <= self.left
            or self.top <= other.bottom
            or other.top <= self.bottom
        )

    def within(self, frame: _Box) -> bool:
        return (
            frame.left <= self.left
            and self.right <= frame.right
            and frame.bottom <= self.bottom
            and self.top <= frame.top
        )


def name_points(axes: Axes, names: Sequence[PointName], dotted: NDArray[np.float64]) -> None:
    """Write the names where they cover no other name and, if possible, no point `dotted` (n, 2)."""
    from matplotlib import rcParams

    figure: Any = axes.figure
    figure.draw_without_rendering()
    scale = 72.0 / figure.dpi
    frame = axes.get_window_extent()
    inside = _Box(*(float(v) * scale for v in (frame.x0, frame.y0, frame.x1, frame.y1)))
    dots = [
        _Box(x - 2.5, y - 2.5, x + 2.5, y + 2.5)
        for x, y in axes.transData.transform(dotted) * scale
    ]
    size = float(rcParams["font.size"]) / TEXT
    placed: list[_Box] = []
    for name in names:
        place = axes.transData.transform((name.x, name.y)) * scale
        options = [(offset, _name_box(place, offset, name.text, size)) for offset in _OFFSETS]
        free = [o for o in options if o[1].within(inside) and not any(map(o[1].hits, placed))]
        # Covering a point is bad, a name far from its point as well.
        best = min(
            free, key=lambda o: sum(map(o[1].hits, dots)) + max(map(abs, o[0])) / 14, default=None
        )
        if best is not None:
            placed.append(best[1])
            _write_name(axes, name, best[0])


def _name_box(
    place: NDArray[np.float64], offset: tuple[float, float], text: str, size: float
) -> _Box:
    dx, dy = offset
    width, half = 5.9 * size * len(text), 5 * size
    left = place[0] + dx - (0 if dx > 0 else width if dx < 0 else width / 2)
    return _Box(left, place[1] + dy - half, left + width, place[1] + dy + half)


def _write_name(axes: Axes, name: PointName, offset: tuple[float, float]) -> None:
    dx, dy = offset
    far = max(abs(dx), abs(dy)) > 6
    axes.annotate(
        name.text,
        (name.x, name.y),
        xytext=offset,
        textcoords="offset points",
        ha="left" if dx > 0 else "right" if dx < 0 else "center",
        va="center",
        fontsize="small",
        color=INK,
        arrowprops={"arrowstyle": "-", "color": QUIET, "linewidth": 0.5, "shrinkB": 2}
        if far
        else None,
    )
