"""Part one: state, going back, and what a cell gives out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from genotex.agents import CellStatus, Session
from genotex.errors import SessionDeadError, UsageError
from tests.agents.sandbox.conformance import PATIENT, Opened, OpenSession, printed, run


class KeepsState(Opened):
    """State between cells, and back to any earlier step."""

    def test_state_is_kept_between_cells(self, session: Session) -> None:
        run(session, "import math\ndef double(x):\n    return 2 * x\nnumber = 20")
        assert printed(session, "print(double(number) + math.floor(2.5))") == "42"

    def test_state_is_kept_after_an_error(self, session: Session) -> None:
        run(session, "kept = 1")
        result = run(session, "kept = 2\nraise ValueError('no')\nkept = 3")
        assert (result.status, result.exception, result.message) == ("error", "ValueError", "no")
        assert "line 2" in result.traceback
        assert printed(session, "kept") == "2"

    def test_syntax_error_runs_nothing(self, session: Session) -> None:
        run(session, "before = 1")
        result = run(session, "before = 2\nif")
        assert (result.status, result.exception) == ("error", "SyntaxError")
        assert printed(session, "before") == "1"

    def test_goes_back_to_every_earlier_step(self, open_session: OpenSession) -> None:
        session = open_session()
        for number in range(4):
            run(session, f"n = {number}; open('n{number}.txt', 'w').close()")
        for step in (4, 3, 1):
            session.restore(step)
            assert session.step == step
            seen = run(session, "import os; print(n, sorted(os.listdir('.')))")
            assert seen.text == f"{step - 1} {[f'n{i}.txt' for i in range(step)]}"
            session.restore(step)
        session.restore(0)
        assert run(session, "n").exception == "NameError"

    def test_going_nowhere_runs_nothing_again(self, session: Session) -> None:
        first = printed(session, "import os; token = os.urandom(8).hex(); token")
        session.restore(session.step)
        assert printed(session, "token") == first

    def test_step_that_does_not_exist_is_refused(self, session: Session) -> None:
        with pytest.raises(UsageError, match="no step"):
            session.restore(session.step + 1)

    def test_same_order_of_sets_when_run_again(self, open_session: OpenSession) -> None:
        session = open_session()
        code = "print(list({'trait', 'age', 'gender', 'batch', 'tissue'}), hash('gene'))"
        first = run(session, code).text
        session.restore(0)
        assert run(session, code).text == first

    def test_cell_that_ends_differently_when_run_again_is_an_error(
        self, open_session: OpenSession, tmp_path: Path
    ) -> None:
        given = tmp_path / "given.txt"
        given.write_text("1")
        session = open_session(PATIENT, given)
        run(session, f"number = int(open({str(given)!r}).read())")
        run(session, "2")
        given.write_text("one")
        with pytest.raises(SessionDeadError, match=r"cell 1 ended differently.*ValueError"):
            session.restore(1)
        session.restore(0)
        assert printed(session, "1 + 1") == "2"

    def test_cell_stopped_halfway_is_not_run_again(self, open_session: OpenSession) -> None:
        session = open_session()
        run(session, "x = 1")
        run(session, "import time; x = 2; time.sleep(60)", seconds=0.2)
        assert printed(session, "x") == "2"
        run(session, "import os; os._exit(1)")
        with pytest.raises(SessionDeadError, match="cell 2 was stopped halfway"):
            session.execute("x")
        session.restore(1)
        assert printed(session, "x") == "1"

    def test_starting_twice_starts_once(self, session: Session) -> None:
        run(session, "once = 1")
        session.start()
        assert printed(session, "once") == "1"

    def test_two_sessions_do_not_see_each_other(self, open_session: OpenSession) -> None:
        first, second = open_session(name="first"), open_session(name="second")
        run(first, "mine = 1; open('mine.txt', 'w').close(); open('/tmp/mine', 'w').close()")
        assert run(second, "mine").exception == "NameError"
        assert printed(second, "import os; os.listdir('.')") == "[]"
        assert printed(second, "os.path.exists('/tmp/mine')") == "False"
        theirs = printed(first, "import os; os.getcwd()").strip("'")
        result = run(second, f"os.listdir({theirs!r})")
        assert result.exception in ("FileNotFoundError", "PermissionError")
        assert printed(first, "mine") == "1"


class Closes(Opened):
    """The end, from any side."""

    def test_execute_after_close_is_an_error(self, open_session: OpenSession) -> None:
        session = open_session()
        session.close()
        with pytest.raises(SessionDeadError, match="closed"):
            session.execute("1")
        with pytest.raises(SessionDeadError, match="closed"):
            session.restore(0)

    def test_closing_twice_is_closing_once(self, open_session: OpenSession) -> None:
        session = open_session()
        session.close()
        session.close()

    def test_closed_while_a_cell_runs(self, open_session: OpenSession, tmp_path: Path) -> None:
        session = open_session()
        mark = tmp_path / "out" / "began"
        closer = _when(mark, session.close)
        with pytest.raises(SessionDeadError, match="closed while"):
            session.execute("open('began', 'w').close()\nwhile True: pass")
        closer.join(60)

    def test_interrupted_from_another_thread(
        self, open_session: OpenSession, tmp_path: Path
    ) -> None:
        session = open_session()
        mark = tmp_path / "out" / "began"
        stopper = _when(mark, session.interrupt)
        result = run(session, "x = 7\nopen('began', 'w').close()\nwhile True: pass")
        stopper.join(60)
        assert result.status is CellStatus.INTERRUPTED
        assert printed(session, "x") == "7"

    def test_interrupt_while_idle_does_nothing(self, session: Session) -> None:
        session.interrupt()
        assert printed(session, "1 + 1") == "2"

    def test_only_plain_files_stay(self, open_session: OpenSession, tmp_path: Path) -> None:
        session = open_session()
        run(
            session,
            """
            import os
            os.mkdir("sub"); open("sub/genes.csv", "w").write("GENE")
            os.symlink("/etc/passwd", "link"); os.symlink("/etc", "sub/folder"); os.mkfifo("pipe")
            os.chmod("sub/genes.csv", 0o4755); os.chmod("sub", 0)
            """,
        )
        session.close()
        left = sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*"))
        assert left == ["sub", "sub/genes.csv"]
        assert (tmp_path / "out/sub/genes.csv").read_text() == "GENE"
        assert (tmp_path / "out/sub/genes.csv").stat().st_mode & 0o6000 == 0


def _when(mark: Path, action: Callable[[], None]) -> threading.Thread:
    """Start a thread that acts once a file is there; it keeps nobody waiting if none comes."""

    def wait() -> None:
        for _ in range(6000):
            if mark.exists():
                action()
                return
            time.sleep(0.01)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread
