"""Two analyses side by side: concordance plot, and genes significant in one or both."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlencode

import polars as pl
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.app.downloads import send_figure
from genotex.app.pages import address_of, analysis_of, not_found, render, workbench_of
from genotex.app.study import result_line
from genotex.app.tables import PageTable, Rows, columns
from genotex.figures import concordance
from genotex.studies import BOTH, FIRST, NEITHER, SECOND, LoadedAnalysis, compared, rank_correlation

MEASURES = {"effect": "effect", "t": "t statistic"}
_FILTERS = {
    "significant in both": pl.col("significant in") == BOTH,
    "significant in the first only": pl.col("significant in") == FIRST,
    "significant in the second only": pl.col("significant in") == SECOND,
    "significant, opposite direction": (pl.col("significant in") != NEITHER)
    & (pl.col("direction") == "opposite"),
}
_TABLE = PageTable(
    "/compare",
    "gene",
    columns(
        ("Variable", "Gene", "official symbol", "text"),
        ("effect 1", "effect, first", "change in the first analysis", "signed"),
        ("effect 2", "effect, second", "change in the second analysis", "signed"),
        ("t 1", "t, first", "t statistic of the first analysis", "signed"),
        ("t 2", "t, second", "t statistic of the second analysis", "signed"),
        ("q 1", "q, first", "q-value of the first analysis", "p"),
        ("q 2", "q, second", "q-value of the second analysis", "p"),
        ("significant in", "Significant in", "which of the two analyses", "text"),
        ("direction", "Direction", "whether the signs of the effects agree", "text"),
    ),
    to="/gene",
    key="gene",
    filters=_FILTERS,
)


def _second(request: Request) -> LoadedAnalysis:
    given = dict(parse_qsl(request.query_params.get("with", "")[:1000]))
    return analysis_of(request, given)


def compare(request: Request) -> Response:
    """Show the choice of the second analysis; with one, plot and table."""
    first, place = analysis_of(request), address_of(request)
    mine, chosen = urlencode(place), request.query_params.get("with", "")
    outputs = workbench_of(request).workspace.outputs()
    others = {urlencode(each.address): each for output in outputs for each in output.analyses}
    others.pop(mine, None)
    second = _second(request) if chosen else None
    values: dict[str, Any] = {"place": place}
    if second is not None:
        rows = _rows(request)
        values = _TABLE.values(request, rows) | {"facts": _facts(rows.frame)}
    return render(
        request,
        "compare.html.j2",
        line=result_line(request, first.result.cohort),
        one=first,
        two=second,
        others=others,
        chosen=chosen,
        measures=MEASURES,
        here=place,
        **values,
    )


def _facts(genes: pl.DataFrame) -> dict[str, str]:
    """Return how far the two agree, in a few numbers."""
    counts = dict(genes["significant in"].value_counts().iter_rows())
    facts = {"genes in both": f"{genes.height:,}"}
    for name in (BOTH, FIRST, SECOND):
        facts[f"significant in {name}"] = f"{counts.get(name, 0):,}"
    for part, label in MEASURES.items():
        if (correlation := rank_correlation(genes, part)) is not None:
            facts[f"rank correlation of {label}s"] = f"{correlation:.2f}"
    found = genes.filter(pl.col("significant in") == BOTH)
    if found.height:
        same = found.filter(pl.col("direction") == "same").height
        facts["same direction, of those in both"] = f"{100 * same / found.height:.0f} %"
    return facts


def _rows(request: Request) -> Rows:
    first, second, place = analysis_of(request), _second(request), address_of(request)
    genes = compared(first, second)
    names = "_".join(f"{each.result.trait}_{each.result.cohort}" for each in (first, second))
    return Rows(
        genes.with_columns((pl.col("significant in") != NEITHER).alias(".flag")),
        place | {"with": request.query_params.get("with", "")},
        f"{names}_compared",
        links=place,
    )


def points(request: Request) -> Response:
    """Send the points of the concordance plot."""
    by = request.query_params.get("by", "effect")
    if by not in MEASURES:
        msg = f"a plot of {by!r}"
        raise not_found(msg)
    first, second = analysis_of(request), _second(request)
    genes = compared(first, second)
    x, y = (
        genes[f"{by} {number}"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        for number in (1, 2)
    )
    labels = [
        f"{MEASURES[by]}, {which} ({each.output.root.name})"
        for which, each in (("first", first), ("second", second))
    ]
    names, kinds = genes["Variable"].to_list(), genes["significant in"].to_list()
    return send_figure(request, concordance(x, y, names, kinds, (labels[0], labels[1])))


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [Route("/compare", compare), Route("/compare/points", points), *_TABLE.routes(_rows)]
