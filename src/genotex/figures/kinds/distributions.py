"""The distribution of the values of each sample: boxes, and densities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import Floats
from genotex.figures.model import Axis, Figure, Panel, Series
from genotex.figures.subjects import SampleMarks
from genotex.words import counted


def boxes(
    panels: Sequence[tuple[str, Floats, bool]],
    marks: SampleMarks,
    rows: NDArray[np.intp],
    caption: str = "",
    *,
    named: bool = False,
) -> Figure:
    """Declare panels of box plots, the samples `rows` from left to right.

    A panel is its label, the quantiles 5, 25, 50, 75 and 95 % of every sample (n, 5), and whether
    its axis is logarithmic. The samples are `named` below where there is room.
    """
    by = "by group" if marks.levels is None else f"by {marks.level_name}"
    wide = Figure(
        key="boxes",
        title="Distribution of each sample" + (", before and after" if len(panels) > 1 else ""),
        rows=tuple(
            (_boxes(*panel, marks, rows, by if i == len(panels) - 1 else "", 10.4),)
            for i, panel in enumerate(panels)
        ),
        width=11.4,
        height=0.45 + 1.75 * len(panels),
        share_x=True,
        legend="above" if marks.levels is None else "none",
        legend_columns=5,
        wide=True,
        caption=caption,
        alt=(
            f"Box plots of {counted(len(rows), 'sample')}"
            f"{' before and after' if len(panels) > 1 else ''}."
        ),
    )
    if named:
        names = tuple((float(i), marks.names[row]) for i, row in enumerate(rows))
        axis = replace(wide.panel.x, label="", ticks=names, turned=True)
        return wide.with_panel(replace(wide.panel, x=axis))
    small = replace(
        wide,
        key="boxes-narrow",
        rows=tuple(
            (_boxes(*panel, marks, rows, by if i == len(panels) - 1 else "", 4.4),)
            for i, panel in enumerate(panels)
        ),
        width=5.2,
        height=0.45 + 1.9 * len(panels),
        legend_columns=2,
    )
    return replace(wide, narrow=small)


def _boxes(
    label: str,
    quantiles: Floats,
    logarithmic: bool,
    marks: SampleMarks,
    rows: NDArray[np.intp],
    by: str,
    room: float,
) -> Panel:
    thick = float(np.clip(0.7 * room * 72 / max(len(rows), 1), 0.8, 9.0))
    series = tuple(
        Series(
            kind="boxes", meaning=key, x=places.astype(float), y=quantiles[rows[places]],
            label=text, size=thick, ids=tuple(marks.names[i] for i in rows[places]),
        )
        for key, text, places in _groups(marks, rows)
    )  # fmt: skip
    edge = 0.01 * len(rows) + 0.5
    return Panel(
        x=Axis(f"samples, {by}" if by else "", -edge, len(rows) - 1 + edge, ticks=()),
        # Linear below 1, where zeros are.
        y=Axis(label, log_above=1.0 if logarithmic else None),
        series=series,
    )


def _groups(marks: SampleMarks, rows: NDArray[np.intp]) -> list[tuple[str, str, NDArray[np.intp]]]:
    """Return meaning, label and places of the groups among `rows`."""
    if marks.levels is not None:
        return [("one", "", np.arange(len(rows)))]
    keys = np.array([marks.keys[i] for i in rows])
    places = {key: np.flatnonzero(keys == key) for key in dict.fromkeys(keys.tolist())}
    return [(key, f"{marks.labels[key]} ({len(at)})", at) for key, at in places.items()]


def densities(
    middles: Floats,
    curves: Floats,
    marks: SampleMarks,
    rows: NDArray[np.intp],
    caption: str = "",
    label: str = "log2 expression",
    ringed: NDArray[np.bool_] | None = None,
) -> Figure:
    """Declare a curve for each sample `rows`: `curves` (len(rows), steps)."""
    series = tuple(
        Series(
            kind="curves", meaning=key, x=middles, y=curves[places], label=text,
            texts=tuple(marks.names[i] for i in rows[places]),
            ringed=None if ringed is None else ringed[places],
        )
        for key, text, places in _groups(marks, rows)
    )  # fmt: skip
    top = float(np.nanmax(curves)) * 1.05 if curves.size else 1.0
    y = Axis("density of the sample's values", 0.0, top or 1.0)
    return Figure(
        key="densities",
        title="Densities",
        rows=((Panel(x=Axis(label), y=y, series=series),),),
        legend="above" if marks.levels is None else "none",
        caption=caption,
        alt=f"Densities of the values of {counted(len(rows), 'sample')}.",
    )
