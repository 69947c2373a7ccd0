"""Which figures a page of scores has, with captions that explain them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from genotex.bench.evaluation.figures import SECTIONS, ScoreFigure, Section
from genotex.bench.evaluation.scores import FIGURES, AnalysisScore, Scores, headline_figures
from genotex.bench.evaluation.summary import Average, Summary
from genotex.figures import (
    AverageMark,
    Figure,
    ForestRow,
    ProblemMark,
    RunMarks,
    averages,
    forest,
    list_lengths,
    precision_recall,
    side_by_side,
    stacked,
)
from genotex.problems import Problem, ProblemKind
from genotex.reports.sections import FigureView, view_figures
from genotex.words import counted, readable


def average_figures(runs: Mapping[str, Summary]) -> tuple[FigureView, ...]:
    """Return the headline figures of one or several runs with their intervals.

    One that is defined in none of them has no line; none at all where there is no line.
    """
    figures = [
        (section, figure)
        for section in FIGURES
        for figure in headline_figures(section)
        if any(_mark(each, section, figure).average is not None for each in runs.values())
    ]
    if not figures:
        return ()
    labels = [figure.label for _, figure in figures]
    marks = [
        RunMarks(name, tuple(_mark(summary, section, figure) for section, figure in figures))
        for name, summary in runs.items()
    ]
    alt = f"{counted(len(labels), 'average')} of {counted(len(runs), 'run')} as dots with intervals"
    caption = (
        "Each dot is an average, its line the 95 % bootstrap interval over the items. Percentages "
        "are drawn as shares of 1. Chance is 0.5 for AUROC and about 0 for the other figures of "
        "gene lists."
    )
    drawn = averages(labels, marks, "share (1 is the reference itself)", alt)
    return view_figures([replace(drawn, title="The figures at a glance", caption=caption)])


def _mark(summary: Summary, section: Section, figure: ScoreFigure) -> AverageMark:
    found = summary.sections.get(section, {}).get(figure.key)
    if found is None or found.average is None:
        return AverageMark(None, None)
    ends = found.interval
    interval = None if ends is None else (ends[0] / figure.scale, ends[1] / figure.scale)
    return AverageMark(found.average / figure.scale, interval)


def kind_figures(summary: Summary) -> tuple[FigureView, ...]:
    """Return AUROC and F1 for each kind of problem; none where there is only one kind."""
    if len(summary.by_kind) < 2 or "analysis" not in summary.sections:
        return ()
    shown = [figure for figure in FIGURES["analysis"] if figure.key in ("auroc", "f1")]
    return view_figures([_kinds(figure, summary) for figure in shown])


def _kinds(figure: ScoreFigure, summary: Summary) -> Figure:
    whole = summary.sections["analysis"][figure.key]
    each = {
        kind.value: sections["analysis"][figure.key]
        for kind, sections in summary.by_kind.items()
        if "analysis" in sections
    }
    rows = [
        _forest_row(name, average, figure, average.scored / max(1, whole.scored))
        for name, average in each.items()
    ]
    rows.append(_forest_row("all problems", whole, figure, None))
    shown = [row for row in rows if row is not None]
    alt = f"Average {figure.label} of {counted(len(each), 'kind')} of problems, and of all"
    caption = (
        "Each square is a kind of problem, its size the number of problems, its line the 95 % "
        "interval; the diamond is the average over all."
    )
    drawn = forest(shown, figure.name, f"kinds-{figure.key}", alt)
    return replace(drawn, title=f"{figure.label} by kind", caption=caption)


def _forest_row(
    name: str, average: Average, figure: ScoreFigure, weight: float | None
) -> ForestRow | None:
    if average.average is None:
        return None
    low, high = average.interval or (average.average, average.average)
    written = figure.write(average.average)
    return ForestRow(f"{name} ({average.scored:,})", average.average, low, high, written, weight)


def problem_figures(scores: Scores) -> tuple[FigureView, ...]:
    """Return spread of AUROC and F1, precision against recall, and the lengths of the lists."""
    if not scores.analysis:
        return ()
    by_kind = {
        kind: items
        for kind in ProblemKind
        if (items := [item for item in scores.analysis if item.kind is kind])
    }
    spread = [_spread(by_kind, key) for key in ("auroc", "f1")]
    return view_figures([*filter(None, spread), _precision_recall(by_kind), _lengths(by_kind)])


def _spread(by_kind: Mapping[ProblemKind, Sequence[AnalysisScore]], key: str) -> Figure | None:
    figure = next(figure for figure in FIGURES["analysis"] if figure.key == key)
    values = {
        kind.value: np.array([v for item in items if (v := getattr(item, key)) is not None])
        for kind, items in by_kind.items()
    }
    values = {name: array for name, array in values.items() if len(array)}
    if not values:
        return None
    alt = f"Histogram of {figure.label} over {sum(map(len, values.values())):,} problems"
    caption = "How many problems reach which value; colours show the kind of problem."
    if key == "auroc":
        caption += (
            " A problem without a prediction, and one whose genes are none of the reference's, "
            "has 0.5."
        )
    drawn = stacked(values, figure.scale, f"spread-{key}", figure.name, "problems", alt)
    return replace(drawn, title=f"{figure.label} over the problems", caption=caption)


def _precision_recall(by_kind: Mapping[ProblemKind, Sequence[AnalysisScore]]) -> Figure:
    marks = {
        kind.value: [
            ProblemMark(
                i.recall,
                i.precision,
                f"{problem_name(i)}: precision {i.precision:.1f} %, recall {i.recall:.1f} %",
            )
            for i in items
        ]
        for kind, items in by_kind.items()
    }
    every = [mark for group in marks.values() for mark in group]
    nothing = sum(mark.x == 0 and mark.y == 0 for mark in every)
    alt = f"Scatter plot of precision against recall of {counted(len(every), 'problem')}"
    caption = (
        "Each mark is a problem; hover to see its name. The grey lines join points of the "
        f"same F1. In the lower left corner {counted(nothing, 'problem')}: no predicted gene is in "
        "the reference."
    )
    drawn = precision_recall(marks, alt)
    return replace(drawn, title="Precision against recall", caption=caption)


def _lengths(by_kind: Mapping[ProblemKind, Sequence[AnalysisScore]]) -> Figure:
    marks = {
        kind.value: [
            ProblemMark(
                float(i.reference),
                float(i.predicted),
                f"{problem_name(i)}: {i.predicted:,} predicted, {i.reference:,} in the reference",
            )
            for i in items
        ]
        for kind, items in by_kind.items()
    }
    many = counted(sum(map(len, marks.values())), "problem")
    alt = f"Genes predicted against genes in the reference, one mark for each of {many}"
    caption = (
        "Each mark is a problem. Above the line more genes were predicted than the reference has, "
        "which costs precision; below it fewer, which costs recall."
    )
    return replace(list_lengths(marks, alt), title="Lengths of the two lists", caption=caption)


def problem_name(item: AnalysisScore) -> str:
    """Return trait and condition of a problem in words."""
    return readable(str(Problem(item.trait, item.condition)))


def table_figures(scores: Scores) -> tuple[FigureView, ...]:
    """Return how the composite similarity is spread over the files of each table."""
    values = {
        f"{SECTIONS[table].short} ({len(items):,})": np.array([item.csc for item in items])
        for table, items in scores.preprocessing.items()
        if items
    }
    if not values:
        return ()
    alt = f"Histograms of CSC for {counted(len(values), 'kind')} of table"
    caption = (
        "How many files come how close to the reference: 1 is the same features, samples and "
        "values; 0 is nothing in common, or no file. Dashed: the average."
    )
    drawn = side_by_side(values, "csc", "CSC", "files", alt)
    title = "Composite similarity of the tables"
    return view_figures([replace(drawn, title=title, caption=caption)])
