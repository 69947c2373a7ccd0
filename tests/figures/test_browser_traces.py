"""What browsers draw of each mark: places, ends, colours and axes are those of the figure."""

from __future__ import annotations

import shutil
from html import unescape
from typing import Any

import pytest

from genotex.figures import to_json
from tests.figures.gallery import gallery
from tests.figures.test_renderers import plotted

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


@pytest.fixture(scope="module")
def drawn() -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Return each figure of the gallery: its name, what is sent and what is plotted."""
    sent = {key: to_json(figure) for key, figure in gallery().items()}
    plots = plotted(sent)
    return [(key, sent[key], plots[key]) for key in sent]


def fits(series: dict[str, Any], trace: dict[str, Any]) -> bool:
    """Return whether a trace has the places and the colour of a series."""
    kind, line, marker = series["kind"], trace.get("line", {}), trace.get("marker", {})
    x: Any = trace.get("x")
    y: Any = trace.get("y")
    if kind == "line":
        return bool((x, y, line.get("color")) == (series["x"], series["y"], series["colour"]))
    if kind == "bars":
        if trace["type"] != "bar" or marker["color"] != series["colour"]:
            return False
        base = trace.get("base") or [0] * len(series["y"])
        tops = [a + b for a, b in zip(base, trace["y"], strict=True)]
        middles = [a - series["size"] / 2 for a in trace["x"]]
        return bool(tops == pytest.approx(series["y"]) and middles == pytest.approx(series["x"]))
    if kind in ("intervals", "diamonds"):
        upright = series.get("upright")
        ends, at = (y, x) if upright else (x, y)
        if line.get("color") != series["colour"] or not ends:
            return False
        middle = series["x" if upright else "y"]
        return bool(
            (ends[::3], ends[1::3], at[::3], at[1::3])
            == (series["low"], series["high"], middle, middle)
        )
    if kind == "boxes":
        parts = [trace.get(name) for name in ("lowerfence", "q1", "median", "q3", "upperfence")]
        return bool(parts == [list(column) for column in zip(*series["y"], strict=True)])
    return True


def test_marks_have_their_places_ends_and_colours(drawn: Any) -> None:
    kinds = set()
    for key, sent, plot in drawn:
        for series in (s for row in sent["rows"] for panel in row for s in panel["series"]):
            kinds.add(series["kind"])
            assert any(fits(series, trace) for trace in plot["traces"]), (key, series["kind"])
    assert {"line", "bars", "intervals", "diamonds", "boxes"} <= kinds


def test_axes_have_their_own_labels_and_directions(drawn: Any) -> None:
    for key, sent, plot in drawn:
        panels = [panel for row in sent["rows"] for panel in row]
        for number, panel in enumerate(panels, 1):
            for name in ("x", "y"):
                axis = plot["layout"][f"{name}axis{number if number > 1 else ''}"]
                assert unescape(axis["title"]["text"]) == panel[name]["label"], key
                low, high = axis.get("range") or (0, 1)
                turned = axis.get("autorange") == "reversed" or low > high
                assert turned == panel[name]["flipped"], (key, name)


def test_the_first_row_is_on_top_also_where_the_range_is_open() -> None:
    sent = {key: to_json(figure) for key, figure in gallery().items()}
    flipped = {
        key: each
        for key, each in sent.items()
        if len(each["rows"]) == len(each["rows"][0]) == 1 and each["rows"][0][0]["y"]["flipped"]
    }
    assert flipped
    for each in flipped.values():
        each["rows"][0][0]["y"]["range"] = None
    for key, plot in plotted(flipped).items():
        assert plot["layout"]["yaxis"]["autorange"] == "reversed", key


def test_a_step_keeps_its_level_until_the_next_event(drawn: Any) -> None:
    """What is plotted falls at an event, as the curve does, and its limits fall with it."""
    steps = 0
    for key, sent, plot in drawn:
        for series in (s for row in sent["rows"] for panel in row for s in panel["series"]):
            if series["kind"] not in ("line", "band"):
                continue
            steps += bool(series.get("step"))
            ends = ("low", "high") if series["kind"] == "band" else ("y",)
            for heights in (series[name] for name in ends):
                shapes = {
                    trace["line"].get("shape")
                    for trace in plot["traces"]
                    if trace.get("mode") == "lines"
                    and (trace["x"], trace["y"]) == (series["x"], heights)
                }
                assert shapes == {"hv" if series.get("step") else "linear"}, key
    assert steps >= 6
