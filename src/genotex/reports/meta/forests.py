"""Forest plots: the first genes as figures, and the numbers for any gene."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.analysis.meta import MetaResult
from genotex.reports.figures import ForestRow, draw_forest
from genotex.reports.meta.page import ForestView
from genotex.reports.page import FigureView
from genotex.reports.words import counted, number

__all__ = ["effect_label", "forest_data", "forest_figures"]

Floats = NDArray[np.float64]

_FIGURES = 6
_MOST_NUMBERS = 600_000
_SCALE = 1000
_Z = 1.959964
"""Half the 95 % interval in standard errors."""


def effect_label(result: MetaResult) -> str:
    """Return what the axis of a forest plot shows."""
    if result.binary:
        return "Hedges' g, case against control"
    return "partial correlation with the trait"


def forest_figures(result: MetaResult) -> tuple[FigureView, ...]:
    """Return the forest plots of the first genes."""
    return tuple(_figure(result, row) for row in range(min(_FIGURES, result.genes.height)))


def _figure(result: MetaResult, row: int) -> FigureView:
    gene = result.genes.row(row, named=True)
    symbol, key = str(gene["Variable"]), f"forest-{row}"
    alt = (
        f"Forest plot of {symbol} in {counted(gene['Cohorts'], 'cohort')}; combined effect "
        f"{number(gene['Combined Effect'], 'signed')}, q = {number(gene['q'], 'p')}."
    )
    told = "replicates" if gene["Replicates"] else "does not replicate"
    caption = (
        f"q = {number(gene['q'], 'p')}; I\N{SUPERSCRIPT TWO} = {gene['I2']:.0f} %; "
        f"{gene['Agreeing']} of {gene['Cohorts']} cohorts agree in direction; {told}."
    )
    svg = draw_forest(_rows(result, row), effect_label(result), key, alt)
    return FigureView(key, symbol, svg, caption, alt)


def _rows(result: MetaResult, row: int) -> list[ForestRow]:
    gene, effects = result.genes.row(row, named=True), result.effects.row(row, named=True)
    random = gene["Random p"] is not None
    between = gene["tau2"] if random else 0.0
    there = [c for c in result.cohorts if effects[f"{c.name} Effect"] is not None]
    weights = [1 / (effects[f"{c.name} Error"] ** 2 + between) for c in there]
    rows = []
    for cohort, weight in zip(there, weights, strict=True):
        effect, error = effects[f"{cohort.name} Effect"], effects[f"{cohort.name} Error"]
        ends = (effect, effect - _Z * error, effect + _Z * error)
        rows.append(_row(result, f"{cohort.name} ({cohort.samples})", ends, weight / sum(weights)))
    ends = (gene["Combined Effect"], gene["CI Lower"], gene["CI Upper"])
    rows.append(_row(result, "random effects" if random else "fixed effect", ends))
    if random:
        ends = (gene["Fixed Effect"], gene["Fixed CI Lower"], gene["Fixed CI Upper"])
        rows.append(_row(result, "fixed effect", ends))
    return rows


def _row(
    result: MetaResult, label: str, ends: tuple[float, float, float], weight: float | None = None
) -> ForestRow:
    effect, low, high = ends if result.binary else tuple(np.tanh(ends).tolist())
    middle, left, right = (number(value, "signed") for value in (effect, low, high))
    return ForestRow(label, effect, low, high, f"{middle}  ({left} to {right})", weight)


def forest_data(result: MetaResult, first: str) -> ForestView:
    """Return the numbers that the page draws any gene's forest plot from, as compact JSON.

    Effects and errors are thousandths, on the scale that was combined; ``r`` says that the page
    has to turn Fisher's z back. ``fixed`` and ``tau`` (standard deviation between cohorts, for the
    weights) are null where two cohorts tested a gene, and none at all where no third did: then
    the whole is the fixed effect. The first genes of the ranking are taken when all would make
    the page too heavy.

    Parameters
    ----------
    result : MetaResult
        The result over all cohorts.
    first : str
        The gene that is drawn first.
    """
    each = 2 * len(result.cohorts) + 9
    genes = result.genes.head(max(1, _MOST_NUMBERS // each))
    effects = result.effects.head(genes.height)
    random = _of_random_effects(genes)
    content = {
        "label": effect_label(result),
        "r": not result.binary,
        "cohorts": [[cohort.name, cohort.samples] for cohort in result.cohorts],
        "genes": genes["Variable"].to_list(),
        "effect": [_whole(effects[f"{c.name} Effect"]) for c in result.cohorts],
        "error": [_whole(effects[f"{c.name} Error"]) for c in result.cohorts],
        "whole": _columns(genes, ("Combined Effect", "CI Lower", "CI Upper")),
        "fixed": _columns(random, ("Fixed Effect", "Fixed CI Lower", "Fixed CI Upper")),
        "tau": _columns(random, ("tau",)),
        "q": [number(q, "p") for q in genes["q"]],
        "i2": [None if value is None else round(value) for value in genes["I2"]],
        "agree": genes["Agreeing"].to_list(),
        "replicates": "".join("1" if told else "0" for told in genes["Replicates"]),
    }
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    return ForestView(text, genes.height, result.genes.height, first)


def _of_random_effects(genes: pl.DataFrame) -> pl.DataFrame:
    """Return the genes with nothing in them where two cohorts are combined."""
    known = pl.col("Random p").is_not_null()
    kept = genes.with_columns(pl.col("tau2").sqrt().alias("tau"))
    return kept.with_columns(
        pl.when(known).then(pl.col(name)).alias(name)
        for name in ("Fixed Effect", "Fixed CI Lower", "Fixed CI Upper", "tau")
    )


def _columns(genes: pl.DataFrame, names: Sequence[str]) -> list[list[int | None]] | None:
    if genes[names[0]].null_count() == genes.height:
        return None
    return [_whole(genes[name]) for name in names]


def _whole(values: pl.Series) -> list[int | None]:
    whole: list[int | None] = (values * _SCALE).round().cast(pl.Int64).to_list()
    return whole
