"""The application as a whole, and the server that runs it on this machine."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from genotex.app import (
    adding_pages,
    analysis_pages,
    anndata_pages,
    atlas_gene_pages,
    atlas_pages,
    atlas_similar_pages,
    cohort_pages,
    compare_pages,
    gene_pages,
    home_pages,
    quality_pages,
    run_pages,
    sample_pages,
    set_pages,
    survival_pages,
    table_pages,
    text_pages,
)
from genotex.app.jobs import JobQueue
from genotex.app.pages import Workbench, render
from genotex.app.security import HEALTH, LOOPBACK, Access, Gate
from genotex.app.workspace import Workspace
from genotex.errors import GenotexError, UsageError

__all__ = ["create_app", "serve"]

GeoServers = tuple[str | None, str | None, str | None]
NCBI: GeoServers = (None, None, None)
_PAGES = (
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
_LONGEST_END = 10
"""Seconds that requests under way get when the application is to end."""


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
    style = files("genotex.reports").joinpath("templates/style.css").read_text(encoding="utf-8")

    workspace = Workspace(folder)
    workbench = Workbench(workspace, access, JobQueue(workspace), geo_addresses=geo_addresses)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        workbench.jobs.close()

    def report_style(request: Request) -> Response:
        return Response(style, media_type="text/css")

    app = Starlette(
        routes=[
            Route(HEALTH, _health),
            Route("/static/report.css", report_style),
            Mount("/static", StaticFiles(packages=[("genotex.app", "static")])),
            *(route for pages in _PAGES for route in pages.routes()),
        ],
        middleware=[Middleware(Gate, access=access)],
        lifespan=lifespan,
        exception_handlers=dict.fromkeys((HTTPException, GenotexError, OSError), _show_error),
    )
    app.state.workbench = workbench
    return app


def _health(request: Request) -> Response:
    return PlainTextResponse("ok\n")


def _show_error(request: Request, error: Exception) -> Response:
    # A full disk, or a file that went away: stated as it is, without a traceback.
    usual = 500 if isinstance(error, OSError) else 400
    status = error.status_code if isinstance(error, HTTPException) else usual
    text = error.detail if isinstance(error, HTTPException) else str(error)
    if request.headers.get("hx-request"):
        return PlainTextResponse(text, status)
    return render(request, "error.html.j2", status, missing=status == 404, text=text)


def serve(
    folder: Path,
    *,
    port: int = 0,
    host: str = "127.0.0.1",
    password: str = "",
    browser: bool = True,
    ready: Callable[[str], None] = print,
    geo_addresses: GeoServers = NCBI,
) -> None:
    """Run the workbench until it is interrupted.

    Parameters
    ----------
    folder : Path
        What it works in.
    port : int
        Port to listen on; 0 takes a free one.
    host : str
        Address to listen on; another one than this machine's own needs a password.
    password : str
        Asked for in addition to the token of the printed address.
    browser : bool
        Open the address in a browser.
    ready : callable
        Called with the address once the application listens.
    geo_addresses : tuple of str or None
        As in `create_app`.

    Raises
    ------
    UsageError
        If the folder is not a folder, the port is taken, or a password is missing.
    """
    if host not in LOOPBACK and host != "::1" and not password:
        msg = (
            f"others could reach {host}: give a password with --password-file, or leave --host out"
        )
        raise UsageError(msg)
    listening = _listen(host, port)
    access = Access(listening.getsockname()[1], host, password)
    app = create_app(folder, access, geo_addresses)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        # Without a limit, an upload that stands still would keep it from ending.
        timeout_graceful_shutdown=_LONGEST_END,
    )
    logging.getLogger("uvicorn.error").addFilter(_is_worth_logging)
    server = uvicorn.Server(config)

    waiting = (server, access.url, browser, ready)
    threading.Thread(target=_announce, args=waiting, daemon=True).start()
    with listening:
        server.run(sockets=[listening])


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """Return False for the traceback of a request that was given up at the end."""
    return record.exc_info is None or record.exc_info[0] is not asyncio.CancelledError


def _announce(
    server: uvicorn.Server, url: str, browser: bool, ready: Callable[[str], None]
) -> None:
    """Hand the address on once the application answers."""
    while not server.started and not server.should_exit:
        time.sleep(0.02)
    if server.started:
        ready(url)
        if browser:
            webbrowser.open(url)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only with the protocol named does asyncio send small answers at once (TCP_NODELAY); else each
    # waits 40 ms for the browser's acknowledgement of its headers.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        msg = f"cannot listen on {host}, port {port}: {error.strerror or error}; choose another"
        raise UsageError(msg) from error
    return listening
