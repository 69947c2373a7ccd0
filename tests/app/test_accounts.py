"""People with accounts: their passwords, sessions, jobs, and the log of what they did."""

from __future__ import annotations

import hashlib
import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from genotex.app import (
    ACCOUNTS,
    LOG,
    LONGEST_PAUSE,
    LONGEST_SESSION,
    Access,
    Doors,
    UserGroup,
    add_account,
    read_accounts,
    remove_account,
)
from genotex.errors import UsageError
from genotex.studies import JobQueue
from tests.app.conftest import PORT, Browser, opened, queue_of
from tests.app.people import ORIGIN, PASSWORDS, Person, group_access, sign_in
from tests.app.served import FORM, Running
from tests.app.test_serve import command

COST = "genotex.app.access.accounts._COST"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have passwords cost little; one test uses the real parameters."""
    monkeypatch.setattr(COST, 1 << 4)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    with Browser(tmp_path, group_access(tmp_path)) as browser:
        yield browser


def group_of(browser: Browser) -> UserGroup:
    assert browser.access.group is not None
    return browser.access.group


def logged(browser: Browser) -> list[tuple[str, str]]:
    return [(each.who, each.what) for each in group_of(browser).log.last()]


def test_the_file_of_accounts_is_closed_and_holds_no_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    made = add_account(tmp_path, "anna")
    add_account(tmp_path, "bert", "bert's own password")
    path = tmp_path / ACCOUNTS
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    text = path.read_text()
    assert re.fullmatch(r"([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}", made)
    assert made not in text and "bert's" not in text
    known = read_accounts(tmp_path)
    assert known["anna"].has(made) and not known["anna"].has(made.lower())
    assert known["bert"].has("bert's own password") and not known["bert"].has("")
    # Two people with one password are not seen to have it.
    add_account(tmp_path, "carl", "bert's own password")
    assert read_accounts(tmp_path)["carl"].digest != known["bert"].digest
    remove_account(tmp_path, "anna")
    assert sorted(read_accounts(tmp_path)) == ["bert", "carl"]


@pytest.mark.parametrize("name", ["", ".", "../x", "a b", "a\nb", "x" * 33, "é", "-x", "a\x00"])
def test_names_and_passwords_that_cannot_be_used(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="no name of an account"):
        add_account(tmp_path, name)
    with pytest.raises(UsageError, match="too short: at least 12"):
        add_account(tmp_path, "anna", "elevensigns")
    with pytest.raises(UsageError, match="no account 'anna'"):
        remove_account(tmp_path, "anna")
    assert not (tmp_path / ACCOUNTS).exists()


def test_a_file_of_accounts_that_others_could_have_made_is_not_used(tmp_path: Path) -> None:
    add_account(tmp_path, "anna")
    path = tmp_path / ACCOUNTS
    path.chmod(0o640)
    with pytest.raises(UsageError, match="others can read or change"):
        UserGroup.of(tmp_path)
    path.chmod(0o600)
    path.write_text('{"accounts": {"anna": {"method": "plain", "salt": "", "digest": ""}}}')
    with pytest.raises(UsageError, match="is damaged"):
        UserGroup.of(tmp_path)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="is a link"):
        UserGroup.of(tmp_path)
    path.unlink()
    with pytest.raises(UsageError, match=r"make one with genotex serve .* --add-user NAME"):
        UserGroup.of(tmp_path)


def test_name_and_password_sign_in_and_nothing_else_does(browser: Browser) -> None:
    page = browser.get("/", headers={"Accept": "text/html"})
    assert page.status_code == 403 and 'name="password"' in page.text
    assert "One-time code" not in page.text and "anna" not in page.text
    for name, password in [
        ("anna", ""), ("anna", "x" * 900), ("anna", PASSWORDS["bert"]), ("Anna", PASSWORDS["anna"]),
        ("", PASSWORDS["anna"]), ("nobody", PASSWORDS["anna"]), ("anna\x00", PASSWORDS["anna"]),
    ]:  # fmt: skip
        answer = sign_in(browser, name, password)
        assert answer.status_code == 403 and "set-cookie" not in answer.headers
        # Whether there is such an account is not said.
        assert "This name or password is wrong." in answer.text
    code = browser.access.code.renew()
    assert browser.sign_in(code).status_code == 403
    file = browser.post(
        "/sign-in", data={"token": browser.access.token}, headers={"Origin": "null"}
    )
    assert file.status_code == 403
    old = {"Cookie": f"{browser.access.cookie}={browser.access.session}"}
    assert browser.get("/", headers=old).status_code == 403
    answer = sign_in(browser, "anna")
    assert answer.status_code == 303
    line = answer.headers["set-cookie"].lower()
    assert "httponly" in line and "samesite=strict" in line and "secure" not in line
    page = browser.get("/")
    assert page.status_code == 200 and "anna" in page.text
    assert browser.access.change_token not in page.text


def counted_guesses(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Return where each password that is computed is noted."""
    computed: list[bytes] = []
    real = hashlib.scrypt

    def noting(password: bytes, **how: Any) -> bytes:
        computed.append(password)
        return real(password, **how)

    monkeypatch.setattr("hashlib.scrypt", noting)
    return computed


def test_each_guess_is_computed_also_for_a_name_that_is_none(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = counted_guesses(monkeypatch)
    for name in ("anna", "nobody"):
        sign_in(browser, name, "wrong")
    assert computed == [b"wrong", b"wrong"]


def test_passwords_cannot_be_tried_without_end(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    group, now = group_of(browser), [0.0]
    group.accounts.tries.clock = lambda: now[0]
    computed = counted_guesses(monkeypatch)
    signed = Person(browser, "bert")
    for _ in range(10):
        assert sign_in(browser, "anna", "wrong").status_code == 403
    before = len(computed)
    answer = sign_in(browser, "anna")
    assert answer.status_code == 403 and "Too many wrong passwords" in answer.text
    # The address waits, too; nothing is computed for it. Who is signed in works on.
    assert "Too many" in sign_in(browser, "bert").text and len(computed) == before
    assert signed.get("/").status_code == 200
    now[0] += 61.0
    assert sign_in(browser, "anna").status_code == 303


def test_a_session_is_new_at_each_sign_in(browser: Browser) -> None:
    cookie = browser.access.cookie
    planted = {"Cookie": f"{cookie}=planted-by-somebody-else"}
    answer = sign_in(browser, "anna", **planted)
    own = answer.headers["set-cookie"].partition(";")[0]
    assert "planted" not in own
    browser.cookies.clear()
    assert browser.get("/", headers=planted).status_code == 403
    assert browser.get("/", headers={"Cookie": own}).status_code == 200
    # Signing in again ends the session of before, also for another account.
    browser.cookies.clear()
    after = sign_in(browser, "bert", Cookie=own).headers["set-cookie"].partition(";")[0]
    browser.cookies.clear()
    assert browser.get("/", headers={"Cookie": own}).status_code == 403
    assert "bert" in browser.get("/", headers={"Cookie": after}).text


def test_the_token_of_one_person_is_of_no_use_to_another(browser: Browser) -> None:
    anna, bert = Person(browser, "anna"), Person(browser, "bert")
    assert anna.post("/genes/mark", token=bert.token).status_code == 403
    assert anna.post("/genes/mark", token=browser.access.change_token).status_code == 403
    assert anna.post("/add/demo", token="").status_code == 403
    assert anna.token != bert.token


def test_sessions_end(browser: Browser, tmp_path: Path) -> None:
    group, now = group_of(browser), [0.0]
    group.accounts.clock = lambda: now[0]
    anna, bert = Person(browser, "anna"), Person(browser, "bert")
    now[0] += LONGEST_PAUSE - 1
    assert anna.get("/").status_code == 200
    now[0] += 2
    assert bert.get("/").status_code == 403 and anna.get("/").status_code == 200
    while now[0] < LONGEST_SESSION:
        assert anna.get("/").status_code == 200
        now[0] += LONGEST_PAUSE / 2
    assert anna.get("/").status_code == 403
    anna, bert = Person(browser, "anna"), Person(browser, "bert")
    answer = anna.post("/sign-out")
    assert answer.headers["hx-redirect"] == "/sign-in"
    assert "max-age=0" in answer.headers["set-cookie"].lower()
    assert anna.get("/").status_code == 403 and bert.get("/").status_code == 200
    # A new password, and removing the account, end what was begun with the old one.
    anna = Person(browser, "anna")
    add_account(tmp_path, "bert", "another password of bert")
    assert bert.get("/").status_code == 403
    remove_account(tmp_path, "anna")
    assert anna.get("/").status_code == 403
    assert sign_in(browser, "anna").status_code == 403
    (tmp_path / ACCOUNTS).unlink()
    assert sign_in(browser, "bert").status_code == 403


def test_only_some_sessions_of_a_person_are_kept(browser: Browser) -> None:
    first = Person(browser, "anna")
    for _ in range(20):
        Person(browser, "anna")
    assert first.get("/").status_code == 403


@pytest.mark.parametrize("to", ["//evil.example", "/\\evil.example", "http://evil.example", "/\tx"])
def test_signing_in_leads_nowhere_else(browser: Browser, to: str) -> None:
    given = {"name": "anna", "password": PASSWORDS["anna"], "to": to}
    answer = browser.post(
        "/sign-in", data=given, headers={"Origin": ORIGIN}, follow_redirects=False
    )
    assert answer.headers["location"] == "/"


def test_the_log_says_who_did_what_and_no_secret(browser: Browser, tmp_path: Path) -> None:
    anna = Person(browser, "anna")
    sign_in(browser, "bert", "wrong-password")
    sign_in(browser, "my secret typed as name", "x")
    fetch = {"accession": "GSE1", "trait": "Gout", "note": "private"}
    browser.access.group = group_of(browser)
    queue_of(browser).close()
    anna.post("/add/fetch", data=fetch)
    anna.post("/analysis/delete", params={"name": "001-none"})
    anna.get("/analysis")
    anna.post("/sign-out")
    assert logged(browser) == [
        ("anna", "signs out"), ("anna", "deletes an analysis"), ("anna", "fetches a series"),
        ("somebody", "is refused"), ("bert", "is refused"), ("anna", "signs in"),
    ]  # fmt: skip
    path = tmp_path / LOG
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    text = path.read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["study"] for line in lines if line["study"]] == [
        {"trait": "Gout", "accession": "GSE1"}, {"name": "001-none"}
    ]  # fmt: skip
    assert all(set(line) == {"when", "who", "what", "study", "status"} for line in lines)
    for secret in ("wrong-password", "my secret", PASSWORDS["anna"], anna.token, "private"):
        assert secret not in text
    shown = Person(browser, "bert").get("/log")
    assert "deletes an analysis" in shown.text and "fetches a series" in shown.text
    assert "GSE1" in Person(browser, "bert").get("/log.csv").text


def test_every_change_has_its_words_in_the_log(browser: Browser) -> None:
    posts = {r.path: r.name for r in browser.app.routes if "POST" in getattr(r, "methods", ())}  # type: ignore[attr-defined]
    silent = {path for path, name in posts.items() if not name}
    assert silent == {
        "/analysis/design", "/tables/design", "/quality/before", "/quality/read", "/add/plan",
        "/atlas/similar",
    }  # fmt: skip
    assert all(" " in name and name[0].islower() for name in posts.values() if name), posts


def test_what_a_stranger_wrote_in_the_log_is_text(browser: Browser, tmp_path: Path) -> None:
    bad = {"when": "x", "who": "<img src=x>", "what": "y", "study": {"trait": "<b>"}}
    (tmp_path / LOG).write_text("no JSON\n[]\n" + json.dumps(bad) + "\n")
    shown = Person(browser, "anna").get("/log").text
    assert "&lt;img src=x&gt;" in shown and "<img" not in shown and "<b>" not in shown


def test_a_full_log_is_put_aside(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genotex.app.access.activity._LARGEST", 200)
    log = group_of(browser).log
    for number in range(6):
        log.write("anna", f"does {number}", [("trait", "x" * 500)])
    assert [each.what for each in log.last()][:2] == ["does 5", "does 4"]
    assert all(len(each.study["trait"]) == 200 for each in log.last())


def test_a_log_that_is_a_link_is_not_written_through(tmp_path: Path, browser: Browser) -> None:
    (tmp_path / LOG).unlink(missing_ok=True)
    outside = tmp_path.parent / "outside.txt"
    (tmp_path / LOG).symlink_to(outside)
    with pytest.raises(OSError, match=r"symbolic|Too many levels"):
        group_of(browser).log.write("anna", "does something")
    assert not outside.exists()


def test_one_person_has_few_jobs_at_a_time(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(JobQueue, "_work", lambda self: None)
    anna, bert = Person(browser, "anna"), Person(browser, "bert")
    for _ in range(3):
        assert anna.post("/add/demo").status_code == 200
    answer = anna.post("/add/demo")
    assert answer.status_code == 400 and "3 jobs of yours wait or run" in answer.text
    assert bert.post("/add/demo").status_code == 200
    records = queue_of(browser).records()
    assert sorted(record.by for record in records) == ["anna", "anna", "anna", "bert"]
    assert "anna" in bert.get("/analysis/history").text


def test_highlighted_genes_are_a_persons_own(browser: Browser) -> None:
    anna, bert = Person(browser, "anna"), Person(browser, "bert")
    for person, genes in ((anna, "TP53"), (bert, "BRCA1")):
        person.post("/genes/mark", data={"genes": genes})
    marked = browser.app.state.workbench.marked  # type: ignore[attr-defined]
    assert marked == {"anna": ("TP53",), "bert": ("BRCA1",)}


def test_without_accounts_there_are_no_links_and_no_log(tmp_path: Path) -> None:
    with opened(tmp_path, Access(PORT)) as browser:
        for path in ("/links", "/log", "/log.csv"):
            assert browser.get(path).status_code == 404
        for path in ("/links/share?page=/genes", "/links/revoke?link=1", "/sign-out"):
            assert browser.post(path, headers=browser.own).status_code == 404
        assert browser.get("/shared/x/").status_code == 403
        assert ">Links<" not in browser.get("/").text
    assert not list(tmp_path.glob(".workbench-*"))


@pytest.mark.parametrize(
    ("doors", "host", "why"),
    [
        (Doors(), "0.0.0.0", "others could reach 0.0.0.0"),
        (Doors("secret", accounts=True), "127.0.0.1", "leave --password-file out"),
        (Doors(public="https://lab.example.org/"), "127.0.0.1", "through --public-address"),
    ],
)
def test_what_would_let_others_in_is_refused(doors: Doors, host: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        doors.check(host)
    Doors(accounts=True, public="https://lab.example.org/").check("0.0.0.0")


def test_accounts_are_made_and_removed_by_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("serve", str(tmp_path), "--add-user", "anna") == 0
    made = capsys.readouterr().out
    assert made.startswith("account anna, password ")
    assert read_accounts(tmp_path)["anna"].has(made.split()[-1])
    (tmp_path / "password").write_text("a password of my own\n")
    own = ("--add-user", "bert", "--password-file", str(tmp_path / "password"))
    assert command("serve", str(tmp_path), *own) == 0
    assert capsys.readouterr().out == "account bert\n"
    assert read_accounts(tmp_path)["bert"].has("a password of my own")
    assert command("serve", str(tmp_path), "--add-user", "carl", "--read-only") == 0
    reads = {name: account.reads for name, account in read_accounts(tmp_path).items()}
    assert reads == {"anna": False, "bert": False, "carl": True}
    assert command("serve", str(tmp_path), "--read-only") == 2
    assert command("serve", str(tmp_path), "--remove-user", "carl") == 0
    assert command("serve", str(tmp_path), "--remove-user", "anna") == 0
    assert command("serve", str(tmp_path), "--remove-user", "anna") == 2
    assert "there are: bert" in capsys.readouterr().err


def test_the_server_signs_people_in_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.undo()
    password = add_account(tmp_path, "anna")
    server = Running(tmp_path, ("--accounts",))
    try:
        given = {"Origin": server.origin, **FORM}
        body = f"name=anna&password={password}"
        status, answered, text = server.ask("POST", "/sign-in", given, body)
        assert status == 303, text
        cookie = answered["set-cookie"].partition(";")[0]
        assert server.ask("GET", "/", {"Cookie": cookie})[0] == 200
        assert command("serve", str(tmp_path), "--code") == 2
        assert "by name" in capsys.readouterr().err
    finally:
        server.end()
