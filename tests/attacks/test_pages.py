"""Every attempt of `pages.py` on a workbench with a series, results and own tables."""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlencode

import pytest
from httpx2 import Response
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from genotex.app import Access, home_pages, serve
from genotex.errors import FormatError, UsageError
from genotex.io import lock
from genotex.studies import Previews
from tests.app.conftest import Browser, place, runtime_folder, study_folder
from tests.attacks import pages
from tests.attacks.pages import COMPUTING, ORIGIN, PORT, ROUTES, Sender, SignIn, by_route
from tests.cli.test_de import write as write_tables

__all__ = ["place", "runtime_folder", "study_folder"]

SECONDS = 1.5
"""Of a design here; those that would take for ever are stopped after it."""
passed: list[str] = []
"""Paths of the requests that came past the gate."""


class Passed:
    """Notes what comes past the gate."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            passed.append(scope["path"])
        await self._app(scope, receive, send)


@pytest.fixture(scope="module")
def attacked(study_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Return a signed-in browser of a folder with a series, results, tables, and a link out."""
    folder = tmp_path_factory.mktemp("attacked")
    shutil.copytree(study_folder, folder, dirs_exist_ok=True)
    (folder / "tables").mkdir()
    table, sheet = write_tables(folder / "tables" / "own")
    record = {"name": "own", "expression": table.name, "samples": sheet.name}
    (table.parent / "tables.json").write_text(json.dumps(record))
    (folder / "linked").symlink_to(study_folder / "results")
    browser = Browser(folder, Access(PORT))
    browser.app.user_middleware.append(Middleware(Passed))  # type: ignore[attr-defined]
    browser.app.state.workbench.previews = Previews(SECONDS)  # type: ignore[attr-defined]
    with browser:
        assert browser.sign_in().status_code == 303
        yield browser


@pytest.fixture(autouse=True)
def forget() -> None:
    passed.clear()


def folder_of(browser: Browser) -> Path:
    root = browser.app.state.workbench.workspace.root  # type: ignore[attr-defined]
    assert isinstance(root, Path)
    return root


def files_of(folder: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of every file, so that a change of any is seen."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in found}


def as_sent(browser: Browser, sender: Sender) -> dict[str, str]:
    """Return the headers of a sender, with the secrets that it has."""
    access = browser.access
    own = f"{access.cookie}={access.session}"
    known = {"session": own, "value": access.session, "token": access.change_token}
    headers = {"Cookie": sender.cookie.format(**known), "X-Token": sender.token.format(**known)}
    if sender.origin is not None:
        headers["Origin"] = sender.origin
    return {name: value for name, value in (headers | sender.headers).items() if value}


def check_says_little(answer: Response, browser: Browser) -> None:
    """Check that an answer to a stranger has no secret and nothing of the folder."""
    access = browser.access
    for secret in (access.change_token, access.session, str(folder_of(browser)), "Traceback"):
        assert secret not in answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    ("method", "path", "sender"),
    [pytest.param(m, p, s, id=f"{m} {p} by {s.name}") for m, p, s in by_route()],
)
def test_by_route(attacked: Browser, method: str, path: str, sender: Sender) -> None:
    headers = as_sent(attacked, sender)
    if method != "POST" and "Origin" not in sender.headers and sender.origin == ORIGIN:
        # Browsers state an origin with a GET only where a script asks.
        del headers["Origin"]
    attacked.cookies.clear()
    answer = attacked.request(method, path, headers=headers)
    assert answer.status_code == 403, answer.text
    assert passed == []
    check_says_little(answer, attacked)


@pytest.mark.parametrize("path", sorted({path for method, path in ROUTES if method == "GET"}))
def test_reading_changes_and_starts_nothing(
    attacked: Browser, place: dict[str, str], path: str
) -> None:
    series = min(path.name for path in (folder_of(attacked) / "input/GEO").glob("*/*"))
    named = {"series": series, "cohort": series, "name": "own", "plot": "pca"}
    attacked.cookies.clear()
    before = files_of(folder_of(attacked))
    for method in ("GET", "HEAD"):
        headers = signed_in(attacked)
        answer = attacked.request(
            method, path, params=place | named, headers=headers, follow_redirects=False
        )
        assert answer.status_code in (200, 303, 404), answer.text
    workbench = attacked.app.state.workbench  # type: ignore[attr-defined]
    assert files_of(folder_of(attacked)) == before
    assert workbench.jobs.records() == [] and workbench.jobs._thread is None


@pytest.mark.parametrize("path", sorted(COMPUTING))
def test_an_address_alone_computes_nothing(attacked: Browser, path: str) -> None:
    assert ("POST", path) in ROUTES and ("GET", path) not in ROUTES
    query = {"name": "own", "design": "~ group", "contrast": "group: case - control"}
    answer = attacked.get(path, params=query, headers=signed_in(attacked))
    assert answer.status_code == 405


def signed_in(browser: Browser, **more: str) -> dict[str, str]:
    return {"Cookie": f"{browser.access.cookie}={browser.access.session}", **more}


def own_page(browser: Browser, **more: str) -> dict[str, str]:
    return signed_in(browser, **browser.own, **more)


@pytest.fixture
def stranger(attacked: Browser) -> Iterator[tuple[Browser, dict[str, str]]]:
    """Return a browser that is not signed in, and what it might know of a new start."""
    access = Access(PORT)
    used, spent = access.code.renew(), access.token
    assert access.accepts(used) and access.takes_token(spent)
    void = access.code.renew()
    code = access.code.renew()
    access.token = "the file's own token"
    known = {
        "used": used, "void": void, "code": code, "most": code[:-1], "spent": spent,
        "digest": sha256(code.replace("-", "").encode()).hexdigest(), "file": access.token,
        "token": access.change_token, "value": access.session,
        "json": json.dumps({"code": code}),
    }  # fmt: skip
    with Browser(folder_of(attacked), access) as browser:
        yield browser, known


@pytest.mark.parametrize("attempt", pages.SIGN_INS, ids=lambda attempt: attempt.name)
def test_signing_in(stranger: tuple[Browser, dict[str, str]], attempt: SignIn) -> None:
    browser, known = stranger

    def filled(text: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda found: known[found[1]], text)

    headers = {name: filled(value) for name, value in attempt.headers.items()}
    if attempt.origin is not None:
        headers["Origin"] = attempt.origin
    fields = {filled(name): filled(value) for name, value in attempt.fields.items()}
    kind = "Content-Type" if "Content-Type" in headers else ""
    body = next(iter(fields)) if kind else urlencode(fields)
    headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
    path = filled(attempt.path)
    answer = browser.request(attempt.method, path, content=body, headers=headers)
    expected = (200,) if attempt.method == "GET" and path.startswith("/sign-in") else ()
    assert answer.status_code in (*expected, 400, 403, 405, 413), answer.text
    check_says_little(answer, browser)
    assert browser.get("/").status_code == 403
    # Whoever has the code signs in all the same, except after an attempt that had it, too.
    assert browser.sign_in(known["code"]).status_code == 303


def test_a_restart_makes_everything_of_before_void(attacked: Browser) -> None:
    before = attacked.access
    code = before.code.renew()
    with Browser(folder_of(attacked), Access(PORT)) as after:
        assert after.get("/", headers=signed_in(attacked)).status_code == 403
        assert after.sign_in(code).status_code == 403
        file = {"Origin": "null"}
        assert after.post("/sign-in", data={"token": before.token}, headers=file).status_code == 403
        assert after.sign_in().status_code == 303
        # A page that was open: the cookie is new, but not what the page holds.
        old = {"Origin": ORIGIN, "X-Token": before.change_token}
        answer = after.post("/add/demo", headers=old)
        assert answer.status_code == 403 and answer.headers["x-open-again"] == "load"


@pytest.mark.parametrize("host", pages.HOSTS)
@pytest.mark.parametrize("path", ["/", "/health", "/sign-in", "/static/app.css"])
def test_under_another_name(attacked: Browser, host: str, path: str) -> None:
    answer = attacked.get(path, headers=signed_in(attacked, Host=host))
    assert answer.status_code == 403 and passed == []
    check_says_little(answer, attacked)


@pytest.mark.parametrize("value", pages.PLACES)
@pytest.mark.parametrize("path", pages.NAMED)
def test_names_lead_nowhere_else(
    attacked: Browser, place: dict[str, str], path: str, value: str
) -> None:
    name = pages.NAMED[path]
    value = value.replace(pages.FOLDER_OF_PAGES, str(folder_of(attacked)))
    answer = attacked.get(path, params=place | {name: value}, headers=signed_in(attacked))
    assert answer.status_code in (400, 404), answer.text
    assert "Traceback" not in answer.text and "<img" not in answer.text


@pytest.mark.parametrize("path", pages.FILES)
def test_files_of_others_are_not_served(attacked: Browser, path: str) -> None:
    answer = attacked.get(path, headers=signed_in(attacked))
    assert answer.status_code in (404, 405) and "import" not in answer.text


@pytest.mark.parametrize("name", pages.LONG)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_long_addresses(attacked: Browser, method: str, name: str) -> None:
    answer = attacked.request(method, pages.LONG[name], headers=own_page(attacked))
    assert answer.status_code in (200, 400, 404, 405), answer.text
    if name in pages.TOO_LONG:
        assert answer.status_code == 400
        assert "too long" in answer.text or "more than 1,000 fields" in answer.text
    assert len(answer.text) < 10_000 and "Traceback" not in answer.text


@pytest.mark.parametrize(
    ("path", "name"),
    [("/add/fetch", "trait"), ("/add/fetch", "accession"), ("/tables", "design"),
     ("/tables/design", "contrast"), ("/atlas/build", "atlas"), ("/analysis", "trait"),
     ("/analysis/design", "series"), ("/sets", "q"), ("/samples/assign", "value")],
)  # fmt: skip
@pytest.mark.parametrize("length", [900, 3000, 2_000_000])
def test_long_fields(
    attacked: Browser, place: dict[str, str], path: str, name: str, length: int
) -> None:
    series = min(path.name for path in (folder_of(attacked) / "input/GEO").glob("*/*"))
    query = {**place, "name": "own", "series": series}
    headers = own_page(attacked, Accept="application/json")
    data = {name: "x" * length}
    before = files_of(folder_of(attacked))
    answer = attacked.post(path, params=query, data=data, headers=headers)
    mild = (200,) if path.endswith("/design") and length == 900 else ()
    assert answer.status_code in (*mild, 400, 404), answer.text
    assert len(answer.text) < 10_000
    assert files_of(folder_of(attacked)) == before


def previewed(
    browser: Browser, design: str, contrast: str, path: str = "/tables/design"
) -> Response:
    data = {"design": design, "contrast": contrast}
    headers = own_page(browser, **{"HX-Request": "true"})
    return browser.post(path, params={"name": "own"}, data=data, headers=headers)


def check_nothing_ran(browser: Browser, answer: Response, mark: Path) -> None:
    assert "Traceback" not in answer.text and "<img" not in answer.text
    assert not mark.exists() and not (folder_of(browser) / "analyses").exists()
    assert browser.get("/health").status_code == 200


@pytest.mark.parametrize("formula", pages.FORMULAS.values(), ids=pages.FORMULAS)
def test_formulas(attacked: Browser, tmp_path: Path, formula: str) -> None:
    mark = tmp_path / "mark"
    formula = formula.replace("{mark}", str(mark))
    answer = previewed(attacked, formula, "group: case - control")
    assert answer.status_code == 200, answer.text
    check_nothing_ran(attacked, answer, mark)


@pytest.mark.parametrize("formula", [pages.FORMULAS[n] for n in ("a command", "braces alone")])
def test_formulas_that_are_to_be_started(attacked: Browser, tmp_path: Path, formula: str) -> None:
    mark = tmp_path / "mark"
    formula = formula.replace("{mark}", str(mark))
    answer = previewed(attacked, formula, "group: case - control", "/tables")
    assert answer.status_code == 400, answer.text
    check_nothing_ran(attacked, answer, mark)


@pytest.mark.parametrize("contrast", pages.CONTRASTS.values(), ids=pages.CONTRASTS)
def test_contrasts(attacked: Browser, tmp_path: Path, contrast: str) -> None:
    mark = tmp_path / "mark"
    answer = previewed(attacked, "~ group", contrast.replace("{mark}", str(mark)))
    assert answer.status_code == 200, answer.text
    check_nothing_ran(attacked, answer, mark)


@pytest.mark.parametrize(
    "path", ["/", "/genes", "/add/demo", "/sign-in", "/health", "/static/app.js"]
)
@pytest.mark.parametrize("method", pages.METHODS)
def test_methods(attacked: Browser, method: str, path: str) -> None:
    attacked.cookies.clear()
    assert attacked.request(method, path).status_code == 403
    answer = attacked.request(method, path, headers=own_page(attacked))
    assert answer.status_code == 405 and not answer.headers.get("access-control-allow-origin")


@pytest.mark.parametrize("headers", pages.HEADERS.values(), ids=pages.HEADERS)
def test_headers(attacked: Browser, headers: list[tuple[str, str]]) -> None:
    attacked.cookies.clear()
    given = {name for name, _ in headers}
    own = [(name, value) for name, value in own_page(attacked).items() if name not in given]
    for method, path in (("GET", "/"), ("POST", "/add/demo")):
        assert attacked.request(method, path, headers=[*own, *headers]).status_code == 403
    assert passed == []


@pytest.mark.parametrize("headers", pages.WITHOUT_EFFECT.values(), ids=pages.WITHOUT_EFFECT)
def test_headers_without_effect(attacked: Browser, headers: dict[str, str]) -> None:
    attacked.cookies.clear()
    assert attacked.get("/", headers=headers).status_code == 403
    answer = attacked.get("/", headers=signed_in(attacked) | headers)
    assert answer.status_code == 200 and "What is in the folder" in answer.text
    assert "evil.example" not in answer.text and passed == ["/"]
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("cookie", pages.COOKIES)
def test_cookies(attacked: Browser, cookie: str) -> None:
    attacked.cookies.clear()
    value = cookie.format(value=attacked.access.session).encode("latin-1")
    for method, path in (("GET", "/"), ("POST", "/add/demo")):
        headers = {name: text.encode() for name, text in attacked.own.items()} | {"Cookie": value}
        assert attacked.request(method, path, headers=headers).status_code == 403
    assert passed == []


@pytest.mark.parametrize("name", pages.UPLOADS)
@pytest.mark.parametrize("path", ["/add/series", "/add/tables", "/sets"])
def test_names_of_uploads(attacked: Browser, place: dict[str, str], path: str, name: str) -> None:
    before = files_of(folder_of(attacked))
    fields = {"/add/series": "files", "/add/tables": "expression", "/sets": "sent"}
    # What is sent is nothing that any of the pages could keep.
    files = [(fields[path], (name, b"<html></html>"))]
    data = {"trait": "Gout", "accession": "GSE1", "name": "x"}
    answer = attacked.post(path, params=place, data=data, files=files, headers=own_page(attacked))
    assert answer.status_code == 400, answer.text
    assert "<img" not in answer.text and len(answer.text) < 10_000
    assert files_of(folder_of(attacked)) == before
    assert not list(folder_of(attacked).glob(".upload*"))


@pytest.mark.parametrize("spelt", ["{}", "{}/.", "{}/input/..", "link"])
def test_a_second_server(tmp_path: Path, spelt: str) -> None:
    folder = tmp_path / "folder"
    (folder / "input").mkdir(parents=True)
    (tmp_path / "link").symlink_to(folder)
    again = Path(spelt.format(folder)) if spelt != "link" else tmp_path / "link"
    with lock(folder / "workbench"), pytest.raises(UsageError, match="another workbench has"):
        serve(again, browser=False)
    assert {path.name for path in folder.iterdir()} == {"input", ".workbench.lock"}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/", 200), ("GET", "/nothing", 404), ("PUT", "/", 405), ("GET", "/genes", 404),
     ("GET", "/sign-in", 303), ("GET", "/?x=" + "x" * 3000, 400), ("POST", "/add/fetch", 400),
     ("GET", "/static/app.js", 200), ("GET", "/health", 200), ("GET", "/genes.csv", 404)],
)  # fmt: skip
@pytest.mark.parametrize("who", ["signed in", "stranger"])
def test_every_answer_has_the_headers(
    attacked: Browser, method: str, path: str, status: int, who: str
) -> None:
    attacked.cookies.clear()
    headers = own_page(attacked) if who == "signed in" else attacked.own
    answer = attacked.request(method, path, headers=headers, follow_redirects=False)
    if who == "signed in":
        assert answer.status_code == status, answer.text
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy
    assert "unsafe-eval" not in policy and "frame-ancestors 'none'" in policy
    for name, value in {
        "x-content-type-options": "nosniff", "x-frame-options": "DENY",
        "cross-origin-resource-policy": "same-origin", "cross-origin-opener-policy": "same-origin",
        "referrer-policy": "same-origin",
    }.items():  # fmt: skip
        assert answer.headers[name] == value
    cached = "no-cache" if path.startswith("/static/") else "no-store"
    assert answer.headers["cache-control"] == cached


FAILURES = {
    "a mistake of ours": (ValueError("in /usr/lib/secret/place"), 500, "mistake in genotex"),
    "endless recursion": (RecursionError("maximum"), 500, "mistake in genotex"),
    "a damaged file": (FormatError("is cut", path=Path("/usr/lib/secret/x")), 400, "x: is cut"),
    "a full disk": (OSError(28, "No space left on device", "/usr/lib/secret/x"), 500, "No space"),
    "a long name": (OSError(36, "File name too long", "/usr/lib/secret/x"), 400, "too long"),
}  # fmt: skip


@pytest.mark.parametrize(("error", "status", "text"), FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize("by", ["a person", "htmx", "a script"])
def test_failures(
    attacked: Browser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
    error: Exception, status: int, text: str, by: str,
) -> None:  # fmt: skip
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(home_pages, "list_tables", fail)
    sent = {"a person": {"Accept": "text/html"}, "htmx": {"HX-Request": "true"},
            "a script": {"Accept": "application/json"}}[by]  # fmt: skip
    with caplog.at_level(logging.ERROR):
        answer = attacked.get("/", headers=signed_in(attacked, **sent))
    assert answer.status_code == status and text in answer.text
    for hidden in ("Traceback", "secret", "/usr", "Internal Server Error"):
        assert hidden not in answer.text
    assert ("<html" in answer.text) == (by == "a person")
    assert "content-security-policy" in answer.headers
    if "mistake" in text:
        (number,) = re.findall(r"error ([0-9a-f]{6})", answer.text)
        assert number in caplog.text and "Traceback" in caplog.text
