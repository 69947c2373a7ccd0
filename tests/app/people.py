"""A workbench with accounts, and people who sign in to it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from httpx2 import Response

from genotex.app import Access, UserGroup, add_account
from tests.app.conftest import PORT, Browser

ORIGIN = f"http://127.0.0.1:{PORT}"
PASSWORDS = {"anna": "anna's own password", "bert": "bert's own password",
             "carl": "carl reads and writes not"}  # fmt: skip
READERS = {"carl"}


def group_access(folder: Path, **more: Any) -> Access:
    """Return who may use the workbench of a folder: Anna and Bert, and Carl, who reads alone."""
    for name, password in PASSWORDS.items():
        add_account(folder, name, password, reads=name in READERS)
    return Access(PORT, group=UserGroup.of(folder), **more)


def sign_in(browser: Browser, name: str, password: str | None = None, **headers: str) -> Response:
    """Type name and password, by default the right one; the redirect is not followed."""
    given = {"name": name, "password": PASSWORDS.get(name, "") if password is None else password}
    headers = {"Origin": ORIGIN, **headers}
    return browser.post("/sign-in", data=given, headers=headers, follow_redirects=False)


class Person:
    """Somebody who is signed in: their cookie, and the token that their pages hold."""

    def __init__(self, browser: Browser, name: str) -> None:
        self._browser, self.name = browser, name
        browser.cookies.clear()
        answer = sign_in(browser, name)
        assert answer.status_code == 303, answer.text
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        browser.cookies.clear()
        (self.token,) = re.findall(r'"X-Token": "([^"]+)"', self.get("/").text)

    def get(self, path: str, **more: Any) -> Response:
        """Ask for a page."""
        return self._browser.get(path, headers={"Cookie": self.cookie}, **more)

    def post(self, path: str, token: str | None = None, **more: Any) -> Response:
        """Send what a page of theirs sends."""
        token = self.token if token is None else token
        headers = {"Cookie": self.cookie, "Origin": ORIGIN, "X-Token": token}
        return self._browser.post(path, headers=headers, **more)

    def link_to(self, page: str, place: dict[str, str]) -> str:
        """Return the path of a new read-only link, which ends with a slash."""
        answer = self.post("/links/share", params={**place, "page": page})
        assert answer.status_code == 200, answer.text
        (made,) = re.findall(r'href="[^"]+(/shared/[^"]+/)"', answer.text)
        return made
