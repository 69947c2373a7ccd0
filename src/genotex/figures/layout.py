"""Where the parts of a figure are: panels in a grid, with room for what is written around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import cos, radians, sin

import numpy as np

from genotex.arrays import Floats
from genotex.figures.model import Figure, Panel
from genotex.figures.naming import Box
from genotex.figures.scales import AxisScale, Tick, find_scales, round_ticks, ticks_of
from genotex.figures.shapes import ColourBar, LineLook, Shape, colour_bar, line_look, shapes_of

PAD, TICK, LINE = 3.0, 3.0, 1.2
"""Points around a part, of a tick; height of a line of text, in sizes of the text."""
SMALL, SMALLER, TINY = 8.5 / 9, 0.833, 0.694
"""Sizes of the texts of ticks, of names, and of counts under an axis."""
TURNED = 40.0
"""Degrees by which long texts are turned."""
BESIDE, BELOW = 1.03, 26.0
"""Where texts beside a panel begin, in its widths; points from its end to texts below it."""
HANDLE, BETWEEN = 18.0, 12.0
"""Points for the sign in a legend, and between its columns."""
BAR_SHARE, BAR_SHAPE = 0.75, 24.0
"""Length of a colour bar in heights of its panel, and in its own widths."""
FLAT_BAR = 40.0

_NARROW = set("iljtfrI.,:;'|!()[]/ ")
_WIDE = set("mwMW@%\u2013")


def text_width(text: str, size: float) -> float:
    """Return about how wide a text is, in points; rather too much than too little."""
    wide = sum(
        0.36 if c in _NARROW else 0.92 if c in _WIDE else 0.7 if c.isupper() else
        1.0 if ord(c) > 0x2E7F else 0.61
        for c in text
    )  # fmt: skip
    return wide * size


def shortened(text: str, size: float, room: float) -> str:
    """Return a text that has room, by its beginning."""
    if text_width(text, size) <= room:
        return text
    while text and text_width(f"{text}\u2026", size) > room:
        text = text[:-1]
    return f"{text.rstrip()}\u2026"


def widest(texts: Sequence[str], size: float) -> float:
    """Return the width of the widest text; 0 without one."""
    return max((text_width(text, size) for text in texts), default=0.0)


@dataclass
class Place:
    """A panel in the figure, in points from the upper left corner."""

    panel: Panel
    shapes: list[Shape]
    x: AxisScale
    y: AxisScale
    row: int
    column: int
    named: tuple[bool, bool]
    """Whether the ticks of x and of y have their names here."""
    left: float = 0.0
    top: float = 0.0
    width: float = 100.0
    height: float = 100.0
    x_ticks: list[Tick] = field(default_factory=list)
    y_ticks: list[Tick] = field(default_factory=list)
    before: float = 0.0
    below: float = 0.0
    """Room for ticks and label to the left of it and below."""

    def across(self, values: Floats | float) -> Floats:
        """Return the places of values on the x axis, in points from the left of the figure."""
        found: Floats = self.left + self.width * self.x.along(np.asarray(values, dtype=float))
        return found

    def down(self, values: Floats | float) -> Floats:
        """Return the places of values on the y axis, in points from the top of the figure."""
        share = self.y.along(np.asarray(values, dtype=float))
        found: Floats = self.top + self.height * (1 - share)
        return found

    @property
    def frame(self) -> Box:
        """Its edges, in points from the lower left corner of a figure that is upside down."""
        return Box(self.left, -self.top - self.height, self.left + self.width, -self.top)

    @cached_property
    def bar(self) -> ColourBar | None:
        """Its colour bar."""
        return colour_bar(self.panel)


def bar_ticks(bar: ColourBar) -> list[Tick]:
    """Return the ticks of a colour bar."""
    return round_ticks(bar.low, bar.high, 5 if bar.scale.below else 9)


@dataclass(frozen=True)
class Layout:
    """All panels, and the entries of the legend above them with their places."""

    places: list[Place]
    legend: list[tuple[Shape | LineLook, str, float, float]]


def lay_out(figure: Figure, width: float, height: float, text: float) -> Layout:
    """Place the parts of a figure of `width` x `height` points with ordinary text of that size."""
    places = _places(figure)
    legend, top = _legend_above(figure, places[0], width, text)
    left = PAD + (LINE * text + PAD if figure.y_label else 0)
    bottom = height - PAD - (LINE * text + PAD if figure.x_label else 0)
    gap = 1.5 if figure.tight else 2 * PAD
    for _ in range(3):
        for place in places:
            _find_ticks(place, text, 0.4 * width)
        margins = [_margins(place, text) for place in places]
        _set_along(places, margins, figure.widths, left, width - PAD, 0, 2 * PAD)
        _set_along(places, margins, figure.heights, top, bottom, 1, gap)
    return Layout(places, legend)


def _places(figure: Figure) -> list[Place]:
    panels = [
        (i, k, panel, shapes_of(panel, f"panel-{i}-{k}-" if i or k else ""))
        for i, row in enumerate(figure.rows)
        for k, panel in enumerate(row)
    ]
    scales = find_scales(
        [(panel, shapes) for *_, panel, shapes in panels],
        share_x=figure.share_x, share_y=figure.share_y,
    )  # fmt: skip
    lowest = {k: i for i, k, *_ in panels}
    return [
        Place(
            panel, shapes, x, y, i, k,
            (not figure.share_x or lowest[k] == i, not figure.share_y or k == 0),
        )
        for (i, k, panel, shapes), (x, y) in zip(panels, scales, strict=True)
    ]  # fmt: skip


def _find_ticks(place: Place, text: float, longest: float) -> None:
    """Set the ticks for which the panel has room; names of those of y are shortened."""
    panel = place.panel
    ticks = ticks_of(panel.y, place.y, place.height / (2 * text), framed=panel.framed)
    place.y_ticks = [(at, shortened(name, SMALL * text, longest)) for at, name in ticks]
    most = min(9, max(1, int(place.width / (3 * text))))
    while True:
        place.x_ticks = ticks_of(panel.x, place.x, most, framed=panel.framed)
        spans = [b - a for a, b in pairwise(sorted(place.across(at) for at, _ in place.x_ticks))]
        wide = widest([name for _, name in place.x_ticks], SMALL * text)
        if panel.x.ticks is not None or most == 1 or not spans or min(spans) > wide + 2:
            return
        most -= 1


def _margins(place: Place, text: float) -> tuple[float, float, float, float]:
    """Return the room that is needed left, right, above and below a panel."""
    panel, small = place.panel, SMALL * text
    sides = {"left": 0.0, "right": 0.0, "top": 0.0, "bottom": 0.0}
    if place.y_ticks and place.named[1]:
        side = "right" if panel.y.far else "left"
        sides[side] += _tick(place, 1) + widest([name for _, name in place.y_ticks], small)
    if panel.y.label:
        sides["left"] += PAD + LINE * text
    place.before = sides["left"]
    over = _below(place, text, sides)
    sides["left"], sides["right"] = max(sides["left"], over[0]), max(sides["right"], over[1])
    if panel.title:
        sides["top"] += LINE * text + 5
    if panel.beside:
        room = (BESIDE - 1) * place.width + widest([t for _, t in panel.beside], SMALLER * text)
        sides["right"] = max(sides["right"], room)
    if panel.names and panel.naming == "right":
        ends = [
            float(place.across(n.x)) + 6 + text_width(n.text, SMALLER * text) for n in panel.names
        ]
        sides["right"] = max(sides["right"], max(ends) - place.left - place.width)
    if place.bar is not None:
        _room_for_bar(place, place.bar, text, sides)
    return sides["left"], sides["right"], sides["top"], sides["bottom"]


def _below(place: Place, text: float, sides: dict[str, float]) -> tuple[float, float]:
    """Add the room below a panel; return how far texts reach over its left and right end."""
    panel, small = place.panel, SMALL * text
    over = [0.0, 0.0]
    if place.x_ticks and place.named[0] and any(name for _, name in place.x_ticks):
        sides["bottom"] += _tick(place, 0)
        angle = radians(TURNED if panel.x.turned else 0)
        high = 0.0
        for at, name in place.x_ticks:
            wide, x = text_width(name, small), float(place.across(at)) - place.left
            high = max(high, wide * sin(angle) + LINE * small * cos(angle))
            before = wide * cos(angle) if panel.x.turned else wide / 2
            over[0] = max(over[0], before - x)
            over[1] = max(over[1], (8 if panel.x.turned else wide / 2) - (place.width - x))
        sides["bottom"] += high
    if panel.below:
        sides["bottom"] = max(sides["bottom"], BELOW + LINE * TINY * text)
    if panel.x.label:
        sides["bottom"] += PAD + LINE * text
    place.below = sides["bottom"]
    return over[0], over[1]


def _tick(place: Place, along: int) -> float:
    """Return the length of a tick and the room behind it."""
    return PAD + tick_length(place, along)


def tick_length(place: Place, along: int) -> float:
    """Return the length of the ticks of x (0) or y (1); named places have none."""
    axis = place.panel.y if along else place.panel.x
    return TICK if place.panel.framed and axis.ticks is None else 0.0


def _room_for_bar(place: Place, bar: ColourBar, text: float, sides: dict[str, float]) -> None:
    scale, size = bar.scale, SMALLER * text
    named = LINE * size + PAD if scale.label else 0.0
    if scale.below:
        sides["bottom"] += 2 * PAD + flat_bar(place.width)[1] + PAD + LINE * size + named
    else:
        wide = widest([name for _, name in bar_ticks(bar)], size)
        sides["right"] += 4 * PAD + BAR_SHARE * place.height / BAR_SHAPE + wide + named


def flat_bar(width: float) -> tuple[float, float]:
    """Return length and height of a colour bar below a panel of a width."""
    length = width * (0.22 if width > 500 else 0.5)
    return length, length / FLAT_BAR


def _set_along(
    places: Sequence[Place], margins: Sequence[tuple[float, float, float, float]],
    shares: Sequence[float], start: float, end: float, along: int, gap: float,
) -> None:  # fmt: skip
    """Share the room from `start` to `end` between columns (along 0) or rows (1)."""
    lines = [place.row if along else place.column for place in places]
    count = max(lines) + 1
    before, after = np.zeros(count), np.zeros(count)
    for line, margin in zip(lines, margins, strict=True):
        before[line] = max(before[line], margin[2 * along])
        after[line] = max(after[line], margin[2 * along + 1])
    weights = np.array(shares if shares else [1.0] * count)
    room = end - start - before.sum() - after.sum() - gap * (count - 1)
    sizes = max(room, 20.0 * count) * weights / weights.sum()
    begins = start + before + np.cumsum([0.0, *(before + sizes + after + gap)[:-1]])
    for line, place in zip(lines, places, strict=True):
        if along:
            place.top, place.height = float(begins[line]), float(sizes[line])
        else:
            place.left, place.width = float(begins[line]), float(sizes[line])


def labelled(place: Place) -> Iterator[tuple[Shape | LineLook, str]]:
    """Yield what the legend of a panel names."""
    yield from ((shape, shape.label) for shape in place.shapes if shape.label)
    yield from ((line_look(line), line.label) for line in place.panel.lines if line.label)


def _legend_above(
    figure: Figure, first: Place, width: float, text: float
) -> tuple[list[tuple[Shape | LineLook, str, float, float]], float]:
    """Return the entries of the legend with their places, and where panels begin."""
    entries = list(labelled(first)) if figure.legend == "above" else []
    if not entries:
        return [], 2 * PAD
    small = SMALL * text
    for columns in range(min(figure.legend_columns, len(entries)), 0, -1):
        # As long as each other, the first ones by one longer.
        parts = np.array_split(np.arange(len(entries)), columns)
        wide = [HANDLE + widest([entries[i][1] for i in part], small) for part in parts]
        if sum(wide) + BETWEEN * (columns - 1) <= width - 2 * PAD:
            break
    found, left = [], 2 * PAD
    for part, room in zip(parts, wide, strict=True):
        for line, i in enumerate(part):
            found.append((*entries[i], left, 2 * PAD + (line + 0.5) * 1.35 * small))
        left += room + BETWEEN
    return found, 2 * PAD + 1.35 * small * max(map(len, parts)) + 2 * PAD
