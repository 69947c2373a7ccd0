"""The scripts of report pages by what a reader sees: order, search, colours, opened genes."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genotex.figures import COLOURS
from genotex.reports import ranked
from tests.reports.report_cohort import make_findings, make_table
from tests.reports.test_report_explorer import embedded
from tests.shown import agrees

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
BROWSER = Path(__file__).with_name("browser")


def seen(run: str, names: list[str], given: dict[str, Any]) -> Any:
    """Return what a page shows after its scripts ran."""
    folder = files("genotex.reports") / "templates"
    paths = [str(folder / name) for name in names]
    steps = (BROWSER / run).read_text(encoding="utf-8")
    sent = json.dumps({"scripts": paths, "run": steps, "given": given})
    done = subprocess.run(
        ["node", str(BROWSER / "stub.js")], input=sent, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


MINUS = "\N{MINUS SIGN}"
HEAD = ["Gene", "log2 FC", "p", "note"]
ROWS = [
    (["TP53", "+1.20", "5.8e-17", ""], "up sig rep"),
    (["BRCA1", f"{MINUS}2.50", "0.0004", "b"], "down sig"),
    (["TP63", "", "", "a"], "up"),
    (["ABC1", "+0.10", "<1e-300", "c"], "up sig"),
    (["ZYX", f"{MINUS}0.30", "0.2", "a"], "down"),
]
ACTS: list[tuple[tuple[str, Any], list[str]]] = [
    (("sort", 0), ["ABC1", "BRCA1", "TP53", "TP63", "ZYX"]),
    (("sort", 0), ["ZYX", "TP63", "TP53", "BRCA1", "ABC1"]),
    (("sort", 1), ["BRCA1", "ZYX", "ABC1", "TP53", "TP63"]),
    (("sort", 1), ["TP53", "ABC1", "ZYX", "BRCA1", "TP63"]),
    (("sort", 2), ["ABC1", "TP53", "BRCA1", "ZYX", "TP63"]),
    (("search", " tp "), ["TP53", "TP63"]),
    (("significant", True), ["TP53"]),
    (("search", ""), ["ABC1", "TP53", "BRCA1"]),
    (("direction", "down"), ["BRCA1"]),
    (("direction", "up"), ["ABC1", "TP53"]),
    (("replicating", True), ["TP53"]),
    (("significant", False), ["TP53"]),
    (("replicating", False), ["ABC1", "TP53", "TP63"]),
]


def test_the_gene_table_sorts_by_number_and_keeps_what_its_filters_say() -> None:
    acts = [act for act, _ in ACTS]
    found = seen("tables.js", ["tables.js"], {"head": HEAD, "rows": ROWS, "acts": acts})
    column, up = -1, False
    for (act, expected), after in zip(ACTS, found, strict=True):
        assert after["shown"] == expected, act
        assert after["count"] == f"{len(expected)} gene{'' if len(expected) == 1 else 's'} shown"
        if act[0] == "sort":
            up = not up if column == act[1] else True
            column = act[1]
            words = "ascending" if up else "descending"
            assert after["sorted"] == [words if i == column else None for i in range(len(HEAD))]


def test_scores_are_searched_in_every_cell_and_counted() -> None:
    acts = [("search", "B"), ("search", "a 5.8"), ("search", "")]
    given = {"head": HEAD, "rows": ROWS, "acts": acts, "noun": "problems"}
    found = seen("tables.js", ["tables.js"], given)
    assert [after["shown"] for after in found] == [
        ["BRCA1", "ABC1"], [], [row[0][0] for row in ROWS],
    ]  # fmt: skip
    assert [after["count"] for after in found] == [
        "2 of 5 problems", "0 of 5 problems", "5 of 5 problems",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def explored() -> dict[str, Any]:
    """Return the genes of a page by rank, what was searched, and what the page then shows."""
    table, roles = make_table(13, 10, genes=300)
    genes = ranked(make_findings(table, roles))
    rows = genes.to_dicts()
    found = seen("explorer.js", ["explorer.js", "scatter.js"], {
        "data": embedded(), "search": ["cxcl9", "gene29", "JUN"], "clicks": [],
    })  # fmt: skip
    return {"rows": rows, "table": table, "roles": roles, **found}


def test_every_gene_is_drawn_at_its_numbers_in_the_colour_of_its_meaning(
    explored: dict[str, Any],
) -> None:
    rows = explored["rows"]
    colours = [
        COLOURS["rest" if not r["Significant"] else "up" if r["Coefficient"] > 0 else "down"]
        for r in rows
    ]
    # Drawn are first those that mean nothing, then up and down, each by rank.
    order = sorted(range(len(rows)), key=lambda i: (
        [COLOURS["rest"], COLOURS["up"], COLOURS["down"]].index(colours[i]), i
    ))  # fmt: skip
    log_p = [-np.log10(row["p"]) for row in rows]
    effect, mean = ([row[n] for row in rows] for n in ("Coefficient", "Mean Expression"))
    for name, across, above, labels in (
        ("volcano", effect, log_p, ("log2 FC", f"{MINUS}log10 p")),
        ("ma", mean, effect, ("mean expression", "log2 FC")),
    ):
        dots = explored["plots"][name]["dots"][: len(rows)]
        assert {dot["colour"][:7] for dot in dots} == set(colours)
        by_colour = {c: [d for d in dots if d["colour"][:7] == c] for c in set(colours)}
        places = [(by_colour[colours[i]].pop(0), i) for i in order]
        x, y = (np.array([dot[k] for dot, _ in places]) for k in ("x", "y"))
        at = [i for _, i in places]
        # A step to the right is more, a step up is a smaller number of the canvas.
        assert np.corrcoef(x, np.array(across)[at])[0, 1] > 0.9999, name
        assert np.corrcoef(y, np.array(above)[at])[0, 1] < -0.9999, name
        texts = [each["text"] for each in explored["plots"][name]["texts"]]
        assert [text for text in texts if text in labels] == list(labels)


def test_a_search_shows_each_gene_with_its_numbers(explored: dict[str, Any]) -> None:
    rows = explored["rows"]
    for wanted, after in zip(("CXCL9", "GENE29", "JUN"), explored["found"], strict=True):
        hits = [(i, row) for i, row in enumerate(rows) if wanted in row["Variable"]]
        hits.sort(key=lambda hit: (hit[1]["Variable"] != wanted, hit[0]))
        assert after["head"] == ["Gene", "log2 FC", "mean", "p", "q", "rank"]
        assert after["title"] == wanted and after["count"].split()[0] == str(len(hits))
        assert len(after["rows"]) == len(hits)
        for cells, bold, (rank, row) in zip(after["rows"], after["bold"], hits, strict=True):
            name, change, mean, p, q, place = cells
            assert (name, int(place), bold) == (row["Variable"], rank + 1, row["Significant"])
            for text, key in ((change, "Coefficient"), (mean, "Mean Expression")):
                assert float(text.replace(MINUS, "-")) == pytest.approx(row[key], abs=0.0052)
            for text, key in ((p, "p"), (q, "q")):
                assert agrees(text, row[key]) or float(text) == pytest.approx(row[key], rel=0.05)
        numbers = dict(part.rsplit(" ", 1) for part in after["numbers"].split(" \N{MIDDLE DOT} "))
        assert numbers == dict(zip(after["head"][1:], after["rows"][0][1:], strict=True))


def test_each_sample_is_a_dot_in_the_colour_and_column_of_its_group(
    explored: dict[str, Any],
) -> None:
    table, roles = explored["table"], explored["roles"]
    colour_of = {"case": COLOURS["case"], "healthy control": COLOURS["control"]}
    for after in explored["found"]:
        values = dict(zip(table.samples, table.expression[:, table.genes.index(after["title"])],
                          strict=True))  # fmt: skip
        assert len(after["dots"]) == len(values)
        heights, shown = [], []
        middles = {each["text"]: float(each["x"]) for each in after["groups"]}
        for dot in after["dots"]:
            name, value = dot["title"].split(": ")
            assert float(value) == pytest.approx(values[name], abs=0.02)
            heights.append(float(dot["cy"]))
            shown.append(values[name])
            role = roles[name]
            if role in colour_of:
                assert dot["fill"] == colour_of[role], role
            at = float(dot["cx"])
            nearest = min(middles, key=lambda label: abs(middles[label] - at))
            assert role.split()[-1] in nearest.lower() or nearest.lower() in role, (role, nearest)
        assert np.corrcoef(heights, shown)[0, 1] < -0.999
        sizes = [list(roles.values()).count(role) for role in dict.fromkeys(roles.values())]
        assert sorted(after["counts"]) == sorted(f"n = {size}" for size in sizes)


def test_a_click_on_a_dot_opens_its_gene(explored: dict[str, Any]) -> None:
    rows = explored["rows"]
    dots = explored["plots"]["ma"]["dots"]
    shown = [i for i, row in enumerate(rows) if row["Significant"] and row["Coefficient"] > 0]
    up = [dot for dot in dots if dot["colour"][:7] == COLOURS["up"]]
    chosen = [0, len(shown) // 2, len(shown) - 1]
    clicks = [(up[i]["x"], up[i]["y"]) for i in chosen]
    found = seen("explorer.js", ["explorer.js", "scatter.js"], {
        "data": embedded(), "search": [], "clicks": clicks,
    })  # fmt: skip
    assert found["opened"] == [rows[shown[i]]["Variable"] for i in chosen]
