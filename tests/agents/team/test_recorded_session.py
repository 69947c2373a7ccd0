from collections.abc import Callable
from pathlib import Path

import pytest

from genotex.agents import CellResult, CellStatus, CodeShelf, Switches, Task, WorkSettings
from genotex.agents.team.journal import Live, NotebookJournal, RecordedNotebook, RecordedSession
from genotex.errors import FormatError, SessionDeadError, UsageError
from genotex.journal import open_journal, read_journal
from genotex.models import Model
from tests.agents.playing import FakeSession


class Sessions:
    """Makes sessions and keeps them."""

    def __init__(self) -> None:
        self.made: list[FakeSession] = []

    def __call__(self) -> FakeSession:
        self.made.append(FakeSession())
        return self.made[-1]


def record(path: Path, *codes: str, restore: tuple[int, int] | None = None) -> list[CellResult]:
    """Run cells, going back once, with all of it in a journal."""
    with open_journal(path) as lines:
        session = RecordedSession(Sessions(), NotebookJournal(lines))
        results = []
        for number, code in enumerate(codes):
            if restore is not None and number == restore[0]:
                session.restore(restore[1])
            results.append(session.execute(code))
        return results


def test_recorded_cells_are_replayed_without_a_session(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    first = record(path, "a = 1", "# raise", "b = 2")
    sessions = Sessions()
    session = RecordedSession(sessions, NotebookJournal(read_journal(path)))
    again = [session.execute(code) for code in ("a = 1", "# raise", "b = 2")]
    assert again == first
    assert [result.step for result in again] == [1, 2, 3]
    assert sessions.made == []


def test_new_cell_runs_after_the_cells_behind_the_state_and_no_others(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    record(path, "a = 1", "wrong", "right", restore=(2, 1))
    sessions = Sessions()
    with open_journal(path) as lines:
        session = RecordedSession(sessions, NotebookJournal(lines))
        session.execute("a = 1")
        session.execute("wrong")
        session.restore(1)
        session.execute("right")
        session.execute("new")
    assert sessions.made[0].ran == ["a = 1", "right", "new"]
    assert len(read_journal(path)) == 4


def test_cell_that_cost_the_session_its_state_is_not_run_again(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    record(path, "a = 1", "# exit")
    sessions = Sessions()
    with open_journal(path) as lines:
        session = RecordedSession(sessions, NotebookJournal(lines))
        for code in ("a = 1", "# exit", "b = 2"):
            session.execute(code)
    assert sessions.made[0].ran == ["a = 1", "b = 2"]


def test_what_a_cell_left_that_took_the_session_down_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    sessions = Sessions()
    with open_journal(path) as lines:
        session = RecordedSession(sessions, NotebookJournal(lines))
        for code in ("a = 1", "b = 2", "# exit"):
            session.execute(code)
        session.settle()
    # A session that goes back empties its folder, and runs the cells before again.
    assert sessions.made[0].restored == [2]


def notebook(
    sessions: Sessions, is_recorded: Callable[[], bool], journal: NotebookJournal
) -> RecordedNotebook:
    task = Task("geo", "Asthma", "in", "out", cohort="GSE1")
    live = Live(Silent(), sessions, CodeShelf(), str, is_recorded)
    return RecordedNotebook(task, WorkSettings("team", Switches()), live, journal)


class Silent:
    def model_of(self, role: str) -> Model:
        raise AssertionError(role)


def test_whether_the_result_is_recorded_is_replayed_without_a_session(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    answers = iter([False, True])
    with open_journal(path) as lines:
        journal = NotebookJournal(lines)
        look = notebook(Sessions(), lambda: next(answers), journal).is_recorded
        assert [look(), look()] == [False, True]
    sessions, journal = Sessions(), NotebookJournal(read_journal(path))
    look = notebook(sessions, lambda: next(answers), journal).is_recorded
    assert [look(), look()] == [False, True]
    assert sessions.made == []


def test_cell_that_ends_otherwise_when_it_is_run_again_is_an_error(tmp_path: Path) -> None:
    class Moody(FakeSession):
        def execute(self, code: str, *, seconds: float | None = None) -> CellResult:
            return CellResult(CellStatus.ERROR, exception="MemoryError")

    path = tmp_path / "j.jsonl"
    record(path, "a = 1")
    with open_journal(path) as lines:
        session = RecordedSession(Moody, NotebookJournal(lines))
        session.execute("a = 1")
        with pytest.raises(SessionDeadError, match="first ok, now MemoryError"):
            session.execute("b = 2")


def test_other_code_than_in_the_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    record(path, "a = 1")
    session = RecordedSession(Sessions(), NotebookJournal(read_journal(path)))
    with pytest.raises(FormatError, match="entry 1 of the notebook's journal is a different cell"):
        session.execute("a = 2")


def test_journal_that_is_only_replayed_takes_nothing_new(tmp_path: Path) -> None:
    session = RecordedSession(Sessions(), NotebookJournal([]))
    with pytest.raises(UsageError, match="only replayed"):
        session.execute("a = 1")


def test_processes_left_running_are_replayed(tmp_path: Path) -> None:
    result = CellResult(CellStatus.OK, left_running=3)

    class Leaves(FakeSession):
        def execute(self, code: str, *, seconds: float | None = None) -> CellResult:
            super().execute(code)
            return result

    with open_journal(tmp_path / "j.jsonl") as lines:
        RecordedSession(Leaves, NotebookJournal(lines)).execute("leave()")
    again = RecordedSession(Sessions(), NotebookJournal(read_journal(tmp_path / "j.jsonl")))
    assert again.execute("leave()").left_running == 3
