"""What a group shares: links that only show something, and the log of who did what."""

from __future__ import annotations

import time

import polars as pl
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.analysis import SURVIVAL_FILES
from genotex.app.access.links import PAGES, SHARED, LinkKind
from genotex.app.access.security import UserGroup
from genotex.app.pages import not_found, place_of, refusals, render, visitor_of, workbench_of
from genotex.app.tables import PageTable, Rows, columns

_KINDS: dict[str, LinkKind] = {page: kind for kind, page in PAGES.items()}
_LOG = PageTable(
    "/log",
    "action",
    columns=columns(
        ("who", "Who", "Account; somebody with a link has none.", "text"),
        ("when", "When", "Time (UTC) of the action.", "text"),
        ("what", "What", "What was asked for.", "text"),
        ("about", "About", "The study, series or result.", "text"),
        ("outcome", "Outcome", "Whether it was done.", "text"),
    ),
)


def _group_of(request: Request) -> UserGroup:
    """Return the group; without accounts there are neither links nor a log."""
    group = workbench_of(request).access.group
    if group is None:
        what = "a group of accounts"
        raise not_found(what)
    return group


def links(request: Request) -> Response:
    """Show the links."""
    return _shown(request)


def _shown(request: Request, made: str = "") -> Response:
    found = _group_of(request).links.all()
    return render(request, "links.html.j2", links=found, made=made, pages=PAGES)


async def share(request: Request) -> Response:
    """Make a link to a page, and show its address once."""
    return await run_in_threadpool(_share, request)


def _share(request: Request) -> Response:
    group, query = _group_of(request), request.query_params
    kind = _KINDS.get(query.get("page", ""))
    if kind is None:
        what = "a page that a link can show"
        raise not_found(what)
    workspace = workbench_of(request).workspace
    if kind == "result":
        place_of(request)
    elif kind == "survival":
        name = query.get("output", "")
        if name not in workspace.holding(SURVIVAL_FILES[1]):
            what = f"a time to an event in {name!r}"
            raise not_found(what)
    elif workspace.series(query.get("trait", ""), series := query.get("series", "")) is None:
        what = f"the series {series!r}"
        raise not_found(what)
    with refusals():
        link, secret = group.links.make(kind, query, visitor_of(request).user)
    request.state.asked.append(("link", str(link.number)))
    address = workbench_of(request).access.shown_address.rstrip("/")
    return _shown(request, f"{address}{SHARED}{secret}/")


async def revoke(request: Request) -> Response:
    """End a link."""
    number = request.query_params.get("link", "")
    if not await run_in_threadpool(_group_of(request).links.revoke, number):
        raise HTTPException(404, "This link has ended already.")
    return _shown(request)


def log(request: Request) -> Response:
    """Show who did what."""
    return render(request, "log.html.j2", **_LOG.values(request, _rows(request)))


def _rows(request: Request) -> Rows:
    actions = _group_of(request).log.last()
    frame = pl.DataFrame(
        {
            "who": [each.who for each in actions],
            "when": [each.when for each in actions],
            "what": [each.what for each in actions],
            "about": [each.subject for each in actions],
            "outcome": ["done" if each.status < 400 else "refused" for each in actions],
        },
        schema=dict.fromkeys(("who", "when", "what", "about", "outcome"), pl.String),
    )
    return Rows(frame, {}, f"log_{time.strftime('%Y-%m-%d')}", link=lambda row: None)


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/links", links),
        Route("/links/share", share, methods=["POST"], name="makes a link"),
        Route("/links/revoke", revoke, methods=["POST"], name="revokes a link"),
        Route("/log", log),
        *_LOG.routes(_rows),
    ]
