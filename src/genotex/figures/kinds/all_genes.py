"""All genes of a result: volcano, MA, p-values, coefficients; two results; the sum along a set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import Floats
from genotex.figures.kinds import figure
from genotex.figures.model import Axis, Figure, Line, Panel, PointName, Series
from genotex.figures.subjects import GeneResult
from genotex.words import counted, listed, number

NAMED = 14
_WORDS = {"up": "higher", "down": "lower", "rest": "not significant", "marked": "highlighted"}


@figure("volcano", "Volcano", GeneResult, place=20)
def volcano(found: GeneResult, names: int = NAMED) -> Figure | None:
    """Declare the volcano plot: what is up is right of zero."""
    if found.selects or not (np.isfinite(found.p) & np.isfinite(found.change)).any():
        return None
    change, height = found.change, found.log_p
    shown = np.isfinite(change) & np.isfinite(height)
    reach = max(float(np.abs(change[shown]).max()) * 1.12, 1e-6)
    lines = [Line("x", 0.0), *_least(found, "x")]
    hit = shown & ((found.q < found.cut) if found.least else found.significant)
    if hit.any():
        level = float(height[hit].min())
        lines.append(Line("y", level, "threshold", f"q = {found.cut:g}"))
    top = max(1.0, float(height[shown].max()) * 1.12)
    return _figure(
        found,
        "volcano",
        "Change against significance",
        Panel(
            x=Axis(found.words.axis, -reach, reach),
            y=Axis("\N{MINUS SIGN}log10 p", 0.0, top),
            series=_genes(found, change, height, names),
            lines=tuple(lines),
            names=_names(found, change, height, names),
        ),
        f"Right of zero: {found.words.right}; left: {found.words.left}. The higher, the smaller "
        f"the p-value{found.words.of_p}. ",
    )


@figure("ma", "MA", GeneResult, place=21, pages=False)
def ma(found: GeneResult, names: int = NAMED) -> Figure | None:
    """Declare the MA plot: what is up is above zero."""
    if found.selects or not (np.isfinite(found.mean) & np.isfinite(found.change)).any():
        return None
    return _figure(
        found,
        "ma",
        "Change against mean expression",
        Panel(
            x=Axis("mean log2 expression"),
            y=Axis(found.words.axis),
            series=_genes(found, found.mean, found.change, names),
            lines=(Line("y", 0.0), *_least(found, "y")),
            names=_names(found, found.mean, found.change, names),
        ),
        f"Above zero: {found.words.right}; below: {found.words.left}. ",
    )


def _least(found: GeneResult, along: Literal["x", "y"]) -> list[Line]:
    """Return the lines at the least change that counts, if there is one."""
    ends = (-found.least, found.least) if found.least else ()
    return [Line(along, end, "threshold") for end in ends]


def _figure(found: GeneResult, key: str, title: str, panel: Panel, sides: str) -> Figure:
    hits = [name for name, hit in zip(found.names, found.significant, strict=True) if hit]
    what = "Volcano" if key == "volcano" else "MA"
    alt = f"{what} plot of {counted(len(found.names), 'gene')}; {len(hits):,} are significant" + (
        f", led by {listed(hits[:3])}." if hits else "."
    )
    colours = (
        f"Coloured genes are significant ({found.rule}); the first of the ranking carry "
        "their names, and a pointer over a coloured point shows its numbers."
        if hits
        else f"No gene is significant ({found.rule}), so none is coloured; the first of "
        "the ranking carry their names."
    )
    caption = f"Each point is a gene. {sides}{colours}"
    return Figure(key=key, rows=((panel,),), title=title, caption=caption, alt=alt)


def _genes(found: GeneResult, x: Floats, y: Floats, named: int) -> tuple[Series, ...]:
    """Return the genes by meaning; those that are named but not significant have their own."""
    shown, meaning = np.isfinite(x) & np.isfinite(y), found.meanings()
    meaning[:named] = np.where(meaning[:named] == "rest", "named", meaning[:named])
    series = []
    for each in ("rest", "named", "down", "up", "marked"):
        rows = np.flatnonzero(shown & (meaning == each))
        if not len(rows):
            continue
        label = f"{_WORDS[each]} ({len(rows):,})" if each in _WORDS else ""
        texts = tuple(
            f"{found.names[i]}: {number(found.change[i], 'signed')}, q = {found.q[i]:.2g}"
            for i in rows
        )
        series.append(
            Series(
                kind="points", meaning=each, x=x[rows], y=y[rows], label=label, size=4.0,
                texts=texts, ids=tuple(found.names[i] for i in rows),
            )
        )  # fmt: skip
    return tuple(series)


def _names(found: GeneResult, x: Floats, y: Floats, most: int) -> tuple[PointName, ...]:
    """Return the names of highlighted genes, then of the first of the ranking."""
    order = np.arange(len(found.names))
    if found.marked is not None:
        order = np.concatenate([np.flatnonzero(found.marked), np.flatnonzero(~found.marked)])
    shown = order[np.isfinite(x[order]) & np.isfinite(y[order])][:most]
    return tuple(PointName(found.names[i], float(x[i]), float(y[i])) for i in shown)


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


_COEFFICIENTS = 20


@figure("coefficients", "Coefficients", GeneResult, place=35)
def coefficients(found: GeneResult) -> Figure | None:
    """Declare the largest coefficients, the first gene on top; what is up is right of zero."""
    chosen = np.flatnonzero(found.significant)
    if not found.selects or not len(chosen):
        return None
    rows = chosen[:_COEFFICIENTS]
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


_SIDES = {"neither": "rest", "first only": "first", "second only": "second", "both": "both"}
"""Which analyses a gene is significant in -> its meaning."""


def concordance(
    x: Floats, y: Floats, names: Sequence[str], kinds: Sequence[str], labels: tuple[str, str]
) -> Figure:
    """Declare the genes of two analyses; `kinds` are keys of `_SIDES`."""
    placed, of = np.isfinite(x) & np.isfinite(y), np.array(list(kinds))
    series = []
    for kind, meaning in _SIDES.items():
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


_MOST_CORNERS = 4000


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
        y=Axis("running sum"), series=(line, top), lines=(Line("y", 0.0), Line("x", zero))
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
    if len(hits) > _MOST_CORNERS:
        return np.unique(np.linspace(0, len(total) - 1, _MOST_CORNERS).astype(np.intp))
    ends = np.array([0, len(total) - 1])
    return np.unique(np.concatenate([ends, hits, np.maximum(hits - 1, 0)]))
