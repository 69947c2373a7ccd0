"""What is shown where something goes wrong: short, without places outside the folder."""

from __future__ import annotations

import errno
import logging
import secrets
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from genotex.app.access.security import TooLarge
from genotex.app.pages import render, wants_page, workbench_of
from genotex.errors import GenotexError

_log = logging.getLogger(__name__)

EXPECTED = (HTTPException, GenotexError, OSError)
"""Errors that say what went wrong; others are mistakes of ours."""
_LONGEST = 2000
_USUAL = {404: "There is no such page.", 405: "This address takes no such request."}


def show_error(request: Request, error: Exception) -> Response:
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
    text = workbench.workspace.without_places(text)[:_LONGEST]
    # Pages hold the token of this start, which is for those who are signed in.
    if not wants_page(request.headers) or not workbench.access.is_signed_in(request.headers):
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
