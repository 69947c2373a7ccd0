"""Starting analyses: the design in words and as a formula, progress, and the history."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.analysis import SeriesDesign, check_request
from genotex.app.data.sheets import EditedSheet
from genotex.app.data.uploads import trait_named
from genotex.app.forms import OptionForm
from genotex.app.pages import (
    form_of,
    not_found,
    refusals,
    render,
    series_state,
    visitor_of,
    workbench_of,
)
from genotex.app.study import line_of, studied
from genotex.clinical import load_sample_sheet, sheet_cells, sheet_headers, write_sheet_table
from genotex.cohorts import load_options
from genotex.errors import GenotexError, UsageError
from genotex.features import table_features
from genotex.options import AnalysisOptions, PreprocessChoices
from genotex.problems import Problem
from genotex.studies import SHEET, AnalysisRecord, FoundInput, JobRecord
from genotex.workflows import plan_cohort, read_samples

COVARIATES = {feature.column: feature.name for feature in table_features()}
CONDITIONS = {"": "nothing", **COVARIATES}
_FORM = OptionForm(AnalysisOptions(), PreprocessChoices())
_SHOWN = 30
"""Jobs of the history that are shown at once."""


@dataclass(frozen=True)
class _AskedFor:
    """What the form states, but for the options."""

    trait: str
    condition: str | None
    series: tuple[str, ...]
    every: bool

    @classmethod
    def of(cls, form: QueryParams | FormData, found: FoundInput, trait: str) -> _AskedFor:
        """Return what a form states; all series where it was not sent."""
        there = found.of(trait)
        chosen = [str(name) for name in form.getlist("series") if name in there]
        condition = str(form.get("condition", ""))
        return cls(
            trait,
            condition if condition in COVARIATES else None,
            tuple(chosen if form.get("sent") else there),
            form.get("cohorts") != "largest",
        )


def _input_of(request: Request, trait: str, series: Sequence[str] = ()) -> FoundInput:
    """Return the first input folder that holds a trait, and of it the named series if any does."""
    every = [found for found in workbench_of(request).workspace.inputs() if found.of(trait)]
    every.sort(key=lambda found: bool(found.loose))
    named = (found for found in every if set(series) <= set(found.of(trait)))
    if every:
        return next(named, every[0])
    what = f"a series of {trait!r}"
    raise not_found(what)


def analysis(request: Request) -> Response:
    """Show the form and the history."""
    inputs = workbench_of(request).workspace.inputs()
    traits = sorted({trait for found in inputs for trait, series in found.series.items() if series})
    before = workbench_of(request).jobs.record(request.query_params.get("again", ""))
    before = before if isinstance(before, AnalysisRecord) else None
    trait = request.query_params.get("trait", "") or (traits[0] if traits else "")
    if trait and trait not in traits:
        with refusals():
            trait = trait_named(trait)
    trait = trait if before is None else before.trait
    if not trait:
        return render(
            request, "analysis.html.j2", traits=[], trait="", asked=None, **history_of(request)
        )
    series = request.query_params.getlist("series") if before is None else before.series
    found = _input_of(request, trait, series)
    asked, form = _AskedFor.of(request.query_params, found, trait), _FORM
    if before is not None:
        there = tuple(name for name in before.series if name in found.of(trait))
        asked = _AskedFor(trait, before.condition, there, before.every)
        form = OptionForm(before.options, before.data)
    return render(
        request,
        "analysis.html.j2",
        traits=sorted({*traits, trait}),
        trait=trait,
        asked=asked,
        found=found,
        conditions=CONDITIONS,
        form=form,
        before=before,
        line=line_of(request, "Design", {"trait": trait, "series": ",".join(asked.series)}),
        **history_of(request),
    )


def _named(form: FormData) -> list[str]:
    """Return the series that a form names."""
    return [str(name) for name in form.getlist("series")]


async def preview(request: Request) -> Response:
    """Show the design that the form states, for htmx."""
    async with form_of(request) as form:
        trait = str(form.get("trait", ""))
        found = await run_in_threadpool(_input_of, request, trait, _named(form))
        asked = _AskedFor.of(form, found, trait)
    shown = await run_in_threadpool(_preview, request, found, asked, form)
    return studied(render(request, "design.html.j2", asked=asked, **shown))


def _sheet(request: Request, found: FoundInput, trait: str, series: str) -> EditedSheet:
    workbench = workbench_of(request)
    path = workbench.workspace.sheet(trait, series)
    return workbench.sheets.get(path, found.files(trait, series), trait.replace("_", " "))


def _preview(
    request: Request, found: FoundInput, asked: _AskedFor, form: FormData
) -> dict[str, Any]:
    """Return the design of each series as it will run."""
    try:
        options, data = _FORM.read(form)
        chosen = load_options(data)
    except GenotexError as error:
        return {"plans": [], "error": f"{error}."}
    workbench, plans = workbench_of(request), []
    problem = Problem(asked.trait, asked.condition)
    for series in asked.series:
        try:
            sheet = _sheet(request, found, asked.trait, series)
            files = found.files(asked.trait, series)
            with sheet.reading(chosen) as reading:
                # Most changes of the form are not about how the samples are read.
                key = series_state(files), sheet.path, sheet.version, sheet.written, repr(data)
                make = partial(workbench.apart.run, read_samples, files, reading)
                read = workbench.read.get(key, make)
            plan = plan_cohort(read, problem, options)
        except GenotexError as error:
            sheet, plan = None, SeriesDesign(series, why_not=str(error))
        plans.append((plan, sheet))
    if len(plans) == 1:
        workbench.plans[asked.trait, *asked.series] = plans[0][0]
    return {"plans": plans, "error": "" if plans else "No series is chosen."}


async def start(request: Request) -> Response:
    """Start an analysis, and show the history."""
    async with form_of(request) as form:
        trait = str(form.get("trait", ""))
        found = await run_in_threadpool(_input_of, request, trait, _named(form))
        asked = _AskedFor.of(form, found, trait)
        with refusals():
            await run_in_threadpool(_submit, request, asked, *_FORM.read(form))
    return _history(request)


async def together(request: Request) -> Response:
    """Analyse several series of a trait by the usual options, and combine them."""
    async with form_of(request) as form:
        trait = str(form.get("trait", ""))
        found = await run_in_threadpool(_input_of, request, trait, _named(form))
        asked = _AskedFor.of(form, found, trait)
    with refusals():
        if len(asked.series) < 2:
            msg = "choose at least two series"
            raise UsageError(msg)
        job = await run_in_threadpool(_submit, request, asked, *_FORM.read({}))
    return render(request, "job.html.j2", job=job, result_page="/cohorts")


def _submit(
    request: Request, asked: _AskedFor, options: AnalysisOptions, data: PreprocessChoices
) -> AnalysisRecord:
    """Write the groups of an analysis to its folder, and let it wait for its turn."""
    workbench = workbench_of(request)
    found = _input_of(request, asked.trait, asked.series)
    if not asked.series:
        msg = "choose at least one series"
        raise UsageError(msg)
    workbench.jobs.check_room(visitor_of(request).user)
    sheets = {name: _sheet(request, found, asked.trait, name) for name in asked.series}
    saved = {name: sheet for name, sheet in sheets.items() if sheet.decides}
    record = AnalysisRecord(
        name="",
        trait=asked.trait,
        condition=asked.condition,
        series=list(asked.series),
        source=found.name,
        every=asked.every,
        by_sheet=list(saved),
        options=options,
        data=data,
        created=time.time(),
    )
    # Refuses options that make no sense before a folder is made.
    check_request(Problem(asked.trait, asked.condition), options, None)
    load_options(data)
    folder = workbench.jobs.new_folder(asked.trait)
    if saved:
        rows = [row for sheet in saved.values() for row in sheet.rows]
        headers = sheet_headers(rows)
        write_sheet_table(folder / SHEET, headers, sheet_cells(rows, headers))
        load_sample_sheet(folder / SHEET)
    record = record.model_copy(update={"name": folder.name})
    workbench.jobs.submit(record, visitor_of(request).user)
    return record


def _history(request: Request) -> Response:
    """Show the history alone, for htmx."""
    shown = history_of(request)
    response = render(request, "history.html.j2", **shown)
    return response if shown["busy"] else studied(response)


def history_of(request: Request) -> Mapping[str, Any]:
    """Return what the history shows."""
    jobs = workbench_of(request).jobs
    records, every = jobs.records(), bool(request.query_params.get("all"))
    busy = any(record.open for record in records)
    shown = records if every else records[:_SHOWN]
    older = len(records) - len(shown)
    return {
        "records": shown,
        "older": older,
        "every": every,
        "busy": busy,
        "deleted": jobs.deleted(),
    }


async def _cancel(request: Request) -> Response:
    """Cancel an analysis, and show the history."""
    name = request.query_params.get("name", "")
    await run_in_threadpool(workbench_of(request).jobs.cancel, name)
    return _history(request)


def _kept(request: Request) -> JobRecord:
    """Return the analysis that an address names."""
    name = request.query_params.get("name", "")
    record = workbench_of(request).jobs.record(name)
    if record is None or not record.kept:
        what = f"an analysis {name!r}"
        raise not_found(what)
    return record


def about(request: Request) -> Response:
    """Show what an analysis was asked and what a person calls it."""
    return render(request, "about.html.j2", record=_kept(request), saved=False)


async def describe(request: Request) -> Response:
    """Keep the title and the notes of an analysis."""
    async with form_of(request) as form:
        texts = [" ".join(str(form.get("title", "")).split()), str(form.get("notes", "")).strip()]
    with refusals():
        name = _kept(request).name
        await run_in_threadpool(workbench_of(request).jobs.describe, name, *texts)
    return render(request, "about.html.j2", record=_kept(request), saved=True)


async def delete(request: Request) -> Response:
    """Put an analysis aside, and go to the history, where it can be restored."""
    with refusals():
        await run_in_threadpool(workbench_of(request).jobs.delete, _kept(request).name)
    return Response(headers={"HX-Redirect": "/analysis#history-title"})


async def restore(request: Request) -> Response:
    """Bring a deleted analysis back, and show the history."""
    with refusals():
        name = request.query_params.get("name", "")
        await run_in_threadpool(workbench_of(request).jobs.restore, name)
    return _history(request)


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/analysis", analysis, methods=["GET"]),
        Route("/analysis", start, methods=["POST"], name="starts an analysis"),
        Route("/analysis/together", together, methods=["POST"], name="combines series"),
        Route("/analysis/design", preview, methods=["POST"], name=""),
        Route("/analysis/history", _history),
        Route("/analysis/about", about),
        Route("/analysis/describe", describe, methods=["POST"], name="names an analysis"),
        Route("/analysis/delete", delete, methods=["POST"], name="deletes an analysis"),
        Route("/analysis/restore", restore, methods=["POST"], name="restores an analysis"),
        Route("/analysis/cancel", _cancel, methods=["POST"], name="cancels a job"),
    ]
