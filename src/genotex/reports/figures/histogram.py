"""Histogram of the p-values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from genotex.reports.figures.canvas import calm_axes, drawing, to_svg
from genotex.reports.figures.style import ACCENT, INK

__all__ = ["draw_histogram"]


def draw_histogram(p_values: NDArray[np.float64], alt: str) -> str:
    """Return the histogram of p-values in steps of 0.05, with the level of pure chance."""
    p = p_values[np.isfinite(p_values)]
    counts, edges = np.histogram(p, bins=20, range=(0.0, 1.0))
    with drawing(5.6, 4.3) as figure:
        axes = figure.add_subplot()
        calm_axes(axes, x="p-value", y="genes")
        axes.bar(
            edges[:-1],
            counts,
            width=0.05,
            align="edge",
            color=ACCENT,
            edgecolor="white",
            linewidth=0.8,
        )
        chance = len(p) / 20
        axes.axhline(chance, color=INK, linewidth=1.0, dashes=(4, 3), label="if no gene changed")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, max(1.0, counts.max() * 1.15, chance * 1.3))
        axes.legend(loc="upper right", borderaxespad=0.2)
        return to_svg(figure, "histogram", alt)
