"""Part three: whatever the code does, it ends, and what it came to is told as it is."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from genotex.agents import CellStatus, SandboxLimits, Session
from genotex.errors import SessionDeadError, UsageError
from tests.agents.sandbox.conformance import (
    AT_ONCE,
    IMPATIENT,
    MIB,
    PATIENT,
    Opened,
    OpenSession,
    printed,
    run,
)

STUBBORN = {
    "loop that catches every exception": """
        import time
        while True:
            try: time.sleep(1)
            except BaseException: pass
        """,
    "ignored signal": """
        import signal
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while True: pass
        """,
    "replaced handler": """
        import signal
        signal.signal(signal.SIGINT, lambda *a: None)
        while True: pass
        """,
    "blocked signals": """
        import signal, time
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        while True: time.sleep(1)
        """,
    "search without end in C": "import itertools; 1 in itertools.repeat(0)",
    "sum in C": "sum(range(10**12))",
    "linear algebra": "np.linalg.eigvals(matrix)",
    "slow text of an exception": """
        class Slow(Exception):
            def __str__(self):
                while True:
                    try: time.sleep(1)
                    except BaseException: pass
        import time
        raise Slow
        """,
}
SET_UP = """
kept = 6
import numpy as np
matrix = np.random.default_rng(1).normal(size=(1500, 1500))
"""
WILLING = {
    "busy loop": "while True: pass",
    "sleep": "import time; time.sleep(1000)",
    "regular expression": "import re; re.match('(a|aa)+$', 'a' * 60 + 'b')",
    "power": "7 ** (10 ** 9)",
    "wait for a program": "import subprocess; subprocess.run(['sleep', '1000'])",
    "wait for a thread": """
        import threading, time
        t = threading.Thread(target=time.sleep, args=(1000,), daemon=True); t.start(); t.join()
        """,
    "wait for a lock": "import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()",
    "read from a pipe": "import os; os.read(os.pipe()[0], 1)",
}
ENDINGS = {
    "os._exit(0)": "exited with code 0",
    "os._exit(3)": "exited with code 3",
    "os.kill(os.getpid(), signal.SIGKILL)": "SIGKILL",
    "os.kill(os.getpid(), signal.SIGTERM)": "SIGTERM",
    "os.abort()": "SIGABRT",
    "ctypes.string_at(0)": "SIGSEGV",
    "threading.Thread(target=os._exit, args=(4,)).start(); time.sleep(60)": "exited with code 4",
    "os.execv('/bin/true', ['true'])": "exited with code 0",
}


class IsStopped(Opened):
    """Time limits."""

    @pytest.mark.parametrize("what", WILLING)
    def test_interrupted_with_its_state_kept(self, session: Session, what: str) -> None:
        run(session, "kept = 5")
        result = run(session, WILLING[what], seconds=AT_ONCE)
        assert (result.status, result.state_kept) == (CellStatus.TIMED_OUT, True)
        assert result.exception == "KeyboardInterrupt"
        assert "limit of 0.2 s" in result.explanation
        assert printed(session, "kept") == "5"

    @pytest.mark.parametrize("what", STUBBORN)
    def test_killed_and_brought_back(self, impatient: Session, what: str) -> None:
        impatient.restore(0)
        run(impatient, SET_UP)
        result = run(impatient, STUBBORN[what], seconds=AT_ONCE)
        assert (result.status, result.state_kept) == (CellStatus.TIMED_OUT, False)
        assert "did not react" in result.explanation
        assert result.step == 1
        assert printed(impatient, "kept") == "6"

    def test_what_was_printed_before_is_kept(self, impatient: Session) -> None:
        impatient.restore(0)
        code = "print('begun'); import os; os.system('echo program')\n" + STUBBORN["sum in C"]
        result = run(impatient, code, seconds=0.5)
        assert result.status is CellStatus.TIMED_OUT
        assert "begun\nprogram" in result.text

    def test_programs_left_by_a_stopped_cell_are_ended(self, session: Session) -> None:
        result = run(
            session,
            """
            import subprocess, time
            ignoring = "trap '' INT TERM HUP; sleep 1000 & setsid sleep 1000 & wait"
            for _ in range(3): subprocess.Popen(["sh", "-c", ignoring], start_new_session=True)
            time.sleep(60)
            """,
            seconds=1.0,
        )
        assert (result.status, result.state_kept) == (CellStatus.TIMED_OUT, True)
        assert result.left_running == 0

    def test_programs_that_still_run_are_counted(self, session: Session) -> None:
        result = run(session, "p = __import__('subprocess').Popen(['sleep', '1000'])")
        assert (result.status, result.left_running) == ("ok", 1)
        assert run(session, "p.kill(); p.wait()").left_running == 0

    def test_ended_children_do_not_pile_up(self, session: Session) -> None:
        run(
            session,
            """
            import os, time
            for _ in range(20):
                if not os.fork():
                    if not os.fork(): os._exit(0)
                    os._exit(0)
            """,
        )
        assert run(session, "while True:\n    try: os.wait()\n    except ChildProcessError: break")
        for _ in range(100):
            if (left := run(session, "pass").left_running) == 0:
                break
        assert left == 0


class Ends(Opened):
    """Cells that end their own session."""

    @pytest.mark.parametrize("code", ENDINGS)
    def test_is_told_as_what_it_is(self, session: Session, code: str) -> None:
        session.restore(0)
        run(session, "import ctypes, os, signal, threading, time; kept = 7")
        result = run(session, code)
        assert (result.status, result.state_kept) == (CellStatus.DIED, False)
        assert ENDINGS[code] in result.explanation
        assert printed(session, "kept") == "7"

    def test_endless_recursion_is_an_error(self, session: Session) -> None:
        result = run(session, "def f(): return f()\nf()")
        assert (result.status, result.exception) == ("error", "RecursionError")

    def test_death_between_cells_is_an_error_and_then_restored(
        self, open_session: OpenSession, tmp_path: Path
    ) -> None:
        session = open_session()
        code = """
        import os, threading, time
        def die_when_told():
            while not os.path.exists("now"): time.sleep(0.01)
            open("dying", "w").close()
            os._exit(5)
        """
        run(session, code)
        run(session, "threading.Thread(target=die_when_told).start()")
        (tmp_path / "out" / "now").touch()
        until = time.monotonic() + 60
        while not (tmp_path / "out" / "dying").exists():
            assert time.monotonic() < until
            time.sleep(0.01)
        time.sleep(0.2)
        with pytest.raises(SessionDeadError, match=r"exited with code 5.*between two cells"):
            session.execute("1 + 1")
        session.restore(1)
        assert printed(session, "1 + 1") == "2"

    def test_killing_everything_in_reach_ends_the_session_at_most(
        self, open_session: OpenSession
    ) -> None:
        session = open_session()
        run(session, "kept = 9")
        code = "import os, signal, time\nos.kill(os.getppid(), 9)\nos.kill(-1, 9)\ntime.sleep(1)"
        result = run(session, code)
        assert result.status in (CellStatus.DIED, CellStatus.OK, CellStatus.ERROR)
        assert printed(session, "kept") == "9"


class IsBounded(Opened):
    """Memory, output and files of one process."""

    def test_allocation_too_many_is_told_and_the_session_lives(self, session: Session) -> None:
        run(session, "kept = 1")
        result = run(session, "many = []\nwhile True: many.append(bytearray(10_000_000))")
        assert (result.status, result.state_kept) == (CellStatus.OUT_OF_MEMORY, True)
        assert result.exception == "MemoryError"
        assert printed(session, "del many; kept") == "1"

    def test_memory_error_can_be_caught(self, session: Session) -> None:
        code = f"try: bytes({PATIENT.memory_bytes})\nexcept MemoryError: print('caught')"
        assert printed(session, code) == "caught"

    def test_memory_of_numbers_and_small_objects_is_bounded(self, session: Session) -> None:
        big = run(session, "import numpy as np; np.ones(10**9)")
        assert big.exception in ("MemoryError", "_ArrayMemoryError")
        assert big.status is CellStatus.OUT_OF_MEMORY
        small = run(session, "many = []\nwhile True: many.append(bytes(1000))")
        assert small.status is CellStatus.OUT_OF_MEMORY
        run(session, "del many")

    def test_peak_memory_is_measured(self, session: Session) -> None:
        session.restore(0)
        small = run(session, "pass").peak_bytes
        large = run(session, "x = bytearray(b'1') * 200_000_000; del x").peak_bytes
        assert 180 * MIB < large - small < 250 * MIB
        assert run(session, "pass").peak_bytes < small + 50 * MIB

    def test_endless_printing_is_stopped(self, session: Session) -> None:
        result = run(session, "while True: print('x' * 10_000)")
        assert (result.status, result.state_kept) == (CellStatus.TOO_MUCH_OUTPUT, True)
        assert len(result.text) < 12_000 + len(result.traceback)

    def test_endless_writing_past_python_is_stopped(self, session: Session) -> None:
        result = run(session, "import os\nwhile True: os.write(1, b'y' * 60_000)")
        assert result.status is CellStatus.TOO_MUCH_OUTPUT

    @pytest.mark.parametrize(
        "code",
        [
            "f = open('big', 'wb')\nwhile True: f.write(bytes(1_000_000))",
            "open('big', 'wb').truncate(10**12)",
            "import os; os.posix_fallocate(os.open('big', os.O_CREAT | os.O_RDWR), 0, 10**11)",
        ],
        ids=["written", "sparse", "reserved"],
    )
    def test_file_too_large_is_an_error(self, session: Session, code: str) -> None:
        result = run(session, code)
        assert (result.status, result.exception) == ("error", "OSError")
        run(session, "f = None; import os; os.remove('big')")

    def test_limits_must_permit_something(self) -> None:
        with pytest.raises(UsageError, match="memory_bytes"):
            SandboxLimits(memory_bytes=0)


class IsBoundedTogether(Opened):
    """Memory, processes and disk of a whole session."""

    def test_memory_of_several_processes_is_bounded_together(
        self, open_session: OpenSession
    ) -> None:
        session = open_session()
        result = run(
            session,
            """
            import os, time
            for _ in range(4):
                if not os.fork():
                    held = bytearray(os.urandom(1)) * 150_000_000
                    time.sleep(60)
            time.sleep(60)
            """,
        )
        assert (result.status, result.state_kept) == (CellStatus.OUT_OF_MEMORY, False)
        assert "together" in result.explanation
        assert printed(session, "1 + 1") == "2"

    def test_shared_memory_is_bounded(self, open_session: OpenSession) -> None:
        session = open_session()
        result = run(
            session,
            """
            import mmap, time
            held = mmap.mmap(-1, 1_000_000_000)
            for start in range(0, len(held), 4096): held[start] = 1
            time.sleep(60)
            """,
        )
        assert (result.status, result.state_kept) == (CellStatus.OUT_OF_MEMORY, False)

    def test_fork_bomb_is_contained(self, open_session: OpenSession) -> None:
        session = open_session(IMPATIENT)
        run(session, "kept = 2")
        result = run(
            session, "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
        )
        assert (result.status, result.state_kept) == (CellStatus.TOO_MANY_PROCESSES, False)
        assert printed(session, "kept") == "2"

    def test_too_many_threads_are_contained(self, open_session: OpenSession) -> None:
        session = open_session(IMPATIENT)
        code = """
        import threading, time
        while True: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        """
        result = run(session, code)
        assert result.status in (CellStatus.TOO_MANY_PROCESSES, CellStatus.ERROR)
        assert printed(session, "1 + 1") == "2"

    @pytest.mark.parametrize(
        "code",
        [
            """
            for i in range(100): open(f"part{i}", "wb").write(bytes(8_000_000))
            import time; time.sleep(60)
            """,
            """
            import os, time
            held = []
            for i in range(100):
                held.append(open("gone", "wb")); held[-1].write(bytes(8_000_000)); os.remove("gone")
            time.sleep(60)
            """,
            """
            import os, time
            for _ in range(1500): os.mkdir("deep"); os.chdir("deep")
            time.sleep(60)
            """,
        ],
        ids=["many files", "deleted but open", "deep folders"],
    )
    def test_folder_too_large_ends_the_session(self, open_session: OpenSession, code: str) -> None:
        session = open_session()
        result = run(session, code)
        assert (result.status, result.state_kept) == (CellStatus.DISK_FULL, False)
        assert printed(session, "import os; os.listdir('.')") == "[]"
