"""Attempts on a workbench with accounts: by read-only links, and through a reverse proxy.

Every route of the application is tried, those of pages that are added later, too.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpx2 import Response
from starlette.middleware import Middleware
from starlette.routing import Route

from genotex.app import LINKS, LONGEST_LINK, SHARED, Links
from genotex.errors import UsageError
from genotex.layout import OutputFolder
from genotex.studies import AnalysisRecord
from tests.app.conftest import PORT, Browser, place, runtime_folder, study_folder
from tests.app.people import ORIGIN, PASSWORDS, Person, group_access
from tests.app.test_accounts import COST
from tests.attacks.pages import ROUTES
from tests.attacks.test_pages import Passed, files_of, folder_of, forget, passed

__all__ = ["forget", "place", "runtime_folder", "study_folder"]

ADDRESS = re.compile(r' ([a-z-]+)="(/[^"]*)"')
NO_ADDRESS = {"value", "title"}
PUBLIC = "https://lab.example.org/lab/genes/"


def served(study_folder: Path, folder: Path, public: str = "") -> Browser:
    """Return a workbench with two results of a trait, its series, and accounts."""
    for name, source in (("input", "input"), ("results", "results"), ("private", "results")):
        shutil.copytree(study_folder / source, folder / name)
    (trait,) = OutputFolder(study_folder / "results").traits()
    series = sorted(path.name for path in (folder / "input/GEO" / trait).iterdir())
    for number, of in enumerate((series[:1], series[:2], series[1:2]), start=1):
        place = folder / "analyses" / f"00{number}-{trait}"
        shutil.copytree(study_folder / "results", place)
        record = AnalysisRecord(
            name=place.name, created=number, state="done", trait=trait, condition=None, series=of,
            source="input", every=True, by_sheet=[], message="" if number == 1 else "private",
        )  # fmt: skip
        (place / "analysis.json").write_text(record.model_dump_json())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(COST, 1 << 4)
        browser = Browser(folder, group_access(folder, public=public))
    browser.app.user_middleware.append(Middleware(Passed))  # type: ignore[attr-defined]
    return browser


@pytest.fixture(scope="module")
def shared(study_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(COST, 1 << 4)
        with served(study_folder, tmp_path_factory.mktemp("shared")) as browser:
            yield browser


@pytest.fixture
def anna(shared: Browser) -> Person:
    return Person(shared, "anna")


@pytest.fixture
def links(shared: Browser, anna: Person, place: dict[str, str], series: list[str]) -> list[str]:
    """Return a link to a result, and one to a series."""
    study = {"trait": place["trait"], "series": series[0]}
    made = [anna.link_to("/genes", place), anna.link_to("/samples", study)]
    shared.cookies.clear()
    passed.clear()
    return made


@pytest.fixture
def series(study_folder: Path, place: dict[str, str]) -> list[str]:
    return sorted(path.name for path in (study_folder / "input/GEO" / place["trait"]).iterdir())


def places_of(place: dict[str, str], series: list[str]) -> dict[str, dict[str, str]]:
    """Return what a link may be asked for, and what not."""
    trait, (first, second) = place["trait"], series[:2]
    return {
        "nothing": {},
        "the result": place,
        "another result": place | {"output": "private"},
        "the result, given something": place | {"condition": "Age"},
        "another trait": place | {"trait": "Gout"},
        "a result without its trait": {"output": "results"},
        "a trait without its result": {"trait": trait},
        "the series": {"trait": trait, "series": first},
        "another series": {"trait": trait, "series": second},
        "a cohort of the result": {"output": "results", "trait": trait, "cohort": first},
        "a cohort of another result": {"output": "private", "trait": trait, "cohort": first},
        "the quality of the series": {"trait": trait, "cohort": first},
        "the quality of another series": {"trait": trait, "cohort": second},
        "the result with another": place | {"with": "output=private&trait=x"},
        "a result of the series": place | {"output": f"analyses/001-{trait}"},
        "a result of it and another": place | {"output": f"analyses/002-{trait}"},
        "a result of another series": place | {"output": f"analyses/003-{trait}"},
        "a cohort of a result of the series": {
            "output": f"analyses/001-{trait}",
            "trait": trait,
            "cohort": first,
        },
        "a job": {"name": f"001-{trait}"},
        "a run": {"run": "team"},
        "an atlas": {"atlas": "atlas"},
        "own tables": {"name": "own"},
    }


OWN = {
    "result": {"the result", "a cohort of the result"},
    "study": {
        "the series",
        "the quality of the series",
        "a result of the series",
        "a cohort of a result of the series",
    },
}


def secrets_of(shared: Browser, anna: Person) -> list[str]:
    access = shared.access
    return [anna.token, access.change_token, access.session, str(folder_of(shared)), "private",
            "anna", "Traceback"]  # fmt: skip


@pytest.mark.parametrize("kind", ["result", "study"])
def test_a_link_reads_what_it_shows_and_nothing_else(
    shared: Browser, anna: Person, links: list[str], place: dict[str, str], series: list[str],
    kind: str,
) -> None:  # fmt: skip
    link = links[0 if kind == "result" else 1].rstrip("/")
    before = files_of(folder_of(shared))
    opened = set()
    for method, path in ROUTES:
        for name, asked in places_of(place, series).items():
            # Its own address is its first page, whatever else is asked for.
            own = (name in OWN[kind] or path == "/") and method in ("GET", "HEAD")
            if own and path.endswith((".zip", ".h5ad", ".xlsx")):
                continue
            passed.clear()
            answer = shared.request(method, f"{link}{path}", params=asked, follow_redirects=False)
            if passed and not path.startswith("/static/"):
                assert own, (method, path, name)
                opened.add(path)
                assert answer.status_code in (200, 404), answer.text
                for secret in secrets_of(shared, anna):
                    assert secret not in answer.text, (path, name)
            elif not path.startswith("/static/"):
                assert answer.status_code == 403, (method, path, name)
    changed = {path for path in files_of(folder_of(shared)).items()} ^ set(before.items())
    assert {Path(path).name for path, _ in changed} <= {".workbench-log.jsonl"}
    expected = {"/genes", "/gene", "/report", "/quality", "/sets", "/cohorts/forest"}
    assert opened >= expected | ({"/samples", "/samples.csv"} if kind == "study" else set())
    assert not opened & {"/study", "/log", "/links", "/compare", "/analysis/history",
                         "/cohorts/job", "/sets/job"}  # fmt: skip


@pytest.mark.parametrize("twice", ["output", "trait", "condition"])
@pytest.mark.parametrize("order", [1, -1])
def test_an_address_that_can_be_read_in_two_ways_is_refused(
    shared: Browser, links: list[str], place: dict[str, str], twice: str, order: int
) -> None:
    both = [*place.items(), (twice, "private")][::order]
    assert shared.get(f"{links[0]}genes", params=both).status_code == 403
    assert passed == []


@pytest.mark.parametrize(
    "path",
    ["..", "../", "%2e%2e/", "%2e/", "//", "/genes", "genes/", "genes/%2e%2e/", "..%2f", "%2fgenes",
     "shared/x/genes", "static/../../", "static/%2e%2e/server.py", "genes%00", "GENES"],
)  # fmt: skip
def test_no_path_leads_out_of_a_link(
    shared: Browser, anna: Person, links: list[str], path: str
) -> None:
    answer = shared.get(f"{links[0]}{path}", follow_redirects=False)
    assert answer.status_code in (403, 404), path
    assert all(secret not in answer.text for secret in secrets_of(shared, anna))


def test_a_link_that_was_guessed_changed_or_revoked_opens_nothing(
    shared: Browser, anna: Person, links: list[str], place: dict[str, str]
) -> None:
    secret = links[0].removeprefix(SHARED).rstrip("/")
    assert len(secret) == 43
    guesses = ["", "x", secret[:-1], secret + "x", secret.swapcase(), secret[::-1], "*", "%2a"]
    for guess in guesses:
        assert shared.get(f"{SHARED}{guess}/genes", params=place).status_code == 403
    # The file holds what it is recognised by, which opens nothing.
    text = (folder_of(shared) / LINKS).read_text()
    assert secret not in text and (folder_of(shared) / LINKS).stat().st_mode & 0o077 == 0
    for digest in re.findall(r'"digest": "([0-9a-f]{64})"', text):
        assert shared.get(f"{SHARED}{digest}/genes", params=place).status_code == 403
    page = shared.get(links[0])
    assert page.status_code == 200 and "set-cookie" not in page.headers
    numbers = re.findall(r"/links/revoke\?link=(\d+)", anna.get("/links").text)
    for number in numbers:
        assert anna.post("/links/revoke", params={"link": number}).status_code == 200
    assert anna.post("/links/revoke", params={"link": numbers[0]}).status_code == 404
    assert shared.get(links[0]).status_code == 403
    assert shared.get(links[1]).status_code == 403


def posts() -> list[str]:
    return sorted({path for method, path in ROUTES if method == "POST"} - {"/sign-in"})


def test_an_account_that_reads_alone_changes_nothing(
    shared: Browser, place: dict[str, str], series: list[str]
) -> None:
    carl = Person(shared, "carl")
    before, workbench = files_of(folder_of(shared)), shared.app.state.workbench  # type: ignore[attr-defined]
    jobs = workbench.jobs.records()
    routes = [each for each in shared.app.routes if isinstance(each, Route)]  # type: ignore[attr-defined]
    named = {each.path for each in routes if "POST" in (each.methods or ()) and each.name}
    for path in posts():
        for asked in places_of(place, series).values():
            if path == "/sign-out" or path == "/add/plan":
                continue
            form = {"change": "exclude:yes", "version": "0", "sample": "GSM1", "title": "mine"}
            answer = carl.post(path, params=asked, data=form)
            if path in named and path not in ("/genes/mark", "/set/mark"):
                assert answer.status_code == 403 and "changes nothing" in answer.text, path
    assert workbench.jobs.records() == jobs
    changed = files_of(folder_of(shared)).items() ^ before.items()
    assert {Path(path).name for path, _ in changed} <= {".workbench-log.jsonl"}
    assert carl.get("/genes", params=place).status_code == 200


def test_an_analysis_is_changed_by_whoever_started_it(
    shared: Browser, anna: Person, place: dict[str, str]
) -> None:
    jobs, name = shared.app.state.workbench.jobs, f"001-{place['trait']}"  # type: ignore[attr-defined]
    jobs._records[name] = jobs.record(name).model_copy(update={"by": "anna"})
    bert, asked = Person(shared, "bert"), {"name": name}
    names = [asked, {"name": f"{name}", "x": "1"}, [("name", "other"), ("name", name)]]
    for params in names:
        for path in ("/analysis/describe", "/analysis/delete", "/analysis/cancel", "/sets/cancel",
                     "/analysis/restore"):  # fmt: skip
            answer = bert.post(path, params=params, data={"title": "bert's", "notes": ""})
            assert answer.status_code == 403 and "started by anna" in answer.text, path
    assert jobs.record(name).title == ""
    assert "hx-post" not in bert.get("/analysis/about", params=asked).text.partition("<main")[2]
    given = {"title": "of the owner", "notes": ""}
    assert anna.post("/analysis/describe", params=asked, data=given).status_code == 200
    assert jobs.record(name).title == "of the owner"
    assert anna.post("/analysis/delete", params=asked).status_code == 200
    assert bert.post("/analysis/restore", params=asked).status_code == 403
    assert anna.post("/analysis/restore", params=asked).status_code == 200


def test_nothing_is_added_to_a_folder_that_has_reached_its_limit(
    shared: Browser, anna: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files_of(folder_of(shared))
    monkeypatch.setattr(shared.access, "folder_limit", 1)
    adds = [path for path in posts() if path.startswith(("/add/", "/atlas/build", "/samples/"))]
    for path in [*adds, "/analysis", "/analysis/together", "/tables", "/sets", "/cohorts"]:
        if path != "/add/plan":
            answer = anna.post(path)
            assert answer.status_code == 507 and "reached its limit" in answer.text, path
    assert anna.post("/analysis/cancel", params={"name": "none"}).status_code != 507
    changed = files_of(folder_of(shared)).items() ^ before.items()
    assert {Path(path).name for path, _ in changed} <= {".workbench-log.jsonl"}
    monkeypatch.setattr(shared.access, "folder_limit", 1 << 40)
    assert anna.post("/samples/assign", data={"version": "0"}).status_code == 404


def test_links_end_by_themselves(tmp_path: Path, place: dict[str, str]) -> None:
    links, now = Links(tmp_path), [1000.0]
    links.clock = lambda: now[0]
    _, secret = links.make("result", place, "anna")
    again = Links(tmp_path)
    again.clock = links.clock
    assert again.find(secret) == links.find(secret) is not None
    now[0] += LONGEST_LINK + 1
    assert links.find(secret) is None and links.all() == []
    (tmp_path / LINKS).write_text('{"links": [{"kind": "everything"}]}')
    with pytest.raises(UsageError, match="is damaged"):
        Links(tmp_path)


def test_a_link_gives_no_right_to_make_another(
    shared: Browser, links: list[str], place: dict[str, str], anna: Person
) -> None:
    before = anna.get("/links").text.count("/links/revoke")
    for path in ("/links/share", f"{links[0]}links/share"):
        answer = shared.post(path, params=place | {"page": "/genes"}, headers={"Origin": ORIGIN})
        assert answer.status_code == 403
    assert anna.get("/links").text.count("/links/revoke") == before


@pytest.mark.parametrize(
    "change",
    [{"page": "/"}, {"page": "/log"}, {"page": ""}, {"output": "../results"}, {"output": "none"},
     {"trait": "../x"}, {"page": "/samples", "series": "none"}],
)  # fmt: skip
def test_a_link_is_made_to_what_the_folder_holds_alone(
    anna: Person, place: dict[str, str], change: dict[str, str]
) -> None:
    asked = {**place, "page": "/genes", **change}
    assert anna.post("/links/share", params=asked).status_code == 404


def test_a_page_of_a_link_leads_to_pages_of_the_link(
    shared: Browser, links: list[str], place: dict[str, str]
) -> None:
    for link in links:
        page = shared.get(link, headers={"Sec-Fetch-Site": "cross-site", "Accept": "text/html"})
        assert page.status_code == 200 and "read-only" in page.text
        check_rooted(page, link)
        assert "hx-post" not in page.text and 'method="post"' not in page.text
        style = shared.get(f"{link}static/app.css")
        assert style.status_code == 200
    table = shared.get(f"{links[0]}genes/table", params=place | {"sort": "Symbol"})
    check_rooted(table, links[0])


def check_rooted(page: Response, root: str) -> None:
    found = [(name, value) for name, value in ADDRESS.findall(page.text) if name not in NO_ADDRESS]
    assert found and all(value.startswith(root) for _, value in found), found


def test_opening_a_link_is_in_the_log_without_its_secret(
    shared: Browser, links: list[str], anna: Person
) -> None:
    shared.get(links[0], headers={"Accept": "text/html"})
    text = (folder_of(shared) / ".workbench-log.jsonl").read_text()
    assert "opens by a link" in text and links[0].removeprefix(SHARED).rstrip("/") not in text
    assert "makes a link" in anna.get("/log").text


@pytest.fixture(scope="module")
def proxied(study_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(COST, 1 << 4)
        with served(study_folder, tmp_path_factory.mktemp("proxied"), PUBLIC) as browser:
            yield browser


OUTSIDE = {"Origin": "https://lab.example.org", "Host": "lab.example.org"}


def from_outside(proxied: Browser) -> dict[str, str]:
    """Return the headers of a person who signed in through the proxy."""
    proxied.cookies.clear()
    given = {"name": "anna", "password": PASSWORDS["anna"], "to": "/analysis"}
    answer = proxied.post("/lab/genes/sign-in", data=given, headers=OUTSIDE, follow_redirects=False)
    assert answer.status_code == 303 and answer.headers["location"] == "/lab/genes/analysis"
    kept = answer.headers["set-cookie"]
    assert "; Secure" in kept and "Path=/lab/genes/;" in kept and "HttpOnly" in kept
    proxied.cookies.clear()
    return {"Host": "lab.example.org", "Cookie": kept.partition(";")[0]}


def test_every_page_behind_a_proxy_keeps_its_prefix(
    proxied: Browser, place: dict[str, str], series: list[str]
) -> None:
    headers = from_outside(proxied)
    asked = place | {"series": series[0], "gene": "ACTB"}
    shown = 0
    # Files have no addresses.
    pages = sorted({path for method, path in ROUTES if method == "GET" and "." not in path})
    for path in pages:
        answer = proxied.get(
            f"/lab/genes{path}", params=asked, headers=headers, follow_redirects=False
        )
        assert answer.status_code in (200, 303, 404, 400), (path, answer.text)
        assert answer.headers.get("location", "/lab/genes/").startswith("/lab/genes/")
        kind = answer.headers.get("content-type", "")
        if kind.startswith("text/html") and path not in ("/report", "/scores/page"):
            shown += 1
            found = ADDRESS.findall(answer.text)
            wrong = [v for n, v in found if n not in NO_ADDRESS and not v.startswith("/lab/genes/")]
            assert not wrong, (path, wrong)
    assert shown > 20
    # As proxies pass a request on that do not keep its Host.
    local = headers | {"Host": f"127.0.0.1:{PORT}"}
    assert proxied.get("/lab/genes/", headers=local).status_code == 200


def test_behind_a_proxy_its_address_alone_is_the_workbench(proxied: Browser) -> None:
    headers = from_outside(proxied)
    for path in ("/", "/genes", "/lab", "/lab/", "/lab/genesx/", "/lab/genes/../genes/x"):
        assert proxied.get(path, headers=headers).status_code == 404, path
    assert proxied.get("/lab/genes", headers=headers).status_code == 200
    (token,) = re.findall(r'"X-Token": "([^"]+)"', proxied.get("/lab/genes/", headers=headers).text)
    for origin, status in (
        ("https://lab.example.org", 200), ("http://lab.example.org", 403),
        ("https://evil.example", 403), (ORIGIN, 403), ("null", 403), (None, 403),
    ):  # fmt: skip
        sent = headers | {"X-Token": token} | ({} if origin is None else {"Origin": origin})
        answer = proxied.post("/lab/genes/genes/mark", data={"genes": "TP53"}, headers=sent)
        wanted = 404 if status == 200 else status  # the address names no analysis
        assert answer.status_code == wanted, origin
    for host in ("evil.example", "lab.example.org:444", "lab.example.org.evil.example", ""):
        assert proxied.get("/lab/genes/", headers=headers | {"Host": host}).status_code == 403
    forged = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Prefix": "/evil"}
    page = proxied.get("/lab/genes/", headers=headers | forged)
    assert page.status_code == 200 and "evil" not in page.text


def test_a_link_behind_a_proxy_has_its_address(proxied: Browser, place: dict[str, str]) -> None:
    headers = from_outside(proxied)
    page = proxied.get("/lab/genes/", headers=headers).text
    (token,) = re.findall(r'"X-Token": "([^"]+)"', page)
    sent = headers | {"X-Token": token, "Origin": "https://lab.example.org"}
    answer = proxied.post("/lab/genes/links/share", params=place | {"page": "/genes"}, headers=sent)
    (made,) = re.findall(r'href="(https://lab\.example\.org/lab/genes/shared/[^"]+/)"', answer.text)
    path = made.removeprefix("https://lab.example.org")
    shown = proxied.get(path, headers={"Host": "lab.example.org"})
    assert shown.status_code == 200
    check_rooted(shown, path)


def test_wrong_passwords_are_counted_by_the_address_that_the_proxy_adds(proxied: Browser) -> None:
    proxied.cookies.clear()
    group = proxied.access.group
    assert group is not None
    sent = OUTSIDE | {"X-Forwarded-For": "203.0.113.9, 198.51.100.7"}
    for number in range(10):
        given = {"name": f"nobody{number}", "password": "wrong"}
        proxied.post("/lab/genes/sign-in", data=given, headers=sent)
    assert group.accounts.locked("someone", "198.51.100.7")
    assert not group.accounts.locked("someone", "203.0.113.9")
    assert not group.accounts.locked("someone", "testclient")
