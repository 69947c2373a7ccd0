"""Figures of expression: principal components, profiles of the first genes, heatmap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from genotex.reports.figures.canvas import (
    ACCENT,
    COLOURS,
    DIVERGING,
    INK,
    LEVELS,
    MARKERS,
    SampleMarks,
    calm_axes,
    colour_map,
    drawing,
    plot_points,
    to_svg,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Components:
    """Sample scores on the first two components, shape (n, 2), and their shares of variance."""

    scores: Floats
    explained: tuple[float, float]
    genes: int


def column_z_scores(values: Floats) -> Floats:
    """Return z-scores of each column of `values` (n, p); missing and constant become 0.

    Missing values get their gene's mean, a column without any value 0.
    """
    known = np.isfinite(values)
    count = known.sum(axis=0)
    filled = np.where(known, values, 0.0)
    mean = filled.sum(axis=0) / np.maximum(count, 1)
    centred = np.where(known, values - mean, 0.0)
    sd = np.sqrt((centred**2).sum(axis=0) / np.maximum(len(values), 1))
    # Values near 1e4 leave rounding of about 1e-12 in a constant gene: that is no variation.
    constant = sd <= 1e-12 * np.maximum(np.abs(mean), 1.0)
    z: Floats = np.where(constant, 0.0, centred / np.where(constant, 1.0, sd))
    return z


def principal_components(expression: Floats) -> Components:
    """Return the first two principal components of samples x genes.

    Genes are filled by their mean, centred and scaled; the n x n Gram matrix gives the scores, as
    n is far below the number of genes. The sign is fixed: the largest score is positive.
    """
    z = column_z_scores(expression)
    n = len(z)
    values, vectors = np.linalg.eigh(z @ z.T)
    order = np.argsort(values)[::-1]
    values, vectors = np.maximum(values[order], 0.0), vectors[:, order]
    total = float(values.sum())
    scores = np.zeros((n, 2))
    explained = [0.0, 0.0]
    for k in range(min(2, n)):
        if total > 0 and values[k] > 1e-10 * total:
            column = vectors[:, k] * np.sqrt(values[k])
            sign = 1.0 if column[np.argmax(np.abs(column))] >= 0 else -1.0
            scores[:, k] = sign * column
            explained[k] = float(values[k] / total)
    return Components(scores, (explained[0], explained[1]), int(np.any(z != 0, axis=0).sum()))


def order_rows(rows: Floats) -> NDArray[np.intp]:
    """Return the order of the rows (m, n) by average linkage of their distances."""
    if len(rows) < 3:
        return np.arange(len(rows))
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import pdist

    tree = linkage(pdist(rows), method="average", optimal_ordering=True)
    return np.asarray(leaves_list(tree), dtype=np.intp)


def order_within(columns: Floats, groups: Sequence[int]) -> NDArray[np.intp]:
    """Return the order of samples (columns of m x n): by group, then clustered inside."""
    labels = np.asarray(groups)
    parts = []
    for group in sorted(set(labels.tolist())):
        members = np.flatnonzero(labels == group)
        parts.append(members[order_rows(columns[:, members].T)])
    return np.concatenate(parts) if parts else np.arange(0)


def draw_pca(components: Components, marks: SampleMarks, alt: str) -> str:
    """Return the samples on two components as SVG, coloured by group or by level."""
    first, second = (f"PC{i + 1} ({s:.1%} of variance)" for i, s in enumerate(components.explained))
    labels = first.replace("%", " %"), second.replace("%", " %")
    return draw_sample_points(components.scores, labels, marks, "pca", alt)


def draw_sample_points(
    places: Floats, labels: tuple[str, str], marks: SampleMarks, key: str, alt: str
) -> str:
    """Return the samples at `places` (n, 2) as SVG, coloured by group or by level."""
    with drawing(5.6, 4.3) as figure:
        axes = figure.add_subplot()
        calm_axes(axes, x=labels[0], y=labels[1])
        axes.axhline(0, color="#e3e7eb", linewidth=0.7, zorder=0)
        axes.axvline(0, color="#e3e7eb", linewidth=0.7, zorder=0)
        axes.margins(0.07)
        if marks.levels is None:
            titles = _points_by_group(axes, places, marks)
        else:
            titles = _points_by_level(figure, axes, places, marks)
        return to_svg(figure, key, alt, titles)


def _points_by_group(axes: Axes, places: Floats, marks: SampleMarks) -> dict[str, list[str]]:
    titles = {}
    for key, label in marks.labels.items():
        members = marks.members(key)
        plot_points(
            axes,
            places[members, 0],
            places[members, 1],
            (COLOURS[key], MARKERS[key]),
            size=6.2,
            edge=0.6,
            label=f"{label} ({len(members)})",
            gid=f"samples-{key}",
        )
        titles[f"samples-{key}"] = [f"{marks.names[i]}: {label}" for i in members]
    axes.figure.legend(loc="outside upper left", ncols=3, handletextpad=0.2, columnspacing=1.2)
    return titles


def _points_by_level(
    figure: Figure, axes: Axes, places: Floats, marks: SampleMarks
) -> dict[str, list[str]]:
    levels = np.asarray(marks.levels)
    known = np.isfinite(levels)
    rest = places[~known]
    axes.plot(rest[:, 0], rest[:, 1], linestyle="none", marker="x", color=COLOURS["unknown"])
    dots = axes.scatter(
        places[known, 0],
        places[known, 1],
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


def draw_profiles(
    symbols: Sequence[str], values: NDArray[np.float64], marks: SampleMarks, alt: str
) -> str:
    """Return small multiples as SVG: `values` (n, k) of the genes against group or level."""
    count = len(symbols)
    columns = min(3, max(1, count))
    rows = max(1, -(-count // columns))
    with drawing(5.6, 4.3 if rows > 1 else 2.6) as figure:
        grid = figure.subplots(rows, columns, squeeze=False)
        for k, axes in enumerate(grid.flat):
            if k >= count:
                axes.set_axis_off()
                continue
            calm_axes(axes)
            axes.set_title(symbols[k], loc="left", fontsize=9.5, fontweight="bold", pad=5)
            axes.locator_params(axis="y", nbins=4)
            if marks.levels is None:
                _profile_by_group(axes, values[:, k], marks)
            else:
                axes.plot(
                    marks.levels,
                    values[:, k],
                    "o",
                    markersize=3.4,
                    color=ACCENT,
                    alpha=0.75,
                    markeredgewidth=0,
                )
                axes.locator_params(axis="x", nbins=4)
        figure.supylabel("expression", fontsize=9, color=INK)
        if marks.levels is not None:
            figure.supxlabel(marks.level_name, fontsize=9, color=INK)
        return to_svg(figure, "profiles", alt)


def _profile_by_group(axes: Axes, values: NDArray[np.float64], marks: SampleMarks) -> None:
    order = marks.ordered
    for place, key in enumerate(order):
        inside = values[marks.members(key)]
        inside = inside[np.isfinite(inside)]
        plot_strip(axes, place, inside, (COLOURS[key], MARKERS[key]), size=3.6)
    names = [marks.short(key, _MOST_LETTERS) for key in order]
    long = marks.own_labels and max(map(len, names)) > _ROOM // len(order)
    turned: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(range(len(order)), names, **(turned if long else {}))
    axes.set_xlim(-0.55, len(order) - 0.45)
    axes.tick_params(axis="x", length=0)


def plot_strip(
    axes: Axes, place: float, values: Floats, style: tuple[str, str], *, size: float
) -> None:
    """Draw the values of one group above `place` in its colour and marker, with their median."""
    colour, marker = style
    axes.plot(
        place + _sideways_by_rank(values),
        values,
        linestyle="none",
        marker=marker,
        markersize=size,
        color=colour,
        alpha=0.8,
        markeredgewidth=0,
    )
    if len(values):
        axes.plot([place - 0.3, place + 0.3], [np.median(values)] * 2, color=INK, linewidth=1.3)


def _sideways_by_rank(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sideways steps by rank: repeatable where random jitter is not."""
    steps = np.array([0.0, 0.14, -0.14, 0.07, -0.07, 0.21, -0.21])
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    spread: NDArray[np.float64] = steps[ranks % len(steps)]
    return spread


_ROOM = 26
"""Letters that fit under a panel."""
_MOST_LETTERS = 16
_LIMIT = 2.5
_WIDTH, _NARROW = 11.4, 5.2


def draw_narrow_heatmap(
    symbols: Sequence[str], values: Floats, marks: SampleMarks, alt: str
) -> str:
    """Return the heatmap as SVG for a phone."""
    return draw_heatmap(symbols, values, marks, alt, narrow=True)


def draw_heatmap(
    symbols: Sequence[str], values: Floats, marks: SampleMarks, alt: str, *, narrow: bool = False
) -> str:
    """Return the heatmap as SVG."""
    z = column_z_scores(values).T
    rows = order_rows(z)
    groups = _group_places(marks)
    if marks.levels is None:
        columns = order_within(z, groups)
    else:
        columns = np.argsort(
            np.where(np.isfinite(marks.levels), marks.levels, np.inf), kind="stable"
        )
    image = np.where(np.isfinite(values.T), z, np.nan)[np.ix_(rows, columns)]
    height = 1.25 + 0.162 * max(len(symbols), 3)
    if narrow:
        # Groups have a line each above the bar.
        height += 0.17 * len(marks.labels)
    with drawing(_NARROW if narrow else _WIDTH, height) as figure:
        bar, body = figure.subplots(
            2,
            1,
            sharex=True,
            height_ratios=(1, max(len(symbols), 3) * 0.75),
            gridspec_kw={"hspace": 0},
        )
        figure.get_layout_engine().set(h_pad=0.02, hspace=0.0)  # type: ignore[union-attr, call-arg]
        _group_bar(bar, marks, columns, narrow=narrow)
        colours = colour_map(DIVERGING).with_extremes(bad="#c3cad1")
        mesh = body.imshow(
            image, aspect="auto", cmap=colours, vmin=-_LIMIT, vmax=_LIMIT, interpolation="nearest"
        )
        _frame(body)
        body.set_yticks(range(len(rows)), [symbols[i] for i in rows])
        body.yaxis.tick_right()
        body.tick_params(length=0, labelsize=9 if narrow else 8, labelcolor=INK)
        _separate(body, [groups[i] for i in columns] if marks.levels is None else [])
        _colour_legend(figure, body, mesh, shrink=0.5 if narrow else 0.22)
        return to_svg(figure, "heatmap-narrow" if narrow else "heatmap", alt, dpi=160)


def _group_places(marks: SampleMarks) -> list[int]:
    order = list(marks.order)
    return [order.index(key) if key in order else 0 for key in marks.keys]


def _group_bar(axes: Axes, marks: SampleMarks, columns: NDArray[np.intp], *, narrow: bool) -> None:
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
    if narrow or any(
        len(name) * 6.4 > len(marks.members(key)) * points for key, name in names.items()
    ):
        patches = [Patch(color=COLOURS[key], label=name) for key, name in names.items()]
        axes.legend(
            handles=patches, loc="lower left", bbox_to_anchor=(0, 1),
            ncols=1 if narrow else len(order), borderaxespad=0.2, handlelength=1.0, fontsize=9,
            borderpad=0,
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


def _colour_legend(figure: Figure, axes: Axes, mesh: AxesImage, shrink: float) -> None:
    bar = figure.colorbar(
        mesh, ax=axes, orientation="horizontal", fraction=0.018, aspect=40, pad=0.02, shrink=shrink,
        anchor=(0.0, 1.0), ticks=[-2, -1, 0, 1, 2],
    )  # fmt: skip
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0, labelsize=8)
    bar.set_label("z-score of the gene", fontsize=8.5)
