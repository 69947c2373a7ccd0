"""The forest plot that the page draws of any gene: the numbers are those of the static figure."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from genotex.analysis import MetaResult
from genotex.reports import forest_data, forest_rows
from tests.reports.test_meta_report import solved

PAGE = """
const fs = require("fs"), { data, first } = JSON.parse(fs.readFileSync(0, "utf8"));
const every = {};
function node(name) {
  return {
    name, attributes: {}, children: [], textContent: "", dataset: {}, clientWidth: 1000, value: "",
    setAttribute(key, value) { this.attributes[key] = value; },
    appendChild(child) { this.children.push(child); return child; },
    replaceChildren(...children) { this.children = children; },
    addEventListener(kind, act) { this[kind] = act; },
  };
}
globalThis.document = {
  getElementById: (id) => every[id] || (every[id] = node(id)),
  createElementNS: (_, name) => node(name), createElement: node, querySelectorAll: () => [],
};
globalThis.window = node("window");
document.getElementById("forest").dataset.first = first;
document.getElementById("forest-data").textContent = data;
eval(fs.readFileSync(process.argv[1], "utf8"));
const drawn = {};
for (const gene of JSON.parse(data).genes) {
  const input = document.getElementById("forest-symbol");
  input.value = gene;
  every["forest-form"].submit({ type: "submit", preventDefault() {} });
  const marks = every["forest-drawing"].children[0].children;
  drawn[gene] = marks.filter((each) => !each.children.length)
    .map(({ name, textContent: text, attributes }) => ({ name, text, ...attributes }));
}
console.log(JSON.stringify(drawn));
"""


def drawn_by_script(result: MetaResult) -> dict[str, list[dict[str, str]]]:
    """Return the marks that the script of the page draws of each gene."""
    found = forest_data(result, result.genes["Variable"][0])
    script = files("genotex.reports") / "templates" / "forest.js"
    given = json.dumps({"data": found.data, "first": found.first})
    run = subprocess.run(
        ["node", "-e", PAGE, str(script)], input=given, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    drawn: dict[str, list[dict[str, str]]] = json.loads(run.stdout)
    return drawn


def numbers_in(text: str) -> list[float]:
    """Return effect and ends of "+0.50  (+0.20 to +0.80)"."""
    plain = text.replace("\N{MINUS SIGN}", "-").replace("(", " ").replace(")", " ")
    return [float(part) for part in plain.replace(" to ", " ").split()]


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.parametrize("level", [False, True])
def test_lines_of_the_plot_are_those_of_the_static_figure(tmp_path: Path, level: bool) -> None:
    _, result = solved(tmp_path, level=level)
    drawn = drawn_by_script(result)
    assert list(drawn) == result.genes["Variable"].to_list()
    for place, marks in enumerate(drawn.values()):
        texts = [mark["text"] for mark in marks if mark["name"] == "text"]
        rows = forest_rows(result, place)
        written = [text for text in texts if " to " in text]
        assert [text for text in texts if text in {row.label for row in rows}] == [
            row.label for row in rows
        ]
        for text, row in zip(written, rows, strict=True):
            # The page holds thousandths.
            expected = (row.effect, row.lower, row.upper)
            assert numbers_in(text) == pytest.approx(expected, abs=0.011), row.label


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_marks_are_where_their_numbers_are_and_diamonds_have_the_colour_of_their_sign(
    tmp_path: Path,
) -> None:
    _, result = solved(tmp_path)
    for place, marks in enumerate(drawn_by_script(result).values()):
        cohorts = [row for row in forest_rows(result, place) if row.weight is not None]
        combined = [row for row in forest_rows(result, place) if row.weight is None]
        (zero,) = (float(mark["x1"]) for mark in marks if mark.get("class") == "zero")
        lines = [mark for mark in marks if mark.get("class") == "range"]
        squares = [mark for mark in marks if mark.get("class") == "cohort"]
        diamonds = [mark for mark in marks if mark["name"] == "polygon"]
        assert [mark["class"] for mark in diamonds] == [
            "up" if row.effect > 0 else "down" for row in combined
        ]
        for row, line, square in zip(cohorts, lines, squares, strict=True):
            middle = float(square["x"]) + float(square["width"]) / 2
            assert float(line["x1"]) < middle < float(line["x2"])
            for at, value in ((middle, row.effect), (float(line["x1"]), row.lower)):
                assert (at > zero) == (value > 0) or abs(value) < 0.01
