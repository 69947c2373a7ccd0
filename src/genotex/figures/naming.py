"""Where names are written next to points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from genotex.arrays import Floats
from genotex.figures.look import TEXT
from genotex.figures.model import Panel, PointName, placed

_MOST_INWARDS = 12
_OFFSETS = [
    (dx, dy)
    for reach in (6, 14, 24)
    for dx, dy in ((reach, 0), (-reach, 0), (reach, reach), (-reach, reach), (reach, -reach),
                   (-reach, -reach), (0, reach), (0, -reach))
]  # fmt: skip

Offset = tuple[float, float]
"""Points to the right of a place and above it."""


@dataclass(frozen=True)
class Box:
    """A rectangle, in points; `bottom` is less than `top`."""

    left: float
    bottom: float
    right: float
    top: float

    def hits(self, other: Box) -> bool:
        """Return whether two have an area in common."""
        return not (
            self.right <= other.left
            or other.right <= self.left
            or self.top <= other.bottom
            or other.top <= self.bottom
        )

    def within(self, frame: Box) -> bool:
        """Return whether it is in a frame."""
        return (
            frame.left <= self.left
            and self.right <= frame.right
            and frame.bottom <= self.bottom
            and self.top <= frame.top
        )


def placed_names(
    panel: Panel, to_points: Callable[[Floats], Floats], frame: Box, text: float = TEXT
) -> list[tuple[PointName, Offset]]:
    """Return the names that are written, and how far from their point.

    `to_points` turns places (n, 2) into points from the lower left corner. Of names with leaders,
    those stay that cover no other name; if possible they cover no point.
    """
    names = (name for name in panel.names if placed(np.array((name.x, name.y))).all())
    panel = replace(panel, names=tuple(names))
    if panel.naming != "leader":
        middle = (frame.left + frame.right) / 2
        some = panel.names[:_MOST_INWARDS] if panel.naming == "inwards" else panel.names
        at = to_points(np.array([(name.x, name.y) for name in some]).reshape(-1, 2))
        right = [panel.naming == "right" or x <= middle for x in at[:, 0]]
        return [(name, (6.0 if r else -6.0, 0.0)) for name, r in zip(some, right, strict=True)]
    return _with_leaders(panel, to_points, frame, text / TEXT) if panel.names else []


def _with_leaders(
    panel: Panel, to_points: Callable[[Floats], Floats], frame: Box, size: float
) -> list[tuple[PointName, Offset]]:
    marked = [
        np.column_stack([series.x, series.y])
        for series in panel.series
        if series.kind == "points" and series.meaning != "rest"
    ]
    dotted = to_points(np.vstack(marked)) if marked else np.empty((0, 2))
    dots = [Box(x - 2.5, y - 2.5, x + 2.5, y + 2.5) for x, y in dotted.tolist()]
    places = to_points(np.array([(name.x, name.y) for name in panel.names]))
    placed: list[Box] = []
    found: list[tuple[PointName, Offset]] = []
    for name, place in zip(panel.names, places.tolist(), strict=True):
        reach = 30 + 5.9 * size * len(name.text)
        near = [dot for dot in dots if abs(dot.left - place[0]) < reach]
        options = [(offset, _name_box(place, offset, name.text, size)) for offset in _OFFSETS]
        free = [o for o in options if o[1].within(frame) and not any(map(o[1].hits, placed))]
        # Covering a point is bad, a name far from its point as well.
        best = min(
            free, key=lambda o: sum(map(o[1].hits, near)) + max(map(abs, o[0])) / 14, default=None
        )
        if best is not None:
            placed.append(best[1])
            found.append((name, best[0]))
    return found


def _name_box(place: Sequence[float], offset: Offset, text: str, size: float) -> Box:
    dx, dy = offset
    width, half = 5.9 * size * len(text), 5 * size
    left = place[0] + dx - (0 if dx > 0 else width if dx < 0 else width / 2)
    return Box(left, place[1] + dy - half, left + width, place[1] + dy + half)


def is_far(offset: Offset) -> bool:
    """Return whether a line leads from the name to its point."""
    return max(map(abs, offset)) > 6
