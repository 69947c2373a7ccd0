"""The application as a whole, and what it shows where something goes wrong."""

from __future__ import annotations

import errno
import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from genotex.app import home_pages, study
from genotex.app.access import group_pages, sign_in_pages
from genotex.app.access.gate import Gate, TooLarge
from genotex.app.access.security import HEALTH, Access
from genotex.app.atlas import gene_pages as atlas_gene_pages
from genotex.app.atlas import pages as atlas_pages
from genotex.app.data import adding_pages, analysis_pages, sample_pages, table_pages
from genotex.app.data.sheets import Sheets
from genotex.app.genes import cohort_pages, compare_pages, set_pages, survival_pages
from genotex.app.genes import pages as gene_pages
from genotex.app.pages import Workbench, plainly, render, wants_page, workbench_of
from genotex.app.quality import pages as quality_pages
from genotex.app.runs import pages as run_pages
from genotex.clinical import expert_of
from genotex.errors import GenotexError
from genotex.layout import OutputFolder
from genotex.options import PreprocessChoices
from genotex.outside import packaged
from genotex.studies import Apart, JobQueue, Workspace

GeoServers = tuple[str | None, str | None, str | None]
NCBI: GeoServers = (None, None, None)
_STATIC: list[str | tuple[str, str]] = [("genotex.app", "static"), ("genotex.figures", "browser")]
_PAGES = (
    sign_in_pages,
    group_pages,
    home_pages,
    gene_pages,
    sample_pages,
    quality_pages,
    run_pages,
    analysis_pages,
    set_pages,
    cohort_pages,
    compare_pages,
    atlas_pages,
    atlas_gene_pages,
    adding_pages,
    table_pages,
    survival_pages,
    study,
)


def _workbench(workspace: Workspace, access: Access, annotator: PreprocessChoices) -> Workbench:
    expert = expert_of(annotator, OutputFolder(workspace.root).annotator_calls)
    jobs, apart = JobQueue(workspace, access.job_memory), Apart()
    return Workbench(workspace, access, jobs, apart, sheets=Sheets(expert, apart))


def _report_style(request: Request) -> Response:
    style = packaged("genotex.reports", "templates/style.css").decode()
    return Response(style, media_type="text/css")


def create_app(
    folder: Path,
    access: Access,
    geo_addresses: GeoServers = NCBI,
    annotator: PreprocessChoices | None = None,
) -> Starlette:
    """Return the application for a folder.

    Parameters
    ----------
    folder : Path
        Holds input, results, or both; see `Workspace`.
    access : Access
        Its secrets and address.
    geo_addresses : tuple of str or None
        Base addresses of E-utilities, GEO's files and its pages, in the place of NCBI's.
    annotator : PreprocessChoices, optional
        Who proposes the groups of samples; the rules by default.

    Raises
    ------
    UsageError
        If the folder is not a folder.
    """
    workbench = _workbench(Workspace(folder), access, annotator or PreprocessChoices())
    workbench.geo_addresses = geo_addresses

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        workbench.close()

    app = Starlette(
        routes=[
            Route(HEALTH, lambda request: PlainTextResponse("ok\n")),
            Route("/static/report.css", _report_style),
            Mount("/static", StaticFiles(packages=_STATIC)),
            *(route for pages in _PAGES for route in pages.routes()),
        ],
        middleware=[
            Middleware(Gate, access=access, show=sign_in_pages.show_refused),
            Middleware(Failures),
        ],
        lifespan=lifespan,
        exception_handlers=dict.fromkeys(EXPECTED, _show_error),
    )
    # To an address of the request's own Host, which a proxy may have changed.
    app.router.redirect_slashes = False
    app.state.workbench = workbench
    return app


_log = logging.getLogger(__name__)

EXPECTED = (HTTPException, GenotexError, OSError)
"""Errors that say what went wrong; others are mistakes of ours."""
_LONGEST = 2000
_USUAL = {404: "There is no such page.", 405: "This address takes no such request."}


def _show_error(request: Request, error: Exception) -> Response:
    """Show an expected error; a script gets the text alone."""
    status, text = _stated(error)
    return _shown(request, status, text)


def _stated(error: Exception) -> tuple[int, str]:
    if isinstance(error, HTTPException):
        usual = error.detail == HTTPStatus(error.status_code).phrase
        return error.status_code, _USUAL.get(error.status_code, "") if usual else error.detail
    if not isinstance(error, OSError):
        return 400, str(error)
    if error.errno == errno.ENAMETOOLONG:
        return 400, "a name is too long: a file or folder has at most 255 bytes"
    # A full disk, or a file that went away.
    where = f": {error.filename}" if error.filename else ""
    return 500, f"{error.strerror or error}{where}"


def _shown(request: Request, status: int, text: str) -> Response:
    workbench = workbench_of(request)
    text = plainly(workbench.workspace.without_places(text))[:_LONGEST]
    # Pages hold the token of this start, which is for those who are signed in.
    if not wants_page(request.headers) or request.state.visitor is None:
        return PlainTextResponse(text, status)
    return render(request, "error.html.j2", status, text=text, code=status)


class Failures:
    """Answers requests that fail by a mistake of ours; the log says where."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; answer it where nobody else does."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except ClientDisconnect:
            return
        except TooLarge:
            raise
        except Exception:
            if begun:
                # Half an answer cannot be taken back; the connection is closed, and this logged.
                raise
            number = secrets.token_hex(3)
            _log.exception("error %s: %s %r", number, scope["method"], scope["path"][:200])
            text = (
                f"This is a mistake in genotex. The log of genotex serve has the details, under "
                f"error {number}."
            )
            await _shown(Request(scope), 500, text)(scope, receive, send)
        finally:
            scope["app"].state.workbench.apart.release()
