"""Any figure as SVG, as files, and as the traces that the script of browsers makes of it."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex

from genotex.errors import UsageError
from genotex.figures import (
    COLOURS,
    ForestRow,
    GeneResult,
    SampleMarks,
    Series,
    TraitEffect,
    across_traits,
    draw_svg,
    figures_of,
    sample_points,
    save_figures,
    to_json,
    to_matplotlib,
    volcano,
)
from genotex.options import FigureOptions
from tests.figures.gallery import gallery, result

SCRIPT = """
const { plotOf } = require(process.argv[1]);
const every = JSON.parse(require("fs").readFileSync(0, "utf8"));
const found = {};
for (const [key, figure] of Object.entries(every)) found[key] = plotOf(figure);
console.log(JSON.stringify(found));
"""


def test_every_figure_is_drawn_and_sent_without_a_gap() -> None:
    for figure in gallery().values():
        for each in (figure, figure.narrow):
            if each is not None:
                assert ElementTree.fromstring(draw_svg(each)).get("aria-label") == each.alt
        json.dumps(to_json(figure), allow_nan=False)


def test_figures_of_a_result_are_found_by_name_in_their_order() -> None:
    keys = [each.key for each in figures_of(GeneResult)]
    assert keys[:4] == ["pca", "volcano", "ma", "histogram"]
    assert len(keys) == len(set(keys))


def test_a_file_has_the_width_asked_for(tmp_path: Path) -> None:
    figure = gallery()["volcano"]
    paths = save_figures([figure], tmp_path, ("pdf", "svg", "png"), width=3.0, text=7.0)
    assert [path.name for path in paths] == ["volcano.pdf", "volcano.svg", "volcano.png"]
    pdf, svg, png = (path.read_bytes() for path in paths)
    assert pdf.startswith(b"%PDF") and b'width="216pt"' in svg
    assert int.from_bytes(png[16:20], "big") == 900
    again = tmp_path / "again"
    save_figures([figure], again, ("pdf", "svg"), width=3.0, text=7.0)
    assert (again / "volcano.pdf").read_bytes() == pdf and (
        again / "volcano.svg"
    ).read_bytes() == svg


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="known are pdf, svg, png"):
        save_figures([gallery()["volcano"]], tmp_path, ("tiff",))
    assert list(tmp_path.iterdir()) == []


def test_of_many_points_that_mean_nothing_those_in_view_are_sent() -> None:
    rng = np.random.default_rng(1)
    n = 30_000
    nothing = np.zeros(n, dtype=bool)
    many = GeneResult(
        tuple(f"G{i}" for i in range(n)), rng.normal(size=n), rng.normal(size=n), rng.random(n),
        np.ones(n), nothing, result().words, 0.05,
    )  # fmt: skip
    figure = volcano(many)
    assert figure is not None
    whole, part = to_json(figure), to_json(figure, (0.0, 0.1, 0.0, 1.0))
    assert whole["drawn"] < 15_000 < whole["seen"] == whole["total"] == n
    assert part["drawn"] <= part["seen"] < 2_000 < part["total"]
    inside = [x for s in part["rows"][0][0]["series"] for x in s["x"]]
    assert min(inside) >= 0 and max(inside) <= 0.1


def test_the_parts_of_points_stay_together() -> None:
    marks = np.array([True, False, False])
    three = Series(
        kind="points", meaning="up", x=np.arange(3.0), y=np.arange(3.0) + 5, ids=("A", "B", "C"),
        levels=np.arange(3.0), sizes=np.arange(3.0), low=np.arange(3.0), high=np.arange(3.0) + 1,
        ringed=marks, hollow=~marks,
    )  # fmt: skip
    two = three.take(np.array([2, 0]))
    assert (two.x.tolist(), two.y.tolist(), two.ids) == ([2.0, 0.0], [7.0, 5.0], ("C", "A"))
    found = [two.levels, two.sizes, two.low, two.high, two.ringed, two.hollow]
    assert [None if each is None else each.tolist() for each in found] == [
        [2.0, 0.0], [2.0, 0.0], [2.0, 0.0], [3.0, 1.0], [False, True], [True, False],
    ]  # fmt: skip


def test_a_ring_stays_at_its_sample_where_many_are_thinned() -> None:
    n = 4000
    names = tuple(f"S{i}" for i in range(n))
    ringed = np.arange(n) == n - 1
    places = np.column_stack([np.arange(n), np.where(ringed, 0, np.arange(n))]).astype(float)
    marks = SampleMarks(names, ("case",) * n, {"case": "case"})
    sent = to_json(sample_points("pca", places, ("PC1", "PC2"), marks, ringed))
    (series,) = sent["rows"][0][0]["series"]
    assert len(series["ringed"]) == len(series["ids"]) < n
    rings = [i for i, ring in zip(series["ids"], series["ringed"], strict=True) if ring]
    assert rings == [names[-1]]


def plotted(sent: dict[str, Any]) -> dict[str, Any]:
    """Return what the script of browsers makes of figures."""
    script = files("genotex.figures") / "browser" / "figures.js"
    run = subprocess.run(
        ["node", "-e", SCRIPT, str(script)], input=json.dumps(sent), capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_a_mark_is_open_where_its_trait_is_not_significant() -> None:
    rows = [
        TraitEffect(ForestRow(name, effect, effect - 0.2, effect + 0.2, "w"), name, found, False)
        for name, effect, found in (("Asthma", 0.5, True), ("BMI", 0.3, False), ("CAD", -0.4, True))
    ]
    figure, names = across_traits(rows, "Hedges' g"), ["Asthma", "BMI", "CAD"]
    browser = {
        name: marker
        for trace in plotted({"traits": to_json(figure)})["traits"]["traces"]
        if "marker" in trace
        for name, *marker in zip(
            trace["customdata"], trace["marker"]["color"], trace["marker"]["line"]["color"],
            strict=True,
        )
    }  # fmt: skip
    drawn = {}
    for each in to_matplotlib(figure).axes[0].collections:
        if isinstance(each, PathCollection):
            colours: Any = (each.get_facecolors(), each.get_edgecolors())  # type: ignore[attr-defined]
            for i, (_, y) in enumerate(np.asarray(each.get_offsets())):
                drawn[names[int(y)]] = [to_hex(every[i % len(every)]) for every in colours]
    up, down = COLOURS["up"], COLOURS["down"]
    white = {"#fff": "#ffffff"}
    looks_of = {name: [white.get(inside, inside), edge] for name, (inside, edge) in browser.items()}
    assert looks_of == drawn == {"Asthma": [up, up], "BMI": ["#ffffff", up], "CAD": [down, down]}


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_script_of_browsers_keeps_places_and_colours() -> None:
    sent = {key: to_json(figure) for key, figure in gallery().items()}
    for key, plot in plotted(sent).items():
        given = [s for row in sent[key]["rows"] for panel in row for s in panel["series"]]
        for series in given:
            if series["kind"] == "points" and not {"levels", "hollow"} & series.keys():
                assert any(
                    trace.get("x") == series["x"]
                    and trace.get("y") == series["y"]
                    and trace["marker"]["color"] == series["colour"]
                    for trace in plot["traces"]
                    if "marker" in trace
                ), key
        assert plot["layout"]["uirevision"] == key


def test_options_of_figures_are_read_and_refused_before_anything_is_computed() -> None:
    assert FigureOptions(("pdf", "svg")).formats == ("pdf", "svg")
    with pytest.raises(UsageError, match="known are pdf, svg, png"):
        FigureOptions(("tiff",))


def test_curves_without_a_censored_sample_have_room() -> None:
    figure = gallery()["survival"]
    *others, ticks = figure.panel.series
    none = np.empty(0, dtype=np.intp)
    panel = replace(figure.panel, series=(*others, ticks.take(none)))
    assert "<svg" in draw_svg(replace(figure, rows=((panel,) * 3,) * 2, share_x=True))


def test_a_note_wider_than_its_panel_leaves_the_panel_in_place() -> None:
    figure = gallery()["survival"]
    note = "hazard ratio 2.1e+10 (1.2e-10 to 3.4e+20) for each standard deviation, q = 0.0123"
    panel = replace(figure.panel, note=note)
    assert note in draw_svg(replace(figure, rows=((panel,) * 3,), width=11.4, height=3.2))
