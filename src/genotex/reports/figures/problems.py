"""Scores over problems or files: histograms, precision against recall, list lengths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from genotex.reports.figures.canvas import (
    ACCENT,
    INK,
    RUN_COLOURS,
    RUN_MARKERS,
    calm_axes,
    drawing,
    to_svg,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BINS = 20


def draw_stacked(
    groups: Mapping[str, NDArray[np.float64]],
    most: float,
    key: str,
    alt: str,
    *,
    x_label: str,
    y_label: str,
) -> str:
    """Return one histogram whose bars are made of groups, in SVG."""
    edges = np.linspace(0.0, most, _BINS + 1)
    below = np.zeros(_BINS)
    with drawing(5.6, 3.9) as figure:
        axes = figure.add_subplot()
        calm_axes(axes, x=x_label, y=y_label)
        for (name, values), colour in zip(groups.items(), RUN_COLOURS, strict=False):
            counts, _ = np.histogram(values, bins=edges)
            axes.bar(
                edges[:-1], counts, width=most / _BINS, bottom=below, align="edge", color=colour,
                edgecolor="white", linewidth=0.8, label=f"{name} ({len(values):,})",
            )  # fmt: skip
            below += counts
        whole = np.concatenate(list(groups.values()))
        axes.axvline(float(whole.mean()), color=INK, linewidth=1.0, dashes=(4, 3), label="average")
        axes.set_xlim(0, most)
        axes.set_ylim(0, max(1.0, 1.08 * below.max()))
        figure.legend(loc="outside upper left", ncols=2)
        return to_svg(figure, key, alt)


def draw_panels(
    groups: Mapping[str, NDArray[np.float64]], key: str, alt: str, *, x_label: str, y_label: str
) -> str:
    """Return a histogram from 0 to 1 for each group, side by side, in SVG."""
    edges = np.linspace(0.0, 1.0, _BINS + 1)
    with drawing(11.6, 3.1) as figure:
        panels = figure.subplots(1, len(groups), sharex=True, squeeze=False)[0]
        for axes, (name, values) in zip(panels, groups.items(), strict=True):
            calm_axes(axes, x=x_label)
            counts, _ = np.histogram(np.clip(values, 0.0, 1.0), bins=edges)
            axes.bar(
                edges[:-1], counts, width=1 / _BINS, align="edge", color=ACCENT,
                edgecolor="white", linewidth=0.8,
            )  # fmt: skip
            axes.axvline(float(values.mean()), color=INK, linewidth=1.0, dashes=(4, 3))
            axes.set_title(name, loc="left", fontsize=9.0)
            axes.set_xlim(0, 1)
            axes.set_ylim(0, max(1.0, 1.08 * counts.max()))
        panels[0].set_ylabel(y_label)
        return to_svg(figure, key, alt)


_GUIDE = "#d5dbe1"
_F1_LINES = (20, 40, 60, 80)


@dataclass(frozen=True)
class ProblemMark:
    """A problem: its place, and the text shown when it is hovered."""

    x: float
    y: float
    title: str


def draw_precision_recall(groups: Mapping[str, Sequence[ProblemMark]], key: str, alt: str) -> str:
    """Return precision (y) against recall (x), in percent, as SVG with lines of the same F1."""
    with drawing(5.6, 4.6) as figure:
        axes = figure.add_subplot()
        calm_axes(axes, x="recall (%)", y="precision (%)")
        for f1 in _F1_LINES:
            # F1 = 2PR / (P + R), solved for P.
            recall = [f1 / 2 + 0.5 + (100 - f1 / 2 - 0.5) * i / 100 for i in range(101)]
            precision = [f1 * r / (2 * r - f1) for r in recall]
            axes.plot(recall, precision, color=_GUIDE, linewidth=0.8, zorder=0)
            axes.text(101, f1 * 100 / (200 - f1), f"F1 {f1}", fontsize=7.5, va="center")
        titles = _mark(axes, groups)
        axes.set_xlim(0, 100)
        axes.set_ylim(0, 100)
        figure.legend(loc="outside upper left", ncols=3)
        return to_svg(figure, key, alt, titles)


def draw_list_lengths(groups: Mapping[str, Sequence[ProblemMark]], key: str, alt: str) -> str:
    """Return genes predicted (y) against genes in the reference (x) as SVG, on log axes with 0."""
    most = 1.3 * max(max(p.x, p.y, 10.0) for problems in groups.values() for p in problems)
    with drawing(5.6, 4.6) as figure:
        axes = figure.add_subplot()
        calm_axes(axes, x="genes in the reference", y="genes predicted")
        axes.set_xscale("symlog", linthresh=1.0, linscale=0.4)
        axes.set_yscale("symlog", linthresh=1.0, linscale=0.4)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:,.0f}")
        axes.plot([0, most], [0, most], color=_GUIDE, linewidth=0.8, zorder=0)
        titles = _mark(axes, groups)
        axes.set_xlim(-0.2, most)
        axes.set_ylim(-0.2, most)
        axes.minorticks_off()
        figure.legend(loc="outside upper left", ncols=3)
        return to_svg(figure, key, alt, titles)


def draw_cost_and_score(
    groups: Mapping[str, Sequence[ProblemMark]],
    front: Sequence[tuple[float, float]],
    labels: tuple[str, str],
    key: str,
    alt: str,
) -> str:
    """Return score (y) against cost (x) of runs as SVG, with a line through the Pareto front."""
    every = [mark for marks in groups.values() for mark in marks]
    with drawing(6.4, 4.4) as figure:
        axes = figure.add_subplot()
        calm_axes(axes, x=labels[0], y=labels[1])
        smallest = min((mark.x for mark in every if mark.x > 0), default=0.01)
        axes.set_xscale("symlog", linthresh=smallest, linscale=0.5)
        axes.xaxis.set_major_formatter("{x:,.4g}")
        titles = _mark(axes, groups)
        if front:
            ends = max(mark.x for mark in every)
            x, y = zip(*front, (ends, front[-1][1]), strict=True)
            axes.step(x, y, where="post", color=_GUIDE, linewidth=1.2, zorder=0)
        for mark in every:
            axes.annotate(
                mark.title.partition(":")[0], (mark.x, mark.y), (5, 4),
                textcoords="offset points", fontsize=7.5,
            )  # fmt: skip
        axes.margins(y=0.12)
        # Room for the names on the right; no cost is below 0.
        axes.set_xlim(-0.3 * smallest, 4 * max(smallest, *(mark.x for mark in every)))
        axes.minorticks_off()
        figure.legend(loc="outside upper left", ncols=3)
        return to_svg(figure, key, alt, titles)


def _mark(axes: Axes, groups: Mapping[str, Sequence[ProblemMark]]) -> dict[str, list[str]]:
    """Draw the problems of each group; gives the titles of its marks by group id."""
    titles = {}
    for number, (name, problems) in enumerate(groups.items()):
        gid = f"problems{number}"
        axes.plot(
            [p.x for p in problems], [p.y for p in problems], RUN_MARKERS[number],
            color=RUN_COLOURS[number], markersize=4.2, alpha=0.55, markeredgewidth=0,
            clip_on=False, label=name, gid=gid,
        )  # fmt: skip
        titles[gid] = [p.title for p in problems]
    return titles
