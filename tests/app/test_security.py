"""Each way in that is refused, and that the user's own page is not."""

from __future__ import annotations

import gzip
import io
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import weakref
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import numpy as np
import polars as pl
import pytest

from genotex.analysis import analyze_table, write_result
from genotex.app import Access, JobQueue, Workspace
from genotex.app.server import _listen
from genotex.bench import Problem
from genotex.errors import FileLimitError, FormatError
from genotex.formats import LinkedTable, write_linked_csv, write_linked_parquet
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.outside import check_upload
from tests.app.conftest import PORT, Browser
from tests.geo_text import GENES, asthma, series_matrix, write_gz
from tests.local_server import first_line

BAD = "<img src=x onerror=alert(1)>"


def test_health_needs_no_token(stranger: Browser) -> None:
    assert stranger.get("/health").status_code == 200


@pytest.mark.parametrize("path", ["/", "/genes", "/static/app.js", "/report", "/nothing", "/login"])
def test_nothing_is_sent_without_token(stranger: Browser, path: str) -> None:
    assert stranger.get(path).status_code == 403


def test_a_wrong_token_and_a_forged_cookie_are_refused(stranger: Browser) -> None:
    assert stranger.get("/", params={"token": "guess"}).status_code == 403
    forged = {"Cookie": f"genotex_{PORT}=guess"}
    assert stranger.get("/", headers=forged).status_code == 403


def test_the_token_sets_a_cookie_that_scripts_and_other_sites_cannot_use(stranger: Browser) -> None:
    answer = stranger.get("/", params={"token": stranger.access.token})
    assert answer.status_code == 200
    line = answer.headers["set-cookie"].lower()
    assert "httponly" in line and "samesite=strict" in line
    assert stranger.get("/").status_code == 200
    assert stranger.access.token not in answer.text


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1:1", f"127.0.0.1.evil:{PORT}", ""]
)
def test_a_foreign_host_is_refused_also_with_token_and_for_health(
    browser: Browser, host: str
) -> None:
    assert browser.get("/health", headers={"Host": host}).status_code == 403
    token = {"token": browser.access.token}
    assert browser.get("/", params=token, headers={"Host": host}).status_code == 403


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
    assert browser.app.state.workbench.marked == ()  # type: ignore[attr-defined]


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
        browser.get("/", params={"token": access.token})
        assert place["trait"] not in browser.get("/").text
        for name in ("linked", "own"):
            assert browser.get("/genes", params=place | {"output": name}).status_code == 404


def test_text_of_data_is_escaped(study_folder: Path, tmp_path: Path, access: Access) -> None:
    bad = "<img src=x onerror=alert(1)>"
    (tmp_path / "input" / "GEO" / "Gout" / bad).mkdir(parents=True)
    with Browser(tmp_path, access) as browser:
        page = browser.get("/", params={"token": access.token}).text
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
        token = {"token": access.token}
        answer = browser.get("/", params=token)
        assert "password" in answer.text.lower() and "set-cookie" not in answer.headers
        assert browser.get("/").status_code == 403
        wrong = browser.post("/login", params=token, data={"password": "x"}, headers=browser.own)
        assert wrong.status_code == 403
        right = {"password": "open sesame"}
        assert browser.post("/login", params=token, data=right).status_code == 403
        opened = browser.post("/login", params=token, data=right, headers=browser.own)
        assert opened.status_code == 200 and "What is in the folder" in opened.text
        assert browser.get("/", headers={"Host": f"192.168.1.7:{PORT}"}).status_code == 200
        assert browser.get("/", headers={"Host": f"evil.example:{PORT}"}).status_code == 403


def test_passwords_cannot_be_tried_without_end() -> None:
    access = Access(PORT, "0.0.0.0", "open sesame")
    assert not any(access.accepts_password("x") for _ in range(10))
    assert not access.accepts_password("open sesame")


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


def test_two_hosts_and_two_tokens_are_refused(stranger: Browser) -> None:
    token = stranger.access.token
    own = ("Host", f"127.0.0.1:{PORT}")
    two = [own, ("Host", f"evil.example:{PORT}")]
    assert stranger.get("/", params={"token": token}, headers=two).status_code == 403
    assert stranger.get(f"/?token=guess&token={token}").status_code == 403
    assert stranger.get(f"/?{'x=1&' * 200}").status_code == 403
    assert stranger.get(f"/?{'x=1&' * 200}token={token}").status_code == 200


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
        browser.get("/", params={"token": access.token})
        series = {"trait": "Asthma", "series": "GSE1"}
        for path, query in (
            ("/samples", series),
            ("/samples/table", series | {"search": BAD, "sort": BAD}),
            ("/analysis/design", {"trait": "Asthma", "series": "GSE1", "covariate": BAD}),
        ):
            page = browser.get(path, params=query).text
            assert "<img" not in page, path
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
        browser.get("/", params={"token": access.token})
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
        browser.get("/", params={"token": access.token})
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


class Served:
    """`genotex serve` in a process of its own, spoken to through a socket."""

    def __init__(self, folder: Path, errors: IO[str] | None = None) -> None:
        command = [sys.executable, "-m", "genotex", "serve", str(folder), "--no-browser"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        # One that is left by a test that failed would hold the output of the test run open.
        weakref.finalize(self, self.process.kill)
        url = urlsplit(first_line(self.process).strip())
        assert url.port is not None
        self.port, self.host = url.port, f"127.0.0.1:{url.port}"
        page, head = self.ask("GET", f"/?{url.query}", "")
        (self.token,) = re.findall(r'"X-Token": "([^"]+)"', page)
        (self.cookie,) = re.findall(r"(?i)set-cookie: ([^;]+)", head)

    def open(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def own(self) -> str:
        return f"Cookie: {self.cookie}\r\nOrigin: http://{self.host}\r\nX-Token: {self.token}\r\n"

    def head(self, method: str, path: str, headers: str) -> bytes:
        return f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\n{headers}\r\n".encode()

    def ask(self, method: str, path: str, headers: str) -> tuple[str, str]:
        with self.open() as connection:
            connection.sendall(self.head(method, path, headers + "Connection: close\r\n"))
            answer = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
        head, _, body = answer.partition("\r\n\r\n")
        return body, head

    def memory(self, name: str) -> int:
        """Return memory of the process in MiB, now (VmRSS) or at most (VmHWM)."""
        status = Path(f"/proc/{self.process.pid}/status")
        if not status.is_file():
            pytest.skip("the memory of a process is read from /proc")
        (size,) = re.findall(rf"{name}:\s+(\d+)", status.read_text())
        return int(size) // 1024

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=60)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("served"))
    yield served
    served.end()


PART = "--limit\r\nContent-Disposition: form-data; name=files; filename={}\r\n\r\n"
FORM = "Content-Type: multipart/form-data; boundary=limit\r\n"


@pytest.mark.slow
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


@pytest.mark.slow
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
            assert served.ask("GET", path, served.own())[1].startswith("HTTP/1.1 200")
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
        assert served.ask("GET", "/health", "")[1].startswith("HTTP/1.1 200")
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
    assert served.ask("GET", "/health", "")[1].startswith("HTTP/1.1 200")


def test_small_answers_are_sent_at_once() -> None:
    # asyncio switches Nagle's algorithm off for sockets with this protocol only.
    with _listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP
