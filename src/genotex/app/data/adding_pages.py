"""Adding data: a series by accession, uploaded files, own tables, and the demonstration."""

from __future__ import annotations

import time
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.app.data.analysis_pages import history_of
from genotex.app.data.uploads import Sent, input_for, keep_series, keep_tables, trait_named
from genotex.app.forms import OptionForm
from genotex.app.pages import form_of, refusals, render, visitor_of, workbench_of
from genotex.errors import UsageError
from genotex.fetch import (
    UNSORTED,
    GeoAddresses,
    GeoRequest,
    SeriesPlan,
    open_geo_source,
    plan_values,
    read_accessions,
)
from genotex.options import GeoOptions, ReadingOptions
from genotex.simulate.scenario import TRAIT
from genotex.studies import DEMO, AnalysisRecord, FetchRecord, list_tables

_MOST_FILES = 20
_FETCHING = OptionForm(GeoOptions(platform_only=True))
_READING = OptionForm(ReadingOptions())


def forms_of(request: Request) -> dict[str, Any]:
    """Return what the forms for adding data show, with the history."""
    most = workbench_of(request).access.file_limit
    return {"fetching": _FETCHING, "reading": _READING, "most": most, **history_of(request)}


def add(request: Request) -> Response:
    """Show the forms, and what is fetched."""
    tables = list_tables(workbench_of(request).workspace)
    return render(request, "add.html.j2", tables=tables, **forms_of(request))


async def fetch(request: Request) -> Response:
    """Let a series be fetched, and show the history."""
    async with form_of(request) as form:
        accession, trait = _text(form, "accession"), _text(form, "trait")
        with refusals():
            given = accession, trait, *_FETCHING.read(form)
            await run_in_threadpool(_submit_fetch, request, *given)
    return render(request, "history.html.j2", **history_of(request))


async def plan(request: Request) -> Response:
    """Show what expression of a series can be taken from, before anything is fetched."""
    async with form_of(request) as form:
        accession = _text(form, "accession")
    with refusals():
        found = await run_in_threadpool(_plan, request, accession)
    return render(request, "plan.html.j2", plan=found)


def _plan(request: Request, accession: str) -> SeriesPlan:
    asked = GeoRequest(None, read_accessions([accession]), options=GeoOptions(True, True))
    with open_geo_source(None, GeoAddresses(*workbench_of(request).geo_addresses)) as source:
        found = next(plan_values(source, asked), None)
    if found is None:
        msg = f"GEO has no series {accession}"
        raise UsageError(msg)
    return found


def _submit_fetch(request: Request, accession: str, trait: str, options: GeoOptions) -> None:
    workbench = workbench_of(request)
    (name,) = read_accessions([accession])
    folder = trait_named(trait) if trait else UNSORTED
    workbench.jobs.check_room(visitor_of(request).user)
    source = input_for(workbench.workspace, folder)
    if not workbench.workspace.holds(workbench.workspace.root / source / "GEO" / folder / name):
        msg = f"{source} leads out of the folder"
        raise UsageError(msg)
    record = FetchRecord(
        name=workbench.jobs.new_name("fetch", name),
        created=time.time(),
        accession=name,
        trait=folder,
        source=source,
        options=options,
        addresses=workbench.geo_addresses,
    )
    workbench.jobs.submit(record, visitor_of(request).user)


async def series(request: Request) -> Response:
    """Keep the files of a series, and show how they were read."""
    async with form_of(request, max_files=_MOST_FILES) as form:
        sent = [each for each in (_sent(file) for file in form.getlist("files")) if each]
        given = workbench_of(request).workspace, _text(form, "trait"), _text(form, "accession")
        with refusals():
            apart = workbench_of(request).apart
            added = await run_in_threadpool(keep_series, *given, sent, apart)
    return render(request, "added.html.j2", series=added, tables=None, added=added)


async def tables(request: Request) -> Response:
    """Keep own tables, and show how they were read."""
    async with form_of(request, max_files=_MOST_FILES) as form:
        expression = _sent(form.get("expression"))
        if expression is None:
            raise HTTPException(400, "choose the expression table")
        others = [_sent(form.get("samples")), _sent(form.get("platform"))]
        workspace, name = workbench_of(request).workspace, _text(form, "name")
        with refusals():
            (reading,) = _READING.read(form)
            apart = workbench_of(request).apart
            given = workspace, name, reading.scale, expression, others, apart
            files, sent = await run_in_threadpool(keep_tables, *given)
            kept = workbench_of(request).kept_tables
            _, read = await run_in_threadpool(kept, files, sent)
    return render(request, "added.html.j2", series=None, tables=files, added=read)


async def _demonstrate(request: Request) -> Response:
    """Let a study be simulated and analysed, and show the history."""
    with refusals():
        await run_in_threadpool(_submit_demo, request)
    return render(request, "history.html.j2", **history_of(request))


def _submit_demo(request: Request) -> None:
    jobs = workbench_of(request).jobs
    jobs.check_room(visitor_of(request).user)
    folder = jobs.new_folder(TRAIT)
    record = AnalysisRecord(
        name=folder.name,
        created=time.time(),
        trait=TRAIT,
        condition=None,
        series=[],
        source=DEMO,
        every=True,
        by_sheet=[],
        demo=True,
    )
    jobs.submit(record, visitor_of(request).user)


def _text(form: FormData, name: str) -> str:
    value = form.get(name, "")
    return value.strip() if isinstance(value, str) else ""


def _sent(file: object) -> Sent | None:
    """Return a file of a form; None where none was chosen."""
    if not isinstance(file, UploadFile) or not file.filename:
        return None
    return Sent(file.filename, file.file)


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/add", add),
        Route("/add/fetch", fetch, methods=["POST"], name="fetches a series"),
        Route("/add/plan", plan, methods=["POST"], name=""),
        Route("/add/series", series, methods=["POST"], name="uploads a series"),
        Route("/add/tables", tables, methods=["POST"], name="uploads tables"),
        Route("/add/demo", _demonstrate, methods=["POST"], name="starts the demonstration"),
    ]
