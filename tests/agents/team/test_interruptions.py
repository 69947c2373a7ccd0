"""What must not change an answer: input that changed, a full disk, and what killed writes left."""

import errno
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from genotex.agents import CellResult, Folders, Session
from genotex.errors import NoSpaceError
from genotex.journal import Journal, read_journal
from tests.agents.playing import FakeSession
from tests.agents.team.conftest import Played


def matrix(source: Path, cohort: str) -> Path:
    return source / "GEO" / "Asthma" / cohort / f"{cohort}_series_matrix.txt"


@pytest.fixture
def files(source: Path) -> Path:
    for cohort in ("GSE1", "GSE2"):
        matrix(source, cohort).write_text(f"the samples of {cohort}")
    return source


def asked(played: Played) -> int:
    return len(played.calls.requests)


def journals(played: Played) -> list[str]:
    return sorted(path.name for path in played.plan().folder.notebook_journals())


def test_finished_run_does_again_what_depends_on_a_changed_file(
    files: Path, played: Played
) -> None:
    played.run()
    again = Played(played.root, files)
    again.run()
    assert asked(again) == 0
    matrix(files, "GSE2").write_text("other samples")
    changed = Played(played.root, files)
    finished = changed.run()
    assert not finished.stopped
    # The cohort, and the problem: GSE1 is as it was.
    assert journals(changed) == [
        "GSE1.jsonl",
        "GSE2.jsonl",
        "GSE2.try1.jsonl",
        "condition_Age.jsonl",
    ] or "condition_Age.try1.jsonl" in journals(changed)
    assert {r.task.cohort for r in finished.notebooks} == {"GSE1", "GSE2", ""}
    assert 0 < asked(changed) < asked(played)
    once_more = Played(played.root, files)
    once_more.run()
    assert asked(once_more) == 0


def test_file_that_was_only_touched_changes_nothing(files: Path, played: Played) -> None:
    played.run()
    os.utime(matrix(files, "GSE1"), (1, 1))
    again = Played(played.root, files)
    again.run()
    assert asked(again) == 0


def test_earlier_result_of_a_changed_cohort_is_withdrawn(files: Path, played: Played) -> None:
    played.run()
    record = played.root / "preprocess" / "Asthma" / "cohort_info.json"
    assert set(json.loads(record.read_text())) == {"GSE1", "GSE2"}
    matrix(files, "GSE2").write_text("other samples")
    stopped = Played(played.root, files, calls=_Refusing())
    with pytest.raises(KeyboardInterrupt):
        stopped.run()
    assert set(json.loads(record.read_text())) == {"GSE1"}
    assert not record.with_name("GSE2.csv").exists()


class _Refusing:
    """Stands for a person who presses Ctrl-C at the first question."""

    name = "refusing"

    def __init__(self) -> None:
        self.requests: list[Any] = []

    def answer(self, request: Any) -> Any:
        raise KeyboardInterrupt


def test_notebook_under_way_begins_again_when_its_files_change(
    files: Path, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    _interrupt_after(monkeypatch, 8)
    with pytest.raises(KeyboardInterrupt):
        played.run()
    monkeypatch.undo()
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    before = read_journal(played.plan().folder.notebook_journals()[0])
    assert before[0]["kind"] == "input"
    matrix(files, "GSE1").write_text("other samples")
    again = Played(played.root, files)
    assert not again.run().stopped
    assert "GSE1.try1.jsonl" in journals(again)
    alone = Played(played.root.with_name("alone"), files)
    alone.run()
    assert again.results() == alone.results()


def _interrupt_after(monkeypatch: pytest.MonkeyPatch, lines: int) -> None:
    usual, left = Journal.add, [lines]

    def add(self: Journal, entry: Mapping[str, Any], **how: Any) -> None:
        usual(self, entry, **how)
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    monkeypatch.setattr(Journal, "add", add)


class _OnFullDisk(FakeSession):
    """A session that finds the disk full at its third cell."""

    def execute(self, code: str, *, seconds: float | None = None) -> CellResult:
        if len(self.ran) == 3:
            msg = "the disk is nearly full; make room"
            raise NoSpaceError(msg)
        return super().execute(code, seconds=seconds)


class _Full(Played):
    def session(self, folders: Folders) -> Session:
        folders.writable.mkdir(parents=True, exist_ok=True)
        return _OnFullDisk(folders.writable, seconds=0.25)


def test_full_disk_stops_the_run_and_is_no_outcome(files: Path, played: Played) -> None:
    full = _Full(played.root, files)
    finished = full.run()
    assert "make room" in finished.stopped
    assert [record.state for record in finished.notebooks] == ["stopped"]
    again = Played(played.root, files)
    assert not again.run().stopped
    alone = Played(played.root.with_name("alone"), files)
    alone.run()
    assert again.results() == alone.results()


@pytest.mark.parametrize("line", [2, 5, 9, 14, 22, 30])
def test_disk_that_is_full_for_a_journal_stops_the_run(
    files: Path, played: Played, line: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, left = Journal.add, [line]

    def add(self: Journal, entry: Mapping[str, Any], **how: Any) -> None:
        left[0] -= 1
        if left[0] <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        usual(self, entry, **how)

    monkeypatch.setattr(Journal, "add", add)
    finished = played.run()
    assert "No space left on device" in finished.stopped
    assert "resume" in finished.stopped
    monkeypatch.setattr(Journal, "add", usual)
    again = Played(played.root, files)
    assert not again.run().stopped
    alone = Played(played.root.with_name("alone"), files)
    alone.run()
    assert again.results() == alone.results()


def test_files_of_killed_writes_are_removed_on_resume(files: Path, played: Played) -> None:
    played.run()
    left = [
        played.root / "notebooks" / "Asthma" / ".GSE1.ipynb.0123456789ab.part",
        played.root / "run" / ".usage.json.0123456789ab.part",
    ]
    for path in left:
        path.write_text("{")
    Played(played.root, files).run()
    assert not any(path.exists() for path in left)


def test_unfinished_session_with_too_long_paths_is_removed(files: Path, played: Played) -> None:
    played.run()
    work = played.root / "run" / "work" / "Asthma" / "GSE1"
    work.mkdir(parents=True)
    handle = os.open(work, os.O_RDONLY)
    for _ in range(25):
        os.mkdir("d" * 220, dir_fd=handle)
        inner = os.open("d" * 220, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(handle)
    Played(played.root, files).run()
    assert not work.parent.parent.exists()


class _WritesAFile(FakeSession):
    """A session whose code makes a file where the folder of results should be."""

    def execute(self, code: str, *, seconds: float | None = None) -> CellResult:
        result = super().execute("x = 1", seconds=seconds)
        (self.writable / "output").touch()
        return result


class _Odd(Played):
    def session(self, folders: Folders) -> Session:
        folders.writable.mkdir(parents=True, exist_ok=True)
        return _WritesAFile(folders.writable, seconds=0.25)


def test_file_in_place_of_the_results_fails_the_notebook_alone(files: Path, played: Played) -> None:
    finished = _Odd(played.root, files).run()
    assert not finished.stopped
    assert "output is a file" in finished.notebooks[0].why
