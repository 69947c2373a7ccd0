"""Who may use the application: token, cookie, Host, Origin, size of what is sent, and headers."""

from __future__ import annotations

import ipaddress
import secrets
import socket
import time
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import unquote_plus

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["LOOPBACK", "REPORT_POLICY", "Access", "Gate"]

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
UPLOAD_LIMIT = 32 * 1024 * 1024
FILE_LIMIT = 512 * 1024 * 1024
UPLOADS = frozenset({"/add/series", "/add/tables"})
"""Addresses that take whole files."""
HEALTH, LOGIN = "/health", "/login"
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
        Asked for in addition to the token; empty on this machine's own address.
    token : str
        In the address that is printed.
    session : str
        In the cookie.
    change_token : str
        In a header of every request that changes something.
    """

    port: int
    host: str = "127.0.0.1"
    password: str = ""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    session: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    change_token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    upload_limit: int = UPLOAD_LIMIT
    file_limit: int = FILE_LIMIT
    _failures: int = 0
    _locked_until: float = 0.0

    @property
    def url(self) -> str:
        """The address to open."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}/?token={self.token}"

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
        return self.file_limit if path in UPLOADS else self.upload_limit

    def knows_host(self, header: str) -> bool:
        """Return whether a Host header names this application (against DNS rebinding).

        On other addresses than loopback any literal IP address is accepted, since a rebinding
        attack needs a name.
        """
        name, _, port = header.rpartition(":")
        if port != str(self.port):
            return False
        if name in LOOPBACK or name == self.host:
            return True
        if not self.password:
            return False
        return name in {socket.gethostname(), socket.getfqdn()} or _is_address(name.strip("[]"))

    def accepts_password(self, given: str) -> bool:
        """Return whether a password is right; after ten wrong ones none is for a minute."""
        now = time.monotonic()
        if now < self._locked_until:
            return False
        if self.password and secrets.compare_digest(given.encode(), self.password.encode()):
            self._failures = 0
            return True
        self._failures += 1
        if self._failures >= _MOST_FAILURES:
            self._failures, self._locked_until = 0, now + _LOCKED_SECONDS
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _same(given: str | None, secret: str) -> bool:
    return given is not None and secrets.compare_digest(given.encode(), secret.encode())


class _TooLarge(Exception):
    """More was sent than is allowed."""


class Gate:
    """Refuses what does not come from the user's own page, before anything else sees it."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        access = self._access
        by_token = _same(_query_token(scope), access.token)
        refusal = self._refusal(scope, by_token)
        lets_in = by_token and refusal is None and not access.password
        # Files of the package are asked for again each time, and sent only if they have changed.
        cache = "no-cache" if scope["path"].startswith("/static/") else "no-store"
        guarded = _with_headers(send, cache, access if lets_in else None)
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        limited = _Limited(receive, access.limit(scope["path"]))
        try:
            await self._app(scope, limited, guarded)
        except _TooLarge:
            await self._too_large(scope["path"])(scope, receive, guarded)

    def _refusal(self, scope: Scope, by_token: bool) -> Response | None:
        """Return the answer to a request that is refused, or None."""
        access, headers = self._access, Headers(scope=scope)
        if len(headers.getlist("host")) != 1 or not access.knows_host(headers["host"]):
            return _forbidden("this address does not belong to the workbench")
        safe = scope["method"] in _SAFE
        if scope["path"] == HEALTH and safe:
            return None
        if not safe and headers.get("origin") != f"http://{headers['host']}":
            return _forbidden("changes are accepted from the workbench's own pages only")
        if _length(headers) > access.limit(scope["path"]):
            return self._too_large(scope["path"])
        let_in = _same(_cookie(headers, access.cookie), access.session)
        if scope["path"] == LOGIN:
            return None if by_token and access.password else _forbidden("there is nothing here")
        if not let_in and not (safe and by_token):
            return _forbidden(
                "open the workbench with the address that 'genotex serve' printed; it changes "
                "with every start"
            )
        if not safe and not _same(headers.get("x-token"), access.change_token):
            return _forbidden("this page is of an earlier start of the workbench; open it again")
        if not let_in and access.password:
            return Response(status_code=303, headers={"Location": f"{LOGIN}?token={access.token}"})
        return None

    def _too_large(self, path: str) -> Response:
        limit = self._access.limit(path) // (1024 * 1024)
        text = f"too large: at most {limit} MiB can be sent"
        # The rest is not read.
        return PlainTextResponse(text, 413, {"Connection": "close"})


def _forbidden(why: str) -> Response:
    return PlainTextResponse(f"403: {why}\n", 403)


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


def _query_token(scope: Scope) -> str | None:
    query = scope.get("query_string", b"").decode("latin-1")
    fields = (field.partition("=") for field in query.split("&"))
    return next((unquote_plus(value) for name, _, value in fields if name == "token"), None)


class _Limited:
    """Receives a request, up to a limit, whatever its headers state."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._left = limit

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise _TooLarge
        return message


def _with_headers(send: Send, cache: str, let_in: Access | None) -> Send:
    """Add the headers of every answer, and the cookie for a browser that is let in."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("Content-Security-Policy", PAGE_POLICY)
            headers.setdefault("Cache-Control", cache)
            if let_in is not None:
                headers.append("Set-Cookie", let_in.cookie_line)
        await send(message)

    return guarded
