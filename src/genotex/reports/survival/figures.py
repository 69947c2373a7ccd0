"""Which figures the page of a time to event has, with captions that explain them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.analysis import SurvivalResult, kaplan_meier, log_rank_test, split_by_level
from genotex.errors import AnalysisError
from genotex.figures import (
    ChangeWords,
    CurvePanel,
    Figure,
    GeneResult,
    GroupCurve,
    all_samples,
    p_values,
    survival_curves,
    volcano,
)
from genotex.reports.drawn import view_figures
from genotex.reports.sections import FigureView
from genotex.words import counted, listed, number

Floats = NDArray[np.float64]
_PANELS = 6
_WORDS = ChangeWords(
    "log hazard ratio per unit of log2 expression",
    "events are earlier where expression is higher (hazard ratio above 1)",
    "later",
)


def draw_survival_figures(found: SurvivalResult, genes: pl.DataFrame) -> tuple[FigureView, ...]:
    """Draw the figures of the page."""
    return view_figures(survival_figures(found, genes))


def survival_figures(found: SurvivalResult, genes: pl.DataFrame) -> list[Figure]:
    """Return volcano plot, p-values, the curve of all samples and those of the first genes."""
    subject = GeneResult.of(genes, _WORDS, found.method["options"]["q_cut"], p=("p", "q"))
    panels = _panels(found, genes)
    drawn = [
        _curves(found, panels) if panels else None,
        _with_unbounded(volcano(subject), genes),
        p_values(subject),
        _all_samples(found),
    ]
    return [figure for figure in drawn if figure is not None]


def median_time(time: Floats, event: Floats) -> float | None:
    """Return the time at which half of the samples have had the event; None if never."""
    curve = kaplan_meier(time, event)
    reached = np.flatnonzero(curve.survival <= 0.5)
    return float(curve.times[reached[0]]) if len(reached) else None


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
        GroupCurve.of(label, found.time[labels == label], found.event[labels == label])
        for label in ("low", "high")
    )
    return CurvePanel(str(row["Variable"]), f"log-rank p = {number(test.p, 'p')}", groups)


def _curves(found: SurvivalResult, panels: list[CurvePanel]) -> Figure:
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
    drawn = survival_curves(panels, time)
    return replace(drawn, title=title, caption=caption, alt=alt)


def _all_samples(found: SurvivalResult) -> Figure:
    group = GroupCurve.of("", found.time, found.event)
    alt = f"Kaplan-Meier curve of {counted(group.samples, 'sample')}, {group.events} events."
    caption = (
        f"All {counted(group.samples, 'sample')} with {counted(group.events, 'event')}, and 95 % "
        "limits; ticks are censored samples. Below the axis: samples still at risk."
    )
    label = str(found.method["survival"]["time"])
    drawn = all_samples(group, found.time, label)
    return replace(drawn, title="All samples", caption=caption, alt=alt)


def _with_unbounded(drawn: Figure | None, genes: pl.DataFrame) -> Figure | None:
    """Say how many genes the volcano plot leaves out."""
    unbounded = genes["Coefficient"].null_count()
    if drawn is None:
        return None
    drawn = replace(drawn, title="Hazard ratio against significance")
    if not unbounded:
        return drawn
    left = f" {counted(unbounded, 'gene')} without a finite estimate cannot be drawn."
    return replace(drawn, caption=drawn.caption + left)
