"""Averages with their intervals, one line for each figure, one mark for each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from genotex.reports.figures.canvas import calm_axes, drawing, to_svg
from genotex.reports.figures.style import RUN_COLOURS, RUN_MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["AverageMark", "RunMarks", "draw_averages"]

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
    """Return averages of one or several runs as dots with intervals, in SVG.

    Parameters
    ----------
    labels : sequence of str
        One for each line, from the top.
    runs : sequence of RunMarks
        Beyond eight, colours and marks come again.
    key : str
        Put before all ids of the SVG.
    alt : str
        Text for people who cannot see it.
    x_label : str
        What the axis shows.
    """
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
        # Marks at 0 and 1 stand on the edge and should be whole.
        clip_on=False,
        # A leading underscore would hide the run from the legend.
        label=run.name.lstrip("_") or "run",
    )
