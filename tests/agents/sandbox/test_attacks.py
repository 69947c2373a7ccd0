"""Attacks that once got through: what a session leaves, holds and locks."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from genotex.agents import CellStatus, Folders, SandboxLimits, SandboxPolicy, Session, local_session
from genotex.agents.sandbox.confined import limits
from genotex.agents.sandbox.confined.removing import remove_tree
from genotex.errors import NoSpaceError
from tests.agents.sandbox.conformance import MIB, printed, run
from tests.agents.sandbox.test_isolation import NAMESPACES

LIMITS = SandboxLimits(seconds=60, memory_bytes=300 * MIB, disk_bytes=64 * MIB)
NESTED = """
import os
for _ in range({levels}): os.mkdir("d" * 220); os.chdir("d" * 220)
open("end", "w").close()
os.chmod(".", 0)
"""
SOCKETS = """
import resource, socket
held = []
for _ in range({pairs}):
    held.append(socket.socketpair())
    for end in held[-1]:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 * 2**20)
        end.setblocking(False)
        try:
            while True: end.send(bytes(65536))
        except BlockingIOError: pass
print(held[0][0].getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF))
"""


@pytest.fixture(params=["all mechanisms", "without namespaces"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Session:
    avoid = NAMESPACES if request.param == "without namespaces" else ()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "matrix.txt").write_text("expression")
    folders = Folders(tmp_path / "out", (tmp_path / "in",))
    return local_session(folders, LIMITS, SandboxPolicy.BEST, avoid=avoid)


def nest(top: Path, levels: int) -> None:
    """Make folders inside folders, with a path longer than the system takes."""
    handle = os.open(top, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d" * 220, dir_fd=handle)
        inner = os.open("d" * 220, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(os.open("end", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
    os.close(handle)


def test_folder_with_longer_paths_than_the_system_takes_is_removed(tmp_path: Path) -> None:
    top = tmp_path / "left"
    top.mkdir()
    nest(top, 40)
    remove_tree(top)
    assert not top.exists()


def test_too_long_paths_end_the_session(opened: Session, tmp_path: Path) -> None:
    with opened as session:
        result = run(session, NESTED.format(levels=25))
        assert (result.status, result.state_kept) == (CellStatus.DISK_FULL, False)
        assert "too long paths" in result.explanation
    assert len(list((tmp_path / "out").rglob("*"))) <= 5


def test_too_long_paths_that_were_left_do_not_stop_the_end(opened: Session, tmp_path: Path) -> None:
    with opened as session:
        printed(session, "open('kept', 'w').write('1')")
        nest(tmp_path / "out", 25)
    assert (tmp_path / "out" / "kept").read_text() == "1"
    assert all(len(name) <= 1300 for name in session.removed)
    assert len(session.removed) == 1


def test_memory_of_sockets_is_bounded(opened: Session) -> None:
    with opened as session:
        assert "socket memory" in {m.name for m in session.confinement.mechanisms if m.active}
        default = int(printed(session, SOCKETS.format(pairs=1)))
        assert 2 * default == limits.socket_bytes(enlarged=False)
        result = run(session, SOCKETS.format(pairs=450))
        assert (result.status, result.state_kept) == (CellStatus.OUT_OF_MEMORY, False)
        assert "sockets" in result.explanation


def test_number_of_files_is_bounded(opened: Session) -> None:
    with opened as session:
        result = run(session, "for i in range(12_000): open(f'e{i}', 'w').close()")
        assert (result.status, result.state_kept) == (CellStatus.DISK_FULL, False)
        assert "more than 10,000 files" in result.explanation


def test_input_is_neither_locked_nor_leased(opened: Session, tmp_path: Path) -> None:
    path = tmp_path / "in" / "matrix.txt"
    with opened as session:
        code = f"""
        import fcntl
        held = open({str(path)!r})
        fcntl.flock(held, fcntl.LOCK_EX)
        fcntl.lockf(held, fcntl.LOCK_SH)
        try: fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except PermissionError: print("no lease")
        """
        assert printed(session, code).strip() == "no lease"
        with path.open("r+") as ours:
            fcntl.flock(ours, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.lockf(ours, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_libraries_that_lock_their_own_files_go_on(opened: Session) -> None:
    code = """
    import sqlite3
    with sqlite3.connect("a.db") as base:
        base.execute("create table t (a)")
        base.execute("insert into t values (7)")
    base.execute("select a from t").fetchone()
    """
    with opened as session:
        assert printed(session, code).strip() == "(7,)"


TIMERS = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
timer, made = ctypes.c_void_p(), 0
while made < 20_000 and libc.timer_create(1, None, ctypes.byref(timer)) == 0:
    made += 1
print(made)
"""


def test_number_of_timers_is_bounded(opened: Session) -> None:
    with opened as session:
        assert int(printed(session, TIMERS)) <= 1024
        # Nobody can raise the bound again.
        raised = run(
            session, "import resource; resource.setrlimit(resource.RLIMIT_SIGPENDING, (4096, 4096))"
        )
        assert raised.status is CellStatus.ERROR


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own with 200 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200m", "small", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("needs the right to mount")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_full_disk_is_no_result_of_a_cell(small_disk: Path) -> None:
    with local_session(Folders(small_disk / "out"), LIMITS, SandboxPolicy.BEST) as session:
        printed(session, "kept = 5")
        (small_disk / "of_others").write_bytes(bytes(100 * MIB))
        with pytest.raises(NoSpaceError, match="make room"):
            session.execute("open('a', 'wb').write(b'1')")
        (small_disk / "of_others").unlink()
        session.restore(1)
        assert printed(session, "kept") == "5"


def test_error_of_a_full_disk_is_no_result_of_a_cell(small_disk: Path) -> None:
    limits = SandboxLimits(disk_bytes=180 * MIB)
    code = "raise OSError(28, 'No space left on device')"
    with local_session(Folders(small_disk / "out"), limits, SandboxPolicy.BEST) as session:
        assert run(session, code).status == CellStatus.ERROR
        (small_disk / "of_others").write_bytes(bytes(60 * MIB))
        with pytest.raises(NoSpaceError):
            run(session, code)


CAPABLE = """
import sys
from pathlib import Path
from genotex.agents import Folders, local_session
from genotex.errors import SandboxError
try:
    with local_session(Folders(Path(sys.argv[1]))) as session:
        print(session.execute("1 + 1").text)
except SandboxError as error:
    print(error)
"""


def test_user_with_a_capability_to_read_is_told_what_is_out_of_reach(tmp_path: Path) -> None:
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root and setpriv")
    place = tmp_path / "place"
    place.mkdir()
    place.chmod(0o777)
    rights = ["--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search"]
    user = ["--reuid", "65534", "--regid", "65534", "--clear-groups"]
    done = subprocess.run(
        ["setpriv", *user, *rights, sys.executable, "-c", CAPABLE, str(place / "out")],
        env={**os.environ, "TMPDIR": "/tmp"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    assert "invalid literal" not in said
    # It works, or one path is named: wherever Python and this folder are.
    assert said.strip() == "2" or "CAP_DAC_READ_SEARCH" in said or "Permission" in said
