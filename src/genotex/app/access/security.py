"""Who may use the application: which requests are answered, and with which headers.

The rules, in the order in which they are checked; docs/workbench-security.md explains them:

1. The ``Host`` is an address of the application.
2. Address and body have a limited length.
3. No page of another site or of another port asks (``Sec-Fetch-Site``, ``Origin``).
4. The browser is signed in (cookie).
5. What computes or changes something is a POST and has the token of a page of this start.

Only ``/health`` is without 3 to 5, signing in without 4 and 5, the two style sheets without 4.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from genotex.app.access.codes import OneTimeCode

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
UPLOAD_LIMIT = 32 * 1024 * 1024
FILE_LIMIT = 512 * 1024 * 1024
SIGN_IN_LIMIT = 8 * 1024
UPLOADS = frozenset({"/add/series", "/add/tables"})
"""Addresses that take whole files."""
HEALTH, SIGN_IN = "/health", "/sign-in"
STYLES = frozenset({"/static/report.css", "/static/app.css"})
"""What the page for signing in needs."""
LONGEST_PATH, LONGEST_QUERY, MOST_FIELDS = 1000, 32 * 1024, 1000
LONGEST_VALUE = 1000
LONGEST_VALUES = {
    "lasso": 16_000, "to": 5000, "genes": 1_000_000, "up": 1_000_000, "down": 1_000_000,
}  # fmt: skip
"""Characters of fields that are corners of a selection, addresses, or pasted lists."""
_SAFE = frozenset({"GET", "HEAD"})
_MOST_FAILURES, _LOCKED_SECONDS = 10, 60.0

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src-attr 'unsafe-inline'; style-src 'self' "
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; "
    "img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'"
)
"""Scripts and style sheets of our own files only. Plotly sets style attributes of its SVG, and adds
an empty style element (the hash) that it fills by script."""
REPORT_POLICY = (
    "sandbox allow-scripts allow-popups; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'"
)
"""A report is one file with its own script: it runs without access to the application."""
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With "no-referrer" browsers would send "Origin: null" with our own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass
class Access:
    """The secrets of one start of the application, and where it listens.

    Attributes
    ----------
    port : int
        Port that it listens on; the cookie is named after it, as cookies of one host are shared.
    host : str
        Address that it listens on.
    password : str
        Asked for in addition to a code; empty on this machine's own address.
    name : str
        Another name of this machine, that other servers on it do not know.
    code : OneTimeCode
        What a person types to sign a browser in.
    token : str
        In the file that the browser is opened on; empty once it was used.
    token_used : callable
        Called then.
    session : str
        In the cookie.
    change_token : str
        In a header of every request that computes or changes something.
    upload_limit, file_limit : int
        Bytes of a request, and of one that sends whole files.
    """

    port: int
    host: str = "127.0.0.1"
    password: str = ""
    name: str = field(default_factory=lambda: f"genotex-{secrets.token_hex(5)}.localhost")
    code: OneTimeCode = field(default_factory=OneTimeCode)
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    session: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    change_token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    token_used: Callable[[], None] = lambda: None
    upload_limit: int = UPLOAD_LIMIT
    file_limit: int = FILE_LIMIT
    _failures: int = 0
    _locked_until: float = 0.0

    @property
    def address(self) -> str:
        """The address to open; it holds no secret."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}/"

    @property
    def own_address(self) -> str:
        """The address under a name that only the owner's browser is told.

        Browsers send the cookies of 127.0.0.1 to the servers of every port, also to those of other
        users; they send those of this name nowhere else. Safari does not know such names.
        """
        if sys.platform != "linux" or self.password:
            return self.address
        return f"http://{self.name}:{self.port}/"

    @property
    def cookie(self) -> str:
        """The name of the cookie."""
        return f"genotex_{self.port}"

    @property
    def cookie_line(self) -> str:
        """The header that sets it."""
        return f"{self.cookie}={self.session}; HttpOnly; Path=/; SameSite=strict"

    def limit(self, path: str) -> int:
        """Return how many bytes may be sent to an address."""
        if path == SIGN_IN:
            return SIGN_IN_LIMIT
        return self.file_limit if path in UPLOADS else self.upload_limit

    def knows_host(self, header: str) -> bool:
        """Return whether a Host header names this application (against DNS rebinding).

        Names under ``localhost`` are this machine's own (RFC 6761). On other addresses than
        loopback any literal IP address is accepted, since a rebinding attack needs a name.
        """
        name, _, port = header.rpartition(":")
        if port != str(self.port):
            return False
        if name in LOOPBACK or name == self.host or name.endswith(".localhost"):
            return True
        if not self.password:
            return False
        return name in {socket.gethostname(), socket.getfqdn()} or _is_address(name.strip("[]"))

    def is_signed_in(self, headers: Headers) -> bool:
        """Return whether the cookie of a request is that of this start."""
        return _same(_cookie(headers, self.cookie), self.session)

    def takes_token(self, given: str) -> bool:
        """Return whether a token is that of the file; it is accepted once."""
        if self.password or not self.token or not _same(given, self.token):
            return False
        self.token = ""
        self.token_used()
        return True

    @property
    def locked(self) -> bool:
        """Whether too many wrong codes were tried; for a minute none is accepted then."""
        return time.monotonic() < self._locked_until

    def accepts(self, code: str, password: str = "") -> bool:
        """Return whether a code, and the password if there is one, is right; a code works once.

        After ten wrong ones, none is accepted for a minute.
        """
        if self.locked:
            return False
        if (not self.password or _same(password, self.password)) and self.code.use(code):
            self._failures = 0
            return True
        self._failures += 1
        if self._failures >= _MOST_FAILURES:
            self._failures, self._locked_until = 0, time.monotonic() + _LOCKED_SECONDS
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _same(given: str | None, secret: str) -> bool:
    return given is not None and secrets.compare_digest(given.encode(), secret.encode())


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
        # Files of the package are asked for again each time, and sent only if they have changed.
        cache = "no-cache" if scope["path"].startswith("/static/") else "no-store"
        guarded = _with_headers(send, cache)
        if len(headers.getlist("host")) != 1 or not self._access.knows_host(headers["host"]):
            answer: Response = PlainTextResponse(f"403: {_FOREIGN_HOST}\n", 403)
            await answer(scope, receive, guarded)
            return
        refused = self._refusal(scope, headers)
        if refused is None:
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
        origin, own = headers.getlist("origin"), [f"http://{headers['host']}"]
        if path == SIGN_IN and origin == ["null"]:
            # The file that the browser is opened on; only its token is accepted from there.
            return None
        if not _is_own_site(headers, safe) or (safe and origin not in ([], own)):
            return _OTHER_SITE if safe else _OTHER_ORIGIN
        if not safe and origin != own:
            return _OTHER_ORIGIN
        if path == SIGN_IN or (safe and path in STYLES):
            return None
        if not access.is_signed_in(headers):
            return _NOT_SIGNED_IN
        if not safe and not _same(headers.get("x-token"), access.change_token):
            return _OLD_PAGE
        return None

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


def too_long(fields: Iterable[tuple[str, object]]) -> str:
    """Say which field of an address or a form is too long; empty if none is."""
    for name, value in fields:
        most = LONGEST_VALUES.get(name, LONGEST_VALUE)
        if isinstance(value, str) and len(value) > most:
            return f"{name[:40]!r} is too long: at most {most:,} characters"
    return ""


def _length(headers: Headers) -> int:
    stated = headers.get("content-length", "0")
    if not stated.isascii() or not stated.isdigit():
        return 0
    # Python refuses to convert thousands of digits.
    return int(stated[:20])


def _cookie(headers: Headers, name: str) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return None
    return None if found is None else found.value


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


def _with_headers(send: Send, cache: str) -> Send:
    """Add the headers of every answer."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("Content-Security-Policy", PAGE_POLICY)
            headers.setdefault("Cache-Control", cache)
        await send(message)

    return guarded
