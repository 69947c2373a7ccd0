"""Two analyses side by side: the effect of each gene in one against that in the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from genotex.figures.model import Axis, Figure, Floats, Line, Panel, Series

KINDS = {"neither": "rest", "first only": "first", "second only": "second", "both": "both"}
"""Which analyses a gene is significant in -> its meaning."""


def concordance(
    x: Floats, y: Floats, names: Sequence[str], kinds: Sequence[str], labels: tuple[str, str]
) -> Figure:
    """Declare the genes of two analyses; `kinds` are keys of `KINDS`."""
    placed, of = np.isfinite(x) & np.isfinite(y), np.array(list(kinds))
    series = []
    for kind, meaning in KINDS.items():
        rows = np.flatnonzero(placed & (of == kind)).tolist()
        if len(rows):
            series.append(
                Series(
                    kind="points", meaning=meaning, x=x[rows], y=y[rows], size=4.0,
                    label=f"{kind} ({len(rows):,})", ids=tuple(names[i] for i in rows),
                    texts=tuple(f"{names[i]}: {x[i]:.3g}, {y[i]:.3g}" for i in rows),
                )
            )  # fmt: skip
    ends = np.concatenate([x[placed], y[placed], [0.0]])
    same = np.array([ends.min(), ends.max()])
    diagonal = Series(kind="line", meaning="range", x=same, y=same, dashed=True)
    panel = Panel(
        x=Axis(labels[0]),
        y=Axis(labels[1]),
        series=(*series, diagonal),
        lines=(Line("x", 0.0), Line("y", 0.0)),
    )
    return Figure(
        key="concordance",
        rows=((panel,),),
        legend="above",
        alt=f"Effects of {int(placed.sum()):,} genes in both analyses.",
    )
