"""Signing in, and what is shown to a request that is refused."""

from __future__ import annotations

import logging
import re

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from genotex.app.access.gate import SIGN_IN_AGAIN, Refused
from genotex.app.access.security import SIGN_IN, Access, UserGroup
from genotex.app.pages import form_of, not_found, show_outside, wants_page, workbench_of

_log = logging.getLogger(__name__)

_OWN_ADDRESS = re.compile(r"/(?![/\\])[^\\\x00-\x1f\x7f]{0,4000}")
_WRONG = "This code or password is wrong, or the code was used before. Ask for a new code."
_WRONG_CODE = "This code is wrong, or was used before. Ask for a new one."
_WRONG_NAME = "This name or password is wrong."
_LOCKED_NAME = "Too many wrong passwords: for a minute, none is accepted."
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
        answer = show_outside(request, "refused.html.j2", refused.status, refused=refused, to=to)
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
    access = workbench_of(request).access
    return show_outside(
        request,
        "sign_in.html.j2",
        status,
        problem=problem,
        to=to,
        password=bool(access.password),
        by_name=access.group is not None,
    )


def ask(request: Request) -> Response:
    """Ask for a code, unless the browser is signed in."""
    if workbench_of(request).access.visitor(request.headers) is not None:
        return RedirectResponse("/", 303)
    return _form(request, "", "/", 200)


async def _sign_in(request: Request) -> Response:
    """Let a browser in that sends the token of the file, or a right code."""
    access = workbench_of(request).access
    async with form_of(request) as form:
        fields = ("token", "name", "code", "password", "to")
        given = {name: str(form.get(name, "")) for name in fields}
    from_file = request.headers["origin"] == "null"
    if from_file or given["token"]:
        return _by_file(request, access, given["token"])
    if access.group is not None:
        return await _by_name(request, access, access.group, given)
    locked = access.locked
    if access.accepts(given["code"], given["password"]):
        _log.info("signed in by a code%s", _from(request))
        cookie = {"Set-Cookie": access.cookie_line(access.session)}
        return RedirectResponse(_own(given["to"]), 303, cookie)
    _log.warning("refused a code%s%s", " while locked" if locked else "", _from(request))
    if access.locked:
        return _form(request, _LOCKED, _own(given["to"]))
    return _form(request, _WRONG if access.password else _WRONG_CODE, _own(given["to"]))


async def _by_name(
    request: Request, access: Access, group: UserGroup, given: dict[str, str]
) -> Response:
    """Let a person in by name and password; their session before it ends."""
    name, address = given["name"], _client(request, access)
    secret = await group.accounts.sign_in(name, given["password"], address)
    # A name that is none could be a password in the wrong field.
    who = name if name in group.accounts.names else "somebody"
    what = "signs in" if secret else "is refused"
    await run_in_threadpool(group.log.write, who, what, (), 303 if secret else 403)
    if secret is None:
        locked = group.accounts.locked(name, address)
        return _form(request, _LOCKED_NAME if locked else _WRONG_NAME, _own(given["to"]))
    access.sign_out(request.headers)
    cookie = {"Set-Cookie": access.cookie_line(secret)}
    return RedirectResponse(_own(given["to"]), 303, cookie)


def _client(request: Request, access: Access) -> str:
    """Return the address that a request came from; a reverse proxy adds it at the end."""
    passed_on = request.headers.get("x-forwarded-for", "") if access.public else ""
    direct = "" if request.client is None else request.client.host
    return passed_on.rpartition(",")[2].strip()[:100] or direct


async def _sign_out(request: Request) -> Response:
    """End the session of this browser."""
    access = workbench_of(request).access
    if access.group is None:
        what = "a group of accounts"
        raise not_found(what)
    access.sign_out(request.headers)
    return Response(headers={"Set-Cookie": access.cookie_line(""), "HX-Redirect": SIGN_IN})


def _by_file(request: Request, access: Access, token: str) -> Response:
    """Let the browser in that was opened on the file, which is of no use any more."""
    if not access.takes_token(token):
        _log.warning("refused a sign-in file%s", _from(request))
        return _form(request, _OLD_FILE, "/")
    _log.info("signed in by the file%s", _from(request))
    # A redirect would be without the cookie, since the file is not of the same site.
    answer = show_outside(request, "signed_in.html.j2")
    answer.headers["Set-Cookie"] = access.cookie_line(access.session)
    return answer


def _from(request: Request) -> str:
    return "" if request.client is None else f", from {request.client.host}"


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route(SIGN_IN, ask, methods=["GET"]),
        Route(SIGN_IN, _sign_in, methods=["POST"], name="signs in"),
        Route("/sign-out", _sign_out, methods=["POST"], name="signs out"),
    ]
