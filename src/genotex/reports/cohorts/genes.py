"""The genes over all cohorts: table of the page, CSV file, forest plots."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from genotex.analysis.meta import COHORT_COLUMNS, META_COLUMNS, MetaResult, gene_stories
from genotex.figures import Figure, ForestRow, forest
from genotex.reports.genes.table import GeneTableView, TableColumn, rows_on_page
from genotex.reports.sections import FigureView, view_figures
from genotex.words import counted, number

_EFFECT = ("Coefficient", "CI Lower", "CI Upper")

_IN_FILES = {
    "Variable": "gene",
    "Combined": "",
    "Lower": "low",
    "Upper": "high",
    "Error": "standard error",
    "Q": "cochran q",
}
"""Word of a column of the result -> in the CSV file, whose names are in lower case."""


def shown_genes(result: MetaResult) -> pl.DataFrame:
    """Return the genes on the scale that people read: Hedges' g, or partial correlation.

    The combined effect is ``Coefficient``; ``Fixed Effect`` is null where two cohorts tested a
    gene; ``agree`` is written as "2 of 2", and ``Story`` is a line.
    """
    effect = ["Combined Effect", "CI Lower", "CI Upper"]
    if not result.binary:
        effect = ["Combined r", "r CI Lower", "r CI Upper"]
    fixed = pl.col("Fixed Effect") if result.binary else pl.col("Fixed Effect").tanh()
    return result.genes.with_columns(
        *(pl.col(a).alias(b) for a, b in zip(effect, _EFFECT, strict=True)),
        pl.when(pl.col("Random p").is_not_null()).then(fixed).alias("Fixed Effect"),
        pl.format("{} of {}", "Agreeing", "Cohorts").alias("agree"),
        pl.Series("Story", gene_stories(result), dtype=pl.String),
    )


def meta_table(result: MetaResult, genes: pl.DataFrame, csv_name: str) -> GeneTableView:
    """Return the first genes of the ranking as the page shows them."""
    rows = genes.head(rows_on_page(result.significant.height)).to_dicts()
    return GeneTableView(meta_columns(result, genes), rows, genes.height, csv_name)


def meta_columns(result: MetaResult, genes: pl.DataFrame) -> tuple[TableColumn, ...]:
    """Return the columns of the page that hold anything."""
    effect = "g" if result.binary else "r"
    scale = "Hedges' g" if result.binary else "partial correlation"
    how = "fixed effect"
    if result.random:
        how = "random effects; fixed effect where two cohorts tested the gene"
    every = (
        ("Variable", "Gene", "official symbol", "text"),
        ("Coefficient", effect, f"{scale} over all cohorts ({how})", "signed"),
        ("CI Lower", "95 % interval", "95 % confidence interval of it", "signed", "CI Upper"),
        ("Replication", "next cohort", "chance that the next cohort shows the gene again: same "
         "direction, p < 0.05", "share"),
        ("p", "p", "p-value of an effect in common; allows for effects that differ between cohorts "
         "as far as those of all genes do", "p"),
        ("q", "q", "Benjamini-Hochberg q-value (false discovery rate)", "p"),
        ("Random p", "strict p", "p-value of the random effects (Knapp and Hartung, on t), as the "
         "interval: how far effects differ between cohorts is estimated from this gene only", "p"),
        ("agree", "same sign", "cohorts with the direction of the whole", "text"),
        ("I2", "I\N{SUPERSCRIPT TWO} %", "spread between cohorts beyond chance", "count"),
        ("Q p", "p of Q", "p-value of the spread (Cochran's Q)", "p"),
        ("Fixed Effect", f"fixed {effect}",
         "fixed effect: the average in these cohorts, blind to how they differ", "signed"),
        ("Leave-One-Out p", "worst p", "largest p when one cohort is left out", "p"),
        ("Replication q", "replication q",
         "q-value of replication, among the significant genes", "p"),
        ("Replicates", "replicates", "by the rule under Answer", "flag"),
        ("Story", "story", "where it changes, and where not", "text"),
    )  # fmt: skip
    return tuple(
        TableColumn(*column) for column in every if genes[column[0]].null_count() < genes.height
    )


def meta_csv_frame(result: MetaResult) -> pl.DataFrame:
    """Return all genes with all columns, and those of each cohort."""
    whole = result.genes.select(pl.col(name).alias(_in_files(name)) for name in META_COLUMNS)
    each = [
        result.effects[f"{cohort.name} {name}"].alias(f"{cohort.name}_{name.lower()}")
        for cohort in result.cohorts
        for name in COHORT_COLUMNS
    ]
    return whole.hstack([pl.Series("story", gene_stories(result), dtype=pl.String), *each])


def _in_files(name: str) -> str:
    words = (_IN_FILES.get(word, word) for word in name.replace("-", " ").split())
    return " ".join(words).strip().lower().replace(" ", "_")


@dataclass(frozen=True)
class ForestData:
    """JSON to draw the forest plot of any gene from; the `first` one is drawn first.

    It holds `genes` of the `total`, and no ``<``.
    """

    data: str
    genes: int
    total: int
    first: str


_FIGURES = 6
_MOST_NUMBERS = 600_000
_SCALE = 1000
_Z = 1.959964
"""Half the 95 % interval in standard errors."""


def _effect_label(result: MetaResult) -> str:
    """Return what the axis of a forest plot shows."""
    if result.binary:
        up, down = compared_groups(result) or ("case", "control")
        return f"Hedges' g, {up} against {down}"
    return "partial correlation with the trait"


def forest_figures(result: MetaResult) -> tuple[FigureView, ...]:
    """Return the forest plots of the first genes."""
    shown = range(min(_FIGURES, result.genes.height))
    return view_figures([gene_forest(result, row) for row in shown])


def gene_forest(result: MetaResult, row: int) -> Figure:
    """Declare the forest plot of a gene."""
    gene = result.genes.row(row, named=True)
    symbol, key = str(gene["Variable"]), f"forest-{row}"
    alt = (
        f"Forest plot of {symbol} in {counted(gene['Cohorts'], 'cohort')}; combined effect "
        f"{number(gene['Combined Effect'], 'signed')}, q = {number(gene['q'], 'p')}."
    )
    verdict = "replicates" if gene["Replicates"] else "does not replicate"
    caption = (
        f"q = {number(gene['q'], 'p')}; I\N{SUPERSCRIPT TWO} = {gene['I2']:.0f} %; "
        f"{gene['Agreeing']} of {gene['Cohorts']} cohorts agree in direction; {verdict}."
    )
    drawn = forest(forest_rows(result, row), _effect_label(result), key, alt)
    return replace(drawn, title=symbol, caption=caption)


def forest_rows(result: MetaResult, row: int) -> list[ForestRow]:
    """Return the lines of the forest plot of a gene: its cohorts, then the combined effects."""
    gene, effects = result.genes.row(row, named=True), result.effects.row(row, named=True)
    random = gene["Random p"] is not None
    between = gene["tau2"] if random else 0.0
    there = [c for c in result.cohorts if effects[f"{c.name} Effect"] is not None]
    weights = [1 / (effects[f"{c.name} Error"] ** 2 + between) for c in there]
    rows = []
    for cohort, weight in zip(there, weights, strict=True):
        effect, error = effects[f"{cohort.name} Effect"], effects[f"{cohort.name} Error"]
        ends = (effect, effect - _Z * error, effect + _Z * error)
        rows.append(
            _forest_row(result, f"{cohort.name} ({cohort.samples})", ends, weight / sum(weights))
        )
    ends = (gene["Combined Effect"], gene["CI Lower"], gene["CI Upper"])
    rows.append(_forest_row(result, "random effects" if random else "fixed effect", ends))
    if random:
        ends = (gene["Fixed Effect"], gene["Fixed CI Lower"], gene["Fixed CI Upper"])
        rows.append(_forest_row(result, "fixed effect", ends))
    return rows


def _forest_row(
    result: MetaResult, label: str, ends: tuple[float, float, float], weight: float | None = None
) -> ForestRow:
    effect, low, high = ends if result.binary else tuple(np.tanh(ends).tolist())
    middle, left, right = (number(value, "signed") for value in (effect, low, high))
    return ForestRow(label, effect, low, high, f"{middle}  ({left} to {right})", weight)


def compared_groups(result: MetaResult) -> tuple[str, str] | None:
    """Return the two levels that designs compare; None for cases and controls, and other traits."""
    pair = result.method.get("levels_compared")
    if not pair or set(pair.values()) == {"case", "control"}:
        return None
    return str(pair["case"]), str(pair["control"])


def forest_data(result: MetaResult, first: str) -> ForestData:
    """Return the numbers that the page draws any gene's forest plot from, as compact JSON.

    Effects and errors are thousandths, on the scale that was combined; with ``r`` the page
    turns Fisher's z back. ``fixed`` and ``tau`` (standard deviation between cohorts, for the
    weights) are null where two cohorts tested a gene, and none at all where no third did: then
    the whole is the fixed effect. The first genes of the ranking are taken when all would make
    the page too heavy.
    """
    each = 2 * len(result.cohorts) + 9
    genes = result.genes.head(max(1, _MOST_NUMBERS // each))
    effects = result.effects.head(genes.height)
    random = _of_random_effects(genes)
    content = {
        "label": _effect_label(result),
        "r": not result.binary,
        "cohorts": [[cohort.name, cohort.samples] for cohort in result.cohorts],
        "genes": genes["Variable"].to_list(),
        "effect": [_whole(effects[f"{c.name} Effect"]) for c in result.cohorts],
        "error": [_whole(effects[f"{c.name} Error"]) for c in result.cohorts],
        "whole": _whole_columns(genes, ("Combined Effect", "CI Lower", "CI Upper")),
        "fixed": _whole_columns(random, ("Fixed Effect", "Fixed CI Lower", "Fixed CI Upper")),
        "tau": _whole_columns(random, ("tau",)),
        "q": [number(q, "p") for q in genes["q"]],
        "i2": [None if value is None else round(value) for value in genes["I2"]],
        "agree": genes["Agreeing"].to_list(),
        "replicates": "".join("1" if yes else "0" for yes in genes["Replicates"]),
    }
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    return ForestData(text, genes.height, result.genes.height, first)


def _of_random_effects(genes: pl.DataFrame) -> pl.DataFrame:
    """Return the genes with nulls where two cohorts are combined."""
    known = pl.col("Random p").is_not_null()
    kept = genes.with_columns(pl.col("tau2").sqrt().alias("tau"))
    return kept.with_columns(
        pl.when(known).then(pl.col(name)).alias(name)
        for name in ("Fixed Effect", "Fixed CI Lower", "Fixed CI Upper", "tau")
    )


def _whole_columns(genes: pl.DataFrame, names: Sequence[str]) -> list[list[int | None]] | None:
    if genes[names[0]].null_count() == genes.height:
        return None
    return [_whole(genes[name]) for name in names]


def _whole(values: pl.Series) -> list[int | None]:
    whole: list[int | None] = (values * _SCALE).round().cast(pl.Int64).to_list()
    return whole
