"""How a figure is spread over problems or files: histograms on top of or beside each other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from genotex.reports.figures.canvas import calm_axes, drawing, to_svg
from genotex.reports.figures.style import ACCENT, INK, RUN_COLOURS

__all__ = ["draw_panels", "draw_stacked"]

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
    """Return one histogram whose bars are made of groups, in SVG.

    Parameters
    ----------
    groups : mapping of str to ndarray of float64
        Name for people -> values from 0 to `most`.
    most : float
        Where the axis ends.
    key : str
        Put before all ids of the SVG.
    alt : str
        Text for people who cannot see it.
    x_label, y_label : str
        What the axes show.
    """
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
    """Return a histogram from 0 to 1 for each group, side by side, in SVG.

    Parameters
    ----------
    groups : mapping of str to ndarray of float64
        Name for people -> values from 0 to 1; below 0 counts as 0.
    key : str
        Put before all ids of the SVG.
    alt : str
        Text for people who cannot see it.
    x_label, y_label : str
        What the axes show.
    """
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
