"""What the series of a figure are drawn as: dots, paths, areas and cells, whoever draws them.

Places are in the units of the axes, sizes and widths in points. Shapes of a higher `order` lie on
top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import Floats
from genotex.figures.look import COLOURS, INK, LOOKS, MISSING, QUIET, SCALES, ZERO
from genotex.figures.model import Line, Panel, Scale, Series, placed

MOST_HOVERED = 1500
"""Points of a series that show their text under the pointer."""
_MANY = 300
"""With more points, those of the rest are drawn as a crowd."""
_FEW_COLOURS, _COLOURS = 25, 241
"""Steps of a scale, one of them its middle; with missing cells they fit a palette of 256."""

Colours = str | tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Dots:
    """Points of one shape; `size` is their diameter, and `fill` empty where they are rings."""

    x: Floats
    y: Floats
    shape: str
    size: float | Floats
    fill: Colours
    edge: str = ""
    edge_width: float | Floats = 0.0
    opacity: float = 1.0
    texts: tuple[str, ...] = ()
    label: str = ""
    crowd: bool = False
    """Whether there are so many small ones that no one matters alone."""
    order: float = 2.0
    key: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Path:
    """Lines with gaps where a place is missing."""

    x: Floats
    y: Floats
    colour: str
    width: float
    opacity: float = 1.0
    dashed: bool = False
    step: bool = False
    """Whether it goes across before it goes up or down."""
    butt: bool = False
    clipped: bool = True
    label: str = ""
    order: float = 2.0
    key: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Area:
    """A filled shape with these corners."""

    x: Floats
    y: Floats
    colour: str
    opacity: float = 1.0
    edge_width: float = 0.0
    """Of the white line around it."""
    stands_on: float | None = None
    """Of a bar: the number below which nothing is drawn."""
    label: str = ""
    order: float = 1.0
    key: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Cells:
    """Colours (rows, columns, 3) of cells of width 1, the first in the middle of (0, 0)."""

    colours: NDArray[np.uint8]
    label: str = ""
    order: float = 0.0
    key: str = ""


Shape = Dots | Path | Area | Cells


def shapes_of(panel: Panel, prefix: str = "") -> list[Shape]:
    """Return the shapes of a panel's series, in the order of the legend."""
    return [
        shape
        for number, series in enumerate(panel.series)
        for shape in _KINDS[series.kind](series, f"{prefix}{series.kind}-{number}-{series.meaning}")
    ]


@dataclass(frozen=True)
class LineLook:
    """How a line across the whole panel looks."""

    colour: str
    width: float
    dashed: bool = False
    order: float = 2.0


_LINES = {
    "zero": LineLook(ZERO, 0.9, order=0.0),
    "threshold": LineLook(QUIET, 0.9, dashed=True, order=1.0),
    "edge": LineLook("#ffffff", 2.5),
}


def line_look(line: Line) -> LineLook:
    """Return how a line across is drawn."""
    return _LINES[line.role]


def scale_ends(series: Series) -> tuple[float, float]:
    """Return the numbers at which the colours of a series end."""
    scale = series.scale or Scale("level")
    values = np.asarray(series.y if series.levels is None else series.levels)
    known = values[placed(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    low, high = low if scale.low is None else scale.low, high if scale.high is None else scale.high
    free = 0.0 if high - low > 1e-200 else max(0.5, 0.05 * abs(low))
    return low - free, high + free


@dataclass(frozen=True)
class ColourBar:
    """The bar of a colour scale, from its lowest number to its highest."""

    scale: Scale
    low: float
    high: float


def colour_bar(panel: Panel) -> ColourBar | None:
    """Return the bar of the first scale of a panel that has one."""
    for series in panel.series:
        if series.scale is not None and series.scale.bar:
            return ColourBar(series.scale, *scale_ends(series))
    return None


def scale_colours(name: str, places: Floats, steps: int = _COLOURS) -> NDArray[np.uint8]:
    """Return the colours (..., 3) of a scale at places between 0 and 1, in so many steps."""
    anchors = np.array([_rgb(colour) for colour in SCALES[name]], dtype=float)
    table = _between(anchors, np.linspace(0, 1, steps))
    at = np.clip((np.nan_to_num(places) * steps).astype(int), 0, steps - 1)
    found: NDArray[np.uint8] = table[at]
    return found


def _between(anchors: Floats, places: Floats) -> NDArray[np.uint8]:
    along = np.linspace(0, 1, len(anchors))
    parts = [np.interp(places, along, anchors[:, k]) for k in range(3)]
    return np.rint(np.stack(parts, axis=-1)).astype(np.uint8)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _shares(values: Floats, ends: tuple[float, float]) -> Floats:
    low, high = ends
    shares: Floats = (np.where(placed(values), values, low) - low) / (high - low)
    return shares


def _points(series: Series, key: str) -> Iterator[Shape]:
    shape = series.shape or LOOKS[series.meaning].shape
    if series.levels is not None:
        yield from _points_by_level(series)
    elif series.meaning == "rest" and len(series.x) > _MANY:
        yield _crowd(series, series.label)
    elif series.sizes is not None or series.hollow is not None:
        yield _points_of_sizes(series, shape)
    else:
        yield from _ordinary_points(series, shape, key)
    if series.ringed is not None and series.ringed.any():
        yield Dots(
            x=series.x[series.ringed], y=series.y[series.ringed], shape="o", size=10.5, fill="",
            edge=INK, edge_width=1.0,
        )  # fmt: skip


def _ordinary_points(series: Series, shape: str, key: str) -> Iterator[Dots]:
    small, colour = series.meaning == "rest", COLOURS[series.meaning]
    if len(series.x) > MOST_HOVERED:
        yield _crowd(series.take(np.arange(MOST_HOVERED, len(series.x))), "")
    yield Dots(
        x=series.x[:MOST_HOVERED], y=series.y[:MOST_HOVERED], shape=shape,
        size=2.6 if small else series.size, fill=colour, edge=colour if shape == "|" else "#ffffff",
        edge_width=0.0 if small else 0.8 if shape == "|" else 0.09 * series.size,
        opacity=0.55 if small else 0.9, texts=() if small else series.texts[:MOST_HOVERED],
        label=series.label, key=key,
    )  # fmt: skip


def _crowd(series: Series, label: str) -> Dots:
    return Dots(
        x=series.x, y=series.y, shape="o", size=2.6, fill=COLOURS[series.meaning], opacity=0.55,
        label=label, crowd=True, order=1.0,
    )  # fmt: skip


def _points_by_level(series: Series) -> Iterator[Dots]:
    levels = np.asarray(series.levels)
    known, scale = placed(levels), series.scale or Scale("level")
    colours = scale_colours(scale.name, _shares(levels[known], scale_ends(series)))
    yield Dots(
        x=series.x[~known], y=series.y[~known], shape="x", size=6.0, fill=COLOURS["unknown"],
        edge=COLOURS["unknown"], edge_width=1.0,
    )  # fmt: skip
    of_known = series.take(np.flatnonzero(known))
    yield Dots(
        x=of_known.x, y=of_known.y, shape="o", size=6.0, fill=tuple(map(_written, colours)),
        edge="#ffffff", edge_width=0.5, texts=of_known.texts[:MOST_HOVERED], order=1.0,
    )  # fmt: skip


def _written(colour: NDArray[np.uint8]) -> str:
    return "#" + colour.tobytes().hex()


def _points_of_sizes(series: Series, shape: str) -> Dots:
    colour, count = COLOURS[series.meaning], len(series.x)
    hollow = np.zeros(count, dtype=bool) if series.hollow is None else series.hollow
    return Dots(
        x=series.x, y=series.y, shape=shape,
        size=np.full(count, series.size) if series.sizes is None else series.sizes,
        fill=tuple("#ffffff" if empty else colour for empty in hollow), edge=colour,
        edge_width=np.where(hollow, 1.4, 0.0), texts=series.texts[:MOST_HOVERED],
        label=series.label, order=2.5,
    )  # fmt: skip


def _strip(series: Series, key: str) -> Iterator[Shape]:
    look, known = LOOKS[series.meaning], placed(series.x) & placed(series.y)
    x, y = series.x[known], series.y[known]
    yield Dots(
        x=x + series.reach / 0.3 * _sideways_by_rank(y), y=y, shape=look.shape, size=series.size,
        fill=look.colour, opacity=0.8, label=series.label, key=key,
    )  # fmt: skip
    for place in np.unique(x):
        middle = np.median(y[x == place])
        ends = np.array([place - series.reach, place + series.reach])
        yield Path(x=ends, y=np.array([middle, middle]), colour=INK, width=1.3)


def _sideways_by_rank(values: Floats) -> Floats:
    """Return sideways steps by rank: repeatable where random jitter is not."""
    steps = np.array([0.0, 0.14, -0.14, 0.07, -0.07, 0.21, -0.21])
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    spread: Floats = steps[ranks % len(steps)]
    return spread


def _line(series: Series, key: str) -> Iterator[Shape]:
    behind = series.meaning in ("guide", "tree", "range")
    yield Path(
        x=series.x, y=series.y, colour=COLOURS[series.meaning], width=0.8 if behind else 1.5,
        dashed=series.dashed, step=series.step, label=series.label, order=0.0 if behind else 2.0,
        key=key,
    )  # fmt: skip


def _curves(series: Series, key: str) -> Iterator[Shape]:
    """Yield curves as one path with gaps, which takes far less room than one for each."""
    gap = np.full((len(series.y), 1), np.nan)
    x, y = np.tile([*series.x, np.nan], (len(series.y), 1)), np.column_stack([series.y, gap])
    ringed = np.zeros(len(y), dtype=bool) if series.ringed is None else series.ringed
    thin = Path(
        x=x[~ringed].ravel(), y=y[~ringed].ravel(), colour=COLOURS[series.meaning], width=0.8,
        opacity=0.7, label=series.label, key=key,
    )  # fmt: skip
    yield thin
    if ringed.any():
        x, y = x[ringed].ravel(), y[ringed].ravel()
        yield replace(thin, x=x, y=y, width=2.0, opacity=1.0, label="", key="")


def _band(series: Series, key: str) -> Iterator[Shape]:
    """Yield an area for each stretch on which both limits are known."""
    x, low, high = series.x, *_ends(series)
    if series.step:
        x, low, high = np.repeat(x, 2)[1:], np.repeat(low, 2)[:-1], np.repeat(high, 2)[:-1]
    known = placed(low) & placed(high)
    for number, part in enumerate(np.split(np.arange(len(x)), np.flatnonzero(np.diff(known)) + 1)):
        if known[part].any():
            yield Area(
                x=np.concatenate([x[part], x[part][::-1]]),
                y=np.concatenate([low[part], high[part][::-1]]),
                colour=COLOURS[series.meaning], opacity=0.13, key=f"{key}-{number}",
            )  # fmt: skip


def _ends(series: Series) -> tuple[Floats, Floats]:
    assert series.low is not None and series.high is not None
    return series.low, series.high


def _bars(series: Series, key: str) -> Iterator[Shape]:
    below = np.zeros(len(series.y)) if series.low is None else series.low
    bars = zip(series.x, np.broadcast_to(below, series.y.shape), series.y, strict=True)
    for number, (left, low, high) in enumerate(bars):
        right = left + series.size
        yield Area(
            x=np.array([left, right, right, left]), y=np.array([low, low, high, high]),
            colour=COLOURS[series.meaning], edge_width=0.8, key=f"{key}-{number}",
            stands_on=low, label="" if number else series.label,
        )  # fmt: skip


def _joined(at: Floats, start: Floats, end: Floats) -> tuple[Floats, Floats]:
    """Return lines across as one path with gaps."""
    gap = np.full(len(at), np.nan)
    return np.column_stack([at, at, gap]).ravel(), np.column_stack([start, end, gap]).ravel()


def _intervals(series: Series, key: str) -> Iterator[Shape]:
    at, ends = _joined(series.x if series.upright else series.y, *_ends(series))
    x, y = (at, ends) if series.upright else (ends, at)
    colour = COLOURS[series.meaning]
    yield Path(x=x, y=y, colour=colour, width=1.3, opacity=0.75, clipped=False, key=key)


def _diamonds(series: Series, key: str) -> Iterator[Shape]:
    ends = zip(*_ends(series), series.x, series.y, strict=True)
    for number, (low, high, middle, at) in enumerate(ends):
        yield Area(
            x=np.array([low, middle, high, middle]), y=np.array([at, at - 0.26, at, at + 0.26]),
            colour=COLOURS[series.meaning], key=f"{key}-{number}",
        )  # fmt: skip


def _cells(series: Series, key: str) -> Iterator[Shape]:
    known = placed(series.y)
    if series.meanings:
        table = np.array([_rgb(COLOURS[each]) for each in series.meanings], dtype=np.uint8)
        colours = table[np.where(known, series.y, 0).astype(int)]
        colours[~known] = 255
    else:
        scale = series.scale or Scale("level")
        # Few colours make a small image.
        steps = _FEW_COLOURS if series.size < 1 else _COLOURS
        colours = scale_colours(scale.name, _shares(series.y, scale_ends(series)), steps)
        colours[~known] = _rgb(MISSING)
    yield Cells(colours=colours, key=key)


def _boxes(series: Series, key: str) -> Iterator[Shape]:
    """Yield a thin line from 5 to 95 %, a thick one from 25 to 75 % and a gap at the median."""
    colour, thick = COLOURS[series.meaning], series.size
    low, lower, middle, upper, high = series.y.T
    x, y = _joined(series.x, low, high)
    yield Path(x=x, y=y, colour=colour, width=min(0.9, thick), key=key)
    x, y = _joined(series.x, lower, upper)
    yield Path(x=x, y=y, colour=colour, width=thick, butt=True, label=series.label)
    gap = "#ffffff" if thick > 2 else INK
    yield Dots(
        x=series.x, y=middle, shape="_", size=thick, fill=gap, edge=gap, edge_width=1.2
    )  # fmt: skip


_KINDS: dict[str, Callable[[Series, str], Iterator[Shape]]] = {
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
