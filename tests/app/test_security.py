"""Each way in that is refused, and that the user's own page is not."""

from __future__ import annotations

import gzip
import html
import io
import re
import shutil
import socket
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import numpy as np
import polars as pl
import pytest
from httpx2 import Response

from genotex.analysis import analyze_table, write_result
from genotex.app import Access
from genotex.app.access.serving import _bound
from genotex.errors import FileLimitError, FormatError
from genotex.formats import LinkedTable, write_linked_csv, write_linked_parquet
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.outside import check_upload
from genotex.problems import Problem
from genotex.studies import JobQueue, Workspace
from tests.app.conftest import PORT, Browser
from tests.app.served import Running
from tests.geo_text import GENES, asthma, series_matrix, write_gz

BAD = "<img src=x onerror=alert(1)>"


def test_health_needs_no_cookie(stranger: Browser) -> None:
    assert stranger.get("/health").status_code == 200


@pytest.mark.parametrize("path", ["/", "/genes", "/static/app.js", "/report", "/nothing", "/login"])
@pytest.mark.parametrize("accepted", ["application/json", "text/html"])
def test_nothing_is_sent_to_a_browser_that_is_not_signed_in(
    stranger: Browser, study_folder: Path, path: str, accepted: str
) -> None:
    answer = stranger.get(path, headers={"Accept": accepted})
    assert answer.status_code == 403
    assert stranger.access.change_token not in answer.text and str(study_folder) not in answer.text
    # A person gets a page with a field for the code, a script a line and where to sign in.
    assert ("One-time code" in answer.text) == (accepted == "text/html")
    assert answer.headers["x-open-again"] == "sign in"
    partly = stranger.get(path, headers={"Accept": "*/*", "HX-Request": "true"})
    assert partly.status_code == 403 and partly.text.startswith("403: ")
    assert partly.headers["x-open-again"] == "sign in"


def test_the_style_of_the_page_for_signing_in_is_all_that_a_stranger_gets(
    stranger: Browser,
) -> None:
    answer = stranger.get("/sign-in")
    assert answer.status_code == 200 and stranger.access.change_token not in answer.text
    styles = re.findall(r'href="(/static/[^"?]+)', answer.text)
    assert styles == ["/static/report.css", "/static/app.css"]
    assert all(stranger.get(path).status_code == 200 for path in styles)
    assert stranger.get(styles[0], headers={"Sec-Fetch-Site": "same-site"}).status_code == 403


def test_a_wrong_code_and_a_forged_cookie_are_refused(stranger: Browser) -> None:
    assert stranger.sign_in(code="guess").status_code == 403
    assert stranger.sign_in(code="").status_code == 403
    forged = {"Cookie": f"genotex_{PORT}=guess"}
    assert stranger.get("/", headers=forged).status_code == 403


def test_a_code_sets_a_cookie_that_scripts_and_other_sites_cannot_use(stranger: Browser) -> None:
    code = stranger.access.code.renew()
    answer = stranger.sign_in(code=code)
    assert answer.status_code == 303
    line = answer.headers["set-cookie"].lower()
    assert "httponly" in line and "samesite=strict" in line
    page = stranger.get("/")
    assert page.status_code == 200 and code not in page.text


def test_a_code_works_once_and_a_new_one_makes_the_earlier_void(stranger: Browser) -> None:
    first = stranger.access.code.renew()
    second = stranger.access.code.renew()
    assert stranger.sign_in(code=first).status_code == 403
    # As people type it.
    assert stranger.sign_in(code=f" {second.lower().replace('-', ' ')}").status_code == 303
    stranger.cookies.clear()
    assert stranger.sign_in(code=second).status_code == 403
    assert stranger.get("/").status_code == 403


def by_file(stranger: Browser, token: str, origin: str = "null") -> Response:
    # As browsers send a form of a file.
    headers = {"Origin": origin, "Sec-Fetch-Site": "cross-site", "Accept": "text/html"}
    return stranger.post("/sign-in", data={"token": token}, headers=headers)


def test_the_file_that_the_browser_is_opened_on_signs_in_once(study_folder: Path) -> None:
    removed = []
    access = Access(PORT, token_used=lambda: removed.append("file"))
    with Browser(study_folder, access) as stranger:
        token = access.token
        assert by_file(stranger, "guess").status_code == 403 and not removed
        assert by_file(stranger, token, "http://evil.example").status_code == 403
        answer = by_file(stranger, token)
        assert answer.status_code == 200 and removed == ["file"]
        assert "samesite=strict" in answer.headers["set-cookie"].lower()
        # The next page is asked for by one of ours, so that its request has the cookie.
        assert '<meta http-equiv="refresh" content="0; url=/">' in answer.text
        assert stranger.get("/").status_code == 200
        stranger.cookies.clear()
        for spent in (token, ""):
            again = by_file(stranger, spent)
            assert again.status_code == 403 and "One-time code" in again.text
        assert stranger.get("/").status_code == 403


def test_a_code_from_another_origin_is_refused_and_stays_good(stranger: Browser) -> None:
    code = stranger.access.code.renew()
    for origin in ("null", "http://evil.example", f"http://127.0.0.1:{PORT + 1}"):
        answer = stranger.post("/sign-in", data={"code": code}, headers={"Origin": origin})
        assert answer.status_code == 403 and "set-cookie" not in answer.headers
    assert stranger.post("/sign-in", data={"code": code}).status_code == 403
    assert stranger.sign_in(code=code).status_code == 303


def test_after_signing_in_the_page_that_was_asked_for_is_shown(
    stranger: Browser, place: dict[str, str]
) -> None:
    page = stranger.get("/genes", params=place, headers={"Accept": "text/html"})
    (to,) = re.findall(r'name="to" value="([^"]+)"', page.text)
    answer = stranger.sign_in(to=html.unescape(to))
    assert answer.headers["location"] == html.unescape(to) and to.startswith("/genes?output=")
    assert stranger.get(answer.headers["location"]).status_code == 200


@pytest.mark.parametrize(
    "to",
    [
        "//evil.example",
        "/\\evil.example",
        "http://evil.example",
        "evil",
        "",
        "/\x09/evil",
        "/sign-in",
    ],
)
def test_signing_in_leads_to_the_workbench_alone(stranger: Browser, to: str) -> None:
    assert stranger.sign_in(to=to).headers["location"] == "/"


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1:1", f"127.0.0.1.evil:{PORT}",
             f"localhost.evil:{PORT}", f"evillocalhost:{PORT}", ""]
)  # fmt: skip
def test_a_foreign_host_is_refused_also_with_a_code_and_for_health(
    browser: Browser, host: str
) -> None:
    assert browser.get("/health", headers={"Host": host}).status_code == 403
    assert browser.get("/", headers={"Host": host}).status_code == 403
    code, origin = browser.access.code.renew(), f"http://{host}"
    headers = {"Host": host, "Origin": origin}
    assert browser.post("/sign-in", data={"code": code}, headers=headers).status_code == 403
    assert browser.access.accepts(code)


def test_names_under_localhost_are_this_machine(stranger: Browser) -> None:
    # A name that other servers of the machine do not know keeps the cookie from them.
    name = f"my-own-word.localhost:{PORT}"
    assert stranger.get("/health", headers={"Host": name}).status_code == 200


SITES = ["cross-site", "same-site", "none, same-origin", "x"]


@pytest.mark.parametrize("site", SITES)
def test_pages_of_other_sites_and_other_ports_open_and_change_nothing(
    browser: Browser, place: dict[str, str], site: str
) -> None:
    sent = {"Sec-Fetch-Site": site}
    for path in ("/", "/genes", "/genes.csv", "/static/app.js", "/analysis"):
        assert browser.get(path, params=place, headers=sent).status_code == 403
    page = browser.get("/genes", params=place, headers=sent | {"Accept": "text/html"})
    assert page.status_code == 403 and 'href="/genes?output=results' in page.text
    data = {"genes": "TP53"}
    for headers in (browser.own | sent, browser.own | {"Sec-Fetch-Site": "none"}):
        answer = browser.post("/genes/mark", params=place, data=data, headers=headers)
        assert answer.status_code == 403
    browser.cookies.clear()
    for path in ("/health", "/sign-in"):
        assert browser.get(path, headers=sent).status_code == 200


@pytest.mark.parametrize("site", ["same-origin", "none", None])
def test_own_pages_and_typed_addresses_are_opened(browser: Browser, site: str | None) -> None:
    sent = {} if site is None else {"Sec-Fetch-Site": site}
    assert browser.get("/", headers=sent).status_code == 200
    foreign = sent | {"Origin": "http://evil.example"}
    assert browser.get("/", headers=foreign).status_code == 403


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", f"https://127.0.0.1:{PORT}", "http://127.0.0.1"]
)
def test_changes_of_another_origin_are_refused(
    browser: Browser, place: dict[str, str], origin: str | None
) -> None:
    headers = {"X-Token": browser.access.change_token}
    headers |= {} if origin is None else {"Origin": origin}
    answer = browser.post("/genes/mark", params=place, data={"genes": "TP53"}, headers=headers)
    assert answer.status_code == 403
    assert browser.app.state.workbench.marked == {}  # type: ignore[attr-defined]


def test_changes_need_cookie_and_header(browser: Browser, place: dict[str, str]) -> None:
    data = {"genes": "TP53"}
    origin = {"Origin": browser.own["Origin"]}
    refused = browser.post("/genes/mark", params=place, data=data, headers=origin)
    assert refused.status_code == 403
    done = browser.post("/genes/mark", params=place, data=data, headers=browser.own)
    assert done.status_code == 200
    browser.cookies.clear()
    token = place | {"token": browser.access.token}
    refused = browser.post("/genes/mark", params=token, data=data, headers=browser.own)
    assert refused.status_code == 403


@pytest.mark.parametrize(
    "change",
    [
        {"output": "../results"},
        {"output": "/etc"},
        {"output": "results/../results"},
        {"trait": "../../etc"},
        {"trait": ".."},
        {"trait": "a/b"},
        {"condition": "../../x"},
        {"trait": "a\0b"},
    ],
)
@pytest.mark.parametrize("path", ["/genes", "/report", "/genes.csv", "/gene"])
def test_no_address_leads_out_of_the_folder(
    browser: Browser, place: dict[str, str], path: str, change: dict[str, str]
) -> None:
    assert browser.get(path, params=place | change).status_code == 404


@pytest.mark.parametrize(
    "path",
    ["/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2fserver.py", "//etc/passwd"],
)
def test_static_files_are_those_of_the_package(browser: Browser, path: str) -> None:
    assert browser.get(path).status_code == 404


def test_a_link_out_of_the_folder_is_not_followed(
    study_folder: Path, tmp_path: Path, access: Access, place: dict[str, str]
) -> None:
    outside = tmp_path / "outside"
    shutil.copytree(study_folder / "results", outside)
    folder = tmp_path / "inside"
    (folder / "own").mkdir(parents=True)
    (folder / "linked").symlink_to(outside)
    (folder / "own" / "regress").symlink_to(outside / "regress")
    with Browser(folder, access) as browser:
        browser.sign_in()
        assert place["trait"] not in browser.get("/").text
        for name in ("linked", "own"):
            assert browser.get("/genes", params=place | {"output": name}).status_code == 404


def test_text_of_data_is_escaped(study_folder: Path, tmp_path: Path, access: Access) -> None:
    bad = "<img src=x onerror=alert(1)>"
    (tmp_path / "input" / "GEO" / "Gout" / bad).mkdir(parents=True)
    with Browser(tmp_path, access) as browser:
        browser.sign_in()
        page = browser.get("/").text
    assert "&lt;img src=x" in page and "<img" not in page


def test_headers_forbid_foreign_scripts_and_frames(browser: Browser, place: dict[str, str]) -> None:
    answer = browser.get("/genes", params=place)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy
    assert "unsafe-eval" not in policy and "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert "<script>" not in answer.text and "onclick" not in answer.text
    assert "https://cdn" not in answer.text


def test_a_report_runs_without_access_to_the_workbench(
    browser: Browser, place: dict[str, str]
) -> None:
    policy = browser.get("/report", params=place).headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in policy and "connect-src" not in policy


def test_more_than_the_limit_is_refused_before_it_is_read(
    browser: Browser, place: dict[str, str]
) -> None:
    two_gb = {"Content-Length": str(2 * 1024**3), **browser.own}
    answer = browser.post("/genes/mark", params=place, content=b"", headers=two_gb)
    assert answer.status_code == 413


def test_more_than_the_limit_is_refused_without_a_length(
    browser: Browser, place: dict[str, str]
) -> None:
    browser.access.upload_limit = 10_000
    sent = []

    def parts() -> object:
        for _ in range(100):
            sent.append(1)
            yield b"x" * 1000

    form = {"Content-Type": "application/x-www-form-urlencoded", **browser.own}
    answer = browser.post("/genes/mark", params=place, content=parts(), headers=form)  # type: ignore[arg-type]
    assert answer.status_code == 413


def test_another_address_needs_the_password_too(study_folder: Path) -> None:
    access = Access(PORT, "0.0.0.0", "open sesame")
    with Browser(study_folder, access) as browser:
        page = browser.get("/", headers={"Accept": "text/html"})
        assert page.status_code == 403 and 'type="password"' in page.text
        # The file alone, a code alone and the password alone open nothing.
        assert by_file(browser, access.token).status_code == 403
        assert browser.sign_in().status_code == 403
        assert browser.sign_in(password="x").status_code == 403
        assert browser.sign_in(password="open sesame", code="x").status_code == 403
        both = {"password": "open sesame", "code": access.code.renew()}
        assert browser.post("/sign-in", data=both).status_code == 403
        assert browser.get("/").status_code == 403
        assert browser.sign_in(**both).status_code == 303
        assert "What is in the folder" in browser.get("/").text
        assert browser.get("/", headers={"Host": f"192.168.1.7:{PORT}"}).status_code == 200
        assert browser.get("/", headers={"Host": f"evil.example:{PORT}"}).status_code == 403


def test_codes_and_passwords_cannot_be_tried_without_end(stranger: Browser) -> None:
    access = Access(PORT, "0.0.0.0", "open sesame")
    code = access.code.renew()
    assert not any(access.accepts(code, "x") for _ in range(10))
    assert not access.accepts(code, "open sesame")
    for _ in range(10):
        assert stranger.sign_in(code="0000-0000-0000").status_code == 403
    answer = stranger.sign_in()
    assert answer.status_code == 403 and "Too many wrong codes" in answer.text
    # The owner's own file is not guessed, and is not kept waiting.
    assert by_file(stranger, stranger.access.token).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Cookie": f"genotex_{PORT}=\xff\xfe"},
        {"Cookie": f"genotex_{PORT}"},
        {"Cookie": "; ; =; genotex"},
        {"Cookie": 'a="' + "x" * 5000},
        {"Cookie": "genotex_1=", "X-Token": "\xe9"},
    ],
)
def test_odd_cookies_are_no_way_in_and_no_error(stranger: Browser, headers: dict[str, str]) -> None:
    sent = {name: value.encode("latin-1") for name, value in headers.items()}
    assert stranger.get("/", headers=sent).status_code == 403
    own = {name: value.encode() for name, value in stranger.own.items()} | sent
    assert stranger.post("/add/demo", headers=own).status_code == 403


def test_a_cookie_of_another_port_is_not_ours(stranger: Browser) -> None:
    other = {"Cookie": f"genotex_{PORT + 1}={stranger.access.session}"}
    assert stranger.get("/", headers=other).status_code == 403
    both = f"genotex_{PORT + 1}=x; genotex_{PORT}={stranger.access.session}"
    assert stranger.get("/", headers={"Cookie": both}).status_code == 200


def test_headers_that_are_sent_twice_are_refused(browser: Browser) -> None:
    own = ("Host", f"127.0.0.1:{PORT}")
    assert browser.get("/", headers=[own, ("Host", f"evil.example:{PORT}")]).status_code == 403
    sites = [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")]
    assert browser.get("/", headers=sites).status_code == 403
    token = ("X-Token", browser.access.change_token)
    origins = [("Origin", browser.own["Origin"]), ("Origin", "http://evil.example")]
    assert browser.post("/add/demo", headers=[token, *origins]).status_code == 403
    assert browser.get(f"/?{'x=1&' * 200}").status_code == 200


def test_a_length_of_any_form_is_no_way_around_the_limit(browser: Browser) -> None:
    for length in ("9" * 5000, "99999999999999999999"):
        headers = {"Content-Length": length, **browser.own}
        assert browser.post("/add/demo", content=b"", headers=headers).status_code == 413
    for length in ("-1", "1e3", "\u0661"):
        headers = {"Content-Length": length.encode(), **browser.own}
        answer = browser.post("/analysis/cancel?name=x", content=b"", headers=headers)
        assert answer.status_code == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "POST"])
def test_other_methods_need_all_that_a_change_needs(browser: Browser, method: str) -> None:
    assert browser.request(method, "/").status_code == 403
    assert browser.request(method, "/health").status_code == 403
    own = browser.request(method, "/", headers=browser.own)
    assert own.status_code == 405


def test_html_in_a_series_is_text(tmp_path: Path, access: Access) -> None:
    rows = asthma(12)
    rows.append([f"{BAD}: {BAD} {i}" for i in range(12)])
    text = series_matrix(characteristics=rows, title=BAD).replace('"sample GSM1"', f'"{BAD}"')
    folder = tmp_path / "input" / "GEO" / "Asthma" / "GSE1"
    write_gz(folder / "GSE1_series_matrix.txt.gz", text)
    with Browser(tmp_path, access) as browser:
        browser.sign_in()
        series = {"trait": "Asthma", "series": "GSE1"}
        for path, query in (
            ("/samples", series),
            ("/samples/table", series | {"search": BAD, "sort": BAD}),
        ):
            page = browser.get(path, params=query).text
            assert "<img" not in page, path
        asked = {"trait": "Asthma", "series": "GSE1", "covariate": BAD}
        page = browser.post("/analysis/design", data=asked, headers=browser.own).text
        assert "<img" not in page and "~ group" in page
        assert "&lt;img src=x" in browser.get("/samples", params=series).text


def test_html_in_a_gene_symbol_is_text(tmp_path: Path, access: Access) -> None:
    genes = (BAD, *GENES)
    rng = np.random.default_rng(1)
    trait = np.arange(12) % 2 * 1.0
    values = rng.normal(8, 0.3, (12, len(genes))) + 3 * trait[:, None] * (np.arange(31) < 3)
    names = tuple(f"{BAD}{i}" for i in range(12))
    table = LinkedTable("Asthma", names, trait, {}, genes, values)
    output = OutputFolder(tmp_path / "results")
    for path in (output.linked_parquet("Asthma", "own"), output.all_genes("Asthma", None)):
        path.parent.mkdir(parents=True)
    csv = output.linked_csv("Asthma", "own")
    write_linked_csv(csv, table)
    write_linked_parquet(output.linked_parquet("Asthma", "own"), table, csv=csv)
    options = AnalysisOptions(panel=False, hidden="none", filter_low=False)
    result = analyze_table(table, {}, Problem("Asthma"), options)
    object.__setattr__(result, "cohort", "own")
    write_result(output, result)
    place = {"output": "results", "trait": "Asthma", "condition": ""}
    with Browser(tmp_path, access) as browser:
        browser.sign_in()
        marked = browser.post("/genes/mark", params=place, data={"genes": BAD}, headers=browser.own)
        assert "text/plain" in marked.headers["content-type"]
        for path, query in (
            ("/genes", {}),
            ("/genes/table", {"search": BAD}),
            ("/gene", {"gene": BAD}),
            ("/compare", {"with": BAD}),
            ("/compare", {"with": "a=1&" * 50}),
        ):
            page = browser.get(path, params=place | query).text
            assert "<img" not in page, path
        assert "&lt;img src=x" in browser.get("/genes", params=place).text
        for path in ("/genes/points", "/gene/values"):
            answer = browser.get(path, params=place | {"gene": BAD})
            assert answer.headers["content-type"] == "application/json"
        book = browser.get("/genes.xlsx", params=place).content
        assert b"<img" not in zipfile.ZipFile(io.BytesIO(book)).read("xl/worksheets/sheet1.xml")
        saved = browser.get("/genes.csv", params=place).headers["content-disposition"]
        assert re.fullmatch(r'attachment; filename="[A-Za-z0-9._-]+"', saved)


def test_sheets_and_gene_sets_that_grow_without_end_are_refused(
    study_folder: Path, tmp_path: Path, access: Access, place: dict[str, str],
    set_limits: Callable[..., None],
) -> None:  # fmt: skip
    shutil.copytree(study_folder, tmp_path, dirs_exist_ok=True)
    set_limits(gene_sets=5 << 20, sheet=5 << 20)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"A" * (20 << 20))
    (series, *_) = sorted(path.name for path in (tmp_path / "input/GEO" / place["trait"]).iterdir())
    with Browser(tmp_path, access) as browser:
        browser.sign_in()
        sets = {"sent": ("a.gmt.gz", gzip.compress(b"A\tb\tTP53\n" * (3 << 20)))}
        answer = browser.post("/sets", params=place, files=sets, headers=browser.own)
        assert answer.status_code == 400 and "5 MiB when unpacked" in answer.text
        assert not list(tmp_path.rglob("a.gmt*"))
        query = {"trait": place["trait"], "series": series}
        assert browser.get("/samples", params=query).status_code == 200
        sheet = {"file": ("a.xlsx", packed.getvalue())}
        answer = browser.post(
            "/samples/upload", params=query, data={"version": "0"}, files=sheet, headers=browser.own
        )
        assert "5 MiB when unpacked" in answer.text, answer.text


def test_tables_of_columns_that_grow_without_end_are_refused(
    tmp_path: Path, set_limits: Callable[..., None]
) -> None:
    h5py = pytest.importorskip("h5py")
    set_limits(upload=10 << 20)
    rows = pl.select(pl.repeat(1.0, 3 << 20).alias("x"))
    rows.write_parquet(tmp_path / "x.parquet")
    with h5py.File(tmp_path / "x.h5ad", "w") as file:
        file.create_dataset("X", shape=(3 << 20,), dtype="f8", compression="gzip", fillvalue=1.0)
    for name in ("x.parquet", "x.h5ad"):
        assert (tmp_path / name).stat().st_size < 1 << 20
        with pytest.raises(FileLimitError, match="10 MiB when unpacked"):
            check_upload(tmp_path / name)
    (tmp_path / "y.parquet").write_bytes(b"PAR1" + bytes(50))
    (tmp_path / "y.h5ad").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(50))
    for name, what in (("y.parquet", "not a Parquet file"), ("y.h5ad", "not an HDF5 file")):
        with pytest.raises(FormatError, match=what):
            check_upload(tmp_path / name)


def test_folders_of_analyses_started_at_once_are_different(tmp_path: Path) -> None:
    queue = JobQueue(Workspace(tmp_path))
    found: list[Path] = []
    started = [
        threading.Thread(target=lambda: found.append(queue.new_folder("Gout"))) for _ in range(20)
    ]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    assert len({path.name for path in found}) == 20 and all(path.is_dir() for path in found)


class Served(Running):
    """A server that is spoken to through a socket."""

    def __init__(self, folder: Path, errors: IO[str] | None = None) -> None:
        super().__init__(folder, errors=errors)
        self.cookie = self.sign_in()
        page = self.ask("GET", "/", {"Cookie": self.cookie})[2]
        (self.token,) = re.findall(r'"X-Token": "([^"]+)"', page)

    def open(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def own(self) -> str:
        return f"Cookie: {self.cookie}\r\nOrigin: http://{self.host}\r\nX-Token: {self.token}\r\n"

    def head(self, method: str, path: str, headers: str) -> bytes:
        return f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\n{headers}\r\n".encode()

    def memory(self, name: str) -> int:
        """Return memory of the process in MiB, now (VmRSS) or at most (VmHWM)."""
        status = Path(f"/proc/{self.process.pid}/status")
        if not status.is_file():
            pytest.skip("the memory of a process is read from /proc")
        (size,) = re.findall(rf"{name}:\s+(\d+)", status.read_text())
        return int(size) // 1024


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("served"))
    yield served
    served.end()


PART = "--limit\r\nContent-Disposition: form-data; name=files; filename={}\r\n\r\n"
FORM = "Content-Type: multipart/form-data; boundary=limit\r\n"


def test_two_gigabytes_in_pieces_are_refused_without_being_kept(served: Served) -> None:
    before = served.memory("VmHWM")
    block = bytes(1 << 20)
    piece = f"{len(block):x}\r\n".encode() + block + b"\r\n"
    first = PART.format("GSE1_series_matrix.txt").encode()
    sent = 0
    with served.open() as connection:
        headers = f"{served.own()}{FORM}Transfer-Encoding: chunked\r\n"
        connection.sendall(served.head("POST", "/add/series", headers))
        connection.sendall(f"{len(first):x}\r\n".encode() + first + b"\r\n")
        try:
            while sent < 2048:
                connection.sendall(piece)
                sent += 1
        except OSError:
            # The server has closed the connection.
            pass
        else:
            assert connection.recv(100).startswith(b"HTTP/1.1 413")
    assert 500 < sent < 2048
    assert served.memory("VmHWM") < before + 100


def test_memory_does_not_rise_with_the_size_of_an_upload(served: Served) -> None:
    before = served.memory("VmHWM")
    size = 300 << 20
    first, last = PART.format("notes.txt").encode(), b"\r\n--limit--\r\n"
    headers = f"{served.own()}{FORM}Content-Length: {len(first) + size + len(last)}\r\n"
    with served.open() as connection:
        connection.sendall(served.head("POST", "/add/series", headers) + first)
        for _ in range(size >> 20):
            connection.sendall(b"x" * (1 << 20))
        connection.sendall(last)
        assert connection.recv(100).startswith(b"HTTP/1.1 400")
    assert served.memory("VmHWM") < before + 100


def test_slow_uploads_hold_nobody_up(served: Served) -> None:
    headers = f"{served.own()}{FORM}Content-Length: 100000\r\n"
    with ExitStack() as stack:
        for _ in range(100):
            connection = stack.enter_context(served.open())
            connection.sendall(served.head("POST", "/add/series", headers) + b"--lim")
        begun = time.monotonic()
        for path in ("/", "/health", "/add", "/analysis"):
            assert served.ask("GET", path, {"Cookie": served.cookie})[0] == 200
        assert time.monotonic() - begun < 5
        # Without the cookie nothing of the body is waited for.
        stranger = stack.enter_context(served.open())
        stranger.sendall(served.head("POST", "/add/series", f"{FORM}Content-Length: 100000\r\n"))
        assert stranger.recv(100).startswith(b"HTTP/1.1 403")


def test_an_upload_that_stands_still_does_not_keep_the_server_from_ending(tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    with errors.open("w") as file:
        served = Served(tmp_path, file)
    headers = f"{served.own()}{FORM}Content-Length: 100000\r\n"
    with served.open() as connection:
        connection.sendall(served.head("POST", "/add/series", headers) + b"--lim")
        assert served.ask("GET", "/health")[0] == 200
        served.end()
    assert "Traceback" not in errors.read_text()


def test_requests_that_are_no_http_end_nothing(served: Served) -> None:
    for sent in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * (1 << 20) + b"\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        served.head("POST", "/", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
        b"GET /\x00 HTTP/1.1\r\n\r\n",
    ):
        with served.open() as connection:
            try:
                connection.sendall(sent)
                answer = connection.recv(100)
            except ConnectionError:
                answer = b""
            assert not answer.startswith(b"HTTP/1.1 2"), sent[:50]
    assert served.ask("GET", "/health")[0] == 200


def test_small_answers_are_sent_at_once() -> None:
    # asyncio switches Nagle's algorithm off for sockets with this protocol only.
    with _bound("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP
