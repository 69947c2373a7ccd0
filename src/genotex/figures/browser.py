"""Declared figures as JSON for the script of browsers, with colours and shapes filled in.

A plot of 20,000 points is slow in a browser, and most of them lie on top of each other. Of points
that mean nothing in particular, one is sent for each cell of a fine grid; on zooming in, the part
in view is asked for again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import Floats
from genotex.figures.look import IN_BROWSERS, LOOKS, SCALES
from genotex.figures.model import Axis, Figure, Panel, PointName, Scale, Series

Window = tuple[float, float, float, float]
"""Part of a panel in view: x from and to, y from and to."""

_COLUMNS, _ROWS = 200, 130
_MOST_POINTS = 3000
_MOST_NAMES = 12
_DIGITS = 6


def to_json(figure: Figure, window: Window | None = None) -> dict[str, Any]:
    """Return a figure as plain JSON values; of points, those in view, thinned."""
    counts = {"drawn": 0, "seen": 0, "total": 0}
    rows = [[_panel(panel, window, counts) for panel in row] for row in figure.rows]
    return {
        "key": figure.key,
        "title": figure.title,
        "caption": figure.caption,
        "alt": figure.alt,
        "rows": rows,
        "heights": list(figure.heights or [1.0] * len(rows)),
        "widths": list(figure.widths),
        "share_x": figure.share_x,
        "legend": figure.legend != "none",
        **counts,
    }


def _panel(panel: Panel, window: Window | None, counts: dict[str, int]) -> dict[str, Any]:
    series = []
    seen = []
    for each in panel.series:
        if each.kind != "points" or each.levels is not None or each.sizes is not None:
            series.append(each)
            continue
        visible = each.take(np.flatnonzero(_inside(each, window))) if window else each
        many = each.meaning == "rest" or len(visible.x) > _MOST_POINTS
        drawn = visible.take(_thinned(visible)) if many else visible
        for name, some in (("drawn", drawn), ("seen", visible), ("total", each)):
            counts[name] += len(some.x)
        seen.append(visible)
        series.append(drawn)
    names = _apart(panel, seen) if panel.naming == "leader" else panel.names
    return {
        "x": _axis(panel.x),
        "y": _axis(panel.y),
        "series": [_series(each) for each in series if len(each.x) or len(each.y)],
        "lines": [
            {"along": line.along, "at": line.at, "role": line.role, "text": line.text or line.label}
            for line in panel.lines
        ],
        "names": [{"text": name.text, "x": name.x, "y": name.y} for name in names],
        "title": panel.title,
        "note": panel.note,
        "framed": panel.framed,
        "legend": panel.legend,
    }


def _axis(axis: Axis) -> dict[str, Any]:
    ends = [axis.high, axis.low] if axis.flipped else [axis.low, axis.high]
    return {
        "label": axis.label,
        "range": None if None in ends else ends,
        "ticks": None if axis.ticks is None else [list(tick) for tick in axis.ticks],
        "log_above": axis.log_above,
        "flipped": axis.flipped,
    }


def _series(series: Series) -> dict[str, Any]:
    look = LOOKS[series.meaning]
    shape = IN_BROWSERS[series.shape or look.shape]
    found: dict[str, Any] = {
        "kind": series.kind,
        "meaning": series.meaning,
        "colour": look.colour,
        "shape": shape,
        "label": series.label,
        "size": series.size,
    }
    for name in ("x", "y", "low", "high", "levels", "sizes"):
        values = getattr(series, name)
        if values is not None and len(values):
            found[name] = [rounded(r) for r in values] if values.ndim > 1 else rounded(values)
    for name in ("ringed", "hollow"):
        values = getattr(series, name)
        if values is not None:
            found[name] = values.tolist()
    for name in ("texts", "ids"):
        if getattr(series, name):
            found[name] = list(getattr(series, name))
    if series.kind == "strip":
        found["reach"] = series.reach
    for name in ("step", "dashed", "upright"):
        if getattr(series, name):
            found[name] = True
    if series.meanings:
        found["colours"] = [LOOKS[key].colour for key in series.meanings]
    if series.scale is not None:
        found["scale"] = _scale(series.scale)
    return found


def _scale(scale: Scale) -> dict[str, Any]:
    return {
        "colours": list(SCALES[scale.name]),
        "low": scale.low,
        "high": scale.high,
        "label": scale.label,
        "bar": scale.bar,
    }


def rounded(values: NDArray[np.floating[Any]]) -> list[float | None]:
    """Return numbers for JSON; what is missing as null."""
    values = values.astype(np.float64)
    with np.errstate(all="ignore"):
        decimals = _DIGITS - 1 - np.floor(np.log10(np.abs(values)))
        # Powers below one are not exact.
        power = 10.0 ** np.abs(decimals)
        short = np.where(
            decimals < 0, (values / power).round() * power, (values * power).round() / power
        )
    kept = np.where(np.isfinite(short), short, values)
    found: list[float | None] = kept.astype(object).tolist()
    for place in np.flatnonzero(~np.isfinite(values)):
        found[place] = None
    return found


def _inside(series: Series, window: Window) -> NDArray[np.bool_]:
    left, right, low, high = window
    x, y = series.x, series.y
    inside: NDArray[np.bool_] = (x >= left) & (x <= right) & (y >= low) & (y <= high)
    return inside


def _thinned(series: Series) -> NDArray[np.intp]:
    """Return the first point in each cell of a grid over all of them."""
    if not len(series.x):
        return np.empty(0, dtype=np.intp)
    cells = _steps(series.x, _COLUMNS) * _ROWS + _steps(series.y, _ROWS)
    _, first = np.unique(cells, return_index=True)
    return np.sort(first)


def _steps(values: Floats, count: int) -> NDArray[np.int64]:
    low, width = values.min(), float(np.ptp(values)) or 1.0
    steps: NDArray[np.int64] = np.minimum((values - low) / width * count, count - 1).astype(int)
    return steps


def _apart(panel: Panel, seen: Sequence[Series]) -> list[PointName]:
    """Return the first names in view that do not cover each other."""
    x = np.concatenate([series.x for series in seen]) if seen else np.empty(0)
    y = np.concatenate([series.y for series in seen]) if seen else np.empty(0)
    if not len(x):
        return list(panel.names)
    wide, high = (0.08 * (float(np.ptp(values)) or 1.0) for values in (x, y))
    there = {id_ for series in seen for id_ in series.ids}
    chosen: list[PointName] = []
    for name in panel.names:
        near = any(abs(name.x - c.x) < wide and abs(name.y - c.y) < high / 2 for c in chosen)
        if name.text in there and not near:
            chosen.append(name)
    return chosen[:_MOST_NAMES]
