"""Who may use the application: its address, its secrets, and the people who are signed in."""

from __future__ import annotations

import ipaddress
import secrets
import socket
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from genotex.app.access.accounts import Accounts, WrongTries
from genotex.app.access.activity import ActivityLog
from genotex.app.access.codes import OneTimeCode
from genotex.app.access.links import Links, SharedLink

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


@dataclass(frozen=True)
class Visitor:
    """Who sends a request: a person who is signed in, or whoever has a link.

    Attributes
    ----------
    user : str
        Name of the account; empty where there are none.
    change_token : str
        In a header of every request that computes or changes something; a link has none.
    link : SharedLink or None
        What it may read, and nothing else.
    reads : bool
        The account changes nothing.
    """

    user: str = ""
    change_token: str = ""
    link: SharedLink | None = None
    reads: bool = False


@dataclass(frozen=True)
class UserGroup:
    """A workbench that several people use: their accounts, links and log."""

    accounts: Accounts
    links: Links
    log: ActivityLog

    @classmethod
    def of(cls, folder: Path) -> UserGroup:
        """Return the group whose accounts a folder holds."""
        return cls(Accounts(folder), Links(folder), ActivityLog(folder))


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
    group : UserGroup or None
        The people who sign in by name and password, in the place of codes.
    public : str
        Address under which a reverse proxy passes requests on; empty without one.
    job_memory : int or None
        Bytes that a job may hold.
    folder_limit : int or None
        Bytes of the folder from which nothing is added to it.
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
    group: UserGroup | None = None
    public: str = ""
    job_memory: int | None = None
    folder_limit: int | None = None
    _tries: WrongTries = field(default_factory=WrongTries)

    @property
    def address(self) -> str:
        """The address to open; it holds no secret."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}/"

    @property
    def shown_address(self) -> str:
        """The address that people open: that of the reverse proxy, if there is one."""
        return self.public or self.address

    @property
    def prefix(self) -> str:
        """What every path begins with, such as ``/genotex``: a part of the proxy's address."""
        return urlsplit(self.public).path.rstrip("/")

    def origins(self, host: str) -> list[str]:
        """Return the ``Origin`` of pages of the workbench."""
        named = urlsplit(self.public)
        return [f"{named.scheme}://{named.netloc}" if self.public else f"http://{host}"]

    @property
    def own_address(self) -> str:
        """The address under a name that only the owner's browser is told.

        Browsers send the cookies of 127.0.0.1 to the servers of every port, also to those of other
        users; they send those of this name nowhere else. Safari does not know such names.
        """
        if sys.platform != "linux" or self.password or self.group is not None:
            return self.shown_address
        return f"http://{self.name}:{self.port}/"

    @property
    def cookie(self) -> str:
        """The name of the cookie."""
        return f"genotex_{self.port}"

    def cookie_line(self, secret: str) -> str:
        """Return the header that sets it to the secret of a session; without one, removes it."""
        end = "" if secret else "; Max-Age=0"
        tls = "; Secure" if self.public.startswith("https:") else ""
        kept = f"HttpOnly; Path={self.prefix}/; SameSite=strict{tls}{end}"
        return f"{self.cookie}={secret}; {kept}"

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
        if self.public and header == urlsplit(self.public).netloc:
            return True
        name, _, port = header.rpartition(":")
        if port != str(self.port):
            return False
        if name in LOOPBACK or name == self.host or name.endswith(".localhost"):
            return True
        if not self.password and self.group is None:
            return False
        return name in {socket.gethostname(), socket.getfqdn()} or _is_address(name.strip("[]"))

    def visitor(self, headers: Headers) -> Visitor | None:
        """Return who sends a request, by its cookie; None if that is of no session."""
        given = _cookie(headers, self.cookie)
        if self.group is None:
            return Visitor("", self.change_token) if is_same(given, self.session) else None
        found = self.group.accounts.session(given)
        if found is None:
            return None
        return Visitor(found.user, found.change_token, reads=found.account.reads)

    def sign_out(self, headers: Headers) -> None:
        """End the session of a request."""
        if self.group is not None:
            self.group.accounts.sign_out(_cookie(headers, self.cookie))

    def takes_token(self, given: str) -> bool:
        """Return whether a token is that of the file; it is accepted once."""
        if (
            self.password
            or self.group is not None
            or not self.token
            or not is_same(given, self.token)
        ):
            return False
        self.token = ""
        self.token_used()
        return True

    @property
    def locked(self) -> bool:
        """Whether too many wrong codes were tried; for a minute none is accepted then."""
        return self._tries.locked("")

    def accepts(self, code: str, password: str = "") -> bool:
        """Return whether a code, and the password if there is one, is right; a code works once.

        After ten wrong ones, none is accepted for a minute.
        """
        if self.locked or self.group is not None:
            return False
        if (not self.password or is_same(password, self.password)) and self.code.use(code):
            self._tries.forget("")
            return True
        self._tries.add("")
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_same(given: str | None, secret: str) -> bool:
    """Return whether a text is a secret; how long that takes says nothing of it."""
    return given is not None and secrets.compare_digest(given.encode(), secret.encode())


def _cookie(headers: Headers, name: str) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return None
    return None if found is None else found.value


def too_long(fields: Iterable[tuple[str, object]]) -> str:
    """Say which field of an address or a form is too long; empty if none is."""
    for name, value in fields:
        most = LONGEST_VALUES.get(name, LONGEST_VALUE)
        if isinstance(value, str) and len(value) > most:
            return f"{name[:40]!r} is too long: at most {most:,} characters"
    return ""
