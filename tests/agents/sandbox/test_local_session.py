"""What is particular to sessions on this machine: how they start, and what they leave."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from genotex.agents import CellStatus, Folders, SandboxLimits, SandboxPolicy, local_session
from genotex.errors import ConfinementError, SandboxError, UsageError
from tests.agents.sandbox.conformance_isolation import processes_named
from tests.agents.sandbox.test_isolation import NAMESPACES

EVERY_WALL = (*NAMESPACES, "landlock", "call filter", "no new privileges", "capabilities")


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.02)
    pytest.fail("waited in vain")


def test_require_refuses_and_leaves_nothing(tmp_path: Path, own_temporary: Path) -> None:
    session = local_session(Folders(tmp_path / "out"), avoid=EVERY_WALL)
    with pytest.raises(ConfinementError, match="cannot protect files, network"):
        session.start()
    assert list(own_temporary.iterdir()) == []


def test_best_goes_on_without_walls_and_says_so(tmp_path: Path) -> None:
    folders = Folders(tmp_path / "out")
    with local_session(folders, policy=SandboxPolicy.BEST, avoid=EVERY_WALL) as session:
        assert session.execute("1 + 1").text == "2"
        left_out = [m.name for m in session.confinement.mechanisms if not m.active]
        assert set(EVERY_WALL) <= set(left_out)
        assert "files" in session.confinement.missing


def test_off_runs_the_same_kernel_and_keeps_the_limits(tmp_path: Path) -> None:
    limits = SandboxLimits(memory_bytes=500 * 2**20)
    with local_session(Folders(tmp_path / "out"), limits, SandboxPolicy.OFF) as session:
        assert session.execute("import os; print(os.listdir('/proc/1') != [])").text == "True"
        assert "SANDBOX_TEST_API_KEY" not in session.execute("dict(os.environ)").text
        assert session.execute("bytearray(600 * 2**20)").status == "out of memory"
        assert session.execute("while True: pass", seconds=0.2).status == "timed out"
        assert session.confinement.to_dict()["protected"]["files"] is False


def test_folder_that_holds_something_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(UsageError, match="not empty"):
        local_session(Folders(tmp_path)).start()
    assert (tmp_path / "mine.txt").read_text() == "x"


def test_closing_a_session_that_never_started_touches_nothing(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/")
    local_session(Folders(tmp_path)).close()
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("path", [Path("/"), Path.home()])
def test_root_and_home_are_not_given_to_read(tmp_path: Path, path: Path) -> None:
    with pytest.raises(UsageError, match="give a folder inside"):
        Folders(tmp_path / "out", (path,))


def test_missing_input_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        Folders(tmp_path / "out", (tmp_path / "missing",))


def test_input_behind_a_link_is_read_under_the_links_name(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "matrix.txt").write_text("expression")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with local_session(Folders(tmp_path / "out", (tmp_path / "link",))) as session:
        code = f"open({str(tmp_path / 'link' / 'matrix.txt')!r}).read()"
        assert session.execute(code).text == "'expression'"


def test_output_inside_the_input_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "cohort").mkdir()
    folders = Folders(tmp_path / "cohort" / "out", (tmp_path / "cohort",))
    with local_session(folders) as session:
        assert session.execute("open('genes.csv', 'w').write('GENE')").status == "ok"
        beside = f"open({str(tmp_path / 'cohort' / 'x')!r}, 'w')"
        assert session.execute(beside).exception in ("OSError", "PermissionError")
    assert (tmp_path / "cohort/out/genes.csv").read_text() == "GENE"


def test_missing_ipython_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SandboxError, match=r"genotex\[agents\]"):
        local_session(Folders(tmp_path / "out")).start()


def test_worker_that_cannot_start_says_why(
    tmp_path: Path, own_temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "genotex.agents.sandbox.worker.launch_command",
        lambda part, *options: [sys.executable, "-c", "raise SystemExit('no worker today')"],
    )
    with pytest.raises(SandboxError, match="no worker today"):
        local_session(Folders(tmp_path / "out")).start()
    assert list(own_temporary.iterdir()) == []


def kill(session: Any) -> None:
    worker = session._worker
    assert worker is not None
    os.kill(worker._connection.process.pid, signal.SIGKILL)


def test_session_killed_between_two_cells_goes_on(tmp_path: Path) -> None:
    with local_session(Folders(tmp_path / "out")) as session:
        session.execute("kept = 1")
        kill(session)
        result = session.execute("kept")
        assert result.text == "1" and "the process that keeps it was ended" in result.rerun_after
        assert session.execute("kept").rerun_after == ""


@pytest.mark.everyday
def test_cell_whose_session_is_killed_runs_a_second_time_and_no_more(tmp_path: Path) -> None:
    with local_session(Folders(tmp_path / "out")) as session:
        session.execute("kept = 1")
        timer = threading.Timer(1.0, kill, [session])
        timer.start()
        result = session.execute("import time; time.sleep(3); kept + 1")
        timer.join()
        assert (result.status, result.text) == (CellStatus.OK, "2") and result.rerun_after
        suicide = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
        died = session.execute(suicide)
        assert (died.status, died.state_kept) == (CellStatus.DIED, False) and died.rerun_after
        assert session.execute("kept").text == "1"


PROGRAM = """
import os, sys, tempfile
from pathlib import Path
from genotex.agents import Folders, SandboxPolicy, local_session
tempfile.tempdir = sys.argv[2]
avoid = tuple(sys.argv[3:])
session = local_session(Folders(Path(sys.argv[1])), policy=SandboxPolicy.BEST, avoid=avoid)
session.start()
session.execute(
    "import subprocess, sys\\n"
    "daemon = 'import os, time; os.setsid(); open(\\"up\\", \\"w\\"); time.sleep(1000)'\\n"
    f"subprocess.Popen([sys.executable, '-c', daemon, {sys.argv[1]!r}])"
)
session.execute("while True: pass")
"""


@pytest.mark.parametrize("avoid", [(), NAMESPACES], ids=["all mechanisms", "without namespaces"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_session_ends_with_the_program_that_opened_it(
    tmp_path: Path, own_temporary: Path, avoid: tuple[str, ...], how: signal.Signals
) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "out"), str(own_temporary), *avoid]
    program = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    wait_until((tmp_path / "out" / "up").exists)
    mark = str(tmp_path / "out")
    assert len(processes_named(mark)) == 2
    program.send_signal(how)
    program.wait(timeout=60)
    wait_until(lambda: not processes_named(mark))
    wait_until(lambda: list(own_temporary.iterdir()) == [])


AS_ORDINARY_USER = """
import ctypes, os, sys
user, group = os.geteuid(), os.getegid()
libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(0x10000000):
    raise SystemExit(99)
open("/proc/self/setgroups", "w").write("deny")
open("/proc/self/uid_map", "w").write(f"1000 {user} 1")
open("/proc/self/gid_map", "w").write(f"1000 {group} 1")
open("/proc/sys/user/max_user_namespaces", "w").write(sys.argv[1])
os.execv(sys.executable, [sys.executable, "-m", "genotex", *sys.argv[2:]])
"""


def checked_as_ordinary_user(namespaces: int) -> set[str]:
    """Check the sandbox as somebody without rights; return the mechanisms that were active."""
    arguments = [str(namespaces), "sandbox", "check", "--sandbox", "require", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", AS_ORDINARY_USER, *arguments], capture_output=True, text=True
    )
    if done.returncode == 99:
        pytest.skip("this machine forbids user namespaces")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["held"] is True
    return {m["name"] for m in found["mechanisms"] if m["active"]}


def test_ordinary_user_gets_every_mechanism() -> None:
    active = checked_as_ordinary_user(namespaces=100)
    assert {*NAMESPACES, "own root", "landlock files", "landlock signals", "call filter"} <= active


def test_container_that_forbids_namespaces_is_held_by_the_rest() -> None:
    active = checked_as_ordinary_user(namespaces=0)
    assert not active & {*NAMESPACES, "own root"}
    assert {"landlock files", "landlock signals", "call filter"} <= active
