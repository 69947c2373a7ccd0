"""A figure as data: marks with their meaning, axes, lines, names, and the words around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genotex.arrays import Flags, Floats

Kind = Literal[
    "points", "line", "curves", "band", "bars", "intervals", "diamonds", "cells", "boxes", "strip"
]


def numbers(values: ArrayLike | Sequence[float | None]) -> Floats:
    """Return values as numbers; None becomes NaN."""
    return np.array(values, dtype=np.float64)


_LARGEST = 1e100


def placed(values: Floats) -> Flags:
    """Return which values have a place on an axis: not missing ones, nor those without bounds."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(values, dtype=np.float64) <= _LARGEST)


def _none() -> Floats:
    return np.empty(0)


@dataclass(frozen=True)
class Scale:
    """Colours along numbers: the name of a scale in `look`, its ends, and the title of its bar."""

    name: str
    low: float | None = None
    high: float | None = None
    label: str = ""
    bar: bool = True
    below: bool = False
    """Whether the bar is below, and not to the right."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Series:
    """Marks of one kind that mean the same.

    Attributes
    ----------
    kind : str
        ``points``, ``strip`` (points of a group above its place, with their median), ``line``,
        ``curves`` (`y` has a row for each), ``band`` (between `low` and `high`), ``bars`` (from
        `low`, or 0, to `y`), ``intervals`` (from `low` to `high` at `y`, or at `x` where they
        are `upright`), ``diamonds`` (`low`, `x`, `high` at `y`), ``boxes`` (`y` has the quantiles
        5, 25, 50, 75 and 95 % of each), or ``cells`` (`y` is a matrix).
    meaning : str
        Key of `look.LOOKS`, which gives colour and shape.
    label : str
        What the legend says; empty for no entry.
    texts, ids : tuple of str
        What a mark says when it is pointed at, and what it is (gene, sample, trait).
    levels : ndarray, optional
        Numbers that `scale` turns into colours.
    sizes : ndarray, optional
        Size of each point; `size` is that of all.
    ringed, hollow : ndarray of bool, optional
        Points with a ring, and points that are not filled.
    """

    kind: Kind
    meaning: str
    x: Floats = field(default_factory=_none)
    y: Floats = field(default_factory=_none)
    low: Floats | None = None
    high: Floats | None = None
    label: str = ""
    texts: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    levels: Floats | None = None
    scale: Scale | None = None
    size: float = 5.6
    reach: float = 0.3
    """How far a strip reaches to both sides."""
    sizes: Floats | None = None
    shape: str = ""
    ringed: NDArray[np.bool_] | None = None
    hollow: NDArray[np.bool_] | None = None
    step: bool = False
    dashed: bool = False
    upright: bool = False
    meanings: tuple[str, ...] = ()
    """Of the columns of cells that show groups, one for each code."""

    def take(self, rows: NDArray[np.intp]) -> Series:
        """Return some of the points."""
        parts: dict[str, Any] = {}
        for name in ("x", "y", "low", "high", "levels", "sizes", "ringed", "hollow"):
            if (values := getattr(self, name)) is not None:
                parts[name] = values[rows]
        for name in ("texts", "ids"):
            if texts := getattr(self, name):
                parts[name] = tuple(texts[i] for i in rows)
        return replace(self, **parts)


@dataclass(frozen=True)
class Axis:
    """What an axis shows; `ticks` are places with their texts, none of them for ordinary numbers.

    ``log_above`` makes it logarithmic above this number and linear below. ``flipped`` has the
    smallest number at the top, or at the right.
    """

    label: str = ""
    low: float | None = None
    high: float | None = None
    ticks: tuple[tuple[float, str], ...] | None = None
    log_above: float | None = None
    flipped: bool = False
    most_ticks: int | None = None
    turned: bool = False
    """Whether the texts of the ticks are long, and turned."""
    far: bool = False
    """Whether the ticks are on the other side: right, or on top."""
    line: bool = True


@dataclass(frozen=True)
class Line:
    """A straight line across: `along` says which axis it is at a place of."""

    along: Literal["x", "y"]
    at: float
    role: Literal["zero", "threshold", "edge"] = "zero"
    text: str = ""
    """Written at the line."""
    label: str = ""
    """In the legend."""


@dataclass(frozen=True)
class PointName:
    """A text at a point."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Panel:
    """One set of axes."""

    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    series: tuple[Series, ...] = ()
    lines: tuple[Line, ...] = ()
    names: tuple[PointName, ...] = ()
    naming: Literal["leader", "inwards", "right"] = "leader"
    """Where names are: with a line to their point if needed, on the inner side of it, or right."""
    title: str = ""
    note: str = ""
    """Above the legend."""
    legend: bool = False
    beside: tuple[tuple[float, str], ...] = ()
    """Texts to the right of places on the y axis."""
    below: tuple[tuple[float, str], ...] = ()
    """Texts under places on the x axis."""
    grid: bool = False
    framed: bool = True
    """Whether there are axes at all; cells have none."""

    def of(self, meaning: str) -> Series:
        """Return the series of a meaning."""
        return next(series for series in self.series if series.meaning == meaning)


@dataclass(frozen=True, eq=False, kw_only=True)
class Figure:
    """A figure, declared: everything that a renderer needs, and nothing that belongs to one.

    Attributes
    ----------
    key : str
        Its name on a page and in a file name.
    title, caption, alt : str
        `alt` is for readers who cannot see it.
    rows : tuple of tuple of Panel
    width, height : float
        Inches.
    heights, widths : tuple of float
        Shares of the rows and columns; equal by default.
    legend : str
        ``above`` the panels, or ``none``; each panel may have its own.
    wide : bool
        Whether it takes the whole width of a page; `narrow` is then its shape on a phone.
    """

    key: str
    rows: tuple[tuple[Panel, ...], ...]
    title: str = ""
    caption: str = ""
    alt: str = ""
    width: float = 5.6
    height: float = 4.3
    heights: tuple[float, ...] = ()
    widths: tuple[float, ...] = ()
    tight: bool = False
    share_x: bool = False
    share_y: bool = False
    x_label: str = ""
    y_label: str = ""
    legend: Literal["above", "none"] = "none"
    legend_columns: int = 3
    wide: bool = False
    narrow: Figure | None = None

    @property
    def panels(self) -> Iterator[Panel]:
        """Its panels, row by row."""
        return (panel for row in self.rows for panel in row)

    @property
    def panel(self) -> Panel:
        """Its first panel."""
        return self.rows[0][0]

    def with_panel(self, panel: Panel) -> Figure:
        """Return it with another first panel."""
        first, *others = self.rows
        return replace(self, rows=((panel, *first[1:]), *others))
