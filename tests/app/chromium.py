"""The workbench in a process of its own, and Chromium that opens it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.local_server import first_line

playwright = pytest.importorskip(
    "playwright.sync_api", reason="browser tests need playwright: pip install 'genotex[browser]'"
)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
if CHROMIUM is None:
    pytest.skip("browser tests need Chromium: apt-get install chromium", allow_module_level=True)

LONGEST = 120_000
"""Milliseconds: an analysis runs while others use the machine."""


class Server:
    """`genotex serve` in a process of its own."""

    def __init__(self, folder: Path, more: Sequence[str] = ()) -> None:
        command = [sys.executable, "-m", "genotex", "serve", str(folder), "--no-browser", *more]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        # One that is left by a test that failed would hold the output of the test run open.
        weakref.finalize(self, self.process.kill)
        self.url = first_line(self.process).strip()

    def end(self, number: int = signal.SIGTERM) -> None:
        self.process.send_signal(number)
        self.process.wait(timeout=60)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    server = Server(folder)
    yield server
    server.end()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    options = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any, server: Server) -> Iterator[Any]:
    """Return a tab that opened the printed address; errors in its console fail the test."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    context.set_default_timeout(LONGEST)
    page = context.new_page()
    errors: list[str] = []
    page.on(
        "console", lambda message: errors.append(message.text) if message.type == "error" else None
    )
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(server.url)
    yield page
    context.close()
    assert not errors, errors
