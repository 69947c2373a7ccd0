"""JSON Lines, plain and gzip, whole and damaged."""

import gzip
from pathlib import Path

import pytest

from genotex.errors import FormatError
from genotex.formats import read_json_lines

TEXT = '{"a": 1}\n\n  \n{"a": "ü"}'


@pytest.mark.parametrize("zipped", [False, True])
def test_lines_are_numbered_and_empty_ones_passed_over(tmp_path: Path, zipped: bool) -> None:
    path = tmp_path / "any name"
    path.write_bytes(gzip.compress(TEXT.encode()) if zipped else TEXT.encode())
    assert list(read_json_lines(path, "a case")) == [(1, {"a": 1}), (4, {"a": "ü"})]


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        (b'{"a": 1}\n{"a": ', 2, r"is not JSON: .*\(a case is one JSON object on one line\)"),
        (b"[" * 100_000, 1, "nested 100,000 levels deep"),
        (b"[1]", 1, "must be an object, not list"),
        (b'{"a": "\xff"}', None, "cannot be read as JSON Lines"),
        (gzip.compress(TEXT.encode())[:-9], None, "cannot be read as JSON Lines"),
        (gzip.compress(b"")[:10] + b"\xff" * 30, None, "cannot be read as JSON Lines"),
    ],
    ids=["cut JSON", "deep nesting", "a list", "not UTF-8", "cut gzip", "damaged gzip"],
)
def test_damaged_file_is_reported(
    tmp_path: Path, content: bytes, line: int | None, what: str
) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=what) as error:
        list(read_json_lines(path, "a case"))
    assert (error.value.path, error.value.line) == (path, line)


def test_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be opened"):
        list(read_json_lines(tmp_path / "none.jsonl", "a case"))
