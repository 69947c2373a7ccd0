"""The command: what it prints, whom it lets in, and how it ends."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from genotex.app import PrivateFolder, serve
from genotex.app.access import serving
from genotex.cli import main
from genotex.errors import UsageError
from genotex.io import lock
from tests.app.served import Running
from tests.local_server import ended, first_line


def test_address_and_code_are_printed_when_it_is_ready_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    errors = tmp_path / "errors"
    with errors.open("w") as file:
        server = Running(tmp_path, ("--port", str(port)), file)
    # The address may be seen by others where a program is given it.
    assert server.address == f"http://127.0.0.1:{port}/"
    assert re.fullmatch(r"([0-9A-Z]{4}-){2}[0-9A-Z]{4}", server.code)
    assert server.ask("GET", "/")[0] == 403
    cookie = server.sign_in()
    assert server.ask("GET", "/", {"Cookie": cookie})[0] == 200
    assert server.ask("GET", "/health")[0] == 200
    assert server.ask("GET", "/health", {"Host": "evil.example"})[0] == 403
    assert server.process.stdout is not None
    server.process.send_signal(signal.SIGINT)
    rest, _ = server.process.communicate(timeout=60)
    said = errors.read_text()
    assert rest == "" and "Traceback" not in said
    assert "signed in by a code, from 127.0.0.1" in said and server.code not in said
    assert [path.name for path in tmp_path.iterdir() if path != errors] == [".workbench.lock"]


def test_code_prints_another_code_and_nothing_where_no_server_is(
    tmp_path: Path, runtime_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = Running(tmp_path)
    assert command("serve", "--code", str(tmp_path)) == 0
    address, code = capsys.readouterr().out.splitlines()
    assert address == server.address.strip()
    # The code that was printed first is void.
    with pytest.raises(AssertionError, match="This code is wrong"):
        server.sign_in()
    newer = code.split()[1]
    assert newer != server.code and server.sign_in(newer)
    with pytest.raises(AssertionError, match="was used before"):
        server.sign_in(newer)
    for path in runtime_folder.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0 and newer not in path.name
        assert path.is_dir() or newer not in path.read_text()
    assert server.end() == 130
    assert command("serve", "--code", str(tmp_path)) == 2
    assert "no workbench of yours has" in capsys.readouterr().err


def command(*words: str) -> int:
    """Run a command in this process, and return its exit code."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as end:
        patch.setattr("sys.argv", ["genotex", *words])
        main()
    return int(end.value.code or 0)


def test_a_second_server_on_a_folder_says_where_the_first_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = Running(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    for name in (tmp_path, tmp_path / "link"):
        assert command("serve", str(name), "--no-browser") == 2
        said = " ".join(capsys.readouterr().err.split())
        assert f"{first.address} (process {first.process.pid})" in said
        assert first.code not in said
    assert first.ask("GET", "/health")[0] == 200
    # A killed one leaves its lock and its record, which are in nobody's way.
    first.end(signal.SIGKILL)
    assert (tmp_path / ".workbench.json").is_file()
    second = Running(tmp_path)
    assert second.ask("GET", "/health")[0] == 200
    second.end()


RECORDS = {
    "empty": "",
    "without fields": "{}",
    "endless": "[" * 50_000,
    "of other kinds": '{"pid": "x", "host": 1}',
    "of another address": '{"pid": 1, "host": "x", "address": "http://evil.example/\\u001b[31m/"}',
    "a pipe": None,
}


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_a_record_of_the_first_server_that_is_damaged_is_not_shown(
    tmp_path: Path, record: str | None
) -> None:
    with lock(tmp_path / "workbench"):
        if record is None:
            os.mkfifo(tmp_path / ".workbench.json")
        else:
            (tmp_path / ".workbench.json").write_text(record)
        with pytest.raises(UsageError, match=r"another workbench has .* open, or is just opening"):
            serve(tmp_path)


def test_the_server_of_another_user_is_named_without_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = socket.gethostname()
    record = {"pid": 77, "host": here, "address": "http://127.0.0.1:1/"}
    with lock(tmp_path / "workbench"):
        (tmp_path / ".workbench.json").write_text(json.dumps(record))
        monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
        with pytest.raises(UsageError, match=r"another user has .* \(process 77\)") as found:
            serve(tmp_path)
    assert "http" not in str(found.value)


def test_a_folder_that_cannot_be_written_to_is_shown(tmp_path: Path) -> None:
    def refuse(path: Path, *, wait: bool = True) -> AbstractContextManager[None]:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    # The user of a test may be one whom no permission stops.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serving, "lock", refuse)
        with serving._only_server(tmp_path) as announce:
            announce("http://127.0.0.1:1/")
    assert not list(tmp_path.iterdir())


FROZEN = """
import sys, threading
from pathlib import Path
from genotex.app.access import serving

serving.LONGEST_END = 1.0

def ready(address, code):
    print("ready", flush=True)
    # One step of Python that takes for ever, as long as nothing else of Python runs.
    threading.Thread(target=lambda: sum(range(10 ** 15)), daemon=True).start()

serving.serve(Path(sys.argv[1]), browser=False, ready=ready)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_hangs_ends_all_the_same(tmp_path: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", FROZEN, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    with ended(process) as server:
        assert first_line(server) == "ready\n"
        time.sleep(0.2)
        server.send_signal(number)
        assert server.wait(timeout=60) == -signal.SIGKILL


def test_private_files_are_closed_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "genotex").mkdir(mode=0o755)
    private = PrivateFolder()
    page = private.write_page("http://127.0.0.1:1/", "<token>")
    assert [path.stat().st_mode & 0o077 for path in (page, page.parent, page.parent.parent)] == [
        0, 0, 0,
    ]  # fmt: skip
    assert "&lt;token&gt;" in page.read_text() and 'action="http://127.0.0.1:1/sign-in"' in (
        page.read_text()
    )
    private.remove()
    # A link that somebody else could have made is not followed.
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "genotex").rmdir()
    (tmp_path / "genotex").symlink_to(elsewhere)
    assert PrivateFolder().path.is_relative_to(tmp_path / "state")
    assert not list(elsewhere.iterdir())


def test_what_killed_servers_left_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    left, other = PrivateFolder(), PrivateFolder()
    for each in (left, other):
        each.write_record(tmp_path, "http://127.0.0.1:1/")
    record = json.loads((left.path / "server.json").read_text())
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (left.path / "server.json").write_text(json.dumps(record | {"pid": gone.pid}))
    PrivateFolder()
    assert not left.path.exists() and other.path.exists()


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port}"):
            serve(tmp_path, port=port)


def test_nobody_else_can_listen_in_its_place_by_ipv6(tmp_path: Path) -> None:
    try:
        other = serving._bound("::1", 0)
    except UsageError:
        pytest.skip("this machine has no IPv6 address of its own")
    with other:
        port = other.getsockname()[1]
        with pytest.raises(UsageError, match=f"cannot listen on ::1, port {port}"):
            serve(tmp_path, port=port)
    with serving._listening("127.0.0.1", 0) as sockets:
        first, second = (each.getsockname() for each in sockets)
        assert (first[0], second[0]) == ("127.0.0.1", "::1") and first[1] == second[1]
        with pytest.raises(UsageError, match="cannot listen"):
            serving._bound("::1", first[1])


def test_where_the_machine_has_no_ipv6_one_address_is_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = serving._bound

    def without(host: str, port: int) -> socket.socket:
        if ":" in host:
            error = OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address")
            raise UsageError("cannot listen") from error
        return plain(host, port)

    monkeypatch.setattr(serving, "_bound", without)
    with serving._listening("localhost", 0) as sockets:
        assert len(sockets) == 1


def test_another_address_without_password_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--password-file"):
        serve(tmp_path, host="0.0.0.0")
