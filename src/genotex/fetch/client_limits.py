"""How often a server is asked, how long its answers may take, and how large they may be."""

from __future__ import annotations

import email.utils
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlsplit

from genotex.fetch.addresses import is_loopback

__all__ = ["Flow", "Manners", "Pace", "back_off", "retry_after"]

NCBI = "ncbi.nlm.nih.gov"
EUTILS_HOST = "eutils.ncbi.nlm.nih.gov"
WITHOUT_KEY = 3.0
"""Requests a second to NCBI that no key allows more of."""


@dataclass(frozen=True)
class Manners:
    """Limits of time, size and number.

    Attributes
    ----------
    connect, read
        Seconds until a connection stands, and until some bytes come.
    answer
        Seconds for the head of any answer, and for the whole of one that is read into memory.
    slowest
        Bytes per second that come at least, over each `window`.
    window
        Seconds.
    attempts
        How often a server that fails is asked without anything coming of it.
    first_wait, longest_wait
        Seconds before the second attempt, doubled each time up to the longest. A server that asks
        for a longer pause than the longest is not asked again.
    most_text
        Bytes of an answer that is read into memory.
    per_second
        Requests to one server; none to this machine is held back.
    ncbi_per_second
        Requests to the E-utilities: 3 without a key, 10 with one (NCBI, "A General Introduction to
        the E-utilities"). A key counts there alone; NCBI's other servers get 3 at most.
    """

    connect: float = 20.0
    read: float = 60.0
    answer: float = 300.0
    slowest: float = 1024.0
    window: float = 60.0
    attempts: int = 6
    first_wait: float = 1.0
    longest_wait: float = 120.0
    most_text: int = 64 << 20
    per_second: float = 5.0
    ncbi_per_second: float = WITHOUT_KEY

    def per_second_of(self, host: str) -> float | None:
        """Return how many requests a second a server gets; None without limit."""
        if is_loopback(host):
            return None
        if host == EUTILS_HOST:
            return self.ncbi_per_second
        of_ncbi = host == NCBI or host.endswith("." + NCBI)
        return min(self.ncbi_per_second, WITHOUT_KEY) if of_ncbi else self.per_second


@dataclass
class Pace:
    """Holds requests back so that no server gets more than its number a second."""

    manners: Manners
    clock: Callable[[], float]
    sleep: Callable[[float], None]
    _next: dict[str, float] = field(default_factory=dict)

    def wait(self, address: str) -> None:
        """Wait until the server of an address may be asked again."""
        host = (urlsplit(address).hostname or "").lower()
        per_second = self.manners.per_second_of(host)
        if per_second is None:
            return
        # All servers of NCBI count together.
        key = NCBI if host.endswith(NCBI) else host
        pause = self._next.get(key, 0.0) - self.clock()
        if pause > 0:
            self.sleep(pause)
        self._next[key] = self.clock() + 1 / per_second


class Flow:
    """Notices a server that gives its bytes drop by drop."""

    def __init__(self, manners: Manners, clock: Callable[[], float]) -> None:
        self._manners = manners
        self._clock = clock
        self._since = clock()
        self._bytes = 0

    def is_too_slow(self, count: int) -> bool:
        """Take in so many bytes, and tell whether too few came in the last window."""
        self._bytes += count
        passed = self._clock() - self._since
        if passed < self._manners.window:
            return False
        slow = self._bytes < self._manners.slowest * passed
        self._since, self._bytes = self._clock(), 0
        return slow


def back_off(manners: Manners, attempt: int, stream: random.Random) -> float:
    """Return the seconds to wait behind the attempt of this number (from 1)."""
    # They double each time, and are drawn between half of that and all of it, so that many who were
    # sent away together do not come back together.
    whole: float = min(manners.longest_wait, manners.first_wait * 2.0 ** (attempt - 1))
    return whole * stream.uniform(0.5, 1.0)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds a server asks to wait; None where it does not say."""
    # A date is compared with the server's own clock where it tells it (RFC 9110, section 10.2.3).
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
