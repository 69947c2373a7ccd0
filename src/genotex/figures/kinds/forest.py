"""Effects with their intervals: a gene in cohorts, without each cohort, or across traits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from genotex.figures.model import Axis, Figure, Line, Panel, Series


@dataclass(frozen=True)
class ForestRow:
    """One line of a forest plot; `weight` is a share of 1, None for a combined effect."""

    label: str
    effect: float
    lower: float
    upper: float
    written: str
    weight: float | None = None


_MOST_MARK = 9.0
_LEAST_MARK = 3.0


def forest(rows: Sequence[ForestRow], x_label: str, key: str, alt: str = "") -> Figure:
    """Declare the forest plot of one gene: squares of cohorts, diamonds of combined effects."""
    at = np.arange(len(rows), dtype=float)
    cohorts = [i for i, row in enumerate(rows) if row.weight is not None]
    effect, low, high = (
        np.array([getattr(row, name) for row in rows], dtype=float)
        for name in ("effect", "lower", "upper")
    )
    texts = [f"{row.label}: {row.written}" for row in rows]
    weights = np.array([rows[i].weight for i in cohorts], dtype=float)
    series = [
        Series(
            kind="intervals", meaning="range", x=effect[cohorts], y=at[cohorts], low=low[cohorts],
            high=high[cohorts],
        ),
        Series(
            kind="points", meaning="cohort", x=effect[cohorts], y=at[cohorts],
            sizes=_LEAST_MARK + (_MOST_MARK - _LEAST_MARK) * weights**0.5,
            texts=tuple(texts[i] for i in cohorts), ids=tuple(rows[i].label for i in cohorts),
        ),
    ]  # fmt: skip
    for meaning in ("up", "down"):
        of = [
            i
            for i, row in enumerate(rows)
            if row.weight is None and (row.effect > 0) == (meaning == "up")
        ]
        if of:
            series.append(
                Series(
                    kind="diamonds", meaning=meaning, x=effect[of], y=at[of], low=low[of],
                    high=high[of], texts=tuple(texts[i] for i in of),
                )
            )  # fmt: skip
    panel = Panel(
        x=_effects(rows, x_label),
        y=_lines_of(rows),
        series=tuple(each for each in series if len(each.x)),
        lines=(Line("x", 0.0),),
        beside=tuple((float(i), row.written) for i, row in enumerate(rows)),
    )
    return Figure(key=key, rows=((panel,),), alt=alt, height=0.75 + 0.27 * len(rows))


def _effects(rows: Sequence[ForestRow], label: str) -> Axis:
    """Return the axis of the effects: zero and the ends of all intervals are on it."""
    low = min([0.0, *(row.lower for row in rows)])
    high = max([0.0, *(row.upper for row in rows)])
    edge = 0.04 * ((high - low) or 1.0)
    return Axis(label, low - edge, high + edge, most_ticks=6)


def _lines_of(rows: Sequence[ForestRow]) -> Axis:
    ticks = tuple((float(i), row.label) for i, row in enumerate(rows))
    return Axis(low=-0.6, high=len(rows) - 0.4, flipped=True, ticks=ticks, line=False)


@dataclass(frozen=True)
class TraitEffect:
    """The effect of a gene in a trait; `id` is what a click opens."""

    row: ForestRow
    id: str
    significant: bool
    measured: bool


def across_traits(effects: Sequence[TraitEffect], x_label: str) -> Figure:
    """Declare the effect of a gene in each trait; hollow where it is not significant."""
    series = []
    for meaning in ("up", "down"):
        for measured, shape in ((False, "o"), (True, "D")):
            of = [
                i
                for i, each in enumerate(effects)
                if (each.row.effect > 0) == (meaning == "up") and each.measured == measured
            ]
            if not of:
                continue
            rows = [effects[i].row for i in of]
            x, low, high = (
                np.array([getattr(row, name) for row in rows])
                for name in ("effect", "lower", "upper")
            )
            y = np.array(of, dtype=float)
            series += [
                Series(kind="intervals", meaning=meaning, x=x, y=y, low=low, high=high),
                Series(
                    kind="points", meaning=meaning, x=x, y=y, shape=shape, size=7.0,
                    hollow=np.array([not effects[i].significant for i in of]),
                    texts=tuple(f"{row.label}: {row.written}" for row in rows),
                    ids=tuple(effects[i].id for i in of),
                ),
            ]  # fmt: skip
    panel = Panel(
        x=_effects([each.row for each in effects], x_label),
        y=_lines_of([each.row for each in effects]),
        series=tuple(series),
        lines=(Line("x", 0.0),),
    )
    height = 0.75 + 0.24 * len(effects)
    return Figure(key="across-traits", rows=((panel,),), width=7.0, height=height)
