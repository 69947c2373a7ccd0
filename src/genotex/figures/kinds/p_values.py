"""The p-values of all genes as a histogram."""

from __future__ import annotations

import numpy as np

from genotex.figures.model import Axis, Figure, Line, Panel, Series
from genotex.figures.registry import figure
from genotex.figures.subjects import GeneResult
from genotex.words import counted

_BARS = 20


@figure("histogram", "p-values", GeneResult, place=30)
def p_values(found: GeneResult) -> Figure | None:
    """Declare the histogram: bars of 0.05, and the height of all of them under pure chance."""
    p = found.p[np.isfinite(found.p)]
    if found.selects or not len(p):
        return None
    counts, edges = np.histogram(p, bins=_BARS, range=(0.0, 1.0))
    chance = len(p) / _BARS
    share = f"{float((p < 0.05).mean()):.0%}".replace("%", " %")
    bars = Series(
        kind="bars", meaning="one", x=edges[:-1], y=counts.astype(float), size=1 / _BARS,
        texts=tuple(f"p {low:.2f} to {low + 0.05:.2f}: {count:,} genes"
                    for low, count in zip(edges[:-1], counts, strict=True)),
    )  # fmt: skip
    return Figure(
        key="histogram",
        title="All p-values",
        caption=(
            f"All p-values{found.words.of_p} in steps of 0.05; {share} are in the first bar. "
            "Without any real difference all bars reach the dashed line. A peak on the left over "
            "a flat rest is what sound statistics look like; a peak on the right or in the middle "
            "means that the model does not fit."
        ),
        alt=f"Histogram of {counted(len(p), 'p-value')}; {share} of them are below 0.05.",
        rows=(
            (
                Panel(
                    x=Axis("p-value", 0.0, 1.0),
                    y=Axis("genes", 0.0, max(1.0, counts.max() * 1.15, chance * 1.3)),
                    series=(bars,),
                    lines=(Line("y", chance, "threshold", label="if no gene changed"),),
                    legend=True,
                ),
            ),
        ),
    )
