"""A journal: one line for each finished step, which survives a kill at any moment."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from genotex.errors import FileLimitError, FormatError
from genotex.io import flush, make_folder
from genotex.outside import parse_json, read_document

Entry = dict[str, Any]


class Journal:
    """The finished steps of a run, in order of completion. Created by `open_journal`.

    `entries`: Entries found on opening, and those added since.
    """

    def __init__(self, handle: int, entries: list[Entry]) -> None:
        self._handle = handle
        self.entries = entries

    def add(self, entry: Mapping[str, Any], *, at_once: bool = True) -> None:
        """Append an entry, which survives a kill from now on.

        `at_once`: whether to sync to disk before returning, so that it survives a power cut as
        well; otherwise it is synced with a later entry or on closing.
        """
        line = memoryview(_line(entry))
        size = os.fstat(self._handle).st_size
        try:
            while line:
                line = line[os.write(self._handle, line) :]
        except OSError:
            # On a full disk: half a line followed by another would damage the journal.
            os.ftruncate(self._handle, size)
            raise
        if at_once:
            os.fsync(self._handle)
        self.entries.append(dict(entry))


@contextmanager
def open_journal(path: Path) -> Iterator[Journal]:
    """Open a journal for appending; a missing one is created.

    A last line cut off by a kill is dropped: its step counts as not done.

    Parameters
    ----------
    path : Path
        The caller holds the run's lock.

    Raises
    ------
    FormatError
        If a line before the last is damaged.
    """
    make_folder(path.parent)
    content = read_document(path, "unpacked") if path.exists() else b""
    entries, whole = _read(content, path)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        if whole < len(content):
            os.ftruncate(handle, whole)
        os.fsync(handle)
        flush(path.parent)
        yield Journal(handle, entries)
        os.fsync(handle)
    finally:
        os.close(handle)


def read_journal(path: Path) -> list[Entry]:
    """Read a journal that another process may be writing; an incomplete last line is ignored.

    Raises
    ------
    FormatError
        If a line before the last is damaged.
    """
    return _read(read_document(path, "unpacked"), path)[0] if path.exists() else []


def _line(entry: Mapping[str, Any]) -> bytes:
    text = _text(entry)
    return f'{{"sha256": "{_digest(text)}", "entry": {text}}}\n'.encode()


def _text(entry: Mapping[str, Any]) -> str:
    return json.dumps(entry, allow_nan=False)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _read(content: bytes, path: Path) -> tuple[list[Entry], int]:
    """Return the entries and how many bytes of the file hold them."""
    entries, whole = [], 0
    lines = content.splitlines(keepends=True)
    for number, line in enumerate(lines, start=1):
        entry = _entry(line, path, number)
        if entry is None:
            if number == len(lines):
                break
            msg = "this line is damaged"
            hint = f"remove {path} to do all steps of the run again"
            raise FormatError(msg, path=path, line=number, hint=hint)
        entries.append(entry)
        whole += len(line)
    return entries, whole


def _entry(line: bytes, path: Path, number: int) -> Entry | None:
    """Return the entry of a line, None if the line is damaged."""
    if not line.endswith(b"\n"):
        return None
    try:
        found = parse_json(
            line, path, f"remove {path} to do all steps of the run again", line=number
        )
        entry = found["entry"]
        intact = isinstance(entry, dict) and found["sha256"] == _digest(_text(entry))
    except FileLimitError:
        raise
    except (FormatError, KeyError, TypeError):
        return None
    return entry if intact else None
