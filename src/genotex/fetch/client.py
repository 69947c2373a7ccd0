"""The HTTP client that servers are asked by: no cookies, no redirects, no compression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from genotex import __version__
from genotex.errors import UsageError
from genotex.fetch.deadline import HeadDeadline
from genotex.fetch.manners import Manners

if TYPE_CHECKING:
    from httpx2 import Client

__all__ = ["open_client"]


def open_client(manners: Manners, head: HeadDeadline) -> Client:
    """Return a client that keeps no connection, through the proxies of the environment.

    Raises
    ------
    UsageError
        If a proxy or the certificates that the environment names cannot be used.
    """
    # Not at the top: loading it takes longer than all of `genotex --help`.
    from httpx2 import Client, InvalidURL, Limits, Timeout

    try:
        return Client(
            timeout=Timeout(manners.read, connect=manners.connect),
            limits=Limits(max_keepalive_connections=0),
            event_hooks={"request": [head.begin], "response": [head.end]},
            follow_redirects=False,
            headers={"User-Agent": f"genotex/{__version__}", "Accept-Encoding": "identity"},
        )
    except (ImportError, ValueError, OSError, InvalidURL) as error:
        msg = (
            "a proxy or the certificates that the environment names cannot be used: check "
            "HTTP_PROXY, HTTPS_PROXY and ALL_PROXY (http://SERVER:PORT, not socks), SSL_CERT_FILE "
            "and SSL_CERT_DIR"
        )
        raise UsageError(msg) from error
