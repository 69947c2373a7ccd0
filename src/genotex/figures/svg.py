"""A declared figure as SVG: text stays text, and marks tell their names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from genotex.arrays import Floats
from genotex.figures.layout import (
    BAR_SHAPE,
    BAR_SHARE,
    BELOW,
    BESIDE,
    HANDLE,
    LINE,
    PAD,
    SMALL,
    SMALLER,
    TINY,
    TURNED,
    Place,
    bar_ticks,
    flat_bar,
    labelled,
    lay_out,
    text_width,
    tick_length,
)
from genotex.figures.look import FRAME, GRID, INK, QUIET, TEXT
from genotex.figures.model import Figure, placed
from genotex.figures.naming import is_far, placed_names
from genotex.figures.shapes import (
    Cells,
    ColourBar,
    Dots,
    LineLook,
    Path,
    Shape,
    line_look,
    scale_colours,
)
from genotex.figures.svg_marks import (
    elements,
    mark_at,
    paint,
    picture,
    short,
    stroke,
    tenths,
    written,
)

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif"


def draw_svg(figure: Figure) -> str:
    """Return a figure as an ``<svg>`` element for a page."""
    width, height = 72 * figure.width, 72 * figure.height
    return _svg(figure, width, height, TEXT, "")


def svg_file(figure: Figure, width: float, height: float, text: float = TEXT) -> str:
    """Return a figure as a file of its own, of that size in inches, on white."""
    width, height = 72 * width, 72 * height
    size = f' width="{width:g}pt" height="{height:g}pt"'
    head = '<?xml version="1.0" encoding="utf-8"?>\n'
    return head + _svg(figure, width, height, text, size)


def _svg(figure: Figure, width: float, height: float, text: float, size: str) -> str:
    found = lay_out(figure, width, height, text)
    key = written(figure.key)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{written(figure.alt)}"'
        f' viewBox="0 0 {width:g} {height:g}"{size} font-family="{_FONT}" fill="{INK}">'
    ]
    if size:
        parts.append('<rect width="100%" height="100%" fill="#ffffff"/>')
    for number, place in enumerate(found.places):
        parts += _panel(place, key, f"{key}-clip-{number}", text)
    if found.legend:
        parts.append(f'<g id="{key}-legend" font-size="{short(SMALL * text)}">')
        for sign, label, x, y in found.legend:
            parts += _entry(sign, label, x, y, SMALL * text)
        parts.append("</g>")
    if figure.x_label:
        parts.append(_text(figure.x_label, width / 2, height - PAD - 2, text, "middle"))
    if figure.y_label:
        parts.append(_upright(figure.y_label, PAD + 0.9 * text, height / 2, text))
    return "\n".join([*parts, "</svg>"])


def _panel(place: Place, key: str, clip: str, text: float) -> Iterator[str]:
    panel = place.panel
    yield '<g transform="scale(.1)" stroke-linejoin="round">'
    if panel.grid:
        yield from (_rule(place, "x", at, LineLook(GRID, 0.8)) for at, _ in place.x_ticks)
    drawn: list[tuple[float, str]] = [
        (shape.order, part) for shape in place.shapes for part in elements(shape, place, key, clip)
    ]
    for line in (each for each in panel.lines if placed(np.array(each.at))):
        look = line_look(line)
        drawn.append((look.order, _rule(place, line.along, line.at, look)))
    parts = [part for _, part in sorted(drawn, key=lambda each: each[0])]
    if any(clip in part for part in parts):
        where = 'x="{}" y="{}" width="{}" height="{}"'.format(*map(tenths, _box(place)))
        yield f'<clipPath id="{clip}"><rect {where}/></clipPath>'
    yield from parts
    yield from _frame(place)
    yield "</g>"
    yield from _tick_names(place, text)
    yield from _words(place, text)
    if panel.legend:
        yield from _legend_inside(place, text)
    if place.bar is not None:
        yield from _colour_bar(place, place.bar, text)


def _box(place: Place) -> tuple[float, float, float, float]:
    return place.left, place.top, place.width, place.height


def _text(text: str, x: float, y: float, size: float, anchor: str = "start", more: str = "") -> str:
    """Return a text whose middle is at height `y`."""
    place = f'x="{short(x)}" y="{short(y + 0.35 * size)}"'
    where = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text {place}{where} font-size="{short(size)}"{more}>{written(text)}</text>'


def _upright(text: str, x: float, y: float, size: float) -> str:
    turn = f"translate({short(x)} {short(y)}) rotate(-90)"
    return (
        f'<text transform="{turn}" text-anchor="middle" font-size="{short(size)}">'
        f"{written(text)}</text>"
    )


def _rule(place: Place, along: str, at: float, look: LineLook) -> str:
    """Return a line across the panel."""
    left, top, width, height = (tenths(v) for v in _box(place))
    if along == "x":
        way = f"M{tenths(float(place.across(at)))} {top}v{height}"
    else:
        way = f"M{left} {tenths(float(place.down(at)))}h{width}"
    return f'<path d="{way}"{stroke(look.colour, look.width, dashed=look.dashed)}/>'


def _frame(place: Place) -> Iterator[str]:
    """Yield the lines of the axes and their ticks."""
    panel = place.panel
    if not panel.framed:
        return
    left, top, width, height = (tenths(v) for v in _box(place))
    foot, parts = top + height, []
    if panel.y.line:
        parts.append(f"M{left} {top}v{height}")
    if panel.x.line:
        parts.append(f"M{left} {foot}h{width}")
    down, out = tenths(tick_length(place, 0)), tenths(tick_length(place, 1))
    if down:
        parts += [f"M{tenths(float(place.across(at)))} {foot}v{down}" for at, _ in place.x_ticks]
    if out:
        parts += [f"M{left} {tenths(float(place.down(at)))}h-{out}" for at, _ in place.y_ticks]
    yield f'<path d="{"".join(parts)}"{stroke(FRAME, 0.7)}/>'


def _tick_names(place: Place, text: float) -> Iterator[str]:
    """Yield the names of ticks, in groups that state how they look once."""
    panel, small = place.panel, SMALL * text
    foot, right = place.top + place.height, place.left + place.width
    if place.named[0]:
        y = foot + tick_length(place, 0) + PAD + 0.6 * small
        colour = QUIET if panel.x.ticks is None else INK
        names = [(float(place.across(at)), y, name) for at, name in place.x_ticks]
        yield from _names(names, small, colour, "end" if panel.x.turned else "middle",
                          TURNED if panel.x.turned else 0.0)  # fmt: skip
    if place.named[1]:
        away = tick_length(place, 1) + PAD
        x, anchor = (right + away, "start") if panel.y.far else (place.left - away, "end")
        colour = QUIET if panel.y.ticks is None else INK
        names = [(x, float(place.down(at)), name) for at, name in place.y_ticks]
        yield from _names(names, small, colour, anchor)


def _names(
    names: Sequence[tuple[float, float, str]], size: float, colour: str, anchor: str,
    turned: float = 0.0,
) -> Iterator[str]:  # fmt: skip
    if not any(name for *_, name in names):
        return
    yield f'<g text-anchor="{anchor}" font-size="{short(size)}" fill="{colour}">'
    for x, y, name in names:
        if turned:
            where = f'transform="translate({short(x)} {short(y)}) rotate(-{turned:g})"'
        else:
            where = f'x="{short(x)}" y="{short(y + 0.35 * size)}"'
        yield f"<text {where}>{written(name)}</text>"
    yield "</g>"


def _words(place: Place, text: float) -> Iterator[str]:
    """Yield labels, title, names at points and at lines, and what is beside and below."""
    panel, small = place.panel, SMALLER * text
    left, top, width, height = _box(place)
    foot = top + height
    if panel.title:
        bold = ' font-weight="600"'
        yield _text(panel.title, left, top - 5 - 0.5 * text, text, more=bold)
    if panel.x.label:
        y = foot + place.below - 0.6 * text
        yield _text(panel.x.label, left + width / 2, y, text, "middle")
    if panel.y.label:
        yield _upright(panel.y.label, left - place.before + 0.9 * text, top + height / 2, text)
    for line in panel.lines:
        if line.text and placed(np.array(line.at)):
            y = float(place.down(line.at)) - 2 - 0.6 * small
            yield _text(line.text, left + 4, y, small, more=f' fill="{QUIET}"')
    for at, word in panel.beside:
        yield _text(word, left + BESIDE * width, float(place.down(at)), small)
    for at, word in panel.below:
        y = foot + BELOW + 0.5 * TINY * text
        yield _text(
            word, float(place.across(at)), y, TINY * text, "middle", more=f' fill="{QUIET}"'
        )  # fmt: skip
    yield from _point_names(place, text)


def _point_names(place: Place, text: float) -> Iterator[str]:
    def to_points(places: Floats) -> Floats:
        return np.column_stack([place.across(places[:, 0]), -place.down(places[:, 1])])

    small = SMALLER * text
    for name, (dx, dy) in placed_names(place.panel, to_points, place.frame, text):
        x, y = float(place.across(name.x)), float(place.down(name.y))
        if is_far((dx, dy)):
            way = f"M{short(x)} {short(y)}L{short(x + 0.9 * dx)} {short(y - 0.9 * dy)}"
            yield f'<path d="{way}" stroke="{QUIET}" stroke-width=".5"/>'
        anchor = "start" if dx > 0 else "end" if dx < 0 else "middle"
        yield _text(name.text, x + dx, y - dy, small, anchor)


def _entry(sign: Shape | LineLook, label: str, x: float, y: float, size: float) -> Iterator[str]:
    """Yield an entry of a legend: its sign, and its label to the right."""
    yield f'<g transform="translate({short(x)} {short(y)}) scale(.1)">{_sign(sign)}</g>'
    yield _text(label, x + HANDLE, y, size)


def _sign(sign: Shape | LineLook) -> str:
    """Return the sign of a legend in tenths of a point, from (0, 0) to the right."""
    if isinstance(sign, Dots):
        fill = sign.fill if isinstance(sign.fill, str) else next(iter(sign.fill), "")
        widths = np.atleast_1d(sign.edge_width)
        tag, where = mark_at(sign.shape, 7.0, 0.0, min(float(np.max(sign.size, initial=1.0)), 9.0))
        return f"<{tag} {where}{paint(fill, sign.edge, float(widths[:1].sum()))}/>"
    if isinstance(sign, Path | LineLook):
        width = min(sign.width, 6.0)
        return f'<path d="M0 0h140"{stroke(sign.colour, width, dashed=sign.dashed)}/>'
    colour = sign.colour if not isinstance(sign, Cells) else QUIET
    return f'<path d="M0-32h140v64h-140z" fill="{colour}"/>'


def _legend_inside(place: Place, text: float) -> Iterator[str]:
    """Yield a legend in the upper right corner of a panel."""
    entries, size = list(labelled(place)), SMALL * text
    if not entries:
        return
    small = SMALLER * text
    y = place.top + 0.75 * size
    wide = HANDLE + max(text_width(label, size) for _, label in entries)
    right = place.left + place.width
    if place.panel.note:
        yield _text(place.panel.note, right - 2, y, small, "end")
        y += LINE * size
    for sign, label in entries:
        yield from _entry(sign, label, right - wide - 2, y, size)
        y += 1.3 * size


def _colour_bar(place: Place, bar: ColourBar, text: float) -> Iterator[str]:
    """Yield the bar of a colour scale: below wide cells, to the right of everything else."""
    scale, size = bar.scale, SMALLER * text
    left, top, width, height = _box(place)
    colours = scale_colours(scale.name, np.linspace(0, 1, 128))
    ticks = [((at - bar.low) / (bar.high - bar.low), name) for at, name in bar_ticks(bar)]
    if scale.below:
        long, thick = flat_bar(width)
        x, y = left, top + height + 2 * PAD
        box, pixels = (x, y, long, thick), colours[None, :]
        foot = y + thick + PAD + 0.6 * size
        names = [(x + long * share, foot, name) for share, name in ticks]
        yield _text(scale.label, x, foot + LINE * size + PAD, size)
    else:
        long = BAR_SHARE * height
        x, y, thick = left + width + 3 * PAD, top + (height - long) / 2, long / BAR_SHAPE
        box, pixels = (x, y, thick, long), colours[::-1, None]
        names = [(x + thick + PAD, y + long * (1 - share), name) for share, name in ticks]
        wide = max((text_width(name, size) for *_, name in names), default=0.0)
        label = x + thick + 2 * PAD + wide + 0.9 * size
        yield _upright(scale.label, label, y + long / 2, size)
    yield picture(pixels, box)
    yield from _names(names, size, QUIET, "middle" if scale.below else "start")
