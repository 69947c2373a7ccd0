"""The command: what it prints, whom it lets in, and how it ends."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

import pytest

from genotex.app import serve
from genotex.errors import UsageError
from tests.local_server import ended, first_line


def status(port: int, path: str, **headers: str) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def test_one_line_is_printed_when_it_is_ready_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "genotex", "serve", str(tmp_path), "--no-browser"]
    process = subprocess.Popen(
        [*command, "--port", str(port)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with ended(process) as server:
        line = first_line(server)
        assert re.fullmatch(rf"http://127\.0\.0\.1:{port}/\?token=[\w-]{{20,}}\n", line)
        token = line.strip().partition("token=")[2]
        assert status(port, "/") == 403
        assert status(port, f"/?token={token}") == 200
        assert status(port, "/health") == 200
        assert status(port, "/health", Host="evil.example") == 403
        server.send_signal(signal.SIGINT)
        rest, errors = server.communicate(timeout=60)
        assert rest == "" and "Traceback" not in errors


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port}"):
            serve(tmp_path, port=port)


def test_another_address_without_password_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--password-file"):
        serve(tmp_path, host="0.0.0.0")


def test_without_the_extra_the_command_names_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['starlette'] = None; from genotex.cli import main; "
        f"sys.argv = ['genotex', 'serve', {str(tmp_path)!r}]; main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 2
    assert "genotex[app]" in ended.stderr and "Traceback" not in ended.stderr
