"""Which figures the page of a time to event has, with captions that explain them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.analysis import SurvivalResult, kaplan_meier, log_rank_test, split_by_level
from genotex.errors import AnalysisError
from genotex.reports.figures import draw_histogram, draw_volcano
from genotex.reports.figures.survival import (
    CurvePanel,
    GroupCurve,
    draw_all_samples,
    draw_curves,
    draw_narrow_curves,
)
from genotex.reports.problem.illustrations import FigurePlan, draw_planned, plan_figure
from genotex.reports.sections import FigureView
from genotex.words import counted, listed, number

Floats = NDArray[np.float64]
_PANELS = 6


def draw_survival_figures(found: SurvivalResult, genes: pl.DataFrame) -> tuple[FigureView, ...]:
    """Return volcano plot, p-values, the curve of all samples and those of the first genes."""
    plans = [_volcano(found, genes), _histogram(genes), _all_samples(found)]
    panels = _panels(found, genes)
    if not panels:
        return draw_planned(plans)
    curves = _curves(found, panels)
    *others, wide, narrow = draw_planned([*plans, curves, replace(curves, draw=draw_narrow_curves)])
    return (replace(wide, narrow=narrow.svg), *others)


def median_time(time: Floats, event: Floats) -> float | None:
    """Return the time at which half of the samples have had the event; None if never."""
    curve = kaplan_meier(time, event)
    reached = np.flatnonzero(curve.survival <= 0.5)
    return float(curve.times[reached[0]]) if len(reached) else None


def _group(label: str, time: Floats, event: Floats) -> GroupCurve:
    censored = np.unique(time[event == 0])
    return GroupCurve(label, kaplan_meier(time, event), len(time), int(event.sum()), censored)


def _panels(found: SurvivalResult, genes: pl.DataFrame) -> list[CurvePanel]:
    """Return the curves of the first genes that divide the samples into halves."""
    place = {gene: j for j, gene in enumerate(found.names)}
    panels = []
    for row in genes.head(2 * _PANELS).to_dicts():
        try:
            panels.append(_panel(found, found.expression[:, place[row["Variable"]]], row))
        except AnalysisError:
            # Too many equal values, or no events in a half.
            continue
        if len(panels) == _PANELS:
            break
    return panels


def _panel(found: SurvivalResult, expression: Floats, row: dict[str, float | str]) -> CurvePanel:
    labels = np.array(split_by_level(expression))
    known = labels != ""
    test = log_rank_test(found.time[known], found.event[known], labels[known].tolist())
    groups = tuple(
        _group(label, found.time[labels == label], found.event[labels == label])
        for label in ("low", "high")
    )
    return CurvePanel(str(row["Variable"]), f"log-rank p = {number(test.p, 'p')}", groups)


def _curves(found: SurvivalResult, panels: list[CurvePanel]) -> FigurePlan:
    names = [panel.title for panel in panels]
    alt = f"Kaplan-Meier curves of samples with low and high expression of {listed(names)}."
    caption = (
        "The first genes of the ranking: samples below the gene's median expression (blue) and "
        "above it (rust), with 95 % limits; ticks are censored samples. Genes were tested by their "
        "expression in every sample, and the halves only illustrate it. These genes were picked "
        "for their p-values, so a difference is expected here and the log-rank p-value is no "
        "proof of it. Curves that cross speak against proportional hazards."
    )
    title, time = "Top genes, Kaplan-Meier curves", str(found.method["survival"]["time"])
    return plan_figure("survival", title, caption, draw_curves, panels, time, alt, wide=True)


def _all_samples(found: SurvivalResult) -> FigurePlan:
    group = _group("", found.time, found.event)
    alt = f"Kaplan-Meier curve of {counted(group.samples, 'sample')}, {group.events} events."
    caption = (
        f"All {counted(group.samples, 'sample')} with {counted(group.events, 'event')}, and 95 % "
        "limits; ticks are censored samples. Below the axis: samples still at risk."
    )
    label = str(found.method["survival"]["time"])
    arguments = (group, found.time, label, alt)
    return plan_figure("survival-all", "All samples", caption, draw_all_samples, *arguments)


def _volcano(found: SurvivalResult, genes: pl.DataFrame) -> FigurePlan:
    cut = float(found.method["options"]["q_cut"])
    hits = int(genes["Significant"].sum())
    alt = f"Volcano plot of {counted(genes.height, 'gene')}; {hits:,} are significant."
    unbounded = genes["Coefficient"].null_count()
    left = (
        f" {counted(unbounded, 'gene')} without a finite estimate cannot be drawn."
        if unbounded
        else ""
    )
    caption = (
        "Each point is a gene. Right of zero: events are earlier where expression is higher "
        "(hazard ratio above 1); left: later. The higher, the smaller the p-value. Coloured genes "
        f"are significant (q < {cut:g}); the first of the ranking carry their names.{left}"
    )
    label = "log hazard ratio per unit of log2 expression"
    title = "Hazard ratio against significance"
    return plan_figure("volcano", title, caption, draw_volcano, genes, label, cut, alt)


def _histogram(genes: pl.DataFrame) -> FigurePlan:
    p = genes["p"].drop_nulls().to_numpy()
    alt = f"Histogram of {counted(len(p), 'p-value')}."
    caption = (
        "All p-values in steps of 0.05. Without any association all bars reach the dashed line; a "
        "peak on the left over a flat rest is what sound statistics look like."
    )
    return plan_figure("histogram", "All p-values", caption, draw_histogram, p, alt)
