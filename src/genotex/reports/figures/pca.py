"""Samples on the first two principal components."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from genotex.reports.figures.canvas import calm_axes, colour_map, drawing, to_svg
from genotex.reports.figures.style import COLOURS, LEVELS, MARKERS, SampleMarks
from genotex.reports.projection import Components

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_pca"]


def draw_pca(components: Components, marks: SampleMarks, alt: str) -> str:
    """Return the samples on two components as SVG, coloured by group or by level."""
    with drawing(5.6, 4.3) as figure:
        axes = figure.add_subplot()
        first, second = (
            f"PC{i + 1} ({s:.1%} of variance)" for i, s in enumerate(components.explained)
        )
        calm_axes(axes, x=first.replace("%", " %"), y=second.replace("%", " %"))
        axes.axhline(0, color="#e3e7eb", linewidth=0.7, zorder=0)
        axes.axvline(0, color="#e3e7eb", linewidth=0.7, zorder=0)
        axes.margins(0.07)
        if marks.levels is None:
            titles = _groups(axes, components, marks)
        else:
            titles = _levels(figure, axes, components, marks)
        return to_svg(figure, "pca", alt, titles)


def _groups(axes: Axes, components: Components, marks: SampleMarks) -> dict[str, list[str]]:
    titles = {}
    for key, label in marks.labels.items():
        members = marks.members(key)
        axes.plot(
            components.scores[members, 0],
            components.scores[members, 1],
            linestyle="none",
            marker=MARKERS[key],
            markersize=6.2,
            color=COLOURS[key],
            markeredgecolor="white",
            markeredgewidth=0.6,
            label=f"{label} ({len(members)})",
            gid=f"samples-{key}",
        )
        titles[f"samples-{key}"] = [f"{marks.names[i]}: {label}" for i in members]
    axes.figure.legend(loc="outside upper left", ncols=3, handletextpad=0.2, columnspacing=1.2)
    return titles


def _levels(
    figure: Figure, axes: Axes, components: Components, marks: SampleMarks
) -> dict[str, list[str]]:
    levels = np.asarray(marks.levels)
    known = np.isfinite(levels)
    rest = components.scores[~known]
    axes.plot(rest[:, 0], rest[:, 1], linestyle="none", marker="x", color=COLOURS["unknown"])
    dots = axes.scatter(
        components.scores[known, 0],
        components.scores[known, 1],
        c=levels[known],
        cmap=colour_map(LEVELS),
        s=36,
        edgecolors="white",
        linewidths=0.5,
    )
    bar = figure.colorbar(dots, ax=axes, shrink=0.75, aspect=24, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label(marks.level_name)
    return {}
