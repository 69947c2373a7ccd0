"""A declared figure as SVG: text stays text, and marks tell their names.

Marks are in tenths of a point, from one corner to the next, which takes a third of the room.
"""

from __future__ import annotations

import base64
import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

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
    flat_bar,
    labelled,
    lay_out,
    text_width,
    tick_length,
)  # fmt: skip
from genotex.figures.look import INK, QUIET, TEXT
from genotex.figures.model import Figure
from genotex.figures.naming import is_far, placed_names
from genotex.figures.shapes import (
    Cells,
    Colours,
    Dots,
    LineLook,
    Path,
    Shape,
    line_look,
    scale_colours,
    scale_ends,
)  # fmt: skip

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif"
_FRAME, _GRID = "#9aa5b1", "#e6eaee"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CROWDED, _CROWD = 1.3, 0.8
"""Where dots are many, one is drawn for each square of so many points, with this opacity."""
_LEAST_PIXELS = 400
"""Of a picture of cells along each side, so that no reader blurs it."""


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
    key = figure.key
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{_written(figure.alt)}"'
        f' viewBox="0 0 {width:g} {height:g}"{size} font-family="{_FONT}" fill="{INK}">'
    ]
    if size:
        parts.append('<rect width="100%" height="100%" fill="#ffffff"/>')
    for number, place in enumerate(found.places):
        parts += _panel(place, key, f"{key}-clip-{number}", text)
    if found.legend:
        parts.append(f'<g id="{key}-legend" font-size="{_short(SMALL * text)}">')
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
        yield from (_rule(place, "x", at, LineLook(_GRID, 0.8)) for at, _ in place.x_ticks)
    drawn: list[tuple[float, str]] = [
        (shape.order, part) for shape in place.shapes for part in _shape(shape, place, key, clip)
    ]
    for line in panel.lines:
        look = line_look(line)
        drawn.append((look.order, _rule(place, line.along, line.at, look)))
    parts = [part for _, part in sorted(drawn, key=lambda each: each[0])]
    if any(clip in part for part in parts):
        where = 'x="{}" y="{}" width="{}" height="{}"'.format(*map(_tenths, _box(place)))
        yield f'<clipPath id="{clip}"><rect {where}/></clipPath>'
    yield from parts
    yield from _frame(place)
    yield "</g>"
    yield from _tick_names(place, text)
    yield from _words(place, text)
    if panel.legend:
        yield from _legend_inside(place, text)
    if place.bar is not None:
        yield from _colour_bar(place, text)


def _box(place: Place) -> tuple[float, float, float, float]:
    return place.left, place.top, place.width, place.height


def _tenths(value: float) -> int:
    return round(10 * value)


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _written(text: str) -> str:
    return escape(_NO_XML.sub("\ufffd", text))


def _text(text: str, x: float, y: float, size: float, anchor: str = "start", more: str = "") -> str:
    """Return a text whose middle is at height `y`."""
    place = f'x="{_short(x)}" y="{_short(y + 0.35 * size)}"'
    where = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text {place}{where} font-size="{_short(size)}"{more}>{_written(text)}</text>'


def _upright(text: str, x: float, y: float, size: float) -> str:
    turn = f"translate({_short(x)} {_short(y)}) rotate(-90)"
    return (
        f'<text transform="{turn}" text-anchor="middle" font-size="{_short(size)}">'
        f"{_written(text)}</text>"
    )


def _rule(place: Place, along: str, at: float, look: LineLook) -> str:
    """Return a line across the panel."""
    left, top, width, height = (_tenths(v) for v in _box(place))
    if along == "x":
        way = f"M{_tenths(float(place.across(at)))} {top}v{height}"
    else:
        way = f"M{left} {_tenths(float(place.down(at)))}h{width}"
    return f'<path d="{way}"{_stroke(look.colour, look.width, dashed=look.dashed)}/>'


def _stroke(colour: str, width: float, *, dashed: bool = False) -> str:
    dashes = f' stroke-dasharray="{_short(40 * width)} {_short(30 * width)}"' if dashed else ""
    return f' fill="none" stroke="{colour}" stroke-width="{_short(10 * width)}"{dashes}'


def _shape(shape: Shape, place: Place, key: str, clip: str) -> Iterator[str]:
    """Yield the elements of a shape."""
    name = f' id="{key}-{shape.key}"' if shape.key else ""
    clipped = f' clip-path="url(#{clip})"'
    if isinstance(shape, Cells):
        yield f"<g{name}{clipped}>{_image(shape, place)}</g>"
        return
    x, y = place.across(shape.x), place.down(shape.y)
    share = _CROWD if isinstance(shape, Dots) and shape.crowd else shape.opacity
    opacity = "" if share == 1 else f' opacity="{_short(share)}"'
    if isinstance(shape, Dots):
        # Marks with a name of their own may lie on the frame.
        inside = "" if shape.key else clipped
        yield f"<g{name}{inside}{opacity}>{''.join(_dots(shape, x, y))}</g>"
    elif isinstance(shape, Path):
        if shape.step:
            x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
        cap = "" if shape.butt else ' stroke-linecap="square"'
        inside = clipped if shape.clipped else ""
        stroke = _stroke(shape.colour, shape.width, dashed=shape.dashed)
        yield f'<path{name} d="{_way(x, y)}"{stroke}{cap}{opacity}{inside}/>'
    else:
        edge = (
            f' stroke="#fff" stroke-width="{_short(10 * shape.edge_width)}"'
            if shape.edge_width
            else ""
        )
        yield f'<path{name} d="{_way(x, y)}z" fill="{shape.colour}"{edge}{opacity}{clipped}/>'


def _way(x: Floats, y: Floats) -> str:
    """Return a path in tenths, interrupted where a place is missing."""
    known = np.isfinite(x) & np.isfinite(y)
    at = np.rint(10 * np.column_stack([x, y])[known]).astype(int)
    starts = np.flatnonzero(np.diff(np.concatenate([[False], known]).astype(int)) == 1)
    begins = np.cumsum(known)[starts] - 1
    steps = np.diff(at, axis=0, prepend=at[:1])
    parts = [f"l{dx} {dy}" for dx, dy in steps.tolist()]
    for place in begins.tolist():
        parts[place] = f"M{at[place, 0]} {at[place, 1]}"
    return "".join(parts).replace(" -", "-")


def _image(cells: Cells, place: Place) -> str:
    """Return cells as a picture with a pixel or more for each."""
    rows, columns = cells.colours.shape[:2]
    ends_x, ends_y = (np.array([-0.5, count - 0.5]) for count in (columns, rows))
    x, y = np.sort(place.across(ends_x)), np.sort(place.down(ends_y))
    pixels = cells.colours
    if place.down(0.0) > place.down(1.0):
        pixels = pixels[::-1]
    for axis, count in enumerate((rows, columns)):
        pixels = np.repeat(pixels, -(-_LEAST_PIXELS // max(count, 1)), axis=axis)
    left, top, right, foot = (10 * float(v) for v in (x[0], y[0], x[1], y[1]))
    return _picture(pixels, (left, top, right - left, foot - top))


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """Return colours (rows, columns, 3) as a PNG file, with a palette where 256 suffice."""
    rows, columns = pixels.shape[:2]
    packed = pixels.astype(np.uint32) @ np.array([65536, 256, 1], dtype=np.uint32)
    colours, places = np.unique(packed, return_inverse=True)
    palette, kind, lines = b"", 2, pixels.reshape(rows, -1)
    if len(colours) <= 256:
        shown = colours.astype(">u4").view(np.uint8).reshape(-1, 4)[:, 1:]
        palette, kind = _chunk(b"PLTE", shown.tobytes()), 3
        lines = places.astype(np.uint8).reshape(rows, columns)
    data = np.column_stack([np.zeros(rows, dtype=np.uint8), lines]).tobytes()
    head = struct.pack(">IIBBBBB", columns, rows, 8, kind, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", head)
        + palette
        + _chunk(b"IDAT", zlib.compress(data, 9))
        + _chunk(b"IEND", b"")
    )


def _chunk(name: bytes, data: bytes) -> bytes:
    check = zlib.crc32(name + data)
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)


_OUTLINES = {
    "s": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "^": ((0, -1), (1, 1), (-1, 1)),
    "v": ((0, 1), (1, -1), (-1, -1)),
    "<": ((-1, 0), (1, -1), (1, 1)),
    "D": ((0, -1.414), (1.414, 0), (0, 1.414), (-1.414, 0)),
    "P": ((-0.33, -1), (0.33, -1), (0.33, -0.33), (1, -0.33), (1, 0.33), (0.33, 0.33), (0.33, 1),
          (-0.33, 1), (-0.33, 0.33), (-1, 0.33), (-1, -0.33), (-0.33, -0.33)),
    "X": ((-0.5, -1), (0, -0.5), (0.5, -1), (1, -0.5), (0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5),
          (-0.5, 1), (-1, 0.5), (-0.5, 0), (-1, -0.5)),
}  # fmt: skip
"""Corners of filled shapes, in halves of their size, downwards."""
_STROKES = {
    "|": (((0, -1), (0, 1)),),
    "_": (((-1, 0), (1, 0)),),
    "x": (((-1, -1), (1, 1)), ((-1, 1), (1, -1))),
}


def _dots(dots: Dots, x: Floats, y: Floats) -> Iterator[str]:
    known = np.isfinite(x) & np.isfinite(y)
    if dots.crowd:
        yield _crowd(dots, x[known], y[known])
        return
    count = len(x)
    sizes, widths = np.broadcast_to(dots.size, count), np.broadcast_to(dots.edge_width, count)
    looks = [
        _look(fill, dots.edge, float(width))
        for fill, width in zip(_each(dots.fill, count), widths, strict=True)
    ]
    shared = looks[0] if len(set(looks)) == 1 else ""
    yield f"<g{shared}>" if shared else "<g>"
    for i in np.flatnonzero(known).tolist():
        tag, where = _mark(dots.shape, float(x[i]), float(y[i]), float(sizes[i]))
        start = f"<{tag} {where}{'' if shared else looks[i]}"
        title = dots.texts[i] if i < len(dots.texts) else ""
        yield f"{start}><title>{_written(title)}</title></{tag}>" if title else f"{start}/>"
    yield "</g>"


def _each(fill: Colours, count: int) -> Sequence[str]:
    return [fill] * count if isinstance(fill, str) else fill


def _mark(shape: str, x: float, y: float, size: float) -> tuple[str, str]:
    """Return the element of a mark and the attributes that say where it is."""
    if shape == "o":
        return "circle", f'cx="{_tenths(x)}" cy="{_tenths(y)}" r="{_short(5 * size)}"'
    filled = shape in _OUTLINES
    ways = (_OUTLINES[shape],) if filled else _STROKES[shape]
    parts = [_way(*(np.array([(x, y)]) + np.array(way) * size / 2).T) for way in ways]
    return "path", f'd="{"".join(parts)}{"z" if filled else ""}"'


def _look(fill: str, edge: str, width: float) -> str:
    stroke = f' stroke="{edge}" stroke-width="{_short(10 * width)}"' if edge and width else ""
    return f' fill="{fill or "none"}"{stroke}'


def _crowd(dots: Dots, x: Floats, y: Floats) -> str:
    """Return many dots as one path; those that lie on each other are drawn once."""
    assert isinstance(dots.fill, str) and isinstance(dots.size, float)
    cells = np.rint(np.column_stack([y, x]) / _CROWDED).astype(int)
    _, first = np.unique(cells, axis=0, return_index=True)
    at = np.rint(10 * np.column_stack([x, y])[first]).astype(int)
    if not len(at):
        return ""
    steps = [f"m{dx} {dy}h0" for dx, dy in np.diff(at, axis=0).tolist()]
    way = "".join([f"M{at[0, 0]} {at[0, 1]}h0", *steps]).replace(" -", "-")
    return f'<path d="{way}"{_stroke(dots.fill, dots.size)} stroke-linecap="round"/>'


def _frame(place: Place) -> Iterator[str]:
    """Yield the lines of the axes and their ticks."""
    panel = place.panel
    if not panel.framed:
        return
    left, top, width, height = (_tenths(v) for v in _box(place))
    foot, parts = top + height, []
    if panel.y.line:
        parts.append(f"M{left} {top}v{height}")
    if panel.x.line:
        parts.append(f"M{left} {foot}h{width}")
    down, out = _tenths(tick_length(place, 0)), _tenths(tick_length(place, 1))
    if down:
        parts += [f"M{_tenths(float(place.across(at)))} {foot}v{down}" for at, _ in place.x_ticks]
    if out:
        parts += [f"M{left} {_tenths(float(place.down(at)))}h-{out}" for at, _ in place.y_ticks]
    yield f'<path d="{"".join(parts)}"{_stroke(_FRAME, 0.7)}/>'


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
    yield f'<g text-anchor="{anchor}" font-size="{_short(size)}" fill="{colour}">'
    for x, y, name in names:
        if turned:
            where = f'transform="translate({_short(x)} {_short(y)}) rotate(-{turned:g})"'
        else:
            where = f'x="{_short(x)}" y="{_short(y + 0.35 * size)}"'
        yield f"<text {where}>{_written(name)}</text>"
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
        if line.text:
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
            way = f"M{_short(x)} {_short(y)}L{_short(x + 0.9 * dx)} {_short(y - 0.9 * dy)}"
            yield f'<path d="{way}" stroke="{QUIET}" stroke-width=".5"/>'
        anchor = "start" if dx > 0 else "end" if dx < 0 else "middle"
        yield _text(name.text, x + dx, y - dy, small, anchor)


def _entry(sign: Shape | LineLook, label: str, x: float, y: float, size: float) -> Iterator[str]:
    """Yield an entry of a legend: its sign, and its label to the right."""
    yield f'<g transform="translate({_short(x)} {_short(y)}) scale(.1)">{_sign(sign)}</g>'
    yield _text(label, x + HANDLE, y, size)


def _sign(sign: Shape | LineLook) -> str:
    """Return the sign of a legend in tenths of a point, from (0, 0) to the right."""
    if isinstance(sign, Dots):
        fill = sign.fill if isinstance(sign.fill, str) else next(iter(sign.fill), "")
        widths = np.atleast_1d(sign.edge_width)
        tag, where = _mark(sign.shape, 7.0, 0.0, min(float(np.max(sign.size, initial=1.0)), 9.0))
        return f"<{tag} {where}{_look(fill, sign.edge, float(widths[:1].sum()))}/>"
    if isinstance(sign, Path | LineLook):
        width = min(sign.width, 6.0)
        return f'<path d="M0 0h140"{_stroke(sign.colour, width, dashed=sign.dashed)}/>'
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


def _colour_bar(place: Place, text: float) -> Iterator[str]:
    """Yield the bar of a colour scale: below wide cells, to the right of everything else."""
    series = place.bar
    assert series is not None and series.scale is not None
    size, (low, high) = SMALLER * text, scale_ends(series)
    left, top, width, height = _box(place)
    flat, steps = series.scale.below, np.linspace(0, 1, 128)
    colours = scale_colours(series.scale.name, steps)
    ticks = [((at - low) / ((high - low) or 1.0), name) for at, name in place.bar_ticks()]
    if flat:
        long, thick = flat_bar(width)
        x, y = left, top + height + 2 * PAD
        box, pixels = (x, y, long, thick), colours[None, :]
        foot = y + thick + PAD + 0.6 * size
        names = [(x + long * share, foot, name) for share, name in ticks]
        yield _text(series.scale.label, x, foot + LINE * size + PAD, size)
    else:
        long = BAR_SHARE * height
        x, y, thick = left + width + 3 * PAD, top + (height - long) / 2, long / BAR_SHAPE
        box, pixels = (x, y, thick, long), colours[::-1, None]
        names = [(x + thick + PAD, y + long * (1 - share), name) for share, name in ticks]
        wide = max((text_width(name, size) for *_, name in names), default=0.0)
        label = x + thick + 2 * PAD + wide + 0.9 * size
        yield _upright(series.scale.label, label, y + long / 2, size)
    yield _picture(pixels, box)
    yield from _names(names, size, QUIET, "middle" if flat else "start")


def _picture(pixels: NDArray[np.uint8], box: tuple[float, float, float, float]) -> str:
    where = 'x="{}" y="{}" width="{}" height="{}"'.format(*map(_short, box))
    data = base64.b64encode(_png(pixels)).decode()
    return (
        f'<image {where} preserveAspectRatio="none" style="image-rendering:pixelated"'
        f' href="data:image/png;base64,{data}"/>'
    )
