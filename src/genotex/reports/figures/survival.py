"""Kaplan-Meier curves: of all samples, and of the halves by the expression of a gene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from genotex.reports.figures.canvas import ACCENT, DOWN, QUIET, UP, calm_axes, drawing, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from genotex.analysis import SurvivalCurve

_COLOURS = {"low": DOWN, "high": UP, "": ACCENT}


@dataclass(frozen=True, eq=False)
class GroupCurve:
    """The curve of a group, with the times at which samples were censored."""

    label: str
    curve: SurvivalCurve
    samples: int
    events: int
    censored: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CurvePanel:
    """The curves of one gene, and what is written above them."""

    title: str
    note: str
    groups: tuple[GroupCurve, ...]


def draw_narrow_curves(panels: Sequence[CurvePanel], time: str, alt: str) -> str:
    """Return the curves as SVG for a phone."""
    return draw_curves(panels, time, alt, narrow=True)


def draw_curves(panels: Sequence[CurvePanel], time: str, alt: str, *, narrow: bool = False) -> str:
    """Return a panel of curves for each gene as SVG."""
    columns = min(2 if narrow else 3, len(panels))
    rows = -(-len(panels) // columns)
    width, height = (5.2, 2.7) if narrow else (11.4, 3.2)
    with drawing(width, height * rows) as figure:
        grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        for place, axes in enumerate(grid.flat):
            if place >= len(panels):
                axes.set_axis_off()
                continue
            panel = panels[place]
            calm_axes(axes)
            axes.set_title(panel.title, loc="left", fontsize=9.5, fontweight="bold", pad=5)
            for group in panel.groups:
                label = f"{group.label} ({group.samples}, {group.events} events)"
                _draw_curve(axes, group, label)
            axes.set_ylim(0, 1.03)
            axes.set_xlim(0)
            legend = axes.legend(loc="upper right", fontsize=7.5 if narrow else 8, title=panel.note)
            legend.get_title().set_fontsize(7.5 if narrow else 8)
        figure.supxlabel(time, fontsize=9)
        figure.supylabel("share without the event", fontsize=9)
        return to_svg(figure, "survival-narrow" if narrow else "survival", alt)


def draw_all_samples(group: GroupCurve, time: NDArray[np.float64], label: str, alt: str) -> str:
    """Return the curve of all samples as SVG, with the number at risk below."""
    with drawing(5.6, 4.3) as figure:
        axes = figure.add_subplot()
        calm_axes(axes, x=label, y="share without the event")
        _draw_curve(axes, group, None)
        axes.set_ylim(0, 1.03)
        axes.set_xlim(0)
        axes.locator_params(axis="x", nbins=6)
        for tick in axes.get_xticks():
            if tick <= axes.get_xlim()[1]:
                axes.annotate(
                    f"{int((time >= tick).sum())}",
                    (tick, 0),
                    xytext=(0, -26),
                    textcoords="offset points",
                    xycoords=("data", "axes fraction"),
                    ha="center",
                    fontsize=8,
                    color=QUIET,
                    annotation_clip=False,
                )
        axes.xaxis.labelpad = 16
        return to_svg(figure, "survival-all", alt)


def _draw_curve(axes: Axes, group: GroupCurve, label: str | None) -> None:
    """Draw a curve with its limits, and a tick where samples were censored."""
    colour = _COLOURS.get(group.label, ACCENT)
    times = np.concatenate([[0.0], group.curve.times])
    survival = np.concatenate([[1.0], group.curve.survival])
    axes.step(times, survival, where="post", color=colour, linewidth=1.5, label=label)
    low, high = (np.concatenate([[1.0], limit]) for limit in (group.curve.lower, group.curve.upper))
    axes.fill_between(times, low, high, step="post", color=colour, alpha=0.13, linewidth=0)
    height = survival[np.searchsorted(times, group.censored, side="right") - 1]
    axes.plot(
        group.censored,
        height,
        linestyle="none",
        marker="|",
        markersize=4.5,
        color=colour,
        alpha=0.8,
    )
