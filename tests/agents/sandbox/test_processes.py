"""Sessions of a fork server: the same isolation, limits and ends, with the libraries there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from genotex.agents import Folders, ForkServer, SandboxLimits, SandboxPolicy, Session, local_session
from genotex.agents.sandbox.confined.protocol import SandboxPlan
from genotex.agents.sandbox.confined.supervisor import Supervisor
from tests.agents.sandbox.conformance_isolation import (
    FilterHolds,
    NoNetwork,
    NoOtherFiles,
    NoOtherProcesses,
)
from tests.agents.sandbox.conformance_limits import Ends, IsBounded, IsBoundedTogether, IsStopped
from tests.agents.sandbox.conformance_output import PlaysTricks
from tests.agents.sandbox.conformance_state import Closes, KeepsState
from tests.agents.sandbox.test_isolation import NAMESPACES
from tests.agents.sandbox.test_local_session import wait_until
from tests.local_server import first_line

MODULES = ("numpy", "polars")
OPENER = """
import sys, time
from pathlib import Path
from genotex.agents import Folders, SandboxLimits, ForkServer, local_session
fork_server = ForkServer(SandboxLimits(), ())
local_session(Folders(Path(sys.argv[1])), fork_server=fork_server).start()
print(fork_server.lib, flush=True)
time.sleep(100)
"""


class FromForkServer:
    avoid: ClassVar[tuple[str, ...]] = ()
    fork_server: ClassVar[ForkServer]

    @classmethod
    def open_one(cls, folders: Folders, limits: SandboxLimits) -> Session:
        policy = SandboxPolicy.BEST if cls.avoid else SandboxPolicy.REQUIRE
        return local_session(folders, limits, policy, avoid=cls.avoid, fork_server=cls.fork_server)


@pytest.fixture(scope="module", autouse=True)
def _fork_server() -> Iterator[None]:
    with ForkServer(SandboxLimits(), MODULES) as FromForkServer.fork_server:
        yield


class WithoutNamespaces(FromForkServer):
    avoid = NAMESPACES


class TestKeepsState(FromForkServer, KeepsState): ...


class TestCloses(FromForkServer, Closes): ...


class TestPlaysTricks(FromForkServer, PlaysTricks): ...


class TestIsStopped(FromForkServer, IsStopped): ...


class TestEnds(FromForkServer, Ends): ...


class TestIsBounded(FromForkServer, IsBounded): ...


class TestIsBoundedTogether(FromForkServer, IsBoundedTogether): ...


class TestNoNetwork(FromForkServer, NoNetwork): ...


class TestNoNetworkWithoutNamespaces(WithoutNamespaces, NoNetwork): ...


class TestFilterHoldsWithoutNamespaces(WithoutNamespaces, FilterHolds): ...


class TestNoOtherFiles(FromForkServer, NoOtherFiles): ...


class TestNoOtherFilesWithoutNamespaces(WithoutNamespaces, NoOtherFiles): ...


class TestNoOtherProcesses(FromForkServer, NoOtherProcesses): ...


class TestNoOtherProcessesWithoutNamespaces(WithoutNamespaces, NoOtherProcesses): ...


def test_what_was_imported_is_there_and_each_session_has_its_own_copy(tmp_path: Path) -> None:
    fork_server = FromForkServer.fork_server
    with (
        local_session(Folders(tmp_path / "a"), fork_server=fork_server) as first,
        local_session(Folders(tmp_path / "b"), fork_server=fork_server) as second,
    ):
        assert first.execute("import sys; 'polars' in sys.modules").text == "True"
        first.execute("import polars; polars.mine = 1")
        assert second.execute("import polars; hasattr(polars, 'mine')").text == "False"
        assert (
            second.execute("import random; random.random()").text
            != first.execute("import random; random.random()").text
        )


def test_session_starts_anew_where_the_fork_server_is_gone(tmp_path: Path) -> None:
    with ForkServer(SandboxLimits(), ()) as fork_server:
        assert fork_server.number is not None
        os.kill(fork_server.number, signal.SIGKILL)
        with local_session(Folders(tmp_path / "out"), fork_server=fork_server) as session:
            assert session.execute("1 + 1").text == "2"


def test_a_fork_server_that_does_not_answer_is_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genotex.agents.sandbox.processes._PATIENCE", 1.0)
    with ForkServer(SandboxLimits(), ()) as fork_server:
        assert fork_server.number is not None
        os.kill(fork_server.number, signal.SIGSTOP)
        asked = []
        for name in ("a", "b"):
            with local_session(Folders(tmp_path / name), fork_server=fork_server) as session:
                assert session.execute("1 + 1").text == "2"
            asked.append(fork_server._door.fileno())
        assert asked == [-1, -1]


def test_session_goes_on_when_the_fork_server_closes(tmp_path: Path) -> None:
    with ForkServer(SandboxLimits(), ()) as fork_server:
        session = local_session(Folders(tmp_path / "out"), fork_server=fork_server)
        session.start()
    assert session.execute("1 + 1").text == "2"
    session.close()
    assert not fork_server.lib.exists()


def test_nothing_is_left_of_a_fork_server_whose_program_was_killed(
    tmp_path: Path, own_temporary: Path
) -> None:
    opener = subprocess.Popen(
        [sys.executable, "-c", OPENER, str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(own_temporary)},
    )
    assert opener.stdout is not None
    assert Path(first_line(opener).decode().strip()).is_relative_to(own_temporary)
    assert len(list(own_temporary.iterdir())) == 2
    opener.kill()
    opener.wait(timeout=60)
    opener.stdout.close()
    wait_until(lambda: not list(own_temporary.iterdir()))


def supervisor_of_one_that_ended(report: bytes) -> Supervisor:
    """Return one whose first process has reported, and is gone, since its loop last looked."""
    plan = SandboxPlan((), {}, (), "", "", True, (), 1, 1, 1, 1, 1)
    supervisor = Supervisor(plan)
    supervisor.confined = True
    supervisor.init = os.posix_spawn("/bin/sh", ["sh", "-c", ":"], {})
    os.waitid(os.P_PID, supervisor.init, os.WEXITED | os.WNOWAIT)
    supervisor.report, write = os.pipe()
    os.write(write, report)
    os.close(write)
    return supervisor


def test_report_that_comes_with_the_end_is_read() -> None:
    supervisor = supervisor_of_one_that_ended(b'{"ended": -15}\n')
    supervisor.see_init_end()
    assert supervisor.ended == {"exit": -15}
    os.close(supervisor.report)


def test_init_process_that_ends_without_a_report() -> None:
    supervisor = supervisor_of_one_that_ended(b"")
    supervisor.see_init_end()
    assert supervisor.ended == {"exit": None}
    os.close(supervisor.report)
