"""Which figures a page has, with captions that explain them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.formats import LinkedTable
from genotex.parallel import in_prepared_workers
from genotex.reports.figures import (
    SampleMarks,
    draw_coefficients,
    draw_heatmap,
    draw_histogram,
    draw_narrow_heatmap,
    draw_pca,
    draw_profiles,
    draw_volcano,
)
from genotex.reports.figures.expression import principal_components
from genotex.reports.genes.findings import Findings
from genotex.reports.sections import FigureView
from genotex.words import counted, listed, readable

_HEATMAP_GENES = 40
_PROFILES = 6
_COEFFICIENTS = 20


@dataclass(frozen=True, eq=False)
class FigurePlan:
    """A figure without its drawing, and the call that draws it."""

    view: FigureView
    draw: Callable[..., str]
    arguments: tuple[Any, ...]


def plan_figure(
    key: str,
    title: str,
    caption: str,
    draw: Callable[..., str],
    *arguments: object,
    wide: bool = False,
) -> FigurePlan:
    """Plan a figure; the last argument of the drawing is its text for readers who cannot see it."""
    return FigurePlan(
        FigureView(key, title, "", caption, str(arguments[-1]), wide), draw, arguments
    )


def draw_planned(plans: Sequence[FigurePlan]) -> tuple[FigureView, ...]:
    """Draw figures, in workers where some are prepared."""
    drawn = in_prepared_workers([(plan.draw, plan.arguments) for plan in plans])
    return tuple(replace(plan.view, svg=svg) for plan, svg in zip(plans, drawn, strict=True))


def draw_figures(
    findings: Findings, genes: pl.DataFrame, table: LinkedTable, marks: SampleMarks
) -> tuple[FigureView, ...]:
    """Return the figures that the data allow, in the order of the page."""
    figures = []
    if table.genes and table.samples:
        figures.append(_pca(table, marks))
    if genes["rank_p"].null_count() < genes.height:
        by_rank = genes.with_columns(p="rank_p", q="rank_q")
        figures += [_volcano(findings, by_rank), _histogram(findings, by_rank)]
    shown = genes
    if findings.selects:
        # Where nothing is selected there is no order of genes to illustrate.
        shown = genes.filter(pl.col("Significant"))
        figures += [_coefficients(findings, shown)] if shown.height else []
    place = {gene: i for i, gene in enumerate(table.genes)}
    first = [symbol for symbol in shown["Variable"] if symbol in place][:_HEATMAP_GENES]
    if first and table.samples:
        values = table.expression[:, [place[symbol] for symbol in first]]
        heatmap = _heatmap(findings, first, values, marks)
        small = replace(heatmap, draw=draw_narrow_heatmap)
        *drawn, wide, narrow = draw_planned(
            [*figures, _profiles(first, values, marks), heatmap, small]
        )
        return (*drawn, replace(wide, narrow=narrow.svg))
    return draw_planned(figures)


def _colours(marks: SampleMarks) -> str:
    if marks.levels is not None:
        return f"darker means a higher level of {marks.level_name}"
    return "colour and shape show the group"


def _pca(table: LinkedTable, marks: SampleMarks) -> FigurePlan:
    parts = principal_components(table.expression)
    first, second = (f"{share:.1%}".replace("%", " %") for share in parts.explained)
    alt = (
        f"Scatter plot of {counted(len(table.samples), 'sample')} on the first two principal "
        f"components, which explain {first} and {second} of the variance."
    )
    caption = (
        f"Each point is a sample; {_colours(marks)}. Samples close to each other have similar "
        f"expression over {counted(parts.genes, 'gene')} (centred and "
        "scaled). Groups that part along an axis differ in much of the transcriptome; a split that "
        "does not follow the groups hints at a "
        "batch or another unmeasured factor."
    )
    return plan_figure("pca", "Samples by overall expression", caption, draw_pca, parts, marks, alt)


def _volcano(findings: Findings, genes: pl.DataFrame) -> FigurePlan:
    binary = findings.trait_kind == "binary"
    label = (
        "log2 fold change, case against control"
        if binary
        else f"change per standard deviation of {readable(findings.result.trait)}"
    )
    factor = findings.trait_kind == "factor"
    if factor:
        label = f"largest difference between two levels of {readable(findings.result.trait)}, log2"
    design = findings.design
    if design is not None:
        label = design.effect
    hits = genes.filter(pl.col("Significant"))
    names = hits["Variable"].head(3).to_list()
    alt = f"Volcano plot of {counted(genes.height, 'gene')}; {hits.height:,} are significant" + (
        f", led by {listed(names)}." if names else "."
    )
    side = "higher in cases" if binary else "rising with the trait"
    other = "lower in cases" if binary else "falling with it"
    if factor:
        side, other = "higher in the upper of the two levels", "lower"
    if design is not None:
        side, other = design.sides
    names_shown = (
        f"Coloured genes are significant (q < {findings.cut:g}); the first of the ranking carry "
        "their names, and a pointer over a coloured point shows its numbers."
        if hits.height
        else f"No gene is significant (q < {findings.cut:g}), so none is coloured; the first of "
        "the ranking carry their names."
    )
    caption = (
        f"Each point is a gene. Right of zero: {side}; left: {other}. The higher, the smaller the "
        f"p-value{_of_the_mixed_model(findings)}. " + names_shown
    )
    title = "Change against significance"
    return plan_figure("volcano", title, caption, draw_volcano, genes, label, findings.cut, alt)


def _of_the_mixed_model(findings: Findings) -> str:
    return " of the mixed model" if findings.mixed_ranks else ""


def _coefficients(findings: Findings, genes: pl.DataFrame) -> FigurePlan:
    first = genes.head(_COEFFICIENTS)
    alt = (
        f"Dot plot of the {counted(first.height, 'largest coefficient')} of "
        f"{counted(genes.height, 'gene')} selected, led by "
        f"{listed(first['Variable'][:3].to_list())}."
    )
    side = (
        "being a case"
        if findings.trait_kind == "binary"
        else f"a higher {readable(findings.result.trait)}"
    )
    caption = (
        "The genes with the largest coefficients; right of zero: higher expression is associated "
        f"with {side}, given the other genes selected. Of correlated genes the Lasso takes one "
        "and drops the rest, so a gene that is missing here may matter as much."
    )
    label = "coefficient per standard deviation of the gene"
    title = "Largest coefficients"
    return plan_figure("coefficients", title, caption, draw_coefficients, first, label, alt)


def _histogram(findings: Findings, genes: pl.DataFrame) -> FigurePlan:
    p = genes["p"].drop_nulls().to_numpy()
    low = float((p < 0.05).mean()) if len(p) else 0.0
    share = f"{low:.0%}".replace("%", " %")
    alt = f"Histogram of {counted(len(p), 'p-value')}; {share} of them are below 0.05."
    caption = (
        f"All p-values{_of_the_mixed_model(findings)} in steps of 0.05; {share} are in the first "
        "bar. Without any real difference all bars reach the dashed line. A peak on the left over "
        "a flat rest is what sound statistics look like; a peak on the right or in the middle "
        "means that the model does not fit."
    )
    return plan_figure("histogram", "All p-values", caption, draw_histogram, p, alt)


def _profiles(first: list[str], values: NDArray[np.float64], marks: SampleMarks) -> FigurePlan:
    chosen = first[:_PROFILES]
    alt = f"Expression of {listed(chosen)} in every sample."
    caption = (
        "The first genes of the ranking, one point for each sample"
        + (", with the median of each group as a line" if marks.levels is None else "")
        + ". A finding to trust shows in most samples; check one that depends on a "
        "few points."
    )
    title, shown = "Top genes, sample by sample", values[:, : len(chosen)]
    return plan_figure("profiles", title, caption, draw_profiles, chosen, shown, marks, alt)


def _heatmap(
    findings: Findings, first: list[str], values: NDArray[np.float64], marks: SampleMarks
) -> FigurePlan:
    picked = "p-values" if not findings.selects else "coefficients"
    alt = f"Heatmap of {counted(len(first), 'gene')} in {counted(len(values), 'sample')}."
    order = (
        "samples are ordered by group (bar above) and by similarity within"
        if marks.levels is None
        else f"samples are ordered by their level of {marks.level_name} (bar above)"
    )
    caption = (
        f"The first {counted(len(first), 'gene')} of the ranking (rows, clustered) in all samples "
        f"(columns); {order}. Rust: above the gene's mean; blue: below; grey: missing. Colours "
        f"end at 2.5 standard deviations. These genes were picked for their {picked}, so a pattern "
        "is expected here: it illustrates the finding and is no proof of it."
    )
    title = "Top genes in all samples"
    return plan_figure(
        "heatmap", title, caption, draw_heatmap, first, values, marks, alt, wide=True
    )
