"""The similarity of all traits as cells in the order of their tree, and the tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from genotex.figures.model import Axis, Figure, Floats, Panel, Scale, Series


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
