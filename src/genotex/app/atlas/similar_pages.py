"""Where a signature of genes, up and down, is found in an atlas."""

from __future__ import annotations

from typing import Any

import polars as pl
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.app.atlas import tables as t
from genotex.app.atlas.atlases import Question
from genotex.app.atlas.pages import atlas_of
from genotex.app.genes.selection import names_in
from genotex.app.pages import address, form_of, render, workbench_of
from genotex.app.tables import Rows
from genotex.atlas import ANY_CONDITION, Signature
from genotex.errors import GenotexError, UsageError

_Q_CUT = 0.05
_TABLES = {"trait": t.SIMILAR, "cohort": t.SIMILAR_COHORTS}


def similar(request: Request) -> Response:
    """Show the form; of a signature that was sent, where it is found."""
    loaded, question = atlas_of(request), _question(request)
    values: dict[str, Any] = {"found": None}
    if question is not None:
        rows = _rows(request)
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


def _rows(request: Request) -> Rows:
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
    try:
        there = await run_in_threadpool(_ask, request, given)
    except GenotexError as error:
        raise HTTPException(400, str(error)) from error
    return Response(headers={"HX-Redirect": there})


def _ask(request: Request, given: dict[str, str]) -> str:
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


def _table(request: Request) -> Response:
    table = _TABLES[_by(request)]
    return render(request, "table.html.j2", **table.values(request, _rows(request)))


def _download(request: Request) -> Response:
    return _TABLES[_by(request)].send(request, _rows(request))


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/atlas/similar", similar, methods=["GET"]),
        Route("/atlas/similar", ask, methods=["POST"]),
        Route("/atlas/similar/table", _table),
        *(Route(f"/atlas/similar.{kind}", _download) for kind in ("csv", "xlsx", "json")),
    ]
