"""Figures of genes: volcano plot, histogram of p-values, largest coefficients of a Lasso."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from genotex.reports.figures.canvas import (
    ACCENT,
    DOWN,
    GREY,
    INK,
    QUIET,
    UP,
    calm_axes,
    drawing,
    plot_points,
    to_svg,
)

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

_HOVERED = 1500
_OFFSETS = [
    (dx, dy)
    for reach in (6, 14, 24)
    for dx, dy in ((reach, 0), (-reach, 0), (reach, reach), (-reach, reach), (reach, -reach),
                   (-reach, -reach), (0, reach), (0, -reach))
]  # fmt: skip


def draw_volcano(
    genes: pl.DataFrame, x_label: str, cut: float, alt: str, labelled: int = 14
) -> str:
    """Return the volcano plot as SVG."""
    with drawing(5.6, 4.3) as figure:
        titles = plot_volcano(figure.add_subplot(), genes, x_label, cut, labelled)
        return to_svg(figure, "volcano", alt, titles)


def plot_volcano(
    axes: Axes, genes: pl.DataFrame, x_label: str, cut: float, labelled: int
) -> dict[str, list[str]]:
    """Draw the volcano plot on axes; return the titles of its markers."""
    # Processes that draw are forked after this module is imported, and before polars is.
    import polars as pl

    shown = genes.filter(pl.col("p").is_finite() & pl.col("Coefficient").is_finite())
    change = shown["Coefficient"].to_numpy()
    height = -np.log10(np.maximum(shown["p"].to_numpy(), 1e-300))
    hit = shown["Significant"].to_numpy()
    hovered = hit & (np.cumsum(hit) <= _HOVERED)
    calm_axes(axes, x=x_label, y="−log10 p")  # noqa: RUF001
    reach = float(np.abs(change).max()) * 1.12 if len(change) else 1.0
    axes.set_xlim(-max(reach, 1e-6), max(reach, 1e-6))
    axes.set_ylim(0, max(1.0, float(height.max()) * 1.12) if len(height) else 1.0)
    axes.axvline(0, color="#e3e7eb", linewidth=0.7, zorder=0)
    axes.scatter(
        change[~hovered],
        height[~hovered],
        s=7,
        color=GREY,
        alpha=0.55,
        linewidths=0,
        rasterized=True,
    )
    titles = {}
    named = np.arange(len(hit)) < labelled
    for name, colour, side in (
        ("up", UP, hovered & (change > 0)),
        ("down", DOWN, hovered & (change <= 0)),
        ("other", QUIET, named & ~hit),
    ):
        members = np.flatnonzero(side)
        plot_points(
            axes,
            change[members],
            height[members],
            (colour, "o"),
            size=4,
            edge=0.3,
            gid=f"genes-{name}",
        )
        titles[f"genes-{name}"] = [_title(shown, int(i)) for i in members]
    _threshold(axes, height, hit, cut)
    names = shown["Variable"].to_list()[:labelled]
    name_genes(axes, names, np.column_stack([change, height]), hit | named)
    return titles


def _title(genes: pl.DataFrame, i: int) -> str:
    return f"{genes['Variable'][i]}: {genes['Coefficient'][i]:+.2f}, q = {genes['q'][i]:.2g}"


def _threshold(axes: Axes, height: NDArray[np.float64], hit: NDArray[np.bool_], cut: float) -> None:
    if not hit.any():
        return
    level = float(height[hit].min())
    axes.axhline(level, color=QUIET, linewidth=0.8, dashes=(4, 3), zorder=1)
    axes.annotate(
        f"q = {cut:g}", (axes.get_xlim()[0], level), xytext=(4, 2), textcoords="offset points",
        va="bottom", color=QUIET, fontsize=8.5,
    )  # fmt: skip


@dataclass(frozen=True)
class _Box:
    left: float
    bottom: float
    right: float
    top: float

    def hits(self, other: _Box) -> bool:
        return not (
            self.right <= other.left
            or other.right <= self.left
            or self.top <= other.bottom
            or other.top <= self.bottom
        )

    def within(self, frame: _Box) -> bool:
        return (
            frame.left <= self.left
            and self.right <= frame.right
            and frame.bottom <= self.bottom
            and self.top <= frame.top
        )


def name_genes(
    axes: Axes,
    symbols: Sequence[str],
    points: NDArray[np.float64],
    dotted: NDArray[np.bool_],
) -> None:
    """Write the names where they cover no other name and, if possible, none of the `dotted`."""
    figure: Any = axes.figure
    figure.draw_without_rendering()
    scale = 72.0 / figure.dpi
    places = axes.transData.transform(points) * scale
    frame = axes.get_window_extent()
    inside = _Box(*(float(v) * scale for v in (frame.x0, frame.y0, frame.x1, frame.y1)))
    dots = [_Box(x - 2.5, y - 2.5, x + 2.5, y + 2.5) for x, y in places[dotted]]
    names: list[_Box] = []
    for i, symbol in enumerate(symbols):
        options = [(offset, _name_box(places[i], offset, symbol)) for offset in _OFFSETS]
        free = [o for o in options if o[1].within(inside) and not any(map(o[1].hits, names))]
        # Covering a point is bad, a name far from its point as well.
        best = min(
            free,
            key=lambda o: sum(map(o[1].hits, dots)) + max(map(abs, o[0])) / 14,
            default=None,
        )
        if best is not None:
            names.append(best[1])
            _write_name(axes, symbol, (points[i, 0], points[i, 1]), best[0])


def _name_box(place: NDArray[np.float64], offset: tuple[float, float], symbol: str) -> _Box:
    dx, dy = offset
    width = 5.9 * len(symbol)
    left = place[0] + dx - (0 if dx > 0 else width if dx < 0 else width / 2)
    return _Box(left, place[1] + dy - 5, left + width, place[1] + dy + 5)


def _write_name(
    axes: Axes, symbol: str, point: tuple[float, float], offset: tuple[float, float]
) -> None:
    dx, dy = offset
    far = max(abs(dx), abs(dy)) > 6
    axes.annotate(
        symbol,
        point,
        xytext=offset,
        textcoords="offset points",
        ha="left" if dx > 0 else "right" if dx < 0 else "center",
        va="center",
        fontsize=8.5,
        color=INK,
        arrowprops={"arrowstyle": "-", "color": QUIET, "linewidth": 0.5, "shrinkB": 2}
        if far
        else None,
    )


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


def draw_coefficients(genes: pl.DataFrame, x_label: str, alt: str) -> str:
    """Return the coefficients as a dot plot in SVG, the first gene on top."""
    values = genes["Coefficient"].to_numpy()
    place = np.arange(len(values))
    with drawing(5.6, 4.3) as figure:
        axes = figure.add_subplot()
        calm_axes(axes, x=x_label)
        axes.axvline(0, color=QUIET, linewidth=0.8)
        for colour, side in ((UP, values > 0), (DOWN, values <= 0)):
            axes.hlines(place[side], 0, values[side], colors=colour, linewidth=1.6, alpha=0.6)
            axes.plot(values[side], place[side], "o", markersize=5, color=colour)
        axes.set_yticks(place, genes["Variable"].to_list())
        axes.set_ylim(len(values) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.locator_params(axis="x", nbins=6)
        return to_svg(figure, "coefficients", alt)
