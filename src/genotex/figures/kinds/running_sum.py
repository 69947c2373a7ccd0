"""The running sum of a gene set along the ranking, with a stroke for each of its genes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from genotex.figures.model import Axis, Figure, Floats, Line, Panel, Series

_MOST_POINTS = 4000


def running_sum(
    total: Floats, hits: NDArray[np.intp], names: Sequence[str], statistic: Floats
) -> Figure:
    """Declare the running sum `total` along the genes; `hits` are the places of the set's genes.

    Parameters
    ----------
    total, statistic : ndarray
        Of each gene, the highest statistic first.
    names : sequence of str
        Of each gene.
    """
    peak, drawn = int(np.abs(total).argmax()), _corners(total, hits)
    line = Series(
        kind="line", meaning="one", x=(drawn + 1).astype(float), y=total[drawn],
        texts=tuple(f"rank {i + 1}: {total[i]:.2f}" for i in drawn),
    )  # fmt: skip
    top = Series(
        kind="line", meaning="range", x=np.array([peak + 1.0] * 2), y=np.array([0.0, total[peak]]),
        dashed=True,
    )  # fmt: skip
    strokes = []
    for meaning, side in (("up", statistic[hits] > 0), ("down", statistic[hits] <= 0)):
        rows = hits[side]
        texts = (f"{names[i]}: rank {i + 1}, statistic {statistic[i]:.2f}" for i in rows)
        strokes.append(
            Series(
                kind="points", meaning=meaning, x=(rows + 1).astype(float), y=np.zeros(len(rows)),
                shape="|", size=16.0, texts=tuple(texts), ids=tuple(names[i] for i in rows),
            )
        )  # fmt: skip
    zero = float((statistic > 0).sum()) + 0.5
    above = Panel(
        y=Axis("running sum"),
        series=(line, top),
        lines=(Line("y", 0.0), Line("x", zero)),
    )
    below = Panel(
        x=Axis("rank: highest statistic first"),
        y=Axis(low=-1.0, high=1.0, ticks=()),
        series=tuple(each for each in strokes if len(each.x)),
        lines=(Line("x", zero),),
    )
    return Figure(
        key="running-sum",
        rows=((above,), (below,)),
        heights=(5.0, 1.0),
        share_x=True,
        alt=f"Running sum of a set of {len(hits)} genes along {len(total)} genes.",
    )


def _corners(total: Floats, hits: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the places where the line turns; between them it is straight."""
    if len(hits) > _MOST_POINTS:
        return np.unique(np.linspace(0, len(total) - 1, _MOST_POINTS).astype(np.intp))
    ends = np.array([0, len(total) - 1])
    return np.unique(np.concatenate([ends, hits, np.maximum(hits - 1, 0)]))
