"""What browsers draw of each mark: places, ends, colours and axes are those of the figure."""

from __future__ import annotations

import shutil
from html import unescape
from typing import Any

import numpy as np
import pytest

from genotex.figures import SampleMarks, sample_points, to_json
from tests.figures.gallery import gallery
from tests.figures.test_renderers import plotted

INK = "#1f2933"
pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


@pytest.fixture(scope="module")
def drawn() -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Return each figure of the gallery: its name, what is sent and what is plotted."""
    sent = {key: to_json(figure) for key, figure in gallery().items()}
    marks = SampleMarks(("A", "B", "C"), ("case", "control", "case"), {"case": "a", "control": "b"})
    places, ringed = np.arange(6.0).reshape(3, 2), np.array([True, False, False])
    sent["ringed"] = to_json(sample_points("ringed", places, ("x", "y"), marks, ringed))
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


def panels_of(sent: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the panels of a figure, each with the end of the names of its axes."""
    panels = [panel for row in sent["rows"] for panel in row]
    return [(f"{i}" if i > 1 else "", panel) for i, panel in enumerate(panels, 1)]


def test_points_have_their_places_texts_ids_and_rings(drawn: Any) -> None:
    ringed = 0
    for key, sent, plot in drawn:
        for n, panel in panels_of(sent):
            own = [t for t in plot["traces"] if t["xaxis"] == f"x{n}" and t["yaxis"] == f"y{n}"]
            for series in panel["series"]:
                if series["kind"] not in ("points", "strip"):
                    continue
                texts = [unescape(text) for text in series.get("texts", [])]
                (trace,) = [
                    t for t in own
                    if (t.get("x"), t.get("y")) == (series["x"], series["y"])
                    and t["type"] == ("box" if series["kind"] == "strip" else "scatter")
                    and t["name"] == series["label"].replace("&", "&amp;").replace("<", "&lt;")
                ]  # fmt: skip
                assert [unescape(text) for text in trace.get("text", [])] == texts, key
                assert trace.get("customdata", []) == series.get("ids", []), key
                if series["kind"] == "strip":
                    assert trace["width"] == 2 * series["reach"]
                    assert trace["marker"]["color"] == series["colour"]
                elif series.get("ringed") and not series.get("hollow"):
                    ringed += any(series["ringed"])
                    rims = [rim == INK for rim in trace["marker"]["line"]["color"]]
                    wide = [width == 2 for width in trace["marker"]["line"]["width"]]
                    assert rims == wide == series["ringed"], key
    assert ringed


def test_cells_have_their_values_names_and_the_ends_of_their_scale(drawn: Any) -> None:
    scales = set()
    for key, sent, plot in drawn:
        for n, panel in panels_of(sent):
            maps = [t for t in plot["traces"] if t["type"] == "heatmap" and t["xaxis"] == f"x{n}"]
            cells = [s for s in panel["series"] if s["kind"] == "cells"]
            assert len(maps) == len(cells)
            for trace, series in zip(maps, cells, strict=True):
                assert trace["z"] == series["y"], key
                found = [colour for _, colour in trace["colorscale"]]
                if "colours" in series:
                    scales.add("levels")
                    assert found == [colour for colour in series["colours"] for _ in range(2)]
                    count = len(series["colours"])
                    ends = [end for end, _ in trace["colorscale"]]
                    steps = [i / count for i in range(count + 1)]
                    assert ends == pytest.approx(
                        [e for i in range(count) for e in steps[i : i + 2]]
                    )
                    assert (trace["zmin"], trace["zmax"]) == (-0.5, count - 0.5)
                    continue
                scales.add("numbers")
                assert found == series["scale"]["colours"]
                low, high = series["scale"]["low"], series["scale"]["high"]
                assert (trace.get("zmin"), trace.get("zmax")) == (low, high), key
                if series.get("texts"):
                    names = [[f"{a}<br>{b}" for b in series["ids"]] for a in series["texts"]]
                    assert [[unescape(x) for x in row] for row in trace["text"]] == names
    assert scales == {"levels", "numbers"}


def test_lines_names_and_ticks_are_where_the_figure_has_them(drawn: Any) -> None:
    seen = set()
    for key, sent, plot in drawn:
        layout = plot["layout"]
        lines = [(n, line) for n, panel in panels_of(sent) for line in panel["lines"]]
        for shape, (n, line) in zip(layout["shapes"], lines, strict=True):
            across, along = line["along"], "y" if line["along"] == "x" else "x"
            assert shape[f"{across}0"] == shape[f"{across}1"] == line["at"], key
            assert (shape[f"{along}0"], shape[f"{along}1"]) == (0, 1)
            assert shape[f"{across}ref"] == f"{across}{n}"
            assert shape[f"{along}ref"] == f"{along}{n} domain"
            assert (shape["line"].get("dash") == "dash") == (line["role"] == "threshold")
            seen.add(line["along"])
        for n, panel in panels_of(sent):
            names = [(name["x"], name["y"], name["text"]) for name in panel["names"]]
            written = [
                (x, y, unescape(text))
                for t in plot["traces"]
                if t.get("mode") == "text" and t["xaxis"] == f"x{n}"
                for x, y, text in zip(t["x"], t["y"], t["text"], strict=True)
            ]
            assert written == names, key
            for name in ("x", "y"):
                axis, own = layout[f"{name}axis{n}"], panel[name]
                if own["ticks"]:
                    ticks = [list(tick) for tick in own["ticks"]]
                    found = zip(axis["tickvals"], map(unescape, axis["ticktext"]), strict=True)
                    assert [list(tick) for tick in found] == ticks, key
    assert seen == {"x", "y"}


def test_rows_of_panels_are_above_each_other_with_their_heights(drawn: Any) -> None:
    several = {
        key: {**sent, "heights": [1.0 + i for i in range(len(sent["rows"]))]}
        for key, sent, _ in drawn
        if len(sent["rows"]) > 1
    }
    assert several
    for key, plot in plotted(several).items():
        sent = several[key]
        number, total, top = 1, sum(sent["heights"]), 1.0
        for row, height in zip(sent["rows"], sent["heights"], strict=True):
            low, high = plot["layout"][f"yaxis{number if number > 1 else ''}"]["domain"]
            assert high == pytest.approx(top) and low < high
            top -= height / total
            assert top - 1e-9 <= low <= top + 0.3 * height / total
            number += len(row)


def test_each_curve_names_its_own_sample(drawn: Any) -> None:
    for key, sent, plot in drawn:
        for series in (s for _, panel in panels_of(sent) for s in panel["series"]):
            if series["kind"] == "curves" and series.get("texts"):
                for y, text in zip(series["y"], series["texts"], strict=True):
                    told = [t["hovertemplate"] for t in plot["traces"] if t.get("y") == y]
                    assert unescape(text) in [
                        unescape(each.partition("<extra")[0]) for each in told
                    ], key
