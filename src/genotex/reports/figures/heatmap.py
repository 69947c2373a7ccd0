"""The first genes of the ranking in all samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from genotex.reports.figures.canvas import colour_map, drawing, to_svg
from genotex.reports.figures.style import COLOURS, DIVERGING, INK, LEVELS, SampleMarks
from genotex.reports.projection import column_z_scores, order_rows, order_within

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

__all__ = ["draw_heatmap"]

_LIMIT = 2.5
_WIDTH = 11.4


def draw_heatmap(
    symbols: Sequence[str], values: NDArray[np.float64], marks: SampleMarks, alt: str
) -> str:
    """Return the heatmap as SVG.

    Parameters
    ----------
    symbols : sequence of str
        The k genes.
    values : ndarray of float64, shape (n, k)
        Their expression in the n samples; missing values stay grey.
    marks : SampleMarks
        Groups or levels of the samples, which order the columns.
    alt : str
        Text for people who cannot see it.
    """
    z = column_z_scores(values).T
    rows = order_rows(z)
    groups = _groups(marks)
    if marks.levels is None:
        columns = order_within(z, groups)
    else:
        columns = np.argsort(
            np.where(np.isfinite(marks.levels), marks.levels, np.inf), kind="stable"
        )
    image = np.where(np.isfinite(values.T), z, np.nan)[np.ix_(rows, columns)]
    height = 1.25 + 0.162 * max(len(symbols), 3)
    with drawing(_WIDTH, height) as figure:
        bar, body = figure.subplots(
            2,
            1,
            sharex=True,
            height_ratios=(1, max(len(symbols), 3) * 0.75),
            gridspec_kw={"hspace": 0},
        )
        figure.get_layout_engine().set(h_pad=0.02, hspace=0.0)  # type: ignore[union-attr, call-arg]
        _group_bar(bar, marks, columns)
        colours = colour_map(DIVERGING).with_extremes(bad="#c3cad1")
        mesh = body.imshow(
            image, aspect="auto", cmap=colours, vmin=-_LIMIT, vmax=_LIMIT, interpolation="nearest"
        )
        _frame(body)
        body.set_yticks(range(len(rows)), [symbols[i] for i in rows])
        body.yaxis.tick_right()
        body.tick_params(length=0, labelsize=8, labelcolor=INK)
        _separate(body, [groups[i] for i in columns] if marks.levels is None else [])
        _legend(figure, body, mesh)
        return to_svg(figure, "heatmap", alt, dpi=160)


def _groups(marks: SampleMarks) -> list[int]:
    order = ["control", "other", "case", "unknown"]
    return [order.index(key) if key in order else 0 for key in marks.keys]


def _group_bar(axes: Axes, marks: SampleMarks, columns: NDArray[np.intp]) -> None:
    _frame(axes)
    axes.set_yticks([])
    if marks.levels is not None:
        axes.imshow(
            marks.levels[columns][None, :],
            aspect="auto",
            cmap=colour_map(LEVELS),
            interpolation="nearest",
        )
        axes.set_title(f"{marks.level_name}, low to high", loc="left", fontsize=9, pad=4)
        return
    order = list(marks.labels)
    codes = np.array([[order.index(marks.keys[i]) for i in columns]])
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    palette = ListedColormap([COLOURS[key] for key in order])
    axes.imshow(
        codes,
        aspect="auto",
        cmap=palette,
        vmin=-0.5,
        vmax=len(order) - 0.5,
        interpolation="nearest",
    )
    names = {key: f"{marks.labels[key]} ({len(marks.members(key))})" for key in order}
    points = _WIDTH * 72 * 0.88 / len(columns)
    if any(len(name) * 6.4 > len(marks.members(key)) * points for key, name in names.items()):
        patches = [Patch(color=COLOURS[key], label=name) for key, name in names.items()]
        axes.legend(
            handles=patches, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(order),
            borderaxespad=0.2, handlelength=1.0, fontsize=9, borderpad=0,
        )  # fmt: skip
        return
    for code, key in enumerate(order):
        axes.text(
            np.flatnonzero(codes[0] == code).min() - 0.5, -0.75, names[key],
            fontsize=9, fontweight="bold", color=COLOURS[key], ha="left", va="bottom",
        )  # fmt: skip


def _frame(axes: Axes) -> None:
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_xticks([])


def _separate(axes: Axes, groups: Sequence[int]) -> None:
    for i in range(1, len(groups)):
        if groups[i] != groups[i - 1]:
            axes.axvline(i - 0.5, color="white", linewidth=2.5)


def _legend(figure: Figure, axes: Axes, mesh: AxesImage) -> None:
    bar = figure.colorbar(
        mesh, ax=axes, orientation="horizontal", fraction=0.018, aspect=40, pad=0.02, shrink=0.22,
        anchor=(0.0, 1.0), ticks=[-2, -1, 0, 1, 2],
    )  # fmt: skip
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0, labelsize=8)
    bar.set_label("z-score of the gene", fontsize=8.5)
