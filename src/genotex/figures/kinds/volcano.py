"""Change of every gene against its p-value (volcano), and against its mean expression (MA)."""

from __future__ import annotations

import numpy as np

from genotex.figures.model import Axis, Figure, Floats, Line, Name, Panel, Series
from genotex.figures.registry import figure
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
    lines = [Line("x", 0.0)]
    hit = shown & found.significant
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
            lines=(Line("y", 0.0),),
            names=_names(found, found.mean, found.change, names),
        ),
        f"Above zero: {found.words.right}; below: {found.words.left}. ",
    )


def _figure(found: GeneResult, key: str, title: str, panel: Panel, sides: str) -> Figure:
    hits = [name for name, hit in zip(found.names, found.significant, strict=True) if hit]
    what = "Volcano" if key == "volcano" else "MA"
    alt = f"{what} plot of {counted(len(found.names), 'gene')}; {len(hits):,} are significant" + (
        f", led by {listed(hits[:3])}." if hits else "."
    )
    colours = (
        f"Coloured genes are significant (q < {found.cut:g}); the first of the ranking carry "
        "their names, and a pointer over a coloured point shows its numbers."
        if hits
        else f"No gene is significant (q < {found.cut:g}), so none is coloured; the first of "
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


def _names(found: GeneResult, x: Floats, y: Floats, most: int) -> tuple[Name, ...]:
    """Return the names of highlighted genes, then of the first of the ranking."""
    order = np.arange(len(found.names))
    if found.marked is not None:
        order = np.concatenate([np.flatnonzero(found.marked), np.flatnonzero(~found.marked)])
    shown = order[np.isfinite(x[order]) & np.isfinite(y[order])][:most]
    return tuple(Name(found.names[i], float(x[i]), float(y[i])) for i in shown)
