"""`genotex serve` in a process of its own, as tests start it, sign in and end it."""

from __future__ import annotations

import signal
import subprocess
import sys
import weakref
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPMessage
from pathlib import Path
from typing import IO
from urllib.parse import urlencode, urlsplit

from tests.local_server import first_line

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Running:
    """A server that was started; ended at the latest when it is forgotten."""

    def __init__(
        self, folder: Path, more: Sequence[str] = (), errors: IO[str] | None = None
    ) -> None:
        command = [sys.executable, "-m", "genotex", "serve", str(folder), "--no-browser", *more]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        # One that is left by a test that failed would hold the output of the test run open.
        weakref.finalize(self, self.process.kill)
        self.address = first_line(self.process).strip()
        assert self.process.stdout is not None
        self.code = self.process.stdout.readline().split()[1]
        port = urlsplit(self.address).port
        assert port is not None
        self.port, self.host = port, f"127.0.0.1:{port}"
        self.origin = f"http://{self.host}"

    def ask(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, body: str = ""
    ) -> tuple[int, HTTPMessage, str]:
        """Return status, headers and text of an answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body or None, dict(headers or {}))
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def sign_in(self, code: str = "") -> str:
        """Return the cookie that a code gives."""
        given = urlencode({"code": code or self.code})
        headers = {"Origin": self.origin, **FORM}
        status, answered, text = self.ask("POST", "/sign-in", headers, given)
        assert status == 303, text
        return answered["set-cookie"].partition(";")[0]

    def end(self, number: int = signal.SIGTERM) -> int:
        """End it by a signal, and return its exit code."""
        self.process.send_signal(number)
        code = self.process.wait(timeout=60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code
