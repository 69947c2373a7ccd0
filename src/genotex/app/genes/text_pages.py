"""Texts of an analysis as files: the methods paragraph, and the R script of a design."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from genotex.analysis import read_enrichment
from genotex.app.downloads import send_text
from genotex.app.pages import analysis_of, not_found, place_of, workbench_of
from genotex.reports import methods_paragraph
from genotex.reports.problem.groups import groups_of_samples
from genotex.reports.sections.gene_sets import view_gene_sets

_START = 1000
"""Characters of a script that say what it is of."""


def methods(request: Request) -> Response:
    """Send the methods paragraph of the report."""
    analysis = analysis_of(request)
    findings, genes, output = analysis.findings, analysis.genes, analysis.output
    result = analysis.result
    path = output.enrichment(result.trait, result.condition)
    workspace = workbench_of(request).workspace
    sets = None
    if workspace.file(path) is not None and workspace.holds(path.with_suffix(".csv")):
        enrichment = read_enrichment(output, result.trait, result.condition)
        sets = view_gene_sets(enrichment, findings, path.with_suffix(".csv").name)
    text = methods_paragraph(
        analysis.evidence,
        findings,
        genes.height - genes["rank_p"].null_count(),
        groups_of_samples(analysis.evidence, analysis.marks, findings),
        "" if sets is None else sets.methods,
    )
    return send_text(text + "\n", f"{result.trait}_{result.cohort}_methods.txt")


def _script(request: Request) -> Path | None:
    """Return the R script that `genotex de` wrote for this analysis."""
    output, trait, condition = place_of(request)
    if condition is not None:
        return None
    workspace = workbench_of(request).workspace
    for name in (f"analysis_{trait}.R", "analysis.R"):
        path = workspace.file(output.root / name)
        if path is not None and f" for {trait} in " in _start(path):
            return path
    return None


def _start(path: Path) -> str:
    with path.open(encoding="utf-8") as handle:
        return handle.read(_START)


def script(request: Request) -> Response:
    """Send the R script."""
    path = _script(request)
    if path is None:
        msg = "an R script of this analysis"
        raise not_found(msg)
    return FileResponse(path, media_type="text/plain; charset=utf-8", filename=path.name)


def found_files(request: Request, cohort: str) -> dict[str, bool]:
    """Return which files of an analysis of a cohort there are."""
    output, trait, condition = place_of(request)
    workspace = workbench_of(request).workspace
    measured = output.cohort_info(trait), output.linked_csv(trait, cohort)
    return {
        "has_report": workspace.file(output.report(trait, condition)) is not None,
        "has_script": _script(request) is not None,
        "has_quality": all(workspace.file(path) is not None for path in measured),
    }


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [Route("/methods", methods), Route("/script", script)]
