"""The largest coefficients of a Lasso, one line for each gene."""

from __future__ import annotations

import numpy as np
import polars as pl

from genotex.reports.figures.canvas import calm_axes, drawing, to_svg
from genotex.reports.figures.style import DOWN, QUIET, UP

__all__ = ["draw_coefficients"]


def draw_coefficients(genes: pl.DataFrame, x_label: str, alt: str) -> str:
    """Return the coefficients as a dot plot in SVG, the first gene on top.

    Parameters
    ----------
    genes : polars.DataFrame
        Genes as they are listed: ``symbol``, ``estimate``.
    x_label : str
        What a coefficient is.
    alt : str
        Text for people who cannot see it.
    """
    values = genes["estimate"].to_numpy()
    place = np.arange(len(values))
    with drawing(5.6, 4.3) as figure:
        axes = figure.add_subplot()
        calm_axes(axes, x=x_label)
        axes.axvline(0, color=QUIET, linewidth=0.8)
        for colour, side in ((UP, values > 0), (DOWN, values <= 0)):
            axes.hlines(place[side], 0, values[side], colors=colour, linewidth=1.6, alpha=0.6)
            axes.plot(values[side], place[side], "o", markersize=5, color=colour)
        axes.set_yticks(place, genes["symbol"].to_list())
        axes.set_ylim(len(values) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.locator_params(axis="x", nbins=6)
        return to_svg(figure, "coefficients", alt)
