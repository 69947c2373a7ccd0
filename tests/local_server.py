"""Servers of the tests: a quiet handler, a thread that ends with them, and waits with a limit."""

from __future__ import annotations

import select
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, AnyStr

LONGEST_START = 120.0
"""Seconds in which a program of a test must have printed its first line."""


def first_line(process: subprocess.Popen[AnyStr]) -> AnyStr:
    """Return the first line that a program prints; one that prints none in time fails the test."""
    assert process.stdout is not None
    if not select.select([process.stdout], [], [], LONGEST_START)[0]:
        process.kill()
        msg = f"{process.args!r} printed nothing in {LONGEST_START:.0f} s"
        raise TimeoutError(msg)
    return process.stdout.readline()


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
def ended(process: subprocess.Popen[AnyStr]) -> Iterator[subprocess.Popen[AnyStr]]:
    """Kill a program of a test that still runs when its test is over, also one that has failed.

    `Popen` itself waits for it, and one that is left holds the output of the whole test run open.
    """
    with process:
        try:
            yield process
        finally:
            process.kill()


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
