"""Shapes as elements of SVG, in tenths of a point and from one corner to the next."""

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
from genotex.figures.layout import Place
from genotex.figures.shapes import Cells, Colours, Dots, Path, Shape

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CROWDED, _CROWD = 1.3, 0.8
"""Where dots are many, one is drawn for each square of so many points, with this opacity."""
_LEAST_PIXELS = 400
"""Of a picture of cells along each side, so that no reader blurs it."""


def tenths(value: float) -> int:
    """Return a length in tenths of a point."""
    return round(10 * value)


def short(value: float) -> str:
    """Return a number with at most two digits behind its point."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def written(text: str) -> str:
    """Return a text as XML has it."""
    return escape(_NO_XML.sub("\ufffd", text))


def stroke(colour: str, width: float, *, dashed: bool = False) -> str:
    """Return the attributes of a line in tenths of a point, of a width in points."""
    dashes = f' stroke-dasharray="{short(40 * width)} {short(30 * width)}"' if dashed else ""
    return f' fill="none" stroke="{colour}" stroke-width="{short(10 * width)}"{dashes}'


def elements(shape: Shape, place: Place, key: str, clip: str) -> Iterator[str]:
    """Yield the elements of a shape."""
    name = f' id="{key}-{shape.key}"' if shape.key else ""
    clipped = f' clip-path="url(#{clip})"'
    if isinstance(shape, Cells):
        yield f"<g{name}{clipped}>{_image(shape, place)}</g>"
        return
    x, y = place.across(shape.x), place.down(shape.y)
    share = _CROWD if isinstance(shape, Dots) and shape.crowd else shape.opacity
    opacity = "" if share == 1 else f' opacity="{short(share)}"'
    if isinstance(shape, Dots):
        # Marks with a name of their own may lie on the frame.
        inside = "" if shape.key else clipped
        yield f"<g{name}{inside}{opacity}>{''.join(_dots(shape, x, y))}</g>"
    elif isinstance(shape, Path):
        if shape.step:
            x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
        cap = "" if shape.butt else ' stroke-linecap="square"'
        inside = clipped if shape.clipped else ""
        lines = stroke(shape.colour, shape.width, dashed=shape.dashed)
        yield f'<path{name} d="{_way(x, y)}"{lines}{cap}{opacity}{inside}/>'
    else:
        edge = (
            f' stroke="#fff" stroke-width="{short(10 * shape.edge_width)}"'
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
    left, top, right, foot = (10 * float(v) for v in (x[0], y[0], x[1], y[1]))
    return picture(pixels, (left, top, right - left, foot - top))


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """Return colours (rows, columns, 3) as a PNG file, with a palette where 256 suffice."""
    packed = pixels.astype(np.uint32) @ np.array([65536, 256, 1], dtype=np.uint32)
    colours, places = np.unique(packed, return_inverse=True)
    palette, kind = b"", 2
    if len(colours) <= 256:
        shown = colours.astype(">u4").view(np.uint8).reshape(-1, 4)[:, 1:]
        palette, kind = _chunk(b"PLTE", shown.tobytes()), 3
        pixels = places.astype(np.uint8).reshape(packed.shape)
    for axis, count in enumerate(packed.shape):
        pixels = np.repeat(pixels, -(-_LEAST_PIXELS // count), axis=axis)
    rows, columns = pixels.shape[:2]
    lines = pixels.reshape(rows, -1)
    data = np.column_stack([np.zeros(rows, dtype=np.uint8), lines]).tobytes()
    head = struct.pack(">IIBBBBB", columns, rows, 8, kind, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", head)
        + palette
        + _chunk(b"IDAT", zlib.compress(data))
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
        paint(fill, dots.edge, float(width))
        for fill, width in zip(_each(dots.fill, count), widths, strict=True)
    ]
    shared = looks[0] if len(set(looks)) == 1 else ""
    yield f"<g{shared}>" if shared else "<g>"
    for i in np.flatnonzero(known).tolist():
        tag, where = mark_at(dots.shape, float(x[i]), float(y[i]), float(sizes[i]))
        start = f"<{tag} {where}{'' if shared else looks[i]}"
        title = dots.texts[i] if i < len(dots.texts) else ""
        yield f"{start}><title>{written(title)}</title></{tag}>" if title else f"{start}/>"
    yield "</g>"


def _each(fill: Colours, count: int) -> Sequence[str]:
    return [fill] * count if isinstance(fill, str) else fill


def mark_at(shape: str, x: float, y: float, size: float) -> tuple[str, str]:
    """Return the element of a mark and the attributes that say where it is."""
    if shape == "o":
        return "circle", f'cx="{tenths(x)}" cy="{tenths(y)}" r="{short(5 * size)}"'
    filled = shape in _OUTLINES
    ways = (_OUTLINES[shape],) if filled else _STROKES[shape]
    parts = [_way(*(np.array([(x, y)]) + np.array(way) * size / 2).T) for way in ways]
    return "path", f'd="{"".join(parts)}{"z" if filled else ""}"'


def paint(fill: str, edge: str, width: float) -> str:
    """Return the attributes of the colours of a mark."""
    around = f' stroke="{edge}" stroke-width="{short(10 * width)}"' if edge and width else ""
    return f' fill="{fill or "none"}"{around}'


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
    return f'<path d="{way}"{stroke(dots.fill, dots.size)} stroke-linecap="round"/>'


def picture(pixels: NDArray[np.uint8], box: tuple[float, float, float, float]) -> str:
    """Return colours (rows, columns, 3) as a picture in a box: left, top, width and height."""
    where = 'x="{}" y="{}" width="{}" height="{}"'.format(*map(short, box))
    data = base64.b64encode(_png(pixels)).decode()
    return (
        f'<image {where} preserveAspectRatio="none" style="image-rendering:pixelated"'
        f' href="data:image/png;base64,{data}"/>'
    )
