"""Scores of runs: averages with intervals, spread over problems, precision and recall, cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from genotex.arrays import Floats
from genotex.figures.look import level_key
from genotex.figures.model import Axis, Figure, Line, Panel, PointName, Series

_LINE = 0.25
"""Inches for a line with one mark."""
_NEXT = 0.13
"""Inches for each further mark on the line."""
_BINS = 20
_F1_LINES = (20, 40, 60, 80)


@dataclass(frozen=True)
class AverageMark:
    """An average and its interval, all of them fractions; None where there is none."""

    average: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class RunMarks:
    """The averages of one run, one for each line of the figure."""

    name: str
    marks: tuple[AverageMark, ...]


@dataclass(frozen=True)
class ProblemMark:
    """A problem or run: its place, what it says when hovered, and the interval of `y`."""

    x: float
    y: float
    title: str
    interval: tuple[float, float] | None = None


def averages(labels: Sequence[str], runs: Sequence[RunMarks], x_label: str, alt: str) -> Figure:
    """Declare averages of one or several runs as dots with intervals."""
    step = _NEXT / (_LINE + _NEXT * (len(runs) - 1))
    height = 0.75 + (_LINE + _NEXT * (len(runs) - 1)) * len(labels)
    if len(runs) > 1:
        height += 0.25 + 0.18 * len(runs)
    series: list[Series] = []
    for number, run in enumerate(runs):
        series += _run(run, level_key(number), (number - (len(runs) - 1) / 2) * step)
    ends = [0.0, 1.0] + [
        end for run in runs for mark in run.marks for end in mark.interval or (mark.average or 0.0,)
    ]
    ticks = tuple((float(i), label) for i, label in enumerate(labels))
    panel = Panel(
        x=Axis(x_label, min(ends), max(ends)),
        y=Axis(low=-0.5, high=len(labels) - 0.5, flipped=True, ticks=ticks, line=False),
        series=tuple(series),
        grid=True,
    )
    return Figure(
        key="averages",
        rows=((panel,),),
        width=11.6,
        height=height,
        legend="above" if len(runs) > 1 else "none",
        legend_columns=1,
        wide=True,
        alt=alt,
    )


def _run(run: RunMarks, meaning: str, shift: float) -> list[Series]:
    known = [(i, m.average) for i, m in enumerate(run.marks) if m.average is not None]
    ends = [(i, m.interval) for i, m in enumerate(run.marks) if m.interval is not None]
    at = np.array([place for place, _ in ends], dtype=float) + shift
    low, high = (np.array([interval[k] for _, interval in ends]) for k in (0, 1))
    # A leading underscore would hide the run from the legend of matplotlib.
    name = run.name.lstrip("_") or "run"
    x = np.array([average for _, average in known], dtype=float)
    y = np.array([place for place, _ in known], dtype=float) + shift
    return [
        Series(kind="intervals", meaning=meaning, x=low, y=at, low=low, high=high),
        Series(kind="points", meaning=meaning, x=x, y=y, label=name, size=5.5),
    ]


def stacked(
    groups: Mapping[str, Floats], most: float, key: str, x_label: str, y_label: str, alt: str
) -> Figure:
    """Declare one histogram whose bars are made of groups."""
    edges = np.linspace(0.0, most, _BINS + 1)
    below, series = np.zeros(_BINS), []
    for number, (name, values) in enumerate(groups.items()):
        counts = np.histogram(values, bins=edges)[0].astype(float)
        series.append(
            Series(
                kind="bars", meaning=level_key(number), x=edges[:-1], y=below + counts, low=below,
                size=most / _BINS, label=f"{name} ({len(values):,})",
            )
        )  # fmt: skip
        below = below + counts
    mean = float(np.concatenate(list(groups.values())).mean())
    panel = Panel(
        x=Axis(x_label, 0.0, most),
        y=Axis(y_label, 0.0, max(1.0, 1.08 * float(below.max()))),
        series=tuple(series),
        lines=(Line("x", mean, "threshold", label="average"),),
    )
    return Figure(key=key, rows=((panel,),), height=3.9, legend="above", legend_columns=2, alt=alt)


def side_by_side(
    groups: Mapping[str, Floats], key: str, x_label: str, y_label: str, alt: str
) -> Figure:
    """Declare a histogram from 0 to 1 for each group."""
    edges = np.linspace(0.0, 1.0, _BINS + 1)
    panels: list[Panel] = []
    for name, values in groups.items():
        counts = np.histogram(np.clip(values, 0.0, 1.0), bins=edges)[0].astype(float)
        bars = Series(kind="bars", meaning="one", x=edges[:-1], y=counts, size=1 / _BINS)
        panels.append(
            Panel(
                x=Axis(x_label, 0.0, 1.0),
                y=Axis("" if panels else y_label, 0.0, max(1.0, 1.08 * float(counts.max()))),
                series=(bars,),
                lines=(Line("x", float(values.mean()), "threshold"),),
                title=name,
            )
        )
    return Figure(key=key, rows=(tuple(panels),), width=11.6, height=3.1, wide=True, alt=alt)


def precision_recall(groups: Mapping[str, Sequence[ProblemMark]], alt: str) -> Figure:
    """Declare precision (y) against recall (x), in percent, with lines of the same F1."""
    guides, names = [], []
    for f1 in _F1_LINES:
        # F1 = 2PR / (P + R), solved for P.
        recall = np.array([f1 / 2 + 0.5 + (100 - f1 / 2 - 0.5) * i / 100 for i in range(101)])
        line = f1 * recall / (2 * recall - f1)
        guides.append(Series(kind="line", meaning="guide", x=recall, y=line))
        names.append(PointName(f"F1 {f1}", 100.0, f1 * 100 / (200 - f1)))
    panel = Panel(
        x=Axis("recall (%)", 0.0, 100.0),
        y=Axis("precision (%)", 0.0, 100.0),
        series=(*guides, *_marks(groups)),
        names=tuple(names),
        naming="right",
    )
    return Figure(key="precision-recall", rows=((panel,),), height=4.6, legend="above", alt=alt)


def list_lengths(groups: Mapping[str, Sequence[ProblemMark]], alt: str) -> Figure:
    """Declare genes predicted (y) against genes in the reference (x), on log axes with 0."""
    most = 1.3 * max(max(p.x, p.y, 10.0) for problems in groups.values() for p in problems)
    ends = np.array([0.0, most])
    panel = Panel(
        x=Axis("genes in the reference", -0.2, most, log_above=1.0),
        y=Axis("genes predicted", -0.2, most, log_above=1.0),
        series=(Series(kind="line", meaning="guide", x=ends, y=ends), *_marks(groups)),
    )
    return Figure(key="lengths", rows=((panel,),), height=4.6, legend="above", alt=alt)


def cost_and_score(
    groups: Mapping[str, Sequence[ProblemMark]],
    front: Sequence[tuple[float, float]],
    labels: tuple[str, str],
    alt: str = "",
) -> Figure:
    """Declare score (y) against cost (x) of runs, with a line through the Pareto front."""
    every = [mark for marks in groups.values() for mark in marks]
    smallest = min((mark.x for mark in every if mark.x > 0), default=0.01)
    series = list(_marks(groups))
    for number, marks in enumerate(groups.values()):
        known = [(mark.x, mark.interval) for mark in marks if mark.interval is not None]
        if known:
            low, high = (np.array([ends[k] for _, ends in known]) for k in (0, 1))
            x = np.array([x for x, _ in known])
            meaning = level_key(number)
            series.append(
                Series(
                    kind="intervals", meaning=meaning, x=x, y=low, low=low, high=high, upright=True
                )
            )
    most = max((mark.x for mark in every), default=smallest)
    if front:
        x, y = (np.array(values) for values in zip(*front, (most, front[-1][1]), strict=True))
        series.insert(0, Series(kind="line", meaning="guide", x=x, y=y, step=True))
    panel = Panel(
        # Room for the names on the right; no cost is below 0.
        x=Axis(labels[0], -0.3 * smallest, 4 * max(smallest, most), log_above=smallest),
        y=Axis(labels[1]),
        series=tuple(series),
        names=tuple(PointName(mark.title.partition(":")[0], mark.x, mark.y) for mark in every),
        naming="right",
    )
    return Figure(
        key="cost-and-score", rows=((panel,),), width=6.4, height=4.4, legend="above", alt=alt
    )


def _marks(groups: Mapping[str, Sequence[ProblemMark]]) -> tuple[Series, ...]:
    """Return the problems of each group."""
    return tuple(
        Series(
            kind="points", meaning=level_key(number), x=np.array([p.x for p in problems]),
            y=np.array([p.y for p in problems]), label=name, size=4.2,
            texts=tuple(p.title for p in problems),
            ids=tuple(p.title.partition(":")[0] for p in problems),
        )
        for number, (name, problems) in enumerate(groups.items())
    )  # fmt: skip
