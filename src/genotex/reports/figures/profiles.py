"""The first genes of the ranking, sample by sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from genotex.reports.figures.canvas import calm_axes, drawing, to_svg
from genotex.reports.figures.style import ACCENT, COLOURS, INK, MARKERS, SampleMarks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_profiles"]

_SHORT = {"case": "case", "control": "control", "other": "other", "unknown": "?"}


def draw_profiles(
    symbols: Sequence[str], values: NDArray[np.float64], marks: SampleMarks, alt: str
) -> str:
    """Return small multiples as SVG: `values` (n, k) of the genes against group or level."""
    count = len(symbols)
    columns = min(3, max(1, count))
    rows = max(1, -(-count // columns))
    with drawing(5.6, 4.3 if rows > 1 else 2.6) as figure:
        grid = figure.subplots(rows, columns, squeeze=False)
        for k, axes in enumerate(grid.flat):
            if k >= count:
                axes.set_axis_off()
                continue
            calm_axes(axes)
            axes.set_title(symbols[k], loc="left", fontsize=9.5, fontweight="bold", pad=5)
            axes.locator_params(axis="y", nbins=4)
            if marks.levels is None:
                _by_group(axes, values[:, k], marks)
            else:
                axes.plot(
                    marks.levels,
                    values[:, k],
                    "o",
                    markersize=3.4,
                    color=ACCENT,
                    alpha=0.75,
                    markeredgewidth=0,
                )
                axes.locator_params(axis="x", nbins=4)
        figure.supylabel("expression", fontsize=9, color=INK)
        if marks.levels is not None:
            figure.supxlabel(marks.level_name, fontsize=9, color=INK)
        return to_svg(figure, "profiles", alt)


def _by_group(axes: Axes, values: NDArray[np.float64], marks: SampleMarks) -> None:
    order = sorted(marks.labels, key=["control", "other", "case", "unknown"].index)
    for place, key in enumerate(order):
        inside = values[marks.members(key)]
        inside = inside[np.isfinite(inside)]
        axes.plot(
            place + _spread(inside),
            inside,
            linestyle="none",
            marker=MARKERS[key],
            markersize=3.6,
            color=COLOURS[key],
            alpha=0.8,
            markeredgewidth=0,
        )
        if len(inside):
            axes.plot([place - 0.3, place + 0.3], [np.median(inside)] * 2, color=INK, linewidth=1.3)
    axes.set_xticks(range(len(order)), [_SHORT[key] for key in order])
    axes.set_xlim(-0.55, len(order) - 0.45)
    axes.tick_params(axis="x", length=0)


def _spread(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sideways steps by rank: repeatable where random jitter is not."""
    steps = np.array([0.0, 0.14, -0.14, 0.07, -0.07, 0.21, -0.21])
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    spread: NDArray[np.float64] = steps[ranks % len(steps)]
    return spread
