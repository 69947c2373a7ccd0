"""An atlas: what it holds, the map of its traits, pairs of traits; and building one."""

from __future__ import annotations

import time
from typing import Any

import polars as pl
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.app.atlas import tables as t
from genotex.app.atlas.atlases import LoadedAtlas
from genotex.app.atlas.plots import tree_map
from genotex.app.downloads import send_figure
from genotex.app.pages import address, form_of, not_found, render, workbench_of
from genotex.app.tables import Rows
from genotex.errors import GenotexError, UsageError
from genotex.layout import trait_folder_name
from genotex.studies import AtlasRecord

NEW = "atlas"
"""Name of the first atlas that is built here."""


def atlas_of(request: Request) -> LoadedAtlas:
    """Return the atlas that an address names."""
    name, workbench = request.query_params.get("atlas", ""), workbench_of(request)
    found = workbench.atlases.get(workbench.workspace, name)
    if found is None:
        what = f"an atlas {name!r}"
        raise not_found(what)
    return found


def condition_of(request: Request) -> str | None:
    """Return the condition that an address names, as its files are named."""
    given = request.query_params.get("condition", "")
    try:
        return trait_folder_name(given) if given else None
    except UsageError as error:
        raise HTTPException(404, str(error)) from error


def _place(request: Request, *names: str) -> dict[str, str]:
    """Return what names the page in an address, as it was given."""
    return {name: request.query_params.get(name, "") for name in ("atlas", *names)}


def atlas(request: Request) -> Response:
    """Show what an atlas holds; without a name the only one, or a list."""
    workbench = workbench_of(request)
    if not request.query_params.get("atlas"):
        found = workbench.atlases.found(workbench.workspace)
        if len(found) == 1:
            return Response(status_code=303, headers={"Location": _page(found[0].name)})
        return render(request, "atlases.html.j2", atlases=found, job=_under_way(request, NEW))
    loaded = atlas_of(request)
    return render(
        request,
        "atlas.html.j2",
        atlas=loaded,
        facts=loaded.facts(),
        unreadable=loaded.reader.manifest.unreadable,
        conditions=loaded.conditions(),
        job=_under_way(request, loaded.name),
        **t.TRAITS.values(request, _traits(request)),
    )


def _page(name: str) -> str:
    return address("/atlas", {"atlas": name})


def _traits(request: Request) -> Rows:
    loaded = atlas_of(request)
    rows = t.shown(loaded.traits(), "trait", "condition")
    return t.rows(rows, _place(request), f"{NEW}_traits")


def _trait_map(request: Request) -> Response:
    """Send the similarity of all traits, and their tree."""
    tree = atlas_of(request).tree(condition_of(request))
    return send_figure(request, tree_map(tree), traits=list(tree.names))


def pairs(request: Request) -> Response:
    """Show all pairs of traits, and the one that the address names."""
    loaded, condition = atlas_of(request), condition_of(request)
    chosen = request.query_params.get("trait")
    return render(
        request,
        "atlas_pairs.html.j2",
        atlas=loaded,
        condition=condition,
        conditions=loaded.conditions(),
        pair=_pair(request) if chosen else None,
        **t.PAIRS.values(request, _pairs(request)),
    )


def _pairs(request: Request) -> Rows:
    tree = atlas_of(request).tree(condition_of(request))
    rows = t.shown(tree.pairs, "trait", "other")
    return t.rows(rows, _place(request, "condition"), f"{NEW}_pairs")


def _pair(request: Request) -> dict[str, Any]:
    """Return the pair that an address names; one trait with itself has no row."""
    one, other = (request.query_params.get(name, "") for name in ("trait", "other"))
    tree = atlas_of(request).tree(condition_of(request))
    either = pl.col("trait").is_in([one, other]) & pl.col("other").is_in([one, other])
    row = tree.pairs.filter(either)
    if one == other or not row.height:
        what = f"the pair of {one!r} and {other!r}"
        raise not_found(what)
    found: dict[str, Any] = row.row(0, named=True)
    return found


def pair(request: Request) -> Response:
    """Show a pair of traits alone, for htmx."""
    return render(
        request,
        "atlas_pair.html.j2",
        pair=_pair(request),
        place=_place(request, "condition"),
    )


async def build(request: Request) -> Response:
    """Let an atlas wait to be built, or brought up to date, from the results of the folder."""
    async with form_of(request) as form:
        name = str(form.get("atlas", ""))
    try:
        record = await run_in_threadpool(_submit, request, name)
    except GenotexError as error:
        raise HTTPException(400, str(error)) from error
    return render(request, "atlas_job.html.j2", job=record)


def _submit(request: Request, name: str) -> AtlasRecord:
    workbench = workbench_of(request)
    if name and workbench.atlases.get(workbench.workspace, name) is None:
        what = f"an atlas {name!r}"
        raise not_found(what)
    if not workbench.workspace.holds(workbench.workspace.root / (name or NEW)):
        what = f"the place of {name or NEW!r}"
        raise not_found(what)
    running = _under_way(request, name or NEW)
    if running is not None:
        return running
    workbench.jobs.check_room()
    record = AtlasRecord(
        name=workbench.jobs.new_name("atlas", name or NEW), created=time.time(), atlas=name or NEW
    )
    workbench.jobs.submit(record)
    return record


def _job(request: Request) -> Response:
    """Show how far a build is; at its end, the atlas."""
    found = workbench_of(request).jobs.record(request.query_params.get("name", ""))
    if not isinstance(found, AtlasRecord):
        what = "this build of an atlas"
        raise not_found(what)
    if found.state == "done":
        return Response(headers={"HX-Redirect": _page(found.atlas)})
    return render(request, "atlas_job.html.j2", job=found)


async def _cancel(request: Request) -> Response:
    """Cancel a build, and show that it ends."""
    name = request.query_params.get("name", "")
    await run_in_threadpool(workbench_of(request).jobs.cancel, name)
    return await run_in_threadpool(_job, request)


def _under_way(request: Request, name: str) -> AtlasRecord | None:
    """Return the build of an atlas that waits or runs."""
    builds = (j for j in workbench_of(request).jobs.records() if isinstance(j, AtlasRecord))
    return next((each for each in builds if each.open and each.atlas == name), None)


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/atlas", atlas),
        *t.TRAITS.routes(_traits),
        Route("/atlas/map", _trait_map),
        Route("/atlas/pair", pair),
        Route("/atlas/pairs", pairs),
        *t.PAIRS.routes(_pairs),
        Route("/atlas/build", build, methods=["POST"]),
        Route("/atlas/job", _job),
        Route("/atlas/cancel", _cancel, methods=["POST"]),
    ]
