"""Samples before testing: distance from their group, and sex by expression."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from genotex.reports.figures.canvas import (
    ACCENT,
    COLOURS,
    GREY,
    INK,
    MARKERS,
    QUIET,
    RUN_COLOURS,
    calm_axes,
    drawing,
    plot_points,
    to_svg,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GROUPS = {"case": "Case", "control": "Control", "sample": "Sample"}
_SEXES = {
    "female": (RUN_COLOURS[3], "o", "Female"),
    "male": (ACCENT, "s", "Male"),
    "unclear": (GREY, "X", "Unclear"),
    "unknown": (GREY, "X", "Not recorded"),
}
_MOST_NAMES = 12


def draw_sample_distances(
    by_sample: Mapping[str, Sequence[Any]], named: Collection[str], cut: float, alt: str
) -> str:
    """Return the distance of each sample from its group as SVG."""
    samples, groups = by_sample["sample"], by_sample["group"]
    distance = np.array([np.nan if d is None else d for d in by_sample["distance"]], dtype=float)
    titles, start = {}, 0
    with drawing(5.6, 3.9) as figure:
        axes = figure.add_subplot()
        calm_axes(axes, x="samples, by group", y="distance from its group / usual distance")
        for group in dict.fromkeys(groups):
            members = [i for i, name in enumerate(groups) if name == group]
            members.sort(key=lambda i: distance[i])
            places = np.arange(start, start + len(members))
            start += len(members) + max(1, len(samples) // 30)
            plot_points(
                axes,
                places,
                distance[members],
                (COLOURS.get(group, ACCENT), MARKERS.get(group, "o")),
                size=5.2 if len(samples) < 100 else 3.4,
                label=f"{_GROUPS[group]} ({len(members)})",
                gid=f"distance-{group}",
            )
            titles[f"distance-{group}"] = [f"{samples[i]}: {distance[i]:.2f}" for i in members]
            _name(axes, places, distance[members], [samples[i] for i in members], named)
        axes.axhline(cut, color=QUIET, linewidth=0.9, dashes=(4, 3))
        axes.set_ylim(0, 1.08 * max(cut, float(np.nanmax(distance))))
        axes.set_xticks([])
        axes.margins(x=0.06)
        figure.legend(loc="outside upper left", ncols=3, handletextpad=0.2, columnspacing=1.2)
        return to_svg(figure, "sample-distances", alt, titles)


def draw_sex(
    samples: Sequence[str], record: Mapping[str, Any], named: Collection[str], alt: str
) -> str:
    """Return XIST against the genes of Y as SVG, marked by recorded sex, else by predicted sex."""
    x, y = _floats(record["xist"]), _floats(record["y"])
    recorded = record["recorded"]
    sexes = (
        [record["predicted"][sample] for sample in samples]
        if recorded is None
        else [sex or "unknown" for sex in recorded]
    )
    titles = {}
    with drawing(5.6, 3.9) as figure:
        axes = figure.add_subplot()
        calm_axes(axes, x="XIST, log2 expression", y="genes of Y (mean), log2 expression")
        for sex, (colour, marker, label) in _SEXES.items():
            members = [i for i, found in enumerate(sexes) if found == sex]
            if not members:
                continue
            plot_points(
                axes,
                x[members],
                y[members],
                (colour, marker),
                label=f"{label} ({len(members)})",
                gid=f"sex-{sex}",
            )
            titles[f"sex-{sex}"] = [f"{samples[i]}: {label.lower()}" for i in members]
        ringed = [i for i, sample in enumerate(samples) if sample in named]
        axes.plot(
            x[ringed], y[ringed], linestyle="none", marker="o", markersize=10.5,
            markerfacecolor="none", markeredgecolor=INK, markeredgewidth=1.0,
        )  # fmt: skip
        _name(axes, x, y, samples, named)
        axes.margins(0.1)
        figure.legend(loc="outside upper left", ncols=3, handletextpad=0.2, columnspacing=1.2)
        return to_svg(figure, "sample-sex", alt, titles)


def _floats(values: Sequence[float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _name(
    axes: Axes,
    x: NDArray[Any],
    y: NDArray[np.float64],
    samples: Sequence[str],
    named: Collection[str],
) -> None:
    """Write the names of samples next to their points, towards the middle of the figure."""
    wanted = [i for i, sample in enumerate(samples) if sample in named and np.isfinite(y[i])]
    middle = (np.nanmin(x) + np.nanmax(x)) / 2 if len(x) else 0.0
    for i in wanted[:_MOST_NAMES]:
        right = x[i] <= middle
        axes.annotate(
            samples[i],
            (x[i], y[i]),
            xytext=(7 if right else -7, 0),
            textcoords="offset points",
            ha="left" if right else "right",
            va="center",
            fontsize=8.5,
            color=INK,
        )
