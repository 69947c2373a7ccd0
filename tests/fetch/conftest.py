"""A server with faults, and a client that waits for nothing."""

from collections.abc import Callable, Iterator

import pytest

from genotex.fetch import ClientLimits, WebClient

from .server import Site, serving

QUICK = ClientLimits(read=1.0, connect=1.0, window=0.2, first_wait=1.0, answer=2.0)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("NCBI_API_KEY", raising=False)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


@pytest.fixture
def waits() -> list[float]:
    """Seconds the client was told to wait, in order."""
    return []


@pytest.fixture
def client_of(waits: list[float]) -> Iterator[Callable[..., WebClient]]:
    """Make a client that may ask a site, and does not really wait."""
    made: list[WebClient] = []

    def make(*sites: Site, limits: ClientLimits = QUICK) -> WebClient:
        given = [site.address for site in sites]
        made.append(WebClient(given, limits=limits, sleep=waits.append))
        return made[-1]

    yield make
    for each in made:
        each.__exit__(None, None, None)


@pytest.fixture
def client(site: Site, client_of: Callable[..., WebClient]) -> WebClient:
    return client_of(site)
