"""The genes of an analysis: plots, table, downloads, and a page for each gene."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import polars as pl
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from genotex.analysis import formula_of
from genotex.app.genes import plots as gene_plots
from genotex.app.genes import text_pages
from genotex.app.genes.downloads import send_table
from genotex.app.genes.query import ONLY, ROWS, GeneQuery, marks_of, names_in
from genotex.app.pages import address_of, analysis_of, form_of, not_found, render, workbench_of
from genotex.reports.genes.table import GeneTableView
from genotex.studies import LoadedAnalysis
from genotex.words import question


def genes(request: Request) -> Response:
    """Show plots and table."""
    analysis = analysis_of(request)
    result, findings = analysis.result, analysis.findings
    return render(
        request,
        "genes.html.j2",
        analysis=analysis,
        choices=gene_plots.choices_of(analysis),
        plots={} if findings.selects else gene_plots.PLOTS,
        contrast=result.method.get("contrast", {}).get("text", ""),
        design=None if findings.selects else formula_of(result),
        question=question(result.trait, result.condition, findings.trait_kind),
        marked_text=_marked_text(request, analysis),
        marked=workbench_of(request).marked,
        **text_pages.found_files(request, result.cohort),
        **_table_values(request, analysis),
    )


def table(request: Request) -> Response:
    """Show the table alone, for htmx."""
    return render(request, "gene_table.html.j2", **_table_values(request, analysis_of(request)))


def _table_values(request: Request, analysis: LoadedAnalysis) -> dict[str, Any]:
    query = GeneQuery.parse(request.query_params)
    marked = workbench_of(request).marked
    found = query.apply(analysis, marked)
    pages = max(1, math.ceil(found.height / ROWS))
    page = min(query.page, pages)
    rows = found.slice((page - 1) * ROWS, ROWS).to_dicts()
    lower = {name.lower() for name in marked}
    return {
        "query": query,
        "only": ONLY,
        "view": GeneTableView(analysis.columns, rows, found.height, ""),
        "page": page,
        "pages": pages,
        "first": (page - 1) * ROWS,
        "total": analysis.genes.height,
        "is_marked": lambda symbol: symbol.lower() in lower,
        "place": address_of(request),
    }


def points(request: Request) -> Response:
    """Send the numbers of a plot."""
    analysis = analysis_of(request)
    plot = request.query_params.get("plot", "volcano")
    if plot not in gene_plots.PLOTS or analysis.findings.selects:
        what = f"a plot {plot!r}"
        raise not_found(what)
    if plot == "p":
        return JSONResponse(gene_plots.histogram(analysis))
    if plot == "samples":
        by = request.query_params.get("by", "")
        known = by if by in gene_plots.choices_of(analysis) else ""
        return JSONResponse(gene_plots.sample_map(analysis, known))
    marked = marks_of(analysis, workbench_of(request).marked)
    return JSONResponse(
        gene_plots.points(analysis, plot, marked, _window(request.query_params.get("window", "")))
    )


def _window(text: str) -> tuple[float, float, float, float] | None:
    try:
        left, right, low, high = (float(part) for part in text.split(","))
    except ValueError:
        return None
    return left, right, low, high


async def mark(request: Request) -> Response:
    """Highlight the genes of a pasted list."""
    async with form_of(request) as form:
        workbench_of(request).marked = names_in(str(form.get("genes", "")))
    text = _marked_text(request, analysis_of(request))
    return PlainTextResponse(text, headers={"HX-Trigger": "marked"})


def _marked_text(request: Request, analysis: LoadedAnalysis) -> str:
    marked = workbench_of(request).marked
    if not marked:
        return "No genes highlighted."
    absent = [name for name in marked if name.lower() not in analysis.rank_of]
    text = f"{len(marked) - len(absent)} of {len(marked)} genes highlighted"
    more = f" and {len(absent) - 8} more" if len(absent) > 8 else ""
    return f"{text}; not in this analysis: {', '.join(absent[:8])}{more}." if absent else f"{text}."


def _download(request: Request) -> Response:
    """Send the genes of the table, all pages and columns, as CSV or Excel."""
    analysis = analysis_of(request)
    found = GeneQuery.parse(request.query_params).apply(analysis, workbench_of(request).marked)
    whole = analysis.table_of_all()
    symbol = whole.columns[0]
    listed = found.select(pl.col("Variable").alias(symbol)).join(
        whole, on=symbol, how="left", maintain_order="left"
    )
    name = f"{analysis.result.trait}_{analysis.result.cohort}_genes"
    return send_table(listed, name, request.url.path)


def gene(request: Request) -> Response:
    """Show one gene."""
    analysis, name = _gene_of(request)
    workbench = workbench_of(request)
    row = analysis.genes.row(analysis.rank_of[name.lower()], named=True)
    view = GeneTableView(analysis.columns, [row], 1, "")
    return render(
        request,
        "gene.html.j2",
        analysis=analysis,
        name=name,
        row=row,
        view=view,
        rank=analysis.rank_of[name.lower()] + 1,
        choices=gene_plots.choices_of(analysis),
        has_values=name in analysis.gene_rows,
        forest=gene_plots.forest_of(analysis, name),
        atlases=[each.name for each in workbench.atlases.found(workbench.workspace)],
        place=address_of(request),
    )


def _gene_of(request: Request) -> tuple[LoadedAnalysis, str]:
    analysis = analysis_of(request)
    given = request.query_params.get("gene", "")
    rank = analysis.rank_of.get(given.lower())
    if rank is None:
        what = f"the gene {given!r} of this analysis"
        raise not_found(what)
    return analysis, analysis.genes["Variable"][rank]


def values(request: Request) -> Response:
    """Send the expression of a gene in every sample."""
    analysis, name = _gene_of(request)
    by = request.query_params.get("by", "")
    if name not in analysis.gene_rows or (by and by not in gene_plots.choices_of(analysis)):
        raise HTTPException(404, f"no values of {name}")
    return JSONResponse(gene_plots.samples_of(analysis, name, by))


def _forest(request: Request) -> Response:
    """Send the effects of a gene in every cohort."""
    analysis, name = _gene_of(request)
    found: Mapping[str, Any] | None = gene_plots.forest_of(analysis, name)
    return JSONResponse(found)


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/genes", genes),
        Route("/genes/table", table),
        Route("/genes/points", points),
        Route("/genes/mark", mark, methods=["POST"]),
        Route("/genes.csv", _download),
        Route("/genes.xlsx", _download),
        Route("/gene", gene),
        Route("/gene/values", values),
        Route("/gene/forest", _forest),
    ]
