"""A time limit for the head of an answer, however slowly its bytes come."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from httpx2 import Request, Response

__all__ = ["HeadDeadline"]

_CONNECTED = (".connect_tcp.complete", ".start_tls.complete")


class HeadDeadline:
    """Cuts a connection whose answer has not begun in time.

    The limit of a single read does not do that: a server may send its headers letter by letter.
    For a client that asks one thing at a time and keeps no connection, by its event hooks.

    Parameters
    ----------
    seconds : float
        From the request to the end of the headers.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timer: threading.Timer | None = None
        self._socket: socket.socket | None = None

    def begin(self, request: Request) -> None:
        """Start the clock for a request."""
        self.stop()
        self._socket = None
        request.extensions = {**request.extensions, "trace": self._see}
        self._timer = threading.Timer(self._seconds, self._cut)
        self._timer.daemon = True
        self._timer.start()

    def end(self, response: Response) -> None:
        """Stop the clock: the headers are there."""
        self.stop()

    def stop(self) -> None:
        """Stop the clock, if it goes."""
        if self._timer is not None:
            self._timer.cancel()

    def _see(self, event: str, facts: Mapping[str, Any]) -> None:
        if event.endswith(_CONNECTED):
            self._socket = facts["return_value"].get_extra_info("socket")

    def _cut(self) -> None:
        if self._socket is not None:
            # Not the method of a TLS socket, which would take its keys from the thread that reads.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
