"""The marks of a figure as matplotlib draws them, and as a browser is sent them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex

from genotex.figures import Figure, to_json, to_matplotlib


class Mark(NamedTuple):
    """A point: where it is, rounded, and its colour."""

    x: float
    y: float
    colour: str


def _mark(x: float, y: float, colour: Any) -> Mark:
    return Mark(float(f"{x:.6g}"), float(f"{y:.6g}"), to_hex(colour))


def points(figure: Figure) -> set[Mark]:
    """Return the points of a figure; both renderers have the same."""
    drawn, sent = _drawn(figure), _sent(figure)
    assert drawn == sent, (sorted(drawn - sent)[:5], sorted(sent - drawn)[:5])
    return sent


def _drawn(figure: Figure) -> set[Mark]:
    found = set()
    for axes in to_matplotlib(figure).axes:
        for line in axes.lines:
            if line.get_linestyle() in ("None", "none") and line.get_markerfacecolor() != "none":
                x, y = (np.asarray(v, dtype=float) for v in line.get_data())
                found |= {
                    _mark(a, b, line.get_color()) for a, b in zip(x, y, strict=True) if a == a
                }
        for each in (c for c in axes.collections if isinstance(c, PathCollection)):
            places: Any = each.get_offsets()
            if len(places) and len(each.get_edgecolors()):  # type: ignore[attr-defined]
                edges = each.get_edgecolors()  # type: ignore[attr-defined]
                found |= {
                    _mark(x, y, edges[i % len(edges)])
                    for i, (x, y) in enumerate(places.tolist())
                    if x is not None
                }
    return found


def _sent(figure: Figure) -> set[Mark]:
    found = set()
    for row in to_json(figure)["rows"]:
        for series in (each for panel in row for each in panel["series"]):
            if series["kind"] == "points" and "levels" not in series:
                at = zip(series["x"], series["y"], strict=True)
                found |= {_mark(x, y, series["colour"]) for x, y in at if x is not None}
    return found


def lines(figure: Figure, colour: str) -> tuple[list[tuple[float, float]], ...]:
    """Return the corners of the lines of a colour, as drawn and as sent."""
    drawn = [
        (float(f"{x:.6g}"), float(f"{y:.6g}"))
        for axes in to_matplotlib(figure).axes
        for line in axes.lines
        if line.get_linestyle() not in ("None", "none") and to_hex(line.get_color()) == colour
        for x, y in np.column_stack(line.get_data())
        if x == x
    ]
    sent = []
    for row in to_json(figure)["rows"]:
        for s in (each for panel in row for each in panel["series"]):
            if s["colour"] != colour:
                continue
            if s["kind"] == "line":
                sent += [*zip(s["x"], s["y"], strict=True)]
            if s["kind"] in ("intervals", "diamonds"):
                at = s["x" if s.get("upright") else "y"]
                ends = zip(s["low"], s["high"], strict=True)
                for place, pair in zip(at, ends, strict=True):
                    sent += [(place, e) if s.get("upright") else (e, place) for e in pair]
    return drawn, [(float(f"{x:.6g}"), float(f"{y:.6g}")) for x, y in sent if x is not None]
