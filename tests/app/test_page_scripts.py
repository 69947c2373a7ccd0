"""Scripts of the workbench by what a person does: zoom, lasso, click, choice, search, upload."""

from __future__ import annotations

import shutil
from importlib.resources import files
from typing import Any

import pytest

from tests.app.conftest import run_in_node

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")

Page = dict[str, dict[str, Any]]
PLOTS = ["volcano", "ma", "histogram", "pca"]
PANEL = {"series": [], "y": {"ticks": [[0, "a"], [1, "b"], [2, "c"]]}}


def figure(key: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "rows": [[PANEL]], "note": f"note of {key}", **more}


def done(
    scripts: str, parts: Page, acts: list[Any], answers: dict[str, Any], **groups: list[str]
) -> list[dict[str, Any]]:
    """Return what was asked, drawn, opened and shown when the page began and after each act."""
    static = files("genotex.app") / "static"
    texts = [(static / f"{name}.js").read_text(encoding="utf-8") for name in scripts.split()]
    given = {
        "source": "\n".join(texts), "parts": parts, "answers": answers, "acts": acts,
        "show": list(parts), "groups": {SELECTORS[name]: ids for name, ids in groups.items()},
    }  # fmt: skip
    return run_in_node("pages_in_node.js", given)


SELECTORS = {
    "plots": "[data-plot]", "saves": "[data-save]", "qualities": "[data-quality]", "add": ".add",
    "places": ".plot[data-figure]:not([data-own])", "lists": "ul.series",
    "rows": "ul.series li, table.home tbody tr",
}  # fmt: skip
GENES: Page = {
    "plot": {
        "dataset": {
            "figure": "/genes/points?output=r", "gene": "/gene?output=r", "note": "plot-note"
        }
    },
    "plot-note": {}, "colour": {"hidden": True}, "colour-by": {}, "lasso": {}, "lasso-plot": {},
    "unlasso": {"hidden": True}, "message": {}, "save": {"dataset": {"save": "svg", "of": "plot"}},
    **{name: {"dataset": {"plot": name}} for name in PLOTS},
}  # fmt: skip
POINTS = figure(
    "points",
    drawn=12,
    seen=345,
    total=6789,
    headers={"Content-Disposition": 'x; filename="genes.svg"'},
)


def test_the_plot_of_genes_is_zoomed_chosen_coloured_and_saved_as_asked() -> None:
    view = {"_fullLayout": {"xaxis": {"range": [-1.5, 2]}, "yaxis": {"range": [3, 4.25]}}}
    zoomed = {"xaxis.range[0]": -1.5}
    window = "&window=-1.50000,2.00000,3.00000,4.25000"
    steps: list[tuple[list[Any], str | None]] = [
        (["plot", "plotly_relayout", zoomed, {"plot": view}], f"plot=volcano{window}"),
        (["plot", "plotly_relayout", {"dragmode": "lasso"}], None),
        (["colour-by", "change"], f"plot=volcano{window}"),
        (["save", "click"], f"plot=volcano{window}&format=svg"),
        (["plot", "plotly_relayout", {"yaxis.autorange": True}], "plot=volcano"),
        (["plot", "plotly_relayout", zoomed], f"plot=volcano{window}"),
        (["plot", "plotly_doubleclick"], None),
        (["plot", "plotly_relayout", zoomed], "plot=volcano"),
        (["", "wait"], None),
        (["plot", "plotly_relayout", zoomed], f"plot=volcano{window}"),
        (["ma", "click"], "plot=ma"),
        (["plot", "plotly_relayout", {"yaxis.range[0]": 1}], f"plot=ma{window}"),
        (["pca", "click", {}, {"colour-by": {"value": "age"}}], "plot=pca&by=age"),
        (["plot", "plotly_relayout", zoomed], None),
        (["", "marked"], "plot=pca&by=age"),
        (["histogram", "click"], "plot=histogram"),
        (["volcano", "click"], "plot=volcano"),
    ]
    begun, *found = done(
        "app", GENES, [act for act, _ in steps], {"/genes/points": POINTS}, plots=PLOTS,
        saves=["save"],
    )  # fmt: skip
    assert begun["asked"] == ["/genes/points?output=r&plot=volcano"]
    note = begun["parts"]["plot-note"]["text"]
    assert note.startswith("note of points 12 points drawn for 345 of 6789 genes; more appear")
    pressed = None
    for (act, asked), after in zip(steps, found, strict=True):
        assert after.get("asked", []) == (
            [] if asked is None else [f"/genes/points?output=r&{asked}"]
        ), act
        assert after.get("saved", []) == (["genes.svg"] if act[0] == "save" else [])
        pressed = act[0] if act[0] in PLOTS else pressed
        if pressed is not None:
            assert [after["parts"][name]["pressed"] for name in PLOTS] == [
                str(name == pressed).lower() for name in PLOTS
            ]
            assert after["parts"]["colour"]["hidden"] == (pressed != "pca")
            of_genes = pressed in ("volcano", "ma")
            assert (
                after["parts"]["plot-note"]["text"].startswith("note of points 12 points")
                == of_genes
                or not asked
            )


def test_a_click_opens_a_gene_and_a_selection_goes_to_the_table() -> None:
    def click(gene: str | None, detail: int = 1) -> list[Any]:
        return [
            "plot",
            "plotly_click",
            {"points": [{"customdata": gene}], "event": {"detail": detail}},
        ]

    lasso = {"lassoPoints": {"x": [1, 2.5, -3], "y": [4, 5, 6]}}
    box = {"range": {"x": [1, 2], "y": [3, 7]}}
    acts = [
        click("A&1"), ["", "wait"], click("B"), click("B", 2), ["", "wait"], click(None),
        ["", "wait"], click("C"), ["plot", "plotly_doubleclick"], ["", "wait"],
        ["plot", "plotly_selected", lasso], ["ma", "click"], ["plot", "plotly_selected", box],
        ["unlasso", "click"], ["plot", "plotly_selected"], ["pca", "click"],
        ["plot", "plotly_selected", box], click("D"), ["", "wait"],
    ]  # fmt: skip
    _, *found = done("app", GENES, acts, {"/genes/points": POINTS}, plots=PLOTS)
    opened = [each for after in found for each in after.get("opened", [])]
    assert opened == ["/gene?output=r&gene=A%261"] and "opened" in found[1]
    texts = {
        10: ("1.00000,4.00000,2.50000,5.00000,-3.00000,6.00000", "volcano"),
        12: ("1.00000,3.00000,2.00000,3.00000,2.00000,7.00000,1.00000,7.00000", "ma"),
        13: ("", "volcano"),
    }
    now = ("", "")
    for number, after in enumerate(found):
        now = texts.get(number, now)
        shown = after["parts"]
        assert (shown["lasso"]["value"], shown["lasso-plot"]["value"]) == now, number
        if number >= 10:
            assert shown["unlasso"]["hidden"] == (not now[0])
        assert after.get("triggered", []) == ([["#query", "lasso"]] if number in texts else [])


def test_other_figures_depend_on_their_choices_and_open_what_is_clicked() -> None:
    parts: Page = {
        "forest": {"dataset": {
            "figure": "/forest?gene=G", "with": "by:by given:condition", "note": "said",
            "line": "24", "open": "/atlas/trait?atlas=a", "name": "trait",
        }},
        "none": {"dataset": {"figure": "/none"}}, "said": {}, "by": {"value": "f1"},
        "given": {"value": ""}, "message": {},
        "save": {"dataset": {"save": "pdf", "of": "forest none"}},
    }  # fmt: skip
    saved = {"Content-Disposition": 'attachment; filename="f.pdf"'}
    answers = {"/forest": figure("forest", headers=saved), "/none": {"note": "", "headers": saved}}
    click = {"points": [{"customdata": "Lung & x"}]}
    begun, chosen, opened, kept = done(
        "app", parts,
        [["given", "change", {}, {"given": {"value": "Age"}}],
         ["forest", "plotly_click", click], ["save", "click"]],
        answers, places=["forest", "none"], saves=["save"],
    )  # fmt: skip
    assert begun["asked"] == ["/forest?gene=G&by=f1", "/none?"]
    assert begun["drawn"] == [["forest", {"height": 110 + 24 * 3}]]
    shown = begun["parts"]
    assert shown["said"]["text"] == "note of forest"
    assert not shown["forest"]["hidden"] and shown["none"]["hidden"]
    assert chosen["asked"] == ["/forest?gene=G&by=f1&condition=Age"]
    there = "http://here/atlas/trait?atlas=a&trait=Lung+%26+x&condition=Age"
    assert opened["opened"] == [there]
    wanted = [f"{chosen['asked'][0]}&format=pdf", "/none?format=pdf"]
    assert kept["asked"] == wanted and kept["saved"] == ["f.pdf"] * 2


@pytest.mark.parametrize(
    ("again", "more"),
    [("sign in", "\nSign in again"), ("load", "\nLoad this page again"), (None, "")],
)
def test_a_refusal_says_why_and_what_helps(again: str | None, more: str) -> None:
    answers = {"/forest": {"refused": "403: not signed in ", "headers": {"X-Open-Again": again}}}
    parts: Page = {"forest": {"dataset": {"figure": "/forest"}}, "message": {}}
    (begun,) = done("app", parts, [], answers, places=["forest"])
    assert begun["parts"]["message"]["text"] == f"not signed in{more}"


def test_a_search_on_the_first_page_keeps_what_has_the_words() -> None:
    list_of = {"kind": "ul.series"}
    parts: Page = {
        "narrow": {}, "narrowed": {}, "message": {},
        "h1": {"tagName": "H3", "textContent": "Lung Cancer"},
        "list1": {**list_of, "previousElementSibling": "h1"},
        "h2": {"tagName": "H2", "textContent": "Own tables"},
        "list2": {**list_of, "previousElementSibling": "h2"},
        "a": {"textContent": "GSE1", "list": "list1"},
        "b": {"textContent": "GSE2", "list": "list1"},
        "c": {"textContent": "mine", "list": "list2"}, "row": {"textContent": "Gout GSE12"},
    }  # fmt: skip
    wanted = {
        " gse1 ": ({"a", "row", "list1", "h1", "h2"}, "2 shown"),
        "lung": ({"a", "b", "list1", "h1", "h2"}, "2 shown"),
        "MINE": ({"c", "list2", "h2"}, "1 shown"),
        "": ({"a", "b", "c", "row", "list1", "list2", "h1", "h2"}, ""),
    }
    acts = [["narrow", "input", {"target": {"value": text}}] for text in wanted]
    _, *found = done("app", parts, acts, {}, rows=["a", "b", "c", "row"], lists=["list1", "list2"])
    for (text, (kept, count)), after in zip(wanted.items(), found, strict=True):
        shown = after["parts"]
        named = {*shown} - {"narrow", "narrowed", "message"}
        assert {name for name in named if not shown[name]["hidden"]} == kept, text
        assert shown["narrowed"]["text"] == count


def test_a_cell_of_the_map_opens_the_pair_of_its_column_and_row() -> None:
    parts: Page = {
        "map": {"dataset": {"figure": "/atlas/map?atlas=a", "pair": "/atlas/pair?atlas=a"}},
        "given": {"value": ""}, "pair": {"textContent": "old pair"}, "message": {},
    }  # fmt: skip
    cells = [(0, 2), (1, 1), (9, 0)]
    acts: list[Any] = [["map", "plotly_click", {"points": [{"x": x, "y": y}]}] for x, y in cells]
    acts += [["given", "change", {}, {"given": {"value": "Age"}}], acts[0]]
    answers = {"/atlas/map": figure("map", traits=["Acne", "Gout", "Lupus"])}
    begun, first, same, outside, changed, again = done("app atlas", parts, acts, answers)
    assert begun["asked"] == ["/atlas/map?atlas=a"]
    pair = "/atlas/pair?atlas=a{}&trait=Acne&other=Lupus"
    assert first["ajax"] == [["GET", pair.format(""), "#pair"]]
    assert "ajax" not in same and "ajax" not in outside
    assert changed["asked"] == ["/atlas/map?atlas=a&condition=Age"]
    assert changed["parts"]["pair"]["text"] == ""
    assert again["ajax"] == [["GET", pair.format("&condition=Age"), "#pair"]]


def test_distributions_are_shown_before_and_after_and_other_plots_alone() -> None:
    plots = ["pca", "box", "density"]
    parts: Page = {
        "quality": {"dataset": {"figure": "/quality/points", "note": "note"}},
        "before": {
            "dataset": {"figure": "/quality/before", "method": "POST", "note": "before-note"}
        },
        "colour-by": {"value": "group"}, "before-side": {"hidden": True}, "note": {},
        "after-title": {"hidden": True}, "sides": {}, "before-note": {}, "message": {},
        **{f"show-{name}": {"dataset": {"quality": name}} for name in plots},
    }  # fmt: skip
    acts: list[Any] = [
        ["show-box", "click"], ["colour-by", "change", {}, {"colour-by": {"value": "age"}}],
        ["show-density", "click"], ["show-pca", "click"],
    ]  # fmt: skip
    answers = {
        "/quality/points": figure("after", by="group"),
        "/quality/before": figure("before", by="sex"),
    }
    found = done("app quality", parts, acts, answers, qualities=[f"show-{name}" for name in plots])
    asked = [("pca", "group"), ("box", "group"), ("box", "age"), ("density", "age"), ("pca", "age")]
    for (plot, by), after in zip(asked, found, strict=True):
        both = plot != "pca"
        query = f"?plot={plot}&by={by}"
        before = [f"POST t /quality/before{query}"] if both else []
        assert after["asked"] == [f"/quality/points{query}", *before]
        shown = after["parts"]
        assert shown["before-side"]["hidden"] == shown["after-title"]["hidden"] == (not both)
        assert (shown["sides"]["name"] == "sides") == both
        assert shown["quality"]["ready"] == f"{plot} group"
        if both:
            assert shown["before"]["ready"] == f"{plot} sex"
            assert shown["before-note"]["text"] == "note of before"
        if after is not found[0]:
            pressed = [shown[f"show-{name}"]["pressed"] for name in plots]
            assert pressed == [str(name == plot).lower() for name in plots]


def test_an_upload_says_how_large_it_may_be_and_how_far_it_is() -> None:
    mib = 2**20
    parts: Page = {
        "form": {"dataset": {"most": str(3 * mib)}},
        "message": {},
        "added": {"id": "added"},
    }

    def sent(*sizes: int) -> list[Any]:
        files = [{"size": size} for size in sizes]
        asked = {"detail": {"elt": "form"}}
        return ["", "htmx:beforeRequest", asked, {"form": {"files": files}}]

    acts = [sent(mib, 2 * mib), sent(2 * mib, 2 * mib + 1), sent()]
    acts += [["", "htmx:xhr:progress", {"detail": {"loaded": a, "total": 200}}] for a in (85, 200)]
    texts = [
        after["parts"]["message"]["text"]
        for after in done("add", parts, acts, {}, add=["form"])[1:]
    ]
    assert texts == [
        "Sending and reading the files ...",
        "These files have 5 MiB; at most 3 MiB can be sent.",
        "These files have 5 MiB; at most 3 MiB can be sent.",
        "Sent 42 %", "Sent 42 %",
    ]  # fmt: skip
