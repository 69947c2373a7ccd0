"""The application as a whole."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from genotex.app import home_pages
from genotex.app.access import sign_in_pages
from genotex.app.access.failures import EXPECTED, Failures, show_error
from genotex.app.access.security import HEALTH, Access, Gate
from genotex.app.atlas import gene_pages as atlas_gene_pages
from genotex.app.atlas import pages as atlas_pages
from genotex.app.atlas import similar_pages as atlas_similar_pages
from genotex.app.data import adding_pages, analysis_pages, anndata_pages, sample_pages, table_pages
from genotex.app.genes import cohort_pages, compare_pages, set_pages, survival_pages, text_pages
from genotex.app.genes import pages as gene_pages
from genotex.app.pages import Workbench
from genotex.app.quality import pages as quality_pages
from genotex.app.runs import pages as run_pages
from genotex.outside import packaged
from genotex.studies import JobQueue, Workspace

GeoServers = tuple[str | None, str | None, str | None]
NCBI: GeoServers = (None, None, None)
_STATIC: list[str | tuple[str, str]] = [("genotex.app", "static"), ("genotex.figures", "browser")]
_PAGES = (
    sign_in_pages,
    home_pages,
    gene_pages,
    sample_pages,
    quality_pages,
    run_pages,
    analysis_pages,
    set_pages,
    cohort_pages,
    compare_pages,
    text_pages,
    anndata_pages,
    atlas_pages,
    atlas_gene_pages,
    atlas_similar_pages,
    adding_pages,
    table_pages,
    survival_pages,
)


def create_app(folder: Path, access: Access, geo_addresses: GeoServers = NCBI) -> Starlette:
    """Return the application for a folder.

    Parameters
    ----------
    folder : Path
        Holds input, results, or both; see `Workspace`.
    access : Access
        Its secrets and address.
    geo_addresses : tuple of str or None
        Base addresses of E-utilities, GEO's files and its pages, in the place of NCBI's.

    Returns
    -------
    starlette.applications.Starlette
        An ASGI application.

    Raises
    ------
    UsageError
        If the folder is not a folder.
    """
    style = packaged("genotex.reports", "templates/style.css").decode()

    workspace = Workspace(folder)
    workbench = Workbench(workspace, access, JobQueue(workspace), geo_addresses=geo_addresses)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        workbench.close()

    def report_style(request: Request) -> Response:
        return Response(style, media_type="text/css")

    app = Starlette(
        routes=[
            Route(HEALTH, _health),
            Route("/static/report.css", report_style),
            Mount(
                "/static",
                StaticFiles(packages=_STATIC),
            ),
            *(route for pages in _PAGES for route in pages.routes()),
        ],
        middleware=[
            Middleware(Gate, access=access, show=sign_in_pages.show_refused),
            Middleware(Failures),
        ],
        lifespan=lifespan,
        exception_handlers=dict.fromkeys(EXPECTED, show_error),
    )
    app.state.workbench = workbench
    return app


def _health(request: Request) -> Response:
    return PlainTextResponse("ok\n")
