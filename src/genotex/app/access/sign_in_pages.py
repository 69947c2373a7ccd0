"""Signing in, and what is shown to a request that is refused."""

from __future__ import annotations

import logging
import re

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from genotex.app.access.security import SIGN_IN, SIGN_IN_AGAIN, Access, Refused
from genotex.app.pages import form_of, show_outside, wants_page, workbench_of

_log = logging.getLogger(__name__)

_OWN_ADDRESS = re.compile(r"/(?![/\\])[^\\\x00-\x1f\x7f]{0,4000}")
_WRONG = "This code or password is wrong, or the code was used before. Ask for a new code."
_WRONG_CODE = "This code is wrong, or was used before. Ask for a new one."
_LOCKED = "Too many wrong codes: for a minute, none is accepted."
_OLD_FILE = "This sign-in file was used before, or belongs to an earlier start of the workbench."


def show_refused(request: Request, refused: Refused) -> Response:
    """Show why a request is refused: as a page to a person, else in a line."""
    to = _address_of(request)
    if not wants_page(request.headers):
        answer: Response = PlainTextResponse(f"{refused.status}: {refused.why}\n", refused.status)
    elif refused.again == SIGN_IN_AGAIN:
        answer = _form(request, "", to)
    else:
        answer = show_outside("refused.html.j2", refused.status, refused=refused, to=to)
    if refused.again:
        answer.headers["X-Open-Again"] = refused.again
    return answer


def _address_of(request: Request) -> str:
    """Return the address that was asked for, if it can be asked for again."""
    if request.method not in ("GET", "HEAD"):
        return "/"
    query = request.url.query
    return _own(f"{request.url.path}?{query}" if query else request.url.path)


def _own(address: str) -> str:
    """Return an address if it is one of the workbench, else that of the first page."""
    inside = _OWN_ADDRESS.fullmatch(address) and not address.startswith(SIGN_IN)
    return address if inside else "/"


def _form(request: Request, problem: str, to: str, status: int = 403) -> Response:
    password = bool(workbench_of(request).access.password)
    return show_outside("sign_in.html.j2", status, problem=problem, to=to, password=password)


def ask(request: Request) -> Response:
    """Ask for a code, unless the browser is signed in."""
    if workbench_of(request).access.is_signed_in(request.headers):
        return RedirectResponse("/", 303)
    return _form(request, "", "/", 200)


async def _sign_in(request: Request) -> Response:
    """Let a browser in that sends the token of the file, or a right code."""
    access = workbench_of(request).access
    async with form_of(request) as form:
        given = {name: str(form.get(name, "")) for name in ("token", "code", "password", "to")}
    from_file = request.headers["origin"] == "null"
    if from_file or given["token"]:
        return _by_file(request, access, given["token"])
    locked = access.locked
    if access.accepts(given["code"], given["password"]):
        _log.info("signed in by a code%s", _from(request))
        return RedirectResponse(_own(given["to"]), 303, {"Set-Cookie": access.cookie_line})
    _log.warning("refused a code%s%s", " while locked" if locked else "", _from(request))
    if access.locked:
        return _form(request, _LOCKED, _own(given["to"]))
    return _form(request, _WRONG if access.password else _WRONG_CODE, _own(given["to"]))


def _by_file(request: Request, access: Access, token: str) -> Response:
    """Let the browser in that was opened on the file, which is of no use any more."""
    if not access.takes_token(token):
        _log.warning("refused a sign-in file%s", _from(request))
        return _form(request, _OLD_FILE, "/")
    _log.info("signed in by the file%s", _from(request))
    # A redirect would be without the cookie, since the file is not of the same site.
    answer = show_outside("signed_in.html.j2")
    answer.headers["Set-Cookie"] = access.cookie_line
    return answer


def _from(request: Request) -> str:
    return "" if request.client is None else f", from {request.client.host}"


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [Route(SIGN_IN, ask, methods=["GET"]), Route(SIGN_IN, _sign_in, methods=["POST"])]
