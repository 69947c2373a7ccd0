"""Effects and averages with their intervals: forest plots, and runs side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from genotex.reports.figures.canvas import (
    ACCENT,
    DOWN,
    INK,
    QUIET,
    RUN_COLOURS,
    RUN_MARKERS,
    UP,
    calm_axes,
    drawing,
    to_svg,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_MARK = 9.0
_LEAST_MARK = 3.0


@dataclass(frozen=True)
class ForestRow:
    """One line of a forest plot."""

    label: str
    effect: float
    lower: float
    upper: float
    written: str
    weight: float | None = None


def draw_forest(rows: Sequence[ForestRow], x_label: str, key: str, alt: str) -> str:
    """Return the forest plot of one gene as SVG."""
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


_LINE = 0.25
"""Inches for a line with one mark."""
_NEXT = 0.13
"""Inches for each further mark on the line."""


@dataclass(frozen=True)
class AverageMark:
    """An average and its interval, all of them fractions; None where there is none."""

    average: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class RunMarks:
    """The averages of one run, one for each line of the figure."""

    name: str
    marks: tuple[AverageMark, ...]


def draw_averages(
    labels: Sequence[str], runs: Sequence[RunMarks], key: str, alt: str, *, x_label: str
) -> str:
    """Return averages of one or several runs as dots with intervals, in SVG."""
    step = _NEXT / (_LINE + _NEXT * (len(runs) - 1))
    height = 0.75 + (_LINE + _NEXT * (len(runs) - 1)) * len(labels)
    if len(runs) > 1:
        height += 0.25 + 0.18 * len(runs)
    with drawing(11.6, height) as figure:
        axes = figure.add_subplot()
        calm_axes(axes, x=x_label)
        for number, run in enumerate(runs):
            _draw_run(axes, run, number, (number - (len(runs) - 1) / 2) * step)
        axes.set_yticks(range(len(labels)), labels)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x", color="#e6eaee", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.margins(x=0)
        axes.set_xlim(min(0.0, axes.get_xlim()[0]), max(1.0, axes.get_xlim()[1]))
        axes.set_ylim(len(labels) - 0.5, -0.5)
        if len(runs) > 1:
            figure.legend(loc="outside upper left", ncols=1)
        return to_svg(figure, key, alt)


def _draw_run(axes: Axes, run: RunMarks, number: int, shift: float) -> None:
    colour = RUN_COLOURS[number % len(RUN_COLOURS)]
    for place, mark in enumerate(run.marks):
        if mark.interval is not None:
            axes.plot(
                mark.interval,
                [place + shift] * 2,
                color=colour,
                linewidth=1.6,
                alpha=0.6,
                clip_on=False,
            )
    shown = [(m.average, i + shift) for i, m in enumerate(run.marks) if m.average is not None]
    axes.plot(
        [average for average, _ in shown],
        [place for _, place in shown],
        RUN_MARKERS[number % len(RUN_MARKERS)],
        color=colour,
        markersize=5.5,
        markeredgewidth=0,
        # Marks at 0 and 1 are on the edge and should be whole.
        clip_on=False,
        # A leading underscore would hide the run from the legend.
        label=run.name.lstrip("_") or "run",
    )
