"""SVG as the reader sees it: marks lie where axes and ticks say, and nothing lies on another."""

from __future__ import annotations

import re
import struct
import zlib
from base64 import b64decode
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from matplotlib.ticker import MaxNLocator

from genotex.figures import (
    COLOURS,
    Axis,
    Figure,
    Line,
    Panel,
    PointName,
    Scale,
    Series,
    draw_svg,
    lay_out,
    round_ticks,
    text_width,
    to_matplotlib,
)
from tests.figures.gallery import gallery

_SVG = "{http://www.w3.org/2000/svg}"


def group(svg: str, key: str) -> ElementTree.Element:
    """Return the group of marks of a key."""
    found = [each for each in ElementTree.fromstring(svg).iter() if each.get("id") == key]
    assert len(found) == 1
    return found[0]


def texts(svg: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(svg).iter(f"{_SVG}text")]


@pytest.mark.parametrize("key", list(gallery()))
def test_axes_end_where_those_of_matplotlib_end(key: str) -> None:
    figure = gallery()[key]
    places = lay_out(figure, 72 * figure.width, 72 * figure.height, 9.0).places
    theirs = [axes for axes in to_matplotlib(figure).axes if axes.axison and not axes.get_label()]
    for place, axes in zip(places, theirs, strict=True):
        np.testing.assert_allclose(place.x.ends, axes.get_xlim(), rtol=1e-9, atol=1e-9)
        # Rows of cells begin at the top, also where nobody says so.
        ours, expected = place.y.ends, axes.get_ylim()
        if place.panel.y.low is None and any(s.kind == "cells" for s in place.panel.series):
            ours, expected = sorted(ours), sorted(expected)
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-9)


def test_circles_are_where_their_numbers_are_on_the_axes() -> None:
    figure = gallery()["volcano"]
    (place,) = lay_out(figure, 72 * figure.width, 72 * figure.height, 9.0).places
    drawn = group(draw_svg(figure), f"volcano-points-{up(figure)}-up")
    circles = list(drawn.iter(f"{_SVG}circle"))
    at = {(int(c.attrib["cx"]), int(c.attrib["cy"])) for c in circles}
    low, high = place.y.ends
    series = figure.panel.of("up")
    expected = {
        (
            round(10 * (place.left + place.width * (x - place.x.first) / np.ptp(place.x.ends))),
            round(10 * (place.top + place.height * (high - y) / (high - low))),
        )
        for x, y in zip(series.x, series.y, strict=True)
    }
    assert at == expected
    assert [c[0].text for c in circles] == list(series.texts)
    assert drawn[0].get("fill") == COLOURS["up"]


def up(figure: Figure) -> int:
    return [series.meaning for series in figure.panel.series].index("up")


@given(
    low=st.floats(-1e4, 1e4), wide=st.floats(1e-3, 1e4), most=st.integers(1, 9)
)  # fmt: skip
def test_ticks_are_those_of_matplotlib(low: float, wide: float, most: int) -> None:
    ours = [at for at, _ in round_ticks(low, low + wide, most)]
    every = MaxNLocator(nbins=most, steps=[1, 2, 2.5, 5, 10]).tick_values(low, low + wide)
    # Whether a round step suffices, or a tick at the very end is inside, may depend on rounding.
    least = wide / most / 10 ** np.floor(np.log10(wide / most))
    assume(min(abs(least - step) for step in (1, 2, 2.5, 5, 10)) > 1e-6)
    assume(np.abs(np.subtract.outer(every, [low, low + wide])).min() > 1e-6 * wide)
    theirs = [at for at in every if low <= at <= low + wide]
    if len(theirs) >= 2:
        np.testing.assert_allclose(ours, theirs, atol=1e-8 * wide)


def test_ticks_are_written_with_the_digits_that_tell_them_apart() -> None:
    assert [text for _, text in round_ticks(-1.0, 1.0, 4)] == [
        "\u22121.0", "\u22120.5", "0.0", "0.5", "1.0",
    ]  # fmt: skip
    assert [text for _, text in round_ticks(0.0, 0.01, 4)][1] == "0.0025"
    assert [text for _, text in round_ticks(0.0, 2000.0, 4)][-1] == "2000"


@pytest.mark.parametrize("text", ["Healthy control (40)", "-0.25", "MMMMWWW", "clinical status"])
def test_texts_are_given_at_least_the_room_of_a_wide_font(text: str) -> None:
    wide = TextPath((0, 0), text, size=9, prop=FontProperties(family="DejaVu Sans"))
    assert 0.95 * wide.get_extents().width < text_width(text, 9.0) < 16 * len(text)


@pytest.mark.parametrize("key", list(gallery()))
def test_panels_and_what_is_written_around_them_stay_in_the_figure(key: str) -> None:
    figure = gallery()[key]
    width, height = 72 * figure.width, 72 * figure.height
    places = lay_out(figure, width, height, 9.0).places
    for place in places:
        assert place.left - place.before >= 0 and place.left + place.width <= width
        assert place.top >= 0 and place.top + place.height + place.below <= height
    by_row = sorted(places, key=lambda place: (place.row, place.left))
    for one, next_one in pairwise(by_row):
        if one.row == next_one.row:
            assert one.left + one.width < next_one.left - next_one.before


def test_a_line_is_interrupted_and_a_band_ends_where_a_value_is_missing() -> None:
    x, gap = np.arange(5.0), np.array([1.0, 2.0, np.nan, 4.0, 5.0])
    line = Series(kind="line", meaning="one", x=x, y=gap)
    band = Series(kind="band", meaning="one", x=x, y=gap, low=gap - 1, high=gap + 1)
    svg = draw_svg(Figure(key="f", rows=((Panel(series=(line, band)),),)))
    assert group(svg, "f-line-0-one").attrib["d"].count("M") == 2
    assert svg.count('id="f-band-1-one-') == 2 and "nan" not in svg


_EXTREMES = st.sampled_from(
    [0.0, -0.0, 1.0, 3.0, 1e-9, 123456789.0, 5e-324, 1e300, -1e300, 1e308, np.nan, np.inf, -np.inf]
)


@settings(max_examples=15)
@given(data=st.data())
def test_a_figure_of_any_numbers_is_drawn(data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 5))

    def some(*shape: int) -> np.ndarray:
        every = st.lists(_EXTREMES, min_size=int(np.prod(shape)), max_size=int(np.prod(shape)))
        return np.array(data.draw(every), dtype=float).reshape(shape)

    with np.errstate(over="ignore"):
        x, y, low, high = (some(count).astype(kind) for kind in "ffdd")
    kinds: list[Series] = [
        Series(kind=kind, meaning="one", x=x, y=y, low=low, high=high, label="a")
        for kind in ("points", "strip", "line", "band", "bars", "intervals", "diamonds")
    ]
    kinds += [
        Series(kind="points", meaning="one", x=x, y=y, levels=low, scale=Scale("level")),
        Series(kind="cells", meaning="one", y=some(2, 2), scale=Scale("diverging", label="b")),
        Series(kind="boxes", meaning="one", x=x, y=some(count, 5)),
        Series(kind="curves", meaning="one", x=x, y=some(2, count)),
    ]
    above = data.draw(st.sampled_from([None, 1.0]))
    names = (PointName("n", *some(2).tolist()),)
    lines = (Line("x", float(some(1)[0]), text="here"),)
    for series in kinds:
        panel = Panel(
            x=Axis("x", log_above=above), y=Axis(low=data.draw(st.sampled_from([None, 0.0]))),
            series=(series,), names=names, lines=lines, legend=True,
        )  # fmt: skip
        svg = draw_svg(Figure(key="f", rows=((panel,),), legend="above"))
        written = re.sub(r"base64,[^\"]+", "", svg)
        assert "nan" not in written and "inf" not in written
        ElementTree.fromstring(svg)


def test_many_dots_on_each_other_are_drawn_once() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 50_000))
    crowd = Series(kind="points", meaning="rest", x=x, y=y)
    svg = draw_svg(Figure(key="f", rows=((Panel(series=(crowd,)),),)))
    assert 500 < svg.count("h0") < 30_000 and len(svg) < 200_000


def picture(svg: str) -> np.ndarray:
    """Return the colours of the first picture of a figure; one for each cell."""
    found = re.search(r"base64,([^\"]+)", svg)
    assert found is not None
    data, parts = b64decode(found[1]), {}
    at = 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        parts[data[at + 4 : at + 8]] = data[at + 8 : at + 8 + size]
        at += size + 12
    columns, rows, _, kind = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    assert kind == 3
    palette = np.frombuffer(parts[b"PLTE"], dtype=np.uint8).reshape(-1, 3)
    lines = np.frombuffer(zlib.decompress(parts[b"IDAT"]), dtype=np.uint8).reshape(rows, -1)
    assert lines.shape[1] == columns + 1 and not lines[:, 0].any()
    return palette[lines[:, 1:]]


def test_the_first_row_of_cells_is_on_top_and_low_is_blue() -> None:
    values = np.array([[-1.0, 1.0], [np.nan, 0.0]])
    cells = Series(kind="cells", meaning="one", y=values, scale=Scale("diverging", -1.0, 1.0))
    panel = Panel(y=Axis(low=-0.5, high=1.5, flipped=True), series=(cells,), framed=False)
    found = picture(draw_svg(Figure(key="f", rows=((panel,),))))
    corners = found[[0, 0, -1, -1], [0, -1, 0, -1]]
    assert ["#" + bytes(c).hex() for c in corners] == ["#134b78", "#8f3510", "#c3cad1", "#f6f5f2"]


def test_a_long_legend_takes_more_lines_and_stays_in_the_figure() -> None:
    long = "a group of samples with quite a long name"
    dots = [
        Series(kind="points", meaning="one", x=np.ones(1), y=np.ones(1), label=f"{long} {i}")
        for i in range(3)
    ]
    figure = Figure(key="f", rows=((Panel(series=tuple(dots)),),), legend="above")
    found = lay_out(figure, 72 * figure.width, 72 * figure.height, 9.0)
    assert len({y for *_, y in found.legend}) == 3
    assert found.places[0].top > max(y for *_, y in found.legend)


def test_a_name_that_would_leave_no_room_is_shortened() -> None:
    names = ("GSE1", "a cohort whose name was written down by somebody with time" * 2)
    y = Axis(low=-0.5, high=1.5, ticks=tuple((float(i), name) for i, name in enumerate(names)))
    dots = Series(kind="points", meaning="one", x=np.arange(2.0), y=np.arange(2.0))
    figure = Figure(key="f", rows=((Panel(y=y, series=(dots,)),),))
    (place,) = lay_out(figure, 72 * figure.width, 72 * figure.height, 9.0).places
    assert place.width > 0.5 * 72 * figure.width
    assert "GSE1" in texts(draw_svg(figure))
    (short,) = (text for text in texts(draw_svg(figure)) if text.startswith("a cohort"))
    assert short.endswith("\u2026") and names[1].startswith(short[:-1])


def test_names_of_shared_axes_are_written_once() -> None:
    dots = Series(kind="points", meaning="one", x=np.arange(3.0), y=np.arange(3.0) * 7)
    x, y = Axis(ticks=((0.0, "early"), (2.0, "late"))), Axis(ticks=((7.0, "seven"),))
    panel = Panel(x=x, y=y, series=(dots,), lines=(Line("y", 3.0, text="a limit"),))
    figure = Figure(key="f", rows=((panel, panel), (panel,)))
    alone, shared = (texts(draw_svg(replace(figure, share_x=s, share_y=s))) for s in (False, True))
    counted = [[found.count(text) for text in ("early", "seven", "a limit")] for found in
               (alone, shared)]  # fmt: skip
    assert counted == [[3, 3, 3], [2, 2, 3]]


def test_text_that_xml_does_not_allow_is_replaced() -> None:
    dots = Series(kind="points", meaning="one", x=np.ones(1), y=np.ones(1), texts=("a\x00\x1fb",))
    svg = draw_svg(Figure(key="f", rows=((Panel(series=(dots,), title="<&\x0c>"),),)))
    assert "\ufffd" in svg
    assert "<&\ufffd>" in texts(svg)
