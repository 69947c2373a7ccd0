"""Kaplan-Meier curves: of all samples, and of the halves by the expression of a gene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import Floats
from genotex.figures.model import Axis, Figure, Panel, Series

if TYPE_CHECKING:
    from genotex.analysis import SurvivalCurve


@dataclass(frozen=True, eq=False)
class GroupCurve:
    """The curve of a group, with the times at which samples were censored.

    `label` is ``low``, ``high``, or empty for all samples.
    """

    label: str
    curve: SurvivalCurve
    samples: int
    events: int
    censored: NDArray[np.float64]

    @classmethod
    def of(cls, label: str, time: Floats, event: Floats) -> GroupCurve:
        """Return the curve of samples by their times, and whether each ended with the event."""
        from genotex.analysis import kaplan_meier

        censored = np.unique(time[event == 0])
        return cls(label, kaplan_meier(time, event), len(time), int(event.sum()), censored)


@dataclass(frozen=True, eq=False)
class CurvePanel:
    """The curves of one gene, and what is written above them."""

    title: str
    note: str
    groups: tuple[GroupCurve, ...]


def survival_curves(panels: Sequence[CurvePanel], time: str, key: str = "survival") -> Figure:
    """Declare a panel of curves for each gene."""
    drawn = [_panel(panel) for panel in panels]
    if len(drawn) == 1:
        only = replace(drawn[0], x=replace(drawn[0].x, label=time), title="")
        only = replace(only, y=replace(only.y, label="share without the event"))
        return Figure(key=key, rows=((only,),))
    wide = Figure(
        key=key,
        rows=tuple(tuple(drawn[i : i + 3]) for i in range(0, len(drawn), 3)),
        width=11.4,
        height=3.2 * -(-len(drawn) // 3),
        share_x=True,
        share_y=True,
        x_label=time,
        y_label="share without the event",
        wide=True,
    )
    rows = tuple(tuple(drawn[i : i + 2]) for i in range(0, len(drawn), 2))
    small = replace(wide, key=f"{key}-narrow", rows=rows, width=5.2, height=2.7 * len(rows))
    return replace(wide, narrow=small)


def _panel(panel: CurvePanel) -> Panel:
    series = [
        each
        for group in panel.groups
        for each in _curve(group, f"{group.label} ({group.samples}, {group.events} events)")
    ]
    x, y = Axis(low=0.0, high=_end(panel.groups)), Axis(low=0.0, high=1.03)
    return Panel(x=x, y=y, series=tuple(series), title=panel.title, note=panel.note, legend=True)


def _end(groups: Sequence[GroupCurve]) -> float:
    ends = [np.max(np.concatenate([g.curve.times, g.censored, [0.0]])) for g in groups]
    return 1.04 * float(max(ends)) or 1.0


def all_samples(group: GroupCurve, time: Floats, label: str) -> Figure:
    """Declare the curve of all samples, with the number at risk below."""
    end = _end([group])
    step = end / 5
    power = 10.0 ** np.floor(np.log10(step))
    step = next(f * power for f in (1, 2, 5, 10) if f * power >= step)
    ticks = np.arange(0.0, end, step)
    panel = Panel(
        x=Axis(label, 0.0, end, ticks=tuple((float(t), f"{t:g}") for t in ticks)),
        y=Axis("share without the event", 0.0, 1.03),
        series=tuple(_curve(group, "")),
        below=tuple((float(t), f"{int((time >= t).sum())}") for t in ticks),
    )
    return Figure(key="survival-all", rows=((panel,),))


def _curve(group: GroupCurve, label: str) -> list[Series]:
    """Return a curve that steps down at each event, its limits, and a tick where censored."""
    meaning = group.label or "one"
    times = np.concatenate([[0.0], group.curve.times])
    survival = np.concatenate([[1.0], group.curve.survival])
    low, high = (np.concatenate([[1.0], limit]) for limit in (group.curve.lower, group.curve.upper))
    height = survival[np.searchsorted(times, group.censored, side="right") - 1]
    return [
        Series(kind="band", meaning=meaning, x=times, y=survival, low=low, high=high, step=True),
        Series(
            kind="line", meaning=meaning, x=times, y=survival, step=True, label=label,
            texts=tuple(f"{t:.3g}: {100 * s:.0f} %" for t, s in zip(times, survival, strict=True)),
        ),
        Series(kind="points", meaning=meaning, x=group.censored, y=height, shape="|", size=4.5),
    ]  # fmt: skip
