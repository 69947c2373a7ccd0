"""Plots of a result on axes of matplotlib: each takes ``ax``, draws, and returns it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.reports.figures.canvas import (
    ACCENT,
    DIVERGING,
    DOWN,
    GREY,
    LEVELS,
    QUIET,
    RUN_COLOURS,
    RUN_MARKERS,
    UP,
    calm_axes,
    colour_map,
    plot_points,
)
from genotex.reports.figures.expression import (
    column_z_scores,
    order_rows,
    order_within,
    plot_strip,
    principal_components,
)
from genotex.reports.figures.genes import name_genes, plot_volcano

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
Values = Sequence[str | float | None]
LIMIT = 2.5
"""Standard deviations at which the colours of a heatmap end."""
MOST_NAMED = 14


def _axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the axes that were given, or those of a new figure."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(figsize=(width, height), layout="constrained")
    return axes


def _colours_of(levels: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return colour and marker of each level; the first two are those of controls and cases."""
    colours = (DOWN, UP, *(c for c in RUN_COLOURS if c not in (DOWN, UP)))
    return {
        level: (colours[i % len(colours)], RUN_MARKERS[i % len(RUN_MARKERS)])
        for i, level in enumerate(levels)
    }


def levels_of(values: Values, first: Sequence[str] = ()) -> list[str]:
    """Return the levels of a factor, some of them first."""
    found = sorted({str(value) for value in values if value is not None})
    return [*(level for level in first if level in found), *(v for v in found if v not in first)]


def _is_factor(values: Values) -> bool:
    """Return whether samples have levels, not numbers."""
    return any(isinstance(value, str) for value in values)


def _numbers_of(values: Values) -> Floats:
    """Return values as numbers; missing is NaN."""
    return np.array([np.nan if value is None else float(value) for value in values])


def volcano(
    genes: pl.DataFrame, label: str, cut: float, ax: Axes | None, names: int = MOST_NAMED
) -> Axes:
    """Draw change against p-value of every gene."""
    axes = _axes(ax, 5.6, 4.3)
    plot_volcano(axes, genes, label, cut, names)
    return axes


def plot_ma(
    genes: pl.DataFrame, label: str, cut: float, ax: Axes | None, names: int = MOST_NAMED
) -> Axes:
    """Draw change against mean expression of every gene."""
    axes = _axes(ax, 5.6, 4.3)
    shown = genes.filter(pl.col("Mean Expression").is_finite() & pl.col("Coefficient").is_finite())
    mean, change = (shown[n].to_numpy() for n in ("Mean Expression", "Coefficient"))
    hit = shown["Significant"].to_numpy()
    calm_axes(axes, x="mean log2 expression", y=label)
    axes.axhline(0, color=QUIET, linewidth=0.7, zorder=0)
    axes.scatter(mean[~hit], change[~hit], s=7, color=GREY, alpha=0.55, linewidths=0)
    for colour, side, word in ((UP, change > 0, "higher"), (DOWN, change <= 0, "lower")):
        members = hit & side
        plot_points(
            axes,
            mean[members],
            change[members],
            (colour, "o"),
            size=4,
            edge=0.3,
            label=f"{word} ({int(members.sum())}, q < {cut:g})",
        )
    if hit.any():
        axes.legend(frameon=False, fontsize=8.5)
    first = shown["Variable"].to_list()[:names]
    name_genes(axes, first, np.column_stack([mean, change]), hit)
    return axes


def plot_gene(
    name: str, expression: Floats, values: Values, label: str, first: Sequence[str], ax: Axes | None
) -> Axes:
    """Draw the expression of a gene in every sample, by level or along numbers."""
    axes = _axes(ax, 4.2, 3.6)
    calm_axes(axes, x=label, y=f"{name}, log2 expression")
    if not _is_factor(values):
        numbers = _numbers_of(values)
        axes.plot(
            numbers, expression, "o", markersize=5, color=ACCENT, alpha=0.75, markeredgewidth=0
        )
        return axes
    levels = levels_of(values, first)
    texts = np.array([str(value) for value in values])
    known = np.array([value is not None for value in values])
    for place, (level, style) in enumerate(_colours_of(levels).items()):
        inside = expression[known & (texts == level)]
        plot_strip(axes, place, inside[np.isfinite(inside)], style, size=5)
    sizes = [int((known & (texts == level)).sum()) for level in levels]
    ticks = [f"{level} ({size})" for level, size in zip(levels, sizes, strict=True)]
    axes.set_xticks(range(len(levels)), ticks)
    axes.set_xlim(-0.6, len(levels) - 0.4)
    axes.tick_params(axis="x", length=0)
    return axes


def plot_pca(
    expression: Floats, values: Values, label: str, first: Sequence[str], ax: Axes | None
) -> Axes:
    """Draw the samples on their first two principal components."""
    axes = _axes(ax, 5.0, 4.3)
    parts = principal_components(expression)
    names = [f"PC{i + 1} ({100 * s:.1f} % of variance)" for i, s in enumerate(parts.explained)]
    calm_axes(axes, x=names[0], y=names[1])
    x, y = parts.scores.T
    if not _is_factor(values):
        numbers = _numbers_of(values)
        known = np.isfinite(numbers)
        axes.plot(x[~known], y[~known], "x", color=GREY)
        dots = axes.scatter(x[known], y[known], c=numbers[known], cmap=colour_map(LEVELS), s=32)
        axes.figure.colorbar(dots, ax=axes, label=label, shrink=0.8)
        return axes
    texts = np.array(["" if value is None else str(value) for value in values])
    for level, style in _colours_of(levels_of(values, first)).items():
        members = texts == level
        plot_points(
            axes,
            x[members],
            y[members],
            style,
            size=6,
            edge=0.6,
            label=f"{level} ({int(members.sum())})",
        )
    axes.legend(title=label, frameon=False, fontsize=8.5)
    return axes


def plot_heatmap(
    names: Sequence[str],
    expression: Floats,
    values: Values,
    label: str,
    first: Sequence[str],
    ax: Axes | None,
) -> Axes:
    """Draw genes (rows, clustered) in samples (columns, by level or number) as z-scores."""
    axes = _axes(ax, 8.0, 1.2 + 0.17 * max(len(names), 4))
    z = column_z_scores(expression).T
    rows = order_rows(z)
    if _is_factor(values):
        levels = levels_of(values, first)
        texts = ["" if value is None else str(value) for value in values]
        codes = [levels.index(text) if text else len(levels) for text in texts]
        columns = order_within(z, codes)
        places = _group_places([texts[i] for i in columns])
    else:
        numbers = _numbers_of(values)
        columns = np.argsort(np.where(np.isfinite(numbers), numbers, np.inf), kind="stable")
        places = {}
    image = np.where(np.isfinite(expression.T), z, np.nan)[np.ix_(rows, columns)]
    colours: Any = colour_map(DIVERGING).with_extremes(bad="#c3cad1")
    mesh = axes.imshow(
        image, aspect="auto", cmap=colours, vmin=-LIMIT, vmax=LIMIT, interpolation="nearest"
    )
    axes.set_yticks(range(len(rows)), [names[i] for i in rows], fontsize=8)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_xticks(list(places.values()), [f"{text or '?'}" for text in places])
    for end in _ends([texts[i] for i in columns] if places else []):
        axes.axvline(end, color="white", linewidth=2)
    axes.set_xlabel(label if places else f"samples, by {label}")
    axes.figure.colorbar(mesh, ax=axes, label="z-score of the gene", shrink=0.6, fraction=0.03)
    return axes


def _group_places(ordered: Sequence[str]) -> Mapping[str, float]:
    """Return the middle of each run of equal texts."""
    texts = np.array(ordered)
    return {text: float(np.flatnonzero(texts == text).mean()) for text in dict.fromkeys(ordered)}


def _ends(ordered: Sequence[str]) -> list[float]:
    return [i - 0.5 for i in range(1, len(ordered)) if ordered[i] != ordered[i - 1]]
