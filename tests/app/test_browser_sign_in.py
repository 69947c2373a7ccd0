"""Signing in with Chromium, and pages of other ports that try to use the workbench."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from genotex.app import add_account
from tests.app.chromium import LONGEST, Server, chromium
from tests.cli.test_de import write as write_tables
from tests.local_server import QuietHandler, first_line, local_address

__all__ = ["chromium"]


@pytest.fixture
def tab(chromium: Any) -> Iterator[Any]:
    """Return a tab of a browser that nobody has signed in."""
    context = chromium.new_context()
    context.set_default_timeout(LONGEST)
    yield context.new_page()
    context.close()


def check_accessible(tab: Any, width: int) -> None:
    """Check that a page fits, and that axe finds nothing serious."""
    axe = pytest.importorskip("axe_playwright_python", reason="pip install 'genotex[browser]'")
    tab.set_viewport_size({"width": width, "height": 800})
    # A plot takes its new width a moment later.
    tab.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)
    tab.evaluate(files(axe).joinpath("axe.min.js").read_text("utf-8"))
    found = tab.evaluate("axe.run()")["violations"]
    assert not [each for each in found if each["impact"] in ("serious", "critical")], found


@pytest.mark.parametrize("width", [400, 1280])
def test_pages_for_those_outside_are_accessible_and_fit(
    tab: Any, tmp_path: Path, width: int
) -> None:
    password = tmp_path / "password"
    password.write_text("open sesame")
    server = Server(tmp_path, ("--password-file", str(password)))
    tab.set_viewport_size({"width": width, "height": 800})

    def check() -> None:
        check_accessible(tab, width)

    try:
        tab.goto(server.address)
        assert tab.evaluate("document.activeElement.name") == "code"
        check()
        tab.fill("input[name=code]", server.code)
        tab.fill("input[name=password]", "wrong")
        tab.press("input[name=password]", "Enter")
        tab.wait_for_selector("[role=alert]:has-text('code or password is wrong')")
        check()
        tab.goto(f"data:text/html,<a href='{server.address}genes?trait={'long_' * 60}'>there</a>")
        tab.click("a")
        tab.wait_for_selector("h1:text-is('Refused')")
        check()
        # The link of that page is of the same site.
        tab.click("main a")
        tab.wait_for_selector("input[name=code]")
        # A wrong password leaves the code as it is.
        tab.fill("input[name=code]", server.code)
        tab.fill("input[name=password]", "open sesame")
        tab.press("input[name=password]", "Enter")
        tab.wait_for_selector("h1:text-is('Not found')")
        check()
    finally:
        server.end()


OPENED = """
import sys, webbrowser
from pathlib import Path
from genotex.app import serve
# Prints what a browser would be opened on, and waits as one would show it.
webbrowser.open = lambda url: print(url, flush=True)
serve(Path(sys.argv[1]), ready=lambda address, code: None)
"""


def test_the_file_signs_in_and_is_gone(tab: Any, tmp_path: Path) -> None:
    command = [sys.executable, "-c", OPENED, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            url = first_line(server).strip()
            file = Path(url.removeprefix("file://"))
            assert file.is_file() and file.stat().st_mode & 0o077 == 0
            assert file.parent.stat().st_mode & 0o077 == 0
            token = re.findall(r'name="token" value="([^"]+)"', file.read_text())[0]
            assert token not in url
            again = tab.context.new_page()
            tab.goto(url)
            tab.wait_for_selector("h1:text-is('Start')")
            assert tab.url.endswith("/") and token not in tab.content()
            assert not file.exists()
            # Other servers of the machine, which a cookie of 127.0.0.1 goes to, do not get it.
            assert tab.context.cookies() and not tab.context.cookies("http://127.0.0.1")
            assert re.search(r"//genotex-[0-9a-f]{10}\.localhost:", tab.url)
            # A copy that somebody made is of no use.
            copy = tmp_path / "copy.html"
            copy.write_text(
                f'<form method="post" action="{tab.url}sign-in"><input name="token" '
                f'value="{token}"></form><script>document.forms[0].submit()</script>'
            )
            again.goto(copy.as_uri())
            again.wait_for_selector("[role=alert]:has-text('was used before')")
            # The browser itself stays signed in.
            tab.reload()
            tab.wait_for_selector("h1:text-is('Start')")
        finally:
            server.terminate()
    assert not file.parent.exists()


def test_after_a_restart_an_open_tab_leads_to_the_code_and_back(
    tab: Any, chromium: Any, tmp_path: Path
) -> None:
    (tmp_path / "tables").mkdir()
    first = Server(tmp_path)
    port = ("--port", str(first.port))
    context = first.context(chromium)
    tab = context.new_page()
    tab.goto(f"{first.address}add")
    first.end()
    second = Server(tmp_path, port)
    try:
        # What the open page asks for says so, with a link.
        tab.click("text=Start the demonstration")
        tab.wait_for_selector("#message:has-text('not signed in') a:text-is('Sign in again')")
        tab.click("#message a")
        tab.wait_for_selector("input[name=code]")
        tab.fill("input[name=code]", "AAAA-AAAA-AAAA")
        tab.press("input[name=code]", "Enter")
        tab.wait_for_selector("[role=alert]:has-text('wrong')")
        tab.fill("input[name=code]", second.code.lower())
        tab.click("button.main")
        tab.wait_for_selector("h1:text-is('Add data')")
        assert tab.url == f"{second.address}add"
    finally:
        context.close()
        second.end()


@pytest.mark.everyday
def test_a_group_signs_in_shares_a_link_under_a_prefix_and_signs_out(
    chromium: Any, study_folder: Path
) -> None:
    password = add_account(study_folder, "anna")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    public = f"http://127.0.0.1:{port}/lab/genes/"
    server = Server(study_folder, ("--accounts", "--port", str(port), "--public-address", public))
    contexts = [chromium.new_context(), chromium.new_context()]
    own, other = (context.new_page() for context in contexts)
    errors: list[str] = []
    for tab in (own, other):
        tab.set_default_timeout(LONGEST)
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.on("response", lambda each: errors.append(each.url) if each.status >= 400 else None)
    try:
        assert server.address == public
        own.goto(f"{public}sign-in")
        own.fill("input[name=name]", "anna")
        own.fill("input[name=password]", password)
        own.press("input[name=password]", "Enter")
        own.wait_for_selector(".who:has-text('anna')")
        own.click("#analyses ~ .scroll tbody a >> nth=0")
        own.wait_for_selector("#plot[data-ready=volcano]")
        own.click("text=Read-only link")
        link = own.get_attribute("#made a", "href")
        assert link.startswith(f"{public}shared/")
        # Somebody who is not signed in sees the result, and works with it.
        other.goto(link)
        other.wait_for_selector("#plot[data-ready=volcano]")
        assert not other.query_selector("text=Analyse") and not other.query_selector("[hx-post]")
        other.fill("#search", "a")
        other.wait_for_selector("#table:has-text('fits'), #table:has-text(' of ')")
        other.click("#table tbody a >> nth=0")
        other.wait_for_selector("#values .main-svg")
        assert other.url.startswith(f"{link}gene?")
        for width in (400, 1280):
            check_accessible(other, width)
            for page in ("links", "log"):
                own.goto(f"{public}{page}")
                check_accessible(own, width)
        own.click("text=Sign out")
        own.wait_for_selector("input[name=password]")
        assert not errors, errors
        assert own.goto(f"{public}genes").status == 403
    finally:
        for context in contexts:
            context.close()
        server.end()


class _Hostile(QuietHandler):
    """A page of another port of this machine, as of another user's server."""

    attempts: tuple[str, ...] = ()

    def do_GET(self) -> None:
        body = "".join(self.attempts).encode() if self.path == "/" else b""
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.mark.everyday
def test_a_page_of_another_port_triggers_nothing(chromium: Any, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    table, sheet = write_tables(tmp_path / "tables" / "own")
    record = f'{{"name": "own", "expression": "{table.name}", "samples": "{sheet.name}"}}'
    (table.parent / "tables.json").write_text(record)
    server = Server(tmp_path)
    here = server.address
    mark = tmp_path / "run"
    hostile = f"name=own&design=~ {{__import__('pathlib').Path('{mark}').touch()}}&contrast=group"
    attempts = (
        f'<img src="{here}tables/design?{hostile}">',
        f'<img src="{here}samples.csv?trait=Gout&series=GSE1">',
        f'<script src="{here}static/app.js"></script>',
        f'<iframe src="{here}"></iframe>',
        f'<iframe name="there"></iframe><form id="f" method="post" target="there" '
        f'action="{here}add/demo"></form>',
        f"<script>document.getElementById('f').submit();"
        f"fetch('{here}add/demo', {{method: 'POST', mode: 'no-cors', credentials: 'include'}});"
        f"fetch('{here}', {{credentials: 'include'}});</script>",
    )
    context = server.context(chromium)
    asked: list[str] = []
    answered: list[int] = []
    context.on("request", lambda each: asked.append(each.url))
    context.on(
        "response", lambda each: answered.append(each.status) if each.url.startswith(here) else None
    )
    handler = type("Page", (_Hostile,), {"attempts": attempts})
    assert issubclass(handler, BaseHTTPRequestHandler)
    try:
        with local_address(handler, threading.Event()) as other:
            tab = context.new_page()
            tab.goto(other)
            tab.wait_for_load_state("networkidle")
        # What an image or a script gets is not even reported to the page that asked.
        assert sum(url.startswith(here) for url in asked) == 7, asked
        assert set(answered) == {403}
        assert not mark.exists() and not (tmp_path / "analyses").exists()
        # The same browser, on a page of the workbench itself, is let in.
        assert tab.goto(here).status == 200
        assert "tables" in tab.inner_text("main").lower()
    finally:
        context.close()
        server.end()
