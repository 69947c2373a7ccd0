"""What a client may ask: which addresses, how often, and how long and large answers may be."""

from __future__ import annotations

import email.utils
import ipaddress
import random
import re
import socket
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from genotex.errors import AddressRefusedError, UsageError

_SECRET = re.compile(
    r"key|token|secret|password|signature|credential|\A(sig|auth)\Z", re.IGNORECASE
)
"""Names of parameters with secrets, also in signed links of a file store."""
_NAME = re.compile(r"\w[\w .,()'&+-]*")
_LONGEST = 200
"""Bytes of a name; file systems allow 255, and suffixes are added."""

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")

_Origin = tuple[str, str, int | None]


class AllowedAddresses:
    """The addresses that may be requested."""

    # Servers named by the program or an option are allowed; others only by https and if public. So
    # no redirect leads into the local network of this machine.

    def __init__(self, given: Iterable[str]) -> None:
        self._given = {_origin(address) for address in given}

    def check(self, address: str) -> None:
        """Refuse an address that must not be asked."""
        parts = urlsplit(address)
        if parts.username or parts.password:
            raise _refused(address, "an address with a user name or a password is not requested")
        if not parts.hostname:
            raise _refused(address, "this is not the address of a server")
        if _origin(address) in self._given:
            return
        if parts.scheme != "https":
            raise _refused(address, f"only https is followed, not {parts.scheme or 'this'}")
        if not _is_public(parts.hostname):
            raise _refused(address, "this leads to a private address")

    def after_redirect(self, address: str, location: str | None) -> str:
        """Return where a redirect leads."""
        if not location:
            raise _refused(address, "a redirect without a target")
        try:
            target = urljoin(address, location)
            _origin(target)
        except ValueError as error:
            message = f"a redirect to an invalid address is not followed: {error}"
            raise _refused(address, message) from error
        if urlsplit(target).scheme != urlsplit(address).scheme:
            message = f"a redirect to another scheme is not followed: {shown(target)}"
            raise _refused(address, message)
        try:
            self.check(target)
        except AddressRefusedError as error:
            message = f"a redirect to {shown(target)} is not followed: {error.message}"
            raise _refused(address, message) from error
        return target


def _refused(address: str, message: str) -> AddressRefusedError:
    hint = "an address of your own can be given by an option"
    return AddressRefusedError(message, address=shown(address), hint=hint)


def _origin(address: str) -> _Origin:
    parts = urlsplit(address)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, (parts.hostname or "").lower(), port


def _is_public(host: str) -> bool:
    """Return whether all addresses of a host are public; an unknown host cannot be reached."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return True
    return all(_is_global(str(entry[4][0])) for entry in found)


def _is_global(number: str) -> bool:
    address = ipaddress.ip_address(number.partition("%")[0])
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped.is_global
    # Gateways forward these to the IPv4 address that they contain.
    held = [address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        held.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return address.is_global and all(each.is_global for each in held if each is not None)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine, by its name or number alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def base_address(address: str) -> str:
    """Return a base address with one slash at its end."""
    if not _is_base(address):
        msg = f"{address!r} is not a base address; write https://SERVER/ or https://SERVER/FOLDER/"
        raise UsageError(msg)
    return address.rstrip("/") + "/"


def _is_base(address: str) -> bool:
    try:
        scheme, host, _ = _origin(address)
    except ValueError:
        return False
    return scheme in ("http", "https") and bool(host) and not re.search(r"[?#\s]", address)


def shown(address: str) -> str:
    """Return an address as messages and journals show it: without keys and passwords."""
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    query = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not _SECRET.search(name)
    ]
    return urlunsplit((parts.scheme, host, parts.path, urlencode(query), ""))


def safe_name(name: str) -> str:
    """Return a name, if it can be the name of a file or folder and nothing else."""
    # A last check of names from servers: clients accept only names of the expected form.
    if not _NAME.fullmatch(name) or ".." in name or len(name.encode()) > _LONGEST:
        msg = f"{name[:80]!r} is not an allowed file name"
        raise AddressRefusedError(msg)
    return name


NCBI = "ncbi.nlm.nih.gov"
_EUTILS_HOST = "eutils.ncbi.nlm.nih.gov"
_WITHOUT_KEY = 3.0
"""Requests per second to NCBI without a key."""


@dataclass(frozen=True)
class ClientLimits:
    """Limits of time, size and number.

    `connect`, `read`: Seconds to connect, and to receive some bytes. `first_wait`, `longest_wait`:
    Seconds before the second attempt, doubled each time up to the longest. If a server asks for a
    longer pause, there is no retry.
    """

    connect: float = 20.0
    read: float = 60.0
    answer: float = 300.0
    """Seconds for the head of any answer, and for a complete one that is read into memory."""
    overall: float = 600.0
    """Seconds for a request with all of its attempts, counted from when bytes last came."""
    slowest: float = 1024.0
    """Lowest rate in bytes per second, over each `window`."""
    window: float = 60.0
    """Seconds."""
    attempts: int = 6
    """Number of failed requests without progress before a server is given up."""
    first_wait: float = 1.0
    longest_wait: float = 120.0
    most_text: int = 64 << 20
    """Bytes of an answer that is read into memory."""
    per_second: float = 5.0
    """Requests to one server; requests to this machine are not limited."""
    ncbi_per_second: float = _WITHOUT_KEY
    """Requests to the E-utilities: 3 without a key, 10 with one (NCBI, "A General Introduction to
    the E-utilities"). A key counts there alone; NCBI's other servers get 3 at most."""

    def per_second_of(self, host: str) -> float | None:
        """Return the requests per second to a server; None: unlimited."""
        if is_loopback(host):
            return None
        if host == _EUTILS_HOST:
            return self.ncbi_per_second
        of_ncbi = host == NCBI or host.endswith("." + NCBI)
        return min(self.ncbi_per_second, _WITHOUT_KEY) if of_ncbi else self.per_second


@dataclass
class Pace:
    """Delays requests so that no server gets more than its number per second."""

    limits: ClientLimits
    clock: Callable[[], float]
    sleep: Callable[[float], None]
    _next: dict[str, float] = field(default_factory=dict)

    def wait(self, address: str) -> None:
        """Wait until the next request to the server of an address is allowed."""
        host = (urlsplit(address).hostname or "").lower()
        per_second = self.limits.per_second_of(host)
        if per_second is None:
            return
        # The limit applies to all servers of NCBI together.
        key = NCBI if host.endswith(NCBI) else host
        pause = self._next.get(key, 0.0) - self.clock()
        if pause > 0:
            self.sleep(pause)
        self._next[key] = self.clock() + 1 / per_second


class Flow:
    """Detects a server that sends its bytes too slowly."""

    def __init__(self, limits: ClientLimits, clock: Callable[[], float]) -> None:
        self._limits = limits
        self._clock = clock
        self._since = clock()
        self._bytes = 0

    def is_too_slow(self, count: int) -> bool:
        """Count bytes, and return whether too few came in the last window."""
        self._bytes += count
        passed = self._clock() - self._since
        if passed < self._limits.window:
            return False
        slow = self._bytes < self._limits.slowest * passed
        self._since, self._bytes = self._clock(), 0
        return slow


def back_off(limits: ClientLimits, attempt: int, stream: random.Random) -> float:
    """Return the seconds to wait after an attempt, counted from 1."""
    # Doubled each time and drawn between half and all of that, so that many clients that were
    # rejected together do not return together.
    whole: float = min(limits.longest_wait, limits.first_wait * 2.0 ** (attempt - 1))
    return whole * stream.uniform(0.5, 1.0)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds a server asks to wait; None if it does not."""
    # A date is compared with the server's own clock if it is given (RFC 9110, section 10.2.3).
    asked = headers.get("Retry-After", "").strip()
    if not asked:
        return None
    if asked.isascii() and asked.isdigit():
        return float(asked)
    until = _date(asked)
    if until is None:
        return None
    now = _date(headers.get("Date", "")) or datetime.now(UTC)
    return max(0.0, (until - now).total_seconds())


def _date(text: str) -> datetime | None:
    try:
        found = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
