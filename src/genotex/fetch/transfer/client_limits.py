"""How often a server is asked, how long its answers may take, and how large they may be."""

from __future__ import annotations

import email.utils
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlsplit

from genotex.fetch.transfer.addresses import is_loopback

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
