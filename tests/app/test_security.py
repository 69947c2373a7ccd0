"""Each way in that is refused, and that the user's own page is not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from genotex.app import Access
from tests.app.conftest import PORT, Browser


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
