"""The largest coefficients of a selection of genes, such as a Lasso's."""

from __future__ import annotations

import numpy as np

from genotex.figures.model import Axis, Figure, Line, Panel, Series
from genotex.figures.registry import figure
from genotex.figures.subjects import GeneResult
from genotex.words import counted, listed

_MOST = 20


@figure("coefficients", "Coefficients", GeneResult, place=35)
def coefficients(found: GeneResult) -> Figure | None:
    """Declare the largest coefficients, the first gene on top; what is up is right of zero."""
    chosen = np.flatnonzero(found.significant)
    if not found.selects or not len(chosen):
        return None
    rows = chosen[:_MOST]
    names, values = [found.names[i] for i in rows], found.change[rows]
    place = np.arange(len(rows), dtype=float)
    series = []
    for meaning, side in (("up", values > 0), ("down", values <= 0)):
        at, ends = place[side], values[side]
        texts = tuple(f"{names[int(i)]}: {v:+.3f}" for i, v in zip(at, ends, strict=True))
        low, high = np.minimum(0.0, ends), np.maximum(0.0, ends)
        series += [
            Series(kind="intervals", meaning=meaning, x=ends, y=at, low=low, high=high),
            Series(kind="points", meaning=meaning, x=ends, y=at, texts=texts, size=5.0),
        ]
    ticks = tuple((float(i), name) for i, name in enumerate(names))
    panel = Panel(
        x=Axis("coefficient per standard deviation of the gene", most_ticks=6),
        y=Axis(low=-0.6, high=len(rows) - 0.4, flipped=True, ticks=ticks, line=False),
        series=tuple(each for each in series if len(each.x)),
        lines=(Line("x", 0.0),),
    )
    return Figure(
        key="coefficients",
        title="Largest coefficients",
        rows=((panel,),),
        alt=(
            f"Dot plot of the {counted(len(rows), 'largest coefficient')} of "
            f"{counted(len(chosen), 'gene')} selected, led by {listed(names[:3])}."
        ),
        caption=(
            "The genes with the largest coefficients; right of zero: higher expression is "
            f"associated with {found.words.right}, given the other genes selected. Of correlated "
            "genes the Lasso takes one and drops the rest, so a gene that is missing here may "
            "matter as much."
        ),
    )
