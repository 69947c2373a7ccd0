"""Names next to points, where they cover no other name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from genotex.figures.look import INK, QUIET, TEXT
from genotex.figures.model import Name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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


def name_points(axes: Axes, names: Sequence[Name], dotted: NDArray[np.float64]) -> None:
    """Write the names where they cover no other name and, if possible, no point `dotted` (n, 2)."""
    figure: Any = axes.figure
    figure.draw_without_rendering()
    scale = 72.0 / figure.dpi
    frame = axes.get_window_extent()
    inside = _Box(*(float(v) * scale for v in (frame.x0, frame.y0, frame.x1, frame.y1)))
    dots = [
        _Box(x - 2.5, y - 2.5, x + 2.5, y + 2.5)
        for x, y in axes.transData.transform(dotted) * scale
    ]
    size = _size_of_text() / TEXT
    placed: list[_Box] = []
    for name in names:
        place = axes.transData.transform((name.x, name.y)) * scale
        options = [(offset, _name_box(place, offset, name.text, size)) for offset in _OFFSETS]
        free = [o for o in options if o[1].within(inside) and not any(map(o[1].hits, placed))]
        # Covering a point is bad, a name far from its point as well.
        best = min(
            free,
            key=lambda o: sum(map(o[1].hits, dots)) + max(map(abs, o[0])) / 14,
            default=None,
        )
        if best is not None:
            placed.append(best[1])
            _write_name(axes, name, best[0])


def _size_of_text() -> float:
    from matplotlib import rcParams

    return float(rcParams["font.size"])


def _name_box(
    place: NDArray[np.float64], offset: tuple[float, float], text: str, size: float
) -> _Box:
    dx, dy = offset
    width, half = 5.9 * size * len(text), 5 * size
    left = place[0] + dx - (0 if dx > 0 else width if dx < 0 else width / 2)
    return _Box(left, place[1] + dy - half, left + width, place[1] + dy + half)


def _write_name(axes: Axes, name: Name, offset: tuple[float, float]) -> None:
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
