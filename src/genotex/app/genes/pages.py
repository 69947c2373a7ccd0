"""The genes of an analysis: plots, table, a page for each gene, and what can be downloaded."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import polars as pl
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from genotex.analysis import GRADES, Enrichment, formula_of, read_enrichment
from genotex.app.downloads import figure_sizes, send_anndata, send_figure, send_text, send_zip
from genotex.app.genes import plots as gene_plots
from genotex.app.pages import (
    address_of,
    analysis_of,
    form_of,
    marked_of,
    not_found,
    place_of,
    render,
    visitor_of,
    workbench_of,
)
from genotex.app.study import result_line
from genotex.app.tables import PageTable, Row, Rows, facts_of, of_another
from genotex.errors import GenotexError
from genotex.reports import change_words, evidence_of, linked_of, methods_paragraph
from genotex.reports.problem.groups import groups_of_samples
from genotex.reports.sections.gene_sets import view_gene_sets
from genotex.studies import RECORD, SHEET, LoadedAnalysis
from genotex.words import question
from genotex.workflows import cohort_to_anndata

_OF_GENES = ("volcano", "ma")


def genes(request: Request) -> Response:
    """Show plots and table."""
    analysis = analysis_of(request)
    result, findings = analysis.result, analysis.findings
    cut = gene_plots.Cut.read(analysis, request.query_params)
    return render(
        request,
        "genes.html.j2",
        line=result_line(request, result.cohort),
        analysis=analysis,
        choices=gene_plots.choices_of(analysis),
        cut=cut,
        hits=_hits(analysis, cut),
        axis=change_words(analysis.findings).axis,
        plots=gene_plots.plots_of(analysis),
        contrast=result.method.get("contrast", {}).get("text", ""),
        design=None if findings.selects else formula_of(result),
        question=question(result.trait, result.condition, findings.trait_kind),
        marked_text=_marked_text(request, analysis),
        marked=marked_of(request),
        **_found_files(request),
        **GENES.values(request, _rows(request)),
    )


def _hits(analysis: LoadedAnalysis, cut: gene_plots.Cut) -> str:
    return f"{cut.significant(analysis).sum():,} genes"


def _marks(row: Row) -> str:
    """Return the classes of a gene: up or down, and whether it is highlighted."""
    change = "up" if (row["Coefficient"] or 0) > 0 else "down"
    return f"{change} listed" if row.get(".marked") else change


_SIGNIFICANT = pl.col("Significant").fill_null(False)
GENES = PageTable(
    "/genes",
    "gene",
    to="/gene",
    key="gene",
    flag="Significant",
    filters={
        "significant": _SIGNIFICANT,
        "significant, higher": _SIGNIFICANT & (pl.col("Coefficient") > 0),
        "significant, lower": _SIGNIFICANT & (pl.col("Coefficient") < 0),
        **{grade: (pl.col("Grade") == grade).fill_null(False) for grade in GRADES},
        "highlighted": pl.col(".marked"),
    },
    marks=_marks,
)


def _rows(request: Request) -> Rows:
    """Return the genes, those inside the lasso where there is one."""
    analysis = analysis_of(request)
    marked = gene_plots.highlighted(analysis, marked_of(request))
    cut = gene_plots.Cut.read(analysis, request.query_params)
    passes = cut.significant(analysis)
    genes = analysis.genes.with_columns(pl.Series(".marked", marked), passes.alias("Significant"))
    plot, lasso = (request.query_params.get(name, "") for name in ("plot", "lasso"))
    plot = plot if plot in _OF_GENES else _OF_GENES[0]
    if drawn := gene_plots.corners(lasso):
        genes = genes.filter(
            pl.Series(gene_plots.inside(gene_plots.axes_of(analysis, plot), drawn))
        )

    return Rows(
        genes,
        address_of(request),
        f"{analysis.result.trait}_{analysis.result.cohort}_genes",
        columns=analysis.columns,
        whole=of_another(partial(analysis.table_of_all, passes)),
        carried={"q": f"{cut.q:g}", "change": f"{cut.change:g}"}
        | ({"plot": plot, "lasso": lasso} if drawn else {"plot": "", "lasso": ""}),
        total=analysis.genes.height,
    )


def points(request: Request) -> Response:
    """Send the numbers of a plot."""
    analysis = analysis_of(request)
    plot, plots = request.query_params.get("plot", "volcano"), gene_plots.plots_of(analysis)
    if plot not in plots:
        what = f"a plot {plot!r}"
        raise not_found(what)
    by = request.query_params.get("by", "")
    known = by if by in gene_plots.choices_of(analysis) else ""
    marked = gene_plots.highlighted(analysis, marked_of(request))
    cut = gene_plots.Cut.read(analysis, request.query_params)
    found = analysis.figures.get(
        (plot, cut, known, marked.tobytes()),
        lambda: plots[plot].declare(gene_plots.subject_of(analysis, cut, marked, known, plot)),
    )
    window = _window(request.query_params.get("window", ""))
    hits = _hits(analysis, cut)
    note = "" if found is None else found.caption
    return send_figure(request, found, note, window=window, hits=hits)


def _window(text: str) -> tuple[float, float, float, float] | None:
    try:
        left, right, low, high = (float(part) for part in text.split(","))
    except ValueError:
        return None
    return left, right, low, high


async def mark(request: Request) -> Response:
    """Highlight the genes of a pasted list."""
    async with form_of(request) as form:
        genes = gene_plots.names_in(str(form.get("genes", "")))
        workbench_of(request).marked[visitor_of(request).user] = genes
    text = _marked_text(request, analysis_of(request))
    return PlainTextResponse(text, headers={"HX-Trigger": "marked"})


def _marked_text(request: Request, analysis: LoadedAnalysis) -> str:
    marked = marked_of(request)
    if not marked:
        return "No genes highlighted."
    absent = [name for name in marked if name.lower() not in analysis.rank_of]
    text = f"{len(marked) - len(absent)} of {len(marked)} genes highlighted"
    more = f" and {len(absent) - 8} more" if len(absent) > 8 else ""
    return f"{text}; not in this analysis: {', '.join(absent[:8])}{more}." if absent else f"{text}."


def gene(request: Request) -> Response:
    """Show one gene."""
    analysis, name = _gene_of(request)
    workbench = workbench_of(request)
    row = analysis.genes.row(analysis.rank_of[name.lower()], named=True)
    return render(
        request,
        "gene.html.j2",
        line=result_line(request, analysis.result.cohort),
        analysis=analysis,
        name=name,
        row=row,
        facts=facts_of(row, analysis.columns[1:]),
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
    return send_figure(request, gene_plots.gene_figure(analysis, name, by))


def forest(request: Request) -> Response:
    """Send the effects of a gene in every cohort."""
    analysis, name = _gene_of(request)
    return send_figure(request, gene_plots.forest_of(analysis, name))


_START = 1000
"""Characters of a script that say what it is of."""


def enrichment_of(request: Request, analysis: LoadedAnalysis) -> Enrichment | None:
    """Return the test of gene sets of an analysis, if there is one."""
    result, workspace = analysis.result, workbench_of(request).workspace
    path = analysis.output.enrichment(result.trait, result.condition)
    if workspace.file(path) is None or not workspace.holds(path.with_suffix(".csv")):
        return None
    return read_enrichment(analysis.output, result.trait, result.condition)


def readable_sets(request: Request, analysis: LoadedAnalysis) -> tuple[Enrichment | None, str]:
    """Return the test of gene sets of an analysis, or why it cannot be read."""
    try:
        return enrichment_of(request, analysis), ""
    except GenotexError as error:
        return None, str(error)


def _methods(request: Request) -> Response:
    """Send the methods paragraph of the report."""
    analysis = analysis_of(request)
    name = f"{analysis.result.trait}_{analysis.result.cohort}_methods.txt"
    return send_text(_methods_of(request, analysis) + "\n", name)


def _methods_of(request: Request, analysis: LoadedAnalysis) -> str:
    findings, genes, result = analysis.findings, analysis.genes, analysis.result
    file = analysis.output.enrichment(result.trait, result.condition).with_suffix(".csv").name
    # Sets that are not of this table are no part of its methods.
    sets = view_gene_sets(readable_sets(request, analysis)[0], findings, file)
    return methods_paragraph(
        analysis.evidence,
        findings,
        genes.height - genes["rank_p"].null_count(),
        groups_of_samples(analysis.evidence, analysis.marks, findings),
        "" if sets is None else sets.methods,
    )


def _everything(request: Request) -> Response:
    """Send a result as one file: table, figures, methods, report, gene sets, script, sheet."""
    analysis = analysis_of(request)
    output, trait, condition = place_of(request)
    cut = gene_plots.Cut.read(analysis, request.query_params)
    passes = cut.significant(analysis)
    marked = gene_plots.highlighted(analysis, marked_of(request))
    plots = gene_plots.plots_of(analysis).items()
    drawn = (e.declare(gene_plots.subject_of(analysis, cut, marked, "", key)) for key, e in plots)
    sets = output.enrichment(trait, condition).with_suffix(".csv")
    record = [output.root / name for name in (RECORD, SHEET)]
    found = [output.report(trait, condition), sets, *record]
    files = [path for path in map(workbench_of(request).workspace.file, found) if path is not None]
    script = _script(request)
    name = f"{analysis.result.trait}_{analysis.result.cohort}"
    return send_zip(
        name,
        analysis.table_of_all(passes),
        [figure for figure in drawn if figure is not None],
        {"methods.txt": _methods_of(request, analysis) + "\n"},
        files if script is None else [*files, script],
        figure_sizes(request),
    )


def _script(request: Request) -> Path | None:
    """Return the R script that `genotex de` wrote for this analysis."""
    output, trait, condition = place_of(request)
    if condition is not None:
        return None
    workspace = workbench_of(request).workspace
    for name in (f"analysis_{trait}.R", "analysis.R"):
        path = workspace.file(output.root / name)
        if path is not None:
            with path.open(encoding="utf-8") as handle:
                if f" for {trait} in " in handle.read(_START):
                    return path
    return None


def _download_script(request: Request) -> Response:
    """Send the R script."""
    path = _script(request)
    if path is None:
        msg = "an R script of this analysis"
        raise not_found(msg)
    return FileResponse(path, media_type="text/plain; charset=utf-8", filename=path.name)


def _found_files(request: Request) -> dict[str, bool]:
    """Return which files of an analysis there are."""
    output, trait, condition = place_of(request)
    workspace = workbench_of(request).workspace
    return {
        "has_sets": workspace.file(output.enrichment(trait, condition)) is not None,
        "has_report": workspace.file(output.report(trait, condition)) is not None,
        "has_script": _script(request) is not None,
    }


def _samples(request: Request) -> Response:
    """Send the samples as AnnData, with the result in ``var``."""
    found = analysis_of(request)
    table = linked_of(found.output, found.result)
    evidence = evidence_of(found.output, found.result)
    data = cohort_to_anndata(table, evidence, found.table_of_all())
    return send_anndata(data, f"{found.result.trait}_{found.result.cohort}.h5ad")


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/genes", genes),
        Route("/genes/points", points),
        Route("/genes/mark", mark, methods=["POST"], name="highlights genes"),
        *GENES.routes(_rows),
        Route("/methods", _methods),
        Route("/result.zip", _everything),
        Route("/script", _download_script),
        Route("/genes.h5ad", _samples),
        Route("/gene", gene),
        Route("/gene/values", values),
        Route("/gene/forest", forest),
    ]
