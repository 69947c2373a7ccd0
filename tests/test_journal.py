"""The journal after a kill at any byte, and after damage."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.errors import FormatError
from genotex.journal import open_journal

ENTRIES = [
    {"step": "cohort", "trait": "Crohns_Disease", "seconds": 0.125},
    {"step": "problem", "error": 'says "no"\nand breaks the line \N{PER MILLE SIGN}'},
    {"step": "problem", "genes": 300, "files": {"regress/A/b.json": "ab" * 32}},
]


def write_entries(path: Path) -> bytes:
    with open_journal(path) as journal:
        for entry in ENTRIES:
            journal.add(entry)
    return path.read_bytes()


def read_entries(path: Path) -> list[dict[str, object]]:
    with open_journal(path) as journal:
        return journal.entries


def test_what_was_added_is_there(tmp_path: Path) -> None:
    path = tmp_path / "run" / "journal.jsonl"
    content = write_entries(path)
    assert content.count(b"\n") == len(ENTRIES)
    assert read_entries(path) == ENTRIES
    assert path.read_bytes() == content


@settings(max_examples=25)
@given(share=st.floats(0, 1))
def test_cut_at_any_byte_keeps_the_whole_lines(
    tmp_path_factory: pytest.TempPathFactory, share: float
) -> None:
    path = tmp_path_factory.mktemp("journal") / "journal.jsonl"
    whole = write_entries(path)
    cut = whole[: round(share * len(whole))]
    path.write_bytes(cut)
    lines = cut.count(b"\n")
    with open_journal(path) as journal:
        assert journal.entries == ENTRIES[:lines]
        journal.add({"step": "next"})
    assert read_entries(path) == [*ENTRIES[:lines], {"step": "next"}]


def test_last_line_of_zeros_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    whole = write_entries(path)
    path.write_bytes(whole + bytes(40) + b"\n")  # as after a power cut
    assert read_entries(path) == ENTRIES
    assert path.read_bytes() == whole


@pytest.mark.parametrize("number", [1, 2])
def test_damaged_line_before_the_last_is_an_error(tmp_path: Path, number: int) -> None:
    path = tmp_path / "journal.jsonl"
    lines = write_entries(path).splitlines(keepends=True)
    lines[number - 1] = lines[number - 1].replace(b"step", b"stop")
    path.write_bytes(b"".join(lines))
    with pytest.raises(FormatError, match=f"line {number}: this line is damaged") as error:
        read_entries(path)
    assert f"remove {path}" in str(error.value)


def test_a_line_that_a_full_disk_cut_off_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.jsonl"
    usual = os.write

    def until_full(handle: int, line: memoryview) -> int:
        if line[:1] != b"{":
            raise OSError(28, "No space left on device")
        return usual(handle, line[:20])

    with open_journal(path) as journal:
        journal.add(ENTRIES[0])
        monkeypatch.setattr(os, "write", until_full)
        with pytest.raises(OSError, match="No space"):
            journal.add(ENTRIES[1])
        monkeypatch.undo()
        journal.add(ENTRIES[2])
    assert read_entries(path) == [ENTRIES[0], ENTRIES[2]]
