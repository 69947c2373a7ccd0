"""The first page: what is in the folder; and the reports."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from genotex.analysis import SURVIVAL_FILES
from genotex.app.access.security import REPORT_POLICY
from genotex.app.data.adding_pages import forms_of
from genotex.app.pages import not_found, place_of, render, workbench_of
from genotex.studies import ANALYSES, list_tables

_FEW = 20
"""Entries that need no search."""


def home(request: Request) -> Response:
    """Show inputs, outputs and analyses."""
    workspace, jobs = workbench_of(request).workspace, workbench_of(request).jobs
    outputs = workspace.outputs()
    analyses = [each for output in outputs for each in output.analyses]
    analyses.sort(key=lambda each: each.written, reverse=True)
    inputs = workspace.inputs()
    entries = sum(len(names) for found in inputs for names in found.series.values())
    entries += sum(len(names) for output in outputs for names in output.cohorts.values())
    tables = list_tables(workspace)
    return render(
        request,
        "home.html.j2",
        empty=not (inputs or outputs or tables),
        **forms_of(request),
        inputs=inputs,
        many=entries + len(analyses) > _FEW,
        tables=tables,
        outputs=outputs,
        atlases=workbench_of(request).atlases.found(workspace),
        survival=sorted(workspace.holding(SURVIVAL_FILES[1])),
        analyses=analyses,
        named={f"{ANALYSES}/{record.name}": record for record in jobs.records() if record.kept},
        problems=[problem for output in outputs for problem in output.problems],
    )


def report(request: Request) -> Response:
    """Send a report page; it runs without access to the application."""
    output, trait, condition = place_of(request)
    path = output.report(trait, condition)
    if request.query_params.get("cohorts"):
        path = output.meta_report(trait, condition)
    found = workbench_of(request).workspace.file(path)
    if found is None:
        what = f"a report of {trait}"
        raise not_found(what)
    policy = {"Content-Security-Policy": REPORT_POLICY}
    if request.query_params.get("save"):
        return FileResponse(found, filename=found.name, headers=policy)
    return FileResponse(found, media_type="text/html; charset=utf-8", headers=policy)


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [Route("/", home), Route("/report", report)]
