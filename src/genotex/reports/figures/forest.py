"""One gene in every cohort: effects with their intervals, and what they come to together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from genotex.reports.figures.canvas import calm_axes, drawing, to_svg
from genotex.reports.figures.style import ACCENT, DOWN, INK, QUIET, UP

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ForestRow", "draw_forest"]

_MOST_MARK = 9.0
_LEAST_MARK = 3.0


@dataclass(frozen=True)
class ForestRow:
    """One line of a forest plot.

    Attributes
    ----------
    label : str
        The cohort with its number of samples, or what was combined.
    effect, lower, upper : float
        The effect and its 95 % interval.
    written : str
        The same as text.
    weight : float or None
        Share of the cohort in the combined effect, 0 to 1; None for a combined effect.
    """

    label: str
    effect: float
    lower: float
    upper: float
    written: str
    weight: float | None = None


def draw_forest(rows: Sequence[ForestRow], x_label: str, key: str, alt: str) -> str:
    """Return the forest plot of one gene as SVG.

    Parameters
    ----------
    rows : sequence of ForestRow
        Cohorts, then what they come to.
    x_label : str
        What the effect is.
    key : str
        Put before all ids of the SVG.
    alt : str
        Text for people who cannot see it.
    """
    with drawing(5.6, 0.75 + 0.27 * len(rows)) as figure:
        axes = figure.add_subplot()
        calm_axes(axes, x=x_label)
        axes.spines["left"].set_visible(False)
        axes.axvline(0, color="#c3cad1", linewidth=0.9, zorder=0)
        for place, row in enumerate(rows):
            if row.weight is None:
                _combined(axes, row, place)
            else:
                _cohort(axes, row, place, row.weight)
            axes.text(
                1.03, place, row.written, transform=axes.get_yaxis_transform(), va="center",
                fontsize=8.5, color=INK,
            )  # fmt: skip
        axes.set_yticks(range(len(rows)), [row.label for row in rows])
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        axes.locator_params(axis="x", nbins=6)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        return to_svg(figure, key, alt)


def _cohort(axes: Axes, row: ForestRow, place: int, weight: float) -> None:
    axes.plot([row.lower, row.upper], [place, place], color=QUIET, linewidth=1.1)
    size = _LEAST_MARK + (_MOST_MARK - _LEAST_MARK) * weight**0.5
    axes.plot([row.effect], [place], "s", color=ACCENT, markersize=size, markeredgewidth=0)


def _combined(axes: Axes, row: ForestRow, place: int) -> None:
    across = [row.lower, row.effect, row.upper, row.effect]
    down = [place, place - 0.26, place, place + 0.26]
    axes.fill(across, down, color=UP if row.effect > 0 else DOWN, linewidth=0)
