"""The gate: which requests are answered, and with which headers.

The rules, in the order in which they are checked; docs/workbench-security.md explains them:

1. The ``Host`` is an address of the application.
2. Address and body have a limited length.
3. No page of another site or of another port asks (``Sec-Fetch-Site``, ``Origin``).
4. The browser is signed in (cookie).
5. What computes or changes something is a POST and has the token of a page of this start.

6. The account may do it: one that reads only changes nothing, an analysis is changed by whoever
   started it, and nothing is added to a folder that has reached its limit.

Only ``/health`` is without 3 to 5, signing in without 4 and 5, the two style sheets without 4. An
address that begins with the secret of a link is without 3 to 5: it reads what the link shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from genotex.app.access.activity import study_of
from genotex.app.access.links import PAGES, SHARED
from genotex.app.access.security import (
    HEALTH,
    LONGEST_PATH,
    LONGEST_QUERY,
    MOST_FIELDS,
    PAGE_POLICY,
    SIGN_IN,
    STYLES,
    Access,
    Visitor,
    is_same,
    too_long,
)

_SAFE = frozenset({"GET", "HEAD"})
# Actions by the names of their routes; those without a name only compute.
_OF_READERS = frozenset({"", "signs out", "highlights genes", "highlights the genes of a set"})
_OF_OWNERS = frozenset(
    {"names an analysis", "deletes an analysis", "restores an analysis", "cancels a job"}
)
_ADD_NOTHING = _OF_READERS | _OF_OWNERS | {"revokes a link"}
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With "no-referrer" browsers would send "Origin: null" with our own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True)
class Refused:
    """Why a request is refused, and what the person in front of it can do: `again`."""

    why: str
    status: int = 403
    again: str = ""


SIGN_IN_AGAIN, LOAD_AGAIN, OPEN_HERE = "sign in", "load", "open"

_FOREIGN_HOST = "this address does not belong to the workbench"
_NOT_SIGNED_IN = Refused("this browser is not signed in", again=SIGN_IN_AGAIN)
_OTHER_SITE = Refused("another site or another port asked for this", again=OPEN_HERE)
_OTHER_ORIGIN = Refused("changes are accepted from the workbench's own pages only")
_OLD_PAGE = Refused(
    "this page is of an earlier start of the workbench; load it again", again=LOAD_AGAIN
)


_READS_ONLY = Refused("your account looks at everything, and changes nothing")
_NO_LINK = Refused("this link does not exist, or has ended; ask for another")
_NOT_SHARED = Refused("this link shows something else, and changes nothing")


class TooLarge(Exception):
    """More was sent than is allowed."""


class Gate:
    """Refuses what does not come from the user's own page, before anything else sees it."""

    def __init__(
        self, app: ASGIApp, access: Access, show: Callable[[Request, Refused], Response]
    ) -> None:
        self._app = app
        self._access = access
        self._show = show

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        scope = self._inside(scope)
        # Files of the package are asked for again each time, and sent only if they have changed.
        cache = "no-cache" if scope["path"].startswith("/static/") else "no-store"
        guarded = _with_headers(send, cache, scope)
        if len(headers.getlist("host")) != 1 or not self._access.knows_host(headers["host"]):
            answer: Response = PlainTextResponse(f"403: {_FOREIGN_HOST}\n", 403)
            await answer(scope, receive, guarded)
            return
        refused, what = self._refusal(scope, headers), ""
        if refused is None:
            what = self._action(scope, headers)
            if scope["method"] not in _SAFE:
                refused = await run_in_threadpool(self._forbidden, scope, what)
        if refused is None:
            guarded = self._logged(scope, what, guarded)
            limited = _Limited(receive, self._access.limit(scope["path"]))
            try:
                await self._app(scope, limited, guarded)
            except TooLarge:
                refused = self._too_large(scope["path"])
        if refused is not None:
            answer = self._show(Request(scope), refused)
            if refused.status == 413:
                # The rest is not read.
                answer.headers["Connection"] = "close"
            await answer(scope, receive, guarded)

    def _refusal(self, scope: Scope, headers: Headers) -> Refused | None:
        """Return why a request is refused, or None."""
        access, path, safe = self._access, scope["path"], scope["method"] in _SAFE
        why = "the address is too long" if len(path) > LONGEST_PATH else _query_problem(scope)
        if why:
            return Refused(why, 400)
        if safe and path in (HEALTH, SIGN_IN):
            return None
        if not safe and _length(headers) > access.limit(path):
            return self._too_large(path)
        if path.startswith(SHARED):
            return self._open_link(scope)
        origin, own = headers.getlist("origin"), access.origins(headers["host"])
        if path == SIGN_IN and origin == ["null"]:
            # The file that the browser is opened on; only its token is accepted from there.
            return None
        if not _is_own_site(headers, safe) or (safe and origin not in ([], own)):
            return _OTHER_SITE if safe else _OTHER_ORIGIN
        if not safe and origin != own:
            return _OTHER_ORIGIN
        if path == SIGN_IN or (safe and path in STYLES):
            return None
        visitor = access.visitor(headers)
        if visitor is None:
            return _NOT_SIGNED_IN
        scope["state"]["visitor"] = visitor
        if not safe and not is_same(headers.get("x-token"), visitor.change_token):
            return _OLD_PAGE
        return None

    def _forbidden(self, scope: Scope, what: str) -> Refused | None:
        """Return why whoever is signed in may not do this."""
        visitor, workbench = scope["state"]["visitor"], scope["app"].state.workbench
        if visitor is None or visitor.link is not None:
            return None
        if visitor.reads and what not in _OF_READERS:
            return _READS_ONLY
        if what in _OF_OWNERS and self._access.group is not None:
            owner = workbench.jobs.owner(QueryParams(scope["query_string"]).get("name", ""))
            if owner not in ("", visitor.user):
                return Refused(f"this was started by {owner}, who alone changes it")
        most = self._access.folder_limit
        if most is not None and what not in _ADD_NOTHING and workbench.workspace.size() >= most:
            why = f"the folder has reached its limit of {most / 2**30:g} GiB; nothing can be added"
            return Refused(why, 507)
        return None

    def _inside(self, scope: Scope) -> Scope:
        """Return a request with its path inside the workbench; ``root`` is what came before."""
        prefix, path = self._access.prefix, scope["path"]
        state = {"visitor": None, "root": prefix, "asked": [], **scope.get("state", {})}
        if path == prefix or not path.startswith(f"{prefix}/"):
            # Nothing of another address of the proxy is ours.
            path = "/" if path == prefix else path if not prefix else "/nothing"
        else:
            path = path.removeprefix(prefix)
        return {**scope, "path": path, "state": state}

    def _open_link(self, scope: Scope) -> Refused | None:
        """Let a request of a link pass if it is to read what the link shows."""
        secret, _, path = scope["path"].removeprefix(SHARED).partition("/")
        group = self._access.group
        link = None if group is None else group.links.find(secret)
        if link is None:
            return _NO_LINK
        if path == "" and scope["method"] in _SAFE:
            # The address as it was sent: the first page of what it shows.
            path, place = PAGES[link.kind].removeprefix("/"), link.place
            scope["query_string"] = urlencode({k: v for k, v in place.items() if v}).encode()
        results = []
        if link.kind == "study":
            of_series = scope["app"].state.workbench.results_of
            found = of_series(link.place["trait"], link.place["series"])
            results = [record.place for record in found]
        asked = scope["method"], f"/{path}", QueryParams(scope["query_string"])
        if not link.opens(*asked, results):
            return _NOT_SHARED
        scope["state"] |= {"visitor": Visitor(link=link)}
        scope["state"]["root"] += f"{SHARED}{secret}"
        scope["path"] = f"/{path}"
        return None

    def _logged(self, scope: Scope, what: str, send: Send) -> Send:
        """Write an action to the log of the group once it is answered."""
        group, visitor = self._access.group, scope["state"]["visitor"]
        if group is None or visitor is None or not what:
            return send

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                place = [*study_of(QueryParams(scope["query_string"])), *scope["state"]["asked"]]
                who = visitor.user
                if visitor.link is not None:
                    who, place = "somebody", [*place, ("link", str(visitor.link.number))]
                await run_in_threadpool(group.log.write, who, what, place, message["status"])
            await send(message)

        return noting

    @staticmethod
    def _action(scope: Scope, headers: Headers) -> str:
        """Return what a request does, in words; empty where it only shows something."""
        visitor = scope["state"]["visitor"]
        if visitor is not None and visitor.link is not None:
            # Its pages, but not their parts.
            page = headers.get("sec-fetch-dest", "document") == "document"
            return "opens by a link" if page and "hx-request" not in headers else ""
        if scope["method"] in _SAFE:
            return ""
        found = (
            route.name
            for route in scope["app"].routes
            if isinstance(route, Route)
            and route.path == scope["path"]
            and scope["method"] in (route.methods or ())
        )
        return next(found, "")

    def _too_large(self, path: str) -> Refused:
        limit = self._access.limit(path)
        size = f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit >> 10} KiB"
        return Refused(f"too large: at most {size} can be sent", 413)


def _is_own_site(headers: Headers, safe: bool) -> bool:
    """Return whether the browser says that a page of ours asks, or, to read, a person.

    Other ports of this machine are "same-site". Browsers before 2023 do not say it, nor do others
    where the connection is neither encrypted nor to this machine itself.
    """
    sites = headers.getlist("sec-fetch-site")
    return sites in ([], ["same-origin"]) or (safe and sites == ["none"])


def _query_problem(scope: Scope) -> str:
    """Say what is too long in the query of an address."""
    query = scope.get("query_string", b"")
    if len(query) > LONGEST_QUERY:
        return "the address is too long"
    try:
        fields = parse_qsl(
            query.decode("latin-1"), keep_blank_values=True, max_num_fields=MOST_FIELDS
        )
    except ValueError:
        return f"the address has more than {MOST_FIELDS:,} fields"
    return too_long(fields)


def _length(headers: Headers) -> int:
    stated = headers.get("content-length", "0")
    if not stated.isascii() or not stated.isdigit():
        return 0
    # Python refuses to convert thousands of digits.
    return int(stated[:20])


class _Limited:
    """Receives a request, up to a limit, whatever its headers state."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._left = limit

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise TooLarge
        return message


def _with_headers(send: Send, cache: str, scope: Scope) -> Send:
    """Add the headers of every answer; addresses in them get what the request's began with."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("Content-Security-Policy", PAGE_POLICY)
            headers.setdefault("Cache-Control", cache)
            for name in ("Location", "HX-Redirect"):
                if headers.get(name, "").startswith("/"):
                    headers[name] = scope["state"]["root"] + headers[name]
        await send(message)

    return guarded
