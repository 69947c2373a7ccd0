"""The samples as a whole: box plots before and after, densities, distances, correlations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from genotex.reports.figures.canvas import (
    ACCENT,
    COLOURS,
    DIVERGING,
    INK,
    LEVELS,
    SampleMarks,
    calm_axes,
    colour_map,
    drawing,
    to_svg,
)
from genotex.reports.figures.expression import draw_sample_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
_STEPS_OF_COLOUR = 24
"""Few colours make a small image."""


def samples_by_group(marks: SampleMarks, chosen: Sequence[int]) -> NDArray[np.intp]:
    """Return chosen samples in the order of their groups, or by level."""
    rows = np.asarray(chosen, dtype=np.intp)
    if marks.levels is not None:
        levels = np.where(np.isfinite(marks.levels), marks.levels, np.inf)[rows]
        return rows[np.argsort(levels, kind="stable")]
    order = {key: place for place, key in enumerate(marks.ordered)}
    places = [order.get(marks.keys[i], len(order)) for i in rows]
    return rows[np.argsort(places, kind="stable")]


def draw_mds(places: Floats, marks: SampleMarks, alt: str) -> str:
    """Return the samples on two coordinates of multidimensional scaling as SVG."""
    return draw_sample_points(places, ("MDS 1", "MDS 2"), marks, "mds", alt)


def draw_narrow_boxes(
    panels: Sequence[tuple[str, Floats, bool]], marks: SampleMarks, rows: NDArray[np.intp], alt: str
) -> str:
    """Return the box plots as SVG for a phone."""
    return draw_boxes(panels, marks, rows, alt, narrow=True)


def draw_boxes(
    panels: Sequence[tuple[str, Floats, bool]],
    marks: SampleMarks,
    rows: NDArray[np.intp],
    alt: str,
    *,
    narrow: bool = False,
) -> str:
    """Return panels of box plots as SVG, the samples `rows` from left to right.

    A panel is its label, the quantiles 5, 25, 50, 75 and 95 % of every sample (n, 5), and whether
    its axis is logarithmic.
    """
    width, height = (5.2, 1.9) if narrow else (11.4, 1.75)
    with drawing(width, 0.45 + height * len(panels)) as figure:
        grid = figure.subplots(len(panels), 1, squeeze=False, sharex=True)[:, 0]
        for axes, (label, quantiles, logarithmic) in zip(grid, panels, strict=True):
            calm_axes(axes, y=label)
            if logarithmic:
                # Linear below 1, where zeros are.
                axes.set_yscale("symlog", base=10, linthresh=1.0)
                axes.yaxis.set_major_formatter("{x:,.0f}")
            _boxes(axes, quantiles[rows], [marks.keys[i] for i in rows], marks, narrow)
            axes.set_xticks([])
            axes.margins(x=0.01)
        by = "by group" if marks.levels is None else f"by {marks.level_name}"
        grid[-1].set_xlabel(f"samples, {by}")
        if marks.levels is None:
            handles, names = grid[0].get_legend_handles_labels()
            place: Any = {"loc": "outside upper left", "ncols": 2 if narrow else 5}
            figure.legend(handles, names, **place)
        return to_svg(figure, "boxes-narrow" if narrow else "boxes", alt)


def _boxes(
    axes: Axes, quantiles: Floats, keys: Sequence[str], marks: SampleMarks, narrow: bool
) -> None:
    """Draw a thin line from 5 to 95 %, a thick one from 25 to 75 % and a gap at the median."""
    room = (4.4 if narrow else 10.4) * 72 / max(len(keys), 1)
    thick = float(np.clip(0.7 * room, 0.8, 9.0))
    groups = list(dict.fromkeys(keys)) if marks.levels is None else [None]
    for group in groups:
        members = np.array([i for i, key in enumerate(keys) if group in (None, key)])
        colour = ACCENT if group is None else COLOURS[group]
        label = None if group is None else f"{marks.labels[group]} ({len(members)})"
        low, lower, middle, upper, high = quantiles[members].T
        axes.plot(*_joined(members, low, high), color=colour, linewidth=min(0.9, thick))
        axes.plot(
            *_joined(members, lower, upper),
            color=colour,
            linewidth=thick,
            solid_capstyle="butt",
            label=label,
        )
        axes.plot(
            members,
            middle,
            linestyle="none",
            marker="_",
            markersize=thick,
            markeredgewidth=1.2,
            color="white" if thick > 2 else INK,
        )


def _joined(x: NDArray[np.intp], start: Floats, end: Floats) -> tuple[Floats, Floats]:
    """Return vertical lines as one path with gaps, which takes far less room than one for each."""
    gap = np.full(len(x), np.nan)
    return np.column_stack([x, x, gap]).ravel(), np.column_stack([start, end, gap]).ravel()


def draw_densities(
    middles: Floats, densities: Floats, marks: SampleMarks, rows: NDArray[np.intp], alt: str
) -> str:
    """Return a curve for each sample `rows` as SVG: `densities` (len(rows), steps)."""
    with drawing(5.6, 4.3) as figure:
        axes = figure.add_subplot()
        calm_axes(axes, x="log2 expression", y="density of the sample's values")
        keys = [marks.keys[i] for i in rows]
        groups = list(dict.fromkeys(keys)) if marks.levels is None else [None]
        for group in groups:
            members = [i for i, key in enumerate(keys) if group in (None, key)]
            gap = np.full((len(members), 1), np.nan)
            x = np.tile([*middles, np.nan], len(members))
            axes.plot(
                x,
                np.column_stack([densities[members], gap]).ravel(),
                color=ACCENT if group is None else COLOURS[group],
                linewidth=0.8,
                alpha=0.7,
                label=None if group is None else f"{marks.labels[group]} ({len(members)})",
            )
        axes.set_ylim(0)
        if marks.levels is None:
            figure.legend(loc="outside upper left", ncols=3, columnspacing=1.2)
        return to_svg(figure, "densities", alt)


def draw_correlations(
    correlation: Floats, marks: SampleMarks, rows: NDArray[np.intp], alt: str
) -> str:
    """Return the correlation of each two of the samples `rows` as SVG, with a bar of the groups."""
    from matplotlib.colors import ListedColormap

    with drawing(5.6, 4.9) as figure:
        bar, body = figure.subplots(2, 1, sharex=True, height_ratios=(1, 26))
        figure.get_layout_engine().set(h_pad=0.02, hspace=0.0)  # type: ignore[union-attr, call-arg]
        for axes in (bar, body):
            axes.set_xticks([])
            axes.set_yticks([])
            for spine in axes.spines.values():
                spine.set_visible(False)
        same: dict[str, Any] = {"aspect": "auto", "interpolation": "none"}
        if marks.levels is not None:
            bar.imshow(marks.levels[rows][None, :], cmap=colour_map(LEVELS), **same)
        else:
            order = list(marks.labels)
            codes = [[order.index(marks.keys[i]) for i in rows]]
            palette = ListedColormap([COLOURS[key] for key in order])
            bar.imshow(codes, cmap=palette, vmin=-0.5, vmax=len(order) - 0.5, **same)
        inside = correlation[np.ix_(rows, rows)]
        low, high = _range(inside)
        steps = colour_map(DIVERGING).resampled(_STEPS_OF_COLOUR)
        mesh = body.imshow(inside, cmap=steps, vmin=low, vmax=high, **same)
        scale = figure.colorbar(mesh, ax=body, shrink=0.7, aspect=26, pad=0.02)
        scale.outline.set_visible(False)
        scale.set_label("correlation of two samples")
        return to_svg(figure, "correlations", alt)


def _range(correlation: Floats) -> tuple[float, float]:
    """Return the range of colours: that of nearly all pairs, without a sample with itself."""
    pairs = correlation[~np.eye(len(correlation), dtype=bool)]
    if not pairs.size:
        return 0.0, 1.0
    low, high = (float(value) for value in np.quantile(pairs, (0.01, 0.99)))
    return low, max(high, low + 1e-6)
