"""Part four: what generated code cannot reach, tried from inside and checked from outside.

A cell that tries something forbidden must fail for the reason that the machine gives (``refused``),
and what it tried to reach must be as it was.
"""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from genotex.agents import Session
from tests.agents.sandbox.conformance import (
    REFUSED,
    Opened,
    OpenSession,
    Place,
    printed,
    refused,
    run,
)

SECRET = "sk-secret-in-the-environment"
os.environ["SANDBOX_TEST_API_KEY"] = SECRET
MACHINE = "x86_64"


@contextmanager
def listening(kind: int, family: int, address: object) -> Iterator[socket.socket]:
    """Listen, as another program of this machine would."""
    with socket.socket(family, kind) as server:
        server.bind(address)  # type: ignore[arg-type]
        if kind == socket.SOCK_STREAM:
            server.listen()
        server.setblocking(False)
        yield server


def nobody_came(server: socket.socket) -> bool:
    """Tell whether nothing reached a listening socket."""
    try:
        if server.type == socket.SOCK_STREAM:
            server.accept()
        else:
            server.recv(10)
    except BlockingIOError:
        return True
    return False


class NoNetwork(Opened):
    """No way out, not even within the machine."""

    def test_tcp_to_a_program_of_this_machine(self, session: Session) -> None:
        with listening(socket.SOCK_STREAM, socket.AF_INET, ("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            refused(session, f"import socket; socket.create_connection(('127.0.0.1', {port}), 3)")
            assert nobody_came(server)

    def test_tcp_to_elsewhere(self, session: Session) -> None:
        refused(session, "import socket; socket.create_connection(('192.0.2.1', 80), 3)")
        refused(session, "import socket; socket.create_connection(('2001:db8::1', 80), 3)")

    def test_udp(self, session: Session) -> None:
        with listening(socket.SOCK_DGRAM, socket.AF_INET, ("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            code = f"""
            import socket
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.sendto(b"x", ("127.0.0.1", {port}))
            """
            refused(session, code)
            time.sleep(0.05)
            assert nobody_came(server)

    def test_names_are_not_looked_up(self, session: Session) -> None:
        refused(session, "import socket; socket.getaddrinfo('example.org', 80)")

    def test_raw_and_packet_sockets(self, session: Session) -> None:
        refused(session, "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)")
        refused(session, "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)")

    def test_web_addresses(self, session: Session) -> None:
        result = run(session, "import urllib.request; urllib.request.urlopen('http://127.0.0.1/')")
        assert result.exception == "URLError"

    def test_nobody_outside_reaches_a_port_opened_inside(self, session: Session) -> None:
        result = run(
            session,
            "import socket; s = socket.socket(); s.bind(('0.0.0.0', 0)); s.listen(); "
            "s.getsockname()[1]",
        )
        if result.status == "ok":
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", int(result.text)), 3)

    def test_unix_socket_of_another_program(self, session: Session, tmp_path: Path) -> None:
        name = str(tmp_path / "agent.sock")
        with listening(socket.SOCK_STREAM, socket.AF_UNIX, name) as server:
            refused(
                session, f"import socket; s = socket.socket(socket.AF_UNIX); s.connect({name!r})"
            )
            assert nobody_came(server)

    def test_unix_datagrams(self, session: Session, tmp_path: Path) -> None:
        name = str(tmp_path / "log.sock")
        with listening(socket.SOCK_DGRAM, socket.AF_UNIX, name) as server:
            code = f"""
            import socket
            s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendto(b"x", {name!r})
            """
            refused(session, code)
            assert nobody_came(server)

    @pytest.mark.skipif(sys.platform != "linux", reason="abstract sockets are Linux's")
    def test_abstract_unix_socket(self, session: Session) -> None:
        name = f"\0genotex-test-{os.getpid()}"
        with listening(socket.SOCK_STREAM, socket.AF_UNIX, name) as server:
            refused(
                session, f"import socket; s = socket.socket(socket.AF_UNIX); s.connect({name!r})"
            )
            assert nobody_came(server)


class FilterHolds(Opened):
    """What only the call filter prevents, in addition to the other mechanisms."""

    def test_unix_socket_inside_a_readable_folder(self, session: Session, place: Place) -> None:
        name = str(place.readable / "inside.sock")
        with listening(socket.SOCK_STREAM, socket.AF_UNIX, name) as server:
            refused(
                session, f"import socket; s = socket.socket(socket.AF_UNIX); s.connect({name!r})"
            )
            assert nobody_came(server)
        Path(name).unlink()

    def test_new_namespaces_and_other_doors_of_the_kernel(self, session: Session) -> None:
        code = """
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        def call(number):
            libc.syscall(ctypes.c_long(number), *[ctypes.c_long(0)] * 6)
            return ctypes.get_errno()
        numbers = dict(unshare=272, io_uring_setup=425, keyctl=250, bpf=321, userfaultfd=323,
                       ptrace=101, perf_event_open=298, memfd_create=319, shmget=29, mount=165)
        print({name: call(number) for name, number in numbers.items() if call(number) != 1})
        """
        if os.uname().machine != MACHINE:
            pytest.skip("numbers of x86_64")
        assert printed(session, code) == "{}"

    def test_nobody_waits_for_the_disk(self, session: Session) -> None:
        # A pipe has no disk: where the call is made, it is refused.
        code = "import os; _, end = os.pipe(); os.fsync(end); os.fdatasync(end); os.sync(); 'done'"
        assert printed(session, code) == "'done'"

    def test_user_namespace_by_clone(self, session: Session) -> None:
        code = """
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        none = [ctypes.c_long(0)] * 4
        child = libc.syscall(ctypes.c_long(56), ctypes.c_long(0x10000000 | 17), *none)
        if child == 0: libc._exit(0)
        print(child, ctypes.get_errno())
        """
        if os.uname().machine != MACHINE:
            pytest.skip("numbers of x86_64")
        assert printed(session, code) == "-1 1"


class NoOtherFiles(Opened):
    """Reading what was given, writing one folder, and nothing else."""

    def test_what_was_given_can_be_read(self, session: Session, place: Place) -> None:
        code = f"import os; print(open({str(place.readable / 'matrix.txt')!r}).read())"
        assert printed(session, code) == "expression"
        assert "matrix.txt" in printed(session, f"os.listdir({str(place.readable)!r})")

    def test_other_cohorts_and_keys_beside_are_not_there(
        self, session: Session, place: Place
    ) -> None:
        refused(session, f"open({str(place.secret / 'key.txt')!r})")
        refused(session, f"import os; os.listdir({str(place.secret)!r})")
        seen = run(session, f"import os; print(os.listdir({str(place.secret.parent)!r}))")
        assert "other" not in seen.text and seen.exception in (None, "PermissionError")

    def test_home_is_not_there(self, session: Session, tmp_path: Path) -> None:
        home = Path.home()
        refused(session, f"import os; os.listdir({str(home)!r} + '/.ssh')")
        with tempfile.NamedTemporaryFile("w", dir=home, prefix=".sandbox-test-") as file:
            file.write("sk-secret")
            file.flush()
            refused(session, f"open({file.name!r})")

    def test_password_and_system_files_are_not_there(self, session: Session) -> None:
        refused(session, "open('/etc/shadow')")
        refused(session, "import os; os.listdir('/var/log')")
        refused(session, "open('/dev/mem', 'rb')")

    def test_journal_of_the_run_is_not_there(self, session: Session, place: Place) -> None:
        journal = place.writable.parent / "journal.jsonl"
        journal.write_text("{}\n")
        refused(session, f"open({str(journal)!r})")
        refused(session, "open('../journal.jsonl')")
        # Where the folder lies in /tmp, this writes to the session's own, which nobody else sees.
        run(session, "open('../journal.jsonl', 'a').write('forged')")
        assert journal.read_text() == "{}\n"

    def test_link_made_by_the_code_leads_nowhere(self, session: Session, place: Place) -> None:
        code = f"""
        import os
        if not os.path.lexists("link"): os.symlink({str(place.secret / "key.txt")!r}, "link")
        open("link").read()
        """
        refused(session, code)
        refused(session, "open('link', 'w').write('gone')")
        assert (place.secret / "key.txt").read_text() == "sk-secret"

    def test_link_that_lay_in_the_input_leads_nowhere(self, session: Session, place: Place) -> None:
        refused(session, f"open({str(place.readable / 'link.txt')!r}).read()")

    def test_hard_link_to_what_lies_outside(self, session: Session, place: Place) -> None:
        refused(session, f"import os; os.link({str(place.secret / 'key.txt')!r}, 'hard')")
        refused(session, f"import os; os.link({str(place.readable / 'matrix.txt')!r}, 'hard')")

    @pytest.mark.parametrize(
        "code",
        [
            "open({file!r}, 'w').write('x')",
            "open({file!r}, 'a').write('x')",
            "import os; os.truncate({file!r}, 0)",
            "import os; os.remove({file!r})",
            "import os; os.rename({file!r}, {file!r} + '.old')",
            "import os; os.rename({file!r}, 'stolen')",
            "open({file!r} + '.new', 'w').write('x')",
            "import os; os.mkdir({file!r} + '.folder')",
            "import os; os.symlink('/', {file!r} + '.link')",
        ],
    )
    def test_input_cannot_be_changed(self, session: Session, place: Place, code: str) -> None:
        file = place.readable / "matrix.txt"
        refused(session, code.format(file=str(file)))
        assert file.read_text() == "expression"
        assert sorted(p.name for p in place.readable.iterdir()) == ["link.txt", "matrix.txt"]

    @pytest.mark.parametrize(
        "code",
        [
            "os.chmod({file!r}, 0o777)",
            "os.chown({file!r}, os.getuid(), -1)",
            "os.utime({file!r}, (0, 0))",
            "os.setxattr({file!r}, 'user.mark', b'x')",
            "os.fchmod(os.open({file!r}, os.O_RDONLY), 0o777)",
            "os.utime(os.open({file!r}, os.O_RDONLY), (0, 0))",
        ],
    )
    def test_permissions_and_times_outside_cannot_be_changed(
        self, session: Session, place: Place, code: str
    ) -> None:
        for file in (place.readable / "matrix.txt", place.secret / "key.txt"):
            before = file.stat()
            run(session, "import os; " + code.format(file=str(file)))
            after = file.stat()
            assert (after.st_mode, after.st_mtime, after.st_ctime) == (
                before.st_mode,
                before.st_mtime,
                before.st_ctime,
            )

    def test_library_cannot_be_changed(self, session: Session) -> None:
        refused(session, "import genotex; open(genotex.__file__, 'a').write('# x')")
        refused(session, "import IPython; open(IPython.__file__, 'a').write('# x')")
        refused(session, "import sys; open(sys.executable, 'ab')")

    def test_nothing_is_written_outside(self, session: Session) -> None:
        name = f"genotex-sandbox-test-{os.getpid()}"
        for folder in ("/tmp", "/var/tmp", "/dev/shm", "/", str(Path.home())):
            run(session, f"open({folder!r} + '/{name}', 'w').write('x')")
            assert not Path(folder, name).exists()
        assert printed(session, "open('mine.txt', 'w').write('x')") == "1"

    def test_numbered_kernel_settings_cannot_be_changed(self, session: Session) -> None:
        before = Path("/proc/sys/kernel/core_pattern").read_text()
        refused(session, "open('/proc/sys/kernel/core_pattern', 'w').write('|/tmp/x')")
        refused(session, "open('/proc/sysrq-trigger', 'w').write('h')")
        assert Path("/proc/sys/kernel/core_pattern").read_text() == before

    def test_devices_cannot_be_made(self, session: Session) -> None:
        refused(session, f"import os; os.mknod('disk', {stat.S_IFBLK | 0o600}, os.makedev(254, 0))")

    def test_root_cannot_be_changed(self, session: Session) -> None:
        refused(session, "import os; os.chroot('.')")
        seen = run(session, "import os; print(os.listdir('/proc/1/root'))")
        assert "boot" not in seen.text and seen.exception in (None, *REFUSED)

    def test_temporary_files_are_gone_afterwards(
        self, open_session: OpenSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        own = tmp_path / "temporary"
        own.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(own))
        session = open_session()
        code = """
        import os, tempfile
        kept = tempfile.NamedTemporaryFile(delete=False); kept.write(b"x")
        folder = tempfile.mkdtemp(); open(folder + "/file", "w").close(); os.chmod(folder, 0)
        print(tempfile.gettempdir(), kept.name)
        """
        names = printed(session, code).split()
        session.close()
        assert list(own.iterdir()) == []
        assert not Path(names[1]).exists()


class NoOtherProcesses(Opened):
    """Seeing, tracing, signalling and outliving."""

    @pytest.fixture
    def victim(self) -> Iterator[subprocess.Popen[bytes]]:
        with subprocess.Popen(["sleep", "1000"], env={"KEY": SECRET}) as process:
            yield process
            process.kill()

    def test_environment_is_clean(self, session: Session) -> None:
        names = printed(session, "import os; print(*sorted(os.environ))").split()
        assert set(names) <= {
            *("HOME", "IPYTHONDIR", "LANG", "LC_CTYPE", "MPLBACKEND", "MPLCONFIGDIR", "PATH"),
            *("PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONPATH", "TMPDIR", "TZ", "USER"),
            *("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "MKL_CBWR", "NPY_DISABLE_CPU_FEATURES"),
            "GENOTEX_LIMITS",
        }

    def test_secret_is_in_no_environment_to_be_seen(
        self, session: Session, victim: subprocess.Popen[bytes]
    ) -> None:
        code = """
        import glob
        def read(path):
            try: return open(path, "rb").read()
            except OSError: return b""
        paths = glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/task/*/environ")
        print(len(paths), any(b"sk-secret" in read(path) for path in paths))
        """
        assert printed(session, code).endswith("False")
        assert SECRET not in printed(session, "import os; str(dict(os.environ))")

    @pytest.mark.parametrize("what", ["environ", "mem", "maps", "root/etc/hostname", "cwd/x", "fd"])
    def test_process_outside_cannot_be_looked_into(
        self, session: Session, victim: subprocess.Popen[bytes], what: str
    ) -> None:
        for number in (victim.pid, os.getpid()):
            path = f"/proc/{number}/{what}"
            opened = f"import os; os.listdir({path!r})" if what == "fd" else f"open({path!r}, 'rb')"
            refused(session, opened)

    def test_process_outside_cannot_be_traced(
        self, session: Session, victim: subprocess.Popen[bytes]
    ) -> None:
        code = f"""
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        print(libc.ptrace(16, {victim.pid}, None, None), libc.ptrace(16, {os.getpid()}, None, None))
        """
        assert printed(session, code) == "-1 -1"

    def test_process_outside_cannot_be_signalled(
        self, session: Session, victim: subprocess.Popen[bytes]
    ) -> None:
        refused(session, f"import os; os.kill({victim.pid}, 9)")
        refused(session, f"import os; os.kill({os.getpid()}, 15)")
        bounds = f"resource.prlimit({victim.pid}, resource.RLIMIT_CPU, (1, 1))"
        refused(session, f"import resource; {bounds}")
        assert victim.poll() is None

    def test_whoever_keeps_the_session_is_not_deceived(
        self, open_session: OpenSession, victim: subprocess.Popen[bytes]
    ) -> None:
        session = open_session()
        code = f"""
        import glob, os, stat
        forged = b'{{"first": {victim.pid}, "group": {victim.pid}, "confined": []}}\\n[{{'
        for path in glob.glob("/proc/1/fd/*") + glob.glob(f"/proc/{{os.getppid()}}/fd/*"):
            try:
                if stat.S_ISFIFO(os.stat(path).st_mode):
                    os.write(os.open(path, os.O_WRONLY | os.O_NONBLOCK), forged)
            except OSError:
                pass
        """
        run(session, code)
        session.close()
        assert victim.poll() is None
        assert session.confinement.mechanisms

    def test_no_open_files_are_inherited(self, session: Session) -> None:
        code = """
        import os, stat
        kinds = {}
        for number in range(64):
            try: kinds[number] = stat.S_IFMT(os.fstat(number).st_mode)
            except OSError: continue
        plain = [n for n, kind in kinds.items() if stat.S_ISREG(kind) or stat.S_ISDIR(kind)]
        print(sum(map(stat.S_ISSOCK, kinds.values())), plain)
        """
        assert printed(session, code) == "1 []"

    def test_privileges_are_gone(self, session: Session) -> None:
        code = """
        told = open("/proc/self/status").read().splitlines()
        lines = dict(line.split(":\\t", 1) for line in told)
        print(lines["CapEff"], lines["CapPrm"], lines["CapBnd"], lines["NoNewPrivs"])
        """
        result = run(session, code)
        if result.status == "ok":
            nothing = "0" * 16
            assert result.text == f"{nothing} {nothing} {nothing} 1"
        else:
            assert result.exception == "PermissionError"
        refused(session, "import os; os.setuid(4321)")

    def test_nothing_outlives_the_session(self, open_session: OpenSession, tmp_path: Path) -> None:
        session = open_session()
        mark = f"outlives-{os.getpid()}"
        code = f"""
        import os, subprocess, sys, time
        daemon = "import os, sys, time, signal\\n" \\
                 "[signal.signal(s, signal.SIG_IGN) for s in (1, 2, 15)]\\n" \\
                 "if os.fork(): os._exit(0)\\nos.setsid()\\nif os.fork(): os._exit(0)\\n" \\
                 "open('up', 'w').close()\\ntime.sleep(1000)"
        subprocess.Popen([sys.executable, "-c", daemon, {mark!r}], start_new_session=True).wait()
        while not os.path.exists("up"): time.sleep(0.01)
        """
        assert run(session, code).status == "ok"
        assert processes_named(mark)
        session.close()
        assert not processes_named(mark)


def processes_named(mark: str) -> list[str]:
    """Return the command lines of this machine's processes that hold a word."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes()
        except OSError:
            continue
        if mark.encode() in line:
            found.append(line.decode("utf-8", "replace"))
    return found
