"""The workbench in a process of its own, and Chromium that opens it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.app.served import Running

playwright = pytest.importorskip(
    "playwright.sync_api", reason="browser tests need playwright: pip install 'genotex[browser]'"
)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
if CHROMIUM is None:
    pytest.skip("browser tests need Chromium: apt-get install chromium", allow_module_level=True)

LONGEST = 240_000
"""Milliseconds: an analysis runs while others use the machine."""


class Server(Running):
    """A server, and a browser's view of it once it has signed in."""

    def __init__(self, folder: Path, more: Sequence[str] = ()) -> None:
        super().__init__(folder, more)
        self.state: Any = None

    def context(self, chromium: Any, **settings: Any) -> Any:
        """Return a browser that is signed in; the first one typed the code."""
        context = chromium.new_context(storage_state=self.state, **settings)
        context.set_default_timeout(LONGEST)
        if self.state is None:
            tab = context.new_page()
            tab.goto(self.address)
            tab.fill("input[name=code]", self.code)
            tab.press("input[name=code]", "Enter")
            tab.wait_for_selector("nav a:text-is('Folder')")
            tab.close()
            self.state = context.storage_state()
        return context


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
    """Return a tab of a browser that is signed in; errors in its console fail the test."""
    settings = {"viewport": {"width": 1280, "height": 900}, "accept_downloads": True}
    context = server.context(chromium, **settings)
    page = context.new_page()
    errors: list[str] = []
    page.on(
        "console", lambda message: errors.append(message.text) if message.type == "error" else None
    )
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(server.address)
    yield page
    context.close()
    assert not errors, errors
