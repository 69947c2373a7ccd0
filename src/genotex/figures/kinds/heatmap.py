"""Heatmaps: the first genes in all samples, correlations of samples, similarities of traits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import Floats
from genotex.figures.arranging import column_z_scores, order_rows, order_within
from genotex.figures.kinds import figure
from genotex.figures.model import Axis, Figure, Line, Panel, Scale, Series
from genotex.figures.subjects import GeneResult, SampleMarks
from genotex.words import counted, listed

_GENES = 40
_WIDE, _NARROW = 11.4, 5.2
_LIMIT = 2.5
"""Standard deviations at which the colours end."""


@figure("heatmap", "Heatmap", GeneResult, place=50)
def heatmap(found: GeneResult) -> Figure | None:
    """Declare the first genes (rows) in all samples (columns) as z-scores."""
    first = found.first_measured(_GENES)
    if not first or found.marks is None or not found.marks.names:
        return None
    marks = found.marks
    drawn = genes_in_samples(first, found.values(first), marks, found.bars)
    order = (
        "samples are ordered by group (bar above) and by similarity within"
        if marks.levels is None
        else f"samples are ordered by their level of {marks.level_name} (bar above)"
    )
    bars = [each.level_name for each in found.bars]
    more = f" Further bars: {listed(bars)}." if bars else ""
    picked = "coefficients" if found.selects else "p-values"
    caption = (
        f"The first {counted(len(first), 'gene')} of the ranking (rows, clustered) in all samples "
        f"(columns); {order}.{more} Rust: above the gene's mean; blue: below; grey: missing. "
        f"Colours end at {_LIMIT} standard deviations. These genes were picked for their {picked}, "
        "so a pattern is expected here: it illustrates the finding and is no proof of it."
    )
    alt = f"Heatmap of {counted(len(first), 'gene')} in {counted(len(marks.names), 'sample')}."
    return replace(drawn, title="Top genes in all samples", caption=caption, alt=alt)


def genes_in_samples(
    names: Sequence[str],
    values: Floats,
    marks: SampleMarks,
    bars: Sequence[SampleMarks] = (),
    *,
    bar: bool = True,
) -> Figure:
    """Declare genes in samples (`values`, samples x genes), with their groups above or below.

    With `bar` the groups are a bar above, and `bars` further ones, else texts below, so that there
    is one panel only.
    """
    z = column_z_scores(values).T
    rows = order_rows(z)
    columns, edges = _arranged(z, marks)
    image = np.where(np.isfinite(values.T), z, np.nan)[np.ix_(rows, columns)]
    ticks = tuple((float(i), names[row]) for i, row in enumerate(rows))
    cells = Series(
        kind="cells", meaning="one", y=image,
        scale=Scale("diverging", -_LIMIT, _LIMIT, "z-score of the gene", below=True),
        texts=tuple(names[row] for row in rows), ids=tuple(marks.names[i] for i in columns),
    )  # fmt: skip
    body = Panel(
        x=Axis(ticks=()) if bar else _groups_below(marks, columns),
        y=Axis(low=-0.5, high=len(rows) - 0.5, flipped=True, ticks=ticks, far=bar),
        series=(cells,),
        lines=edges,
        framed=False,
    )
    size = max(len(names), 3)
    if not bar:
        return Figure(key="heatmap", rows=((body,),), width=8.0, height=1.2 + 0.17 * size)
    wide = Figure(
        key="heatmap",
        rows=(
            (_groups_above(marks, columns, bars),),
            *((_named_bar(each, columns),) for each in bars),
            (body,),
        ),
        heights=(*[1.0] * (1 + len(bars)), size * 0.75),
        width=_WIDE,
        height=1.25 + 0.162 * size + 0.22 * len(bars),
        tight=True,
        share_x=True,
        legend="above" if marks.levels is None else "none",
        legend_columns=max(1, len(marks.labels) + sum(len(each.labels) for each in bars)),
        wide=True,
    )
    # Groups have a line each above the bar of a phone.
    high = wide.height + 0.17 * wide.legend_columns
    small = replace(wide, key="heatmap-narrow", width=_NARROW, height=high, legend_columns=1)
    return replace(wide, narrow=small)


def _arranged(z: Floats, marks: SampleMarks) -> tuple[NDArray[np.intp], tuple[Line, ...]]:
    """Return the samples from left to right, and the lines between their groups."""
    if marks.levels is not None:
        return marks.side_by_side(range(len(marks.names))), ()
    order = list(marks.order)
    groups = np.array([order.index(key) if key in order else 0 for key in marks.keys])
    columns = order_within(z, groups.tolist())
    starts = np.flatnonzero(np.diff(groups[columns])) + 1
    return columns, tuple(Line("x", i - 0.5, "edge") for i in starts.tolist())


def _groups_below(marks: SampleMarks, columns: NDArray[np.intp]) -> Axis:
    """Return an axis with the middle of each group, or what samples are ordered by."""
    if marks.levels is not None:
        return Axis(f"samples, by {marks.level_name}", ticks=())
    keys = np.array([marks.keys[i] for i in columns])
    middle = {key: float(np.flatnonzero(keys == key).mean()) for key in dict.fromkeys(keys)}
    ticks = tuple((at, marks.labels.get(key, "?")) for key, at in middle.items())
    return Axis(marks.level_name, ticks=ticks)


def _named_bar(marks: SampleMarks, columns: NDArray[np.intp]) -> Panel:
    """Return a further bar; its name is next to it, its legend above."""
    panel = _groups_above(marks, columns)
    y = replace(panel.y, ticks=((0.0, marks.level_name),), far=True)
    return replace(panel, y=y, series=panel.series[:1], title="")


def _groups_above(
    marks: SampleMarks, columns: NDArray[np.intp], bars: Sequence[SampleMarks] = ()
) -> Panel:
    """Return a bar with the groups or levels of samples; the legend has those of `bars` too."""
    y = Axis(ticks=(), low=-0.5, high=0.5)
    if marks.levels is not None:
        scale = Scale("level", bar=False)
        bar = Series(kind="cells", meaning="one", y=marks.levels[columns][None, :], scale=scale)
        title = f"{marks.level_name}, low to high"
        return Panel(x=Axis(ticks=()), y=y, series=(bar,), framed=False, title=title)
    keys = list(marks.labels)
    place: dict[str, float] = {key: i for i, key in enumerate(keys)}
    codes = np.array([[place.get(marks.keys[i], np.nan) for i in columns]], dtype=float)
    bar = Series(kind="cells", meaning="one", y=codes, meanings=tuple(keys))
    # Points that are nowhere, for the legend.
    nowhere = np.array([np.nan])
    patches = (
        Series(kind="points", meaning=key, x=nowhere, y=nowhere, shape="s", size=7.0,
               label=each.counted(key))
        for each in (marks, *bars) for key in each.labels
    )  # fmt: skip
    return Panel(x=Axis(ticks=()), y=y, series=(bar, *patches), framed=False)


def correlations(correlation: Floats, marks: SampleMarks, rows: NDArray[np.intp]) -> Figure:
    """Declare the correlation of each two of the samples `rows`, under a bar of their groups."""
    low, high = _range(correlation)
    names = tuple(marks.names[i] for i in rows)
    cells = Series(
        kind="cells", meaning="one", y=correlation, texts=names, ids=names, size=0.5,
        scale=Scale("diverging", low, high, "correlation of two samples"),
    )  # fmt: skip
    body = Panel(
        x=Axis(ticks=()),
        y=Axis(low=-0.5, high=len(rows) - 0.5, flipped=True, ticks=()),
        series=(cells,),
        framed=False,
    )
    shows = "groups" if marks.levels is None else f"levels of {marks.level_name}"
    return Figure(
        key="correlations",
        title="Correlation of samples",
        rows=((_groups_above(marks, rows),), (body,)),
        heights=(1.0, 26.0),
        height=4.9,
        tight=True,
        share_x=True,
        alt=f"Heatmap of the correlations of {counted(len(rows), 'sample')}.",
        caption=(
            "Samples that are alike are next to each other; rust: more alike than most pairs, "
            f"blue: less. The bar on top shows the {shows}. A block that does not follow them "
            "hints at a batch; a single dark line, at an outlier."
        ),
    )


def _range(correlation: Floats) -> tuple[float, float]:
    """Return the range of colours: that of nearly all pairs, without a sample with itself."""
    pairs = correlation[~np.eye(len(correlation), dtype=bool)]
    if not pairs.size:
        return 0.0, 1.0
    low, high = (float(value) for value in np.quantile(pairs, (0.01, 0.99)))
    return low, max(high, low + 1e-6)


def trait_map(names: Sequence[str], similarity: Floats, links: Floats) -> Figure:
    """Declare the map: `similarity` in the order of the tree, `links` as SciPy has them."""
    from scipy.cluster.hierarchy import dendrogram

    tree = dendrogram(links, no_plot=True)
    across, along = (np.asarray(tree[name], dtype=float) for name in ("icoord", "dcoord"))
    # SciPy puts leaves at 5, 15, 25 ...; lines end with a gap.
    places = np.hstack([(across - 5) / 10, np.full((len(across), 1), np.nan)])
    heights = np.hstack([along, np.full((len(along), 1), np.nan)])
    ticks = tuple((float(i), name) for i, name in enumerate(names))
    cells = Series(
        kind="cells", meaning="one", y=np.asarray(similarity, dtype=float), texts=tuple(names),
        ids=tuple(names), scale=Scale("diverging", -1.0, 1.0, "similarity"),
    )  # fmt: skip
    y = Axis(low=-0.5, high=len(names) - 0.5, flipped=True, ticks=ticks)
    body = Panel(x=Axis(ticks=ticks, turned=True), y=y, series=(cells,), framed=False)
    lines = Series(kind="line", meaning="tree", x=heights.ravel(), y=places.ravel())
    side = Panel(
        x=Axis(ticks=()),
        y=Axis(low=-0.5, high=len(names) - 0.5, flipped=True, ticks=()),
        series=(lines,),
        framed=False,
    )
    size = max(4.0, 1.5 + 0.2 * len(names))
    return Figure(
        key="traits",
        rows=((body, side),),
        widths=(0.86, 0.14),
        width=size * 1.3,
        height=size,
        alt=f"Similarity of {len(names)} traits.",
    )
