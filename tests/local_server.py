"""What all local servers of the tests share: a quiet handler, and a thread that ends with them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class QuietHandler(BaseHTTPRequestHandler):
    """Writes no log, and lets callers go away."""

    protocol_version = "HTTP/1.1"

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:
            # The caller went away, as a killed one does, and one whose time is up.
            return

    def log_message(self, format: str, *args: Any) -> None:
        return


@contextmanager
def local_address(handler: type[QuietHandler], closing: threading.Event) -> Iterator[str]:
    """Serve on a free port of this machine; gives its address, and sets `closing` at the end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
