"""Ends, ticks and places of the axes of a figure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from genotex.arrays import Floats
from genotex.figures.model import Axis, Panel, placed
from genotex.figures.shapes import Area, Cells, Shape

_MARGIN = 0.05
"""Share of the range that is left free at both ends."""
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_MOST_TICKS = 9
_MOST_NAMED = 60
"""With more named places, those on a line are not named."""
LINEAR_LENGTH = 0.4
"""Length of the linear part of a logarithmic axis, in tenfold steps."""

Tick = tuple[float, str]


@dataclass(frozen=True)
class AxisScale:
    """An axis from its first to its last number; logarithmic above `log_above`."""

    first: float
    last: float
    log_above: float | None = None

    def along(self, values: Floats) -> Floats:
        """Return the places of values, 0 at the first end and 1 at the last."""
        first, last = (float(_stretched(np.array(v), self.log_above)) for v in self.ends)
        known = np.where(placed(values), values, np.nan)
        found: Floats = (_stretched(known, self.log_above) - first) / (last - first)
        return found

    @property
    def ends(self) -> tuple[float, float]:
        """Its two ends."""
        return self.first, self.last


def _stretched(values: Floats, log_above: float | None) -> Floats:
    if log_above is None:
        return values
    straight = LINEAR_LENGTH / 0.9
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.abs(values) / log_above
        far = straight + np.log10(size)
    found: Floats = np.sign(values) * np.where(size <= 1, size * straight, far)
    return found


def _back(values: Floats, log_above: float | None) -> Floats:
    """Return what `_stretched` made of."""
    if log_above is None:
        return values
    straight = LINEAR_LENGTH / 0.9
    size = np.abs(values)
    found: Floats = (
        np.sign(values)
        * log_above
        * np.where(size <= straight, size / straight, 10 ** (size - straight))
    )
    return found


def find_scales(
    panels: Sequence[tuple[Panel, Sequence[Shape]]], *, share_x: bool, share_y: bool
) -> list[tuple[AxisScale, AxisScale]]:
    """Return the two scales of each panel, from what is drawn and what is declared."""
    found: list[list[AxisScale]] = []
    for along, shared in (("x", share_x), ("y", share_y)):
        spans = [_span(panel, shapes, along) for panel, shapes in panels]
        if shared:
            spans = [(min(low for low, _ in spans), max(high for _, high in spans))] * len(spans)
        axes = [panel.x if along == "x" else panel.y for panel, _ in panels]
        if shared:
            axes = [next((a for a in axes if (a.low, a.high) != (None, None)), axes[0])] * len(axes)
        found.append([_scale(axis, span) for axis, span in zip(axes, spans, strict=True)])
    return list(zip(*found, strict=True))


def _scale(axis: Axis, span: tuple[float, float]) -> AxisScale:
    low = span[0] if axis.low is None else axis.low
    high = span[1] if axis.high is None else axis.high
    declared = (axis.low, axis.high) != (None, None)
    if not high > low:
        high = low + max(1.0, abs(low))
    first, last = (high, low) if axis.flipped and declared else (low, high)
    return AxisScale(first, last, axis.log_above)


def _span(panel: Panel, shapes: Iterable[Shape], along: str) -> tuple[float, float]:
    """Return the ends of what is drawn, with a margin; none where cells end or bars stand."""
    values = [line.at for line in panel.lines if line.along == along and placed(np.array(line.at))]
    sticky = set()
    for shape in shapes:
        if isinstance(shape, Cells):
            rows, columns = shape.colours.shape[:2]
            sticky |= {-0.5, (columns if along == "x" else rows) - 0.5}
            continue
        places = shape.x if along == "x" else shape.y
        known = places[placed(places)]
        if known.size:
            values += [float(known.min()), float(known.max())]
        if isinstance(shape, Area) and shape.stands_on in values and along == "y":
            sticky.add(shape.stands_on)
    values += sticky
    axis = panel.x if along == "x" else panel.y
    if not values:
        return 0.0, 1.0
    low, high = min(values), max(values)
    size = max(abs(low), abs(high))
    if high - low <= 1e-12 * max(size, 1e-200):
        free = 0.05 * (size if size > 1e-200 else 1.0)
        low, high = low - free, high + free
    ends = _stretched(np.array([low, high]), axis.log_above)
    free = _MARGIN * float(ends[1] - ends[0])
    wide = _back(ends + np.array([-free, free]), axis.log_above)
    return (low if low in sticky else float(wide[0]), high if high in sticky else float(wide[1]))


def ticks_of(axis: Axis, scale: AxisScale, most: float, *, framed: bool) -> list[Tick]:
    """Return the ticks of an axis on which `most` of them have room."""
    if axis.ticks is not None:
        return named_ticks(axis, framed=framed)
    low, high = sorted(scale.ends)
    if scale.log_above is not None:
        return [(at, f"{at:,.4g}".replace("-", "\u2212")) for at in _powers(low, high, scale)]
    count = min(_MOST_TICKS, max(1, int(axis.most_ticks or most)))
    return round_ticks(low, high, count)


def named_ticks(axis: Axis, *, framed: bool) -> list[Tick]:
    """Return the declared ticks, without their names where a line has too many."""
    ticks = axis.ticks or ()
    crowded = framed and len(ticks) > _MOST_NAMED
    return [(at, "" if crowded else text) for at, text in ticks]


def _powers(low: float, high: float, scale: AxisScale) -> list[float]:
    """Return 0 and the powers of ten from about where the axis is logarithmic."""
    least = math.floor(math.log10(scale.log_above or 1.0) + 1e-9)
    found = [0.0]
    for sign, end in ((-1, -low), (1, high)):
        if end >= 10.0**least:
            most = math.floor(math.log10(end) + 1e-9)
            stride = max(1, (most - least) // _MOST_TICKS + 1)
            found += [sign * 10.0**power for power in range(least, most + 1, stride)]
    return sorted(at for at in found if low <= at <= high)


def round_ticks(low: float, high: float, most: int) -> list[Tick]:
    """Return at most so many steps between round numbers, and at least two ticks."""
    for step in _round_steps((high - low) / most):
        slack = 1e-9 * step
        first, last = math.ceil((low - slack) / step), math.floor((high + slack) / step)
        if last > first:
            break
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if round(step, decimals) != round(step, decimals + 1):
        decimals += 1
    write = f"{{:.{decimals}f}}" if decimals < 7 and max(abs(low), abs(high)) < 1e7 else "{:.4g}"
    places = [k * step for k in range(first, last + 1)]
    return [(at, write.format(at + 0.0).replace("-", "\u2212")) for at in places]


def _round_steps(least: float) -> list[float]:
    """Return round numbers from `least` on, then smaller ones."""
    power = 10.0 ** math.floor(math.log10(least))
    every = [each * ten * power for ten in (0.1, 1.0) for each in _STEPS[:-1]] + [10 * power]
    larger = [step for step in every if step >= least * (1 - 1e-9)]
    return [larger[0], *reversed([step for step in every if step < larger[0]])]
