"""An atlas: what it holds, pairs of traits, and where a signature is found; and building one."""

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
from genotex.app.atlas.atlases import LoadedAtlas, Question
from genotex.app.downloads import send_figure
from genotex.app.genes.plots import names_in
from genotex.app.pages import (
    address,
    form_of,
    job_routes,
    not_found,
    refusals,
    render,
    visitor_of,
    workbench_of,
)
from genotex.app.tables import Rows
from genotex.atlas import ANY_CONDITION, Signature
from genotex.errors import UsageError
from genotex.figures import trait_map
from genotex.layout import trait_folder_name
from genotex.studies import AtlasRecord
from genotex.words import readable

NEW = "atlas"
"""Name of the first atlas that is built here."""
_Q_CUT = 0.05
_TABLES = {"trait": t.SIMILAR, "cohort": t.SIMILAR_COHORTS}


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
            there = address("/atlas", {"atlas": found[0].name})
            return Response(status_code=303, headers={"Location": there})
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


def _traits(request: Request) -> Rows:
    loaded = atlas_of(request)
    rows = t.shown(loaded.traits(), "trait", "condition")
    return t.rows(rows, _place(request), f"{NEW}_traits")


def _trait_map(request: Request) -> Response:
    """Send the similarity of all traits, and their tree."""
    tree = atlas_of(request).tree(condition_of(request))
    names = [readable(name) for name in tree.names]
    drawn = trait_map(names, tree.similarity, tree.links)
    return send_figure(request, drawn, traits=list(tree.names))


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
        request, "atlas_pair.html.j2", pair=_pair(request), place=_place(request, "condition")
    )


async def build(request: Request) -> Response:
    """Let an atlas wait to be built, or brought up to date, from the results of the folder."""
    async with form_of(request) as form:
        with refusals():
            record = await run_in_threadpool(_submit, request, str(form.get("atlas", "")))
    return render(request, "job.html.j2", job=record)


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
    workbench.jobs.check_room(visitor_of(request).user)
    record = AtlasRecord(
        name=workbench.jobs.new_name("atlas", name or NEW), created=time.time(), atlas=name or NEW
    )
    workbench.jobs.submit(record, visitor_of(request).user)
    return record


def _under_way(request: Request, name: str) -> AtlasRecord | None:
    """Return the build of an atlas that waits or runs."""
    builds = (j for j in workbench_of(request).jobs.records() if isinstance(j, AtlasRecord))
    return next((each for each in builds if each.open and each.atlas == name), None)


def similar(request: Request) -> Response:
    """Show the form; of a signature that was sent, where it is found."""
    loaded, question = atlas_of(request), _question(request)
    values: dict[str, Any] = {"found": None}
    if question is not None:
        rows = _found_rows(request)
        values = {"found": loaded.similar(question.signature, question.condition)}
        values |= _TABLES[_by(request)].values(request, rows)
    return render(
        request,
        "atlas_similar.html.j2",
        atlas=loaded,
        conditions=[name for name in loaded.conditions() if name is not None],
        any_condition=ANY_CONDITION,
        condition=(question.condition or "") if question else "",
        by=_by(request),
        signature=question.signature if question else None,
        forgotten=bool(request.query_params.get("of")) and question is None,
        **values,
    )


def _question(request: Request) -> Question | None:
    """Return what was asked by a form; an address alone asks nothing that is not kept."""
    asked = workbench_of(request).atlases.question(request.query_params.get("of", ""))
    here = asked is not None and asked.atlas == request.query_params.get("atlas")
    return asked if here else None


def _by(request: Request) -> str:
    by = request.query_params.get("by", "")
    return by if by in _TABLES else "trait"


def _found_rows(request: Request) -> Rows:
    loaded, question, by = atlas_of(request), _question(request), _by(request)
    if question is None:
        raise HTTPException(404, "the signature is no longer kept; send it again")
    found = loaded.similar(question.signature, question.condition)
    rows = t.shown(
        found.cohorts if by == "cohort" else found.traits,
        *(("trait", "cohort", "tissue") if by == "cohort" else ("trait",)),
        flag=pl.col("q") < _Q_CUT,
    )
    place = {name: request.query_params.get(name, "") for name in ("atlas", "of")}
    given = {"condition": question.condition or "", "by": by}
    return t.rows(rows, {**place, **given}, f"signature_{by}s")


async def ask(request: Request) -> Response:
    """Take a signature, check that the atlas can score it, and go to the result."""
    async with form_of(request) as form:
        given = {name: str(form.get(name, "")) for name in ("up", "down", "by", "condition")}
    with refusals():
        there = await run_in_threadpool(_remember, request, given)
    return Response(headers={"HX-Redirect": there})


def _remember(request: Request, given: dict[str, str]) -> str:
    loaded = atlas_of(request)
    signature = Signature(names_in(given["up"]), names_in(given["down"]))
    known = loaded.conditions()
    condition = given["condition"]
    if condition and condition != ANY_CONDITION and condition not in known:
        msg = f"the atlas compares no results given {condition!r}"
        raise UsageError(msg)
    question = Question(loaded.name, signature, condition or None)
    loaded.similar(question.signature, question.condition)
    key = workbench_of(request).atlases.remember(question)
    place = {"atlas": loaded.name, "of": key, "by": given["by"], "condition": condition}
    return address("/atlas/similar", dict(place))


def _found_table(request: Request) -> Response:
    table = _TABLES[_by(request)]
    return render(request, "table.html.j2", **table.values(request, _found_rows(request)))


def _found_file(request: Request) -> Response:
    return _TABLES[_by(request)].send(request, _found_rows(request))


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/atlas", atlas),
        *t.TRAITS.routes(_traits),
        Route("/atlas/map", _trait_map),
        Route("/atlas/pair", pair),
        Route("/atlas/pairs", pairs),
        *t.PAIRS.routes(_pairs),
        Route("/atlas/build", build, methods=["POST"], name="builds the atlas"),
        Route("/atlas/similar", similar, methods=["GET"]),
        Route("/atlas/similar", ask, methods=["POST"], name=""),
        Route("/atlas/similar/table", _found_table),
        *(Route(f"/atlas/similar.{kind}", _found_file) for kind in ("csv", "xlsx", "json")),
        *job_routes("/atlas", AtlasRecord, "this build of an atlas"),
    ]
