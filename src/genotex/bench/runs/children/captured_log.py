"""What a method prints, kept in a file of limited size and without secrets."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

__all__ = ["SHORTEST_SECRET", "CapturedLog"]

MOST_BYTES = 512 * 1024
"""Bytes that are kept of the start, and as many of the end."""

SHORTEST_SECRET = 6
"""Shorter values cannot be told from ordinary text."""


class CapturedLog:
    """A log file that is made with the first byte.

    Parameters
    ----------
    path : Path
        The file; an earlier one is removed.
    secrets : mapping of str to str
        Values that must not stand in the file, by the name that stands in their place.
    most : int
        Bytes that are kept of the start, and as many of the end.
    """

    def __init__(self, path: Path, secrets: Mapping[str, str], most: int = MOST_BYTES) -> None:
        self._path = path
        path.unlink(missing_ok=True)
        # The longest first, as one may be the start of another.
        self._secrets = {
            value.encode(errors="surrogateescape"): f"[{name}]".encode()
            for name, value in sorted(secrets.items(), key=lambda item: -len(item[1]))
            if len(value) >= SHORTEST_SECRET
        }
        # So many bytes may be the start of a secret whose rest is still to come.
        self._margin = max((len(value) for value in self._secrets), default=1) - 1
        self._waiting = b""
        self._room = most
        self._most = most
        self._end = bytearray()
        self._left_out = 0
        self._file: BinaryIO | None = None

    def write(self, content: bytes) -> None:
        """Take what was printed."""
        self._waiting = self._without_secrets(self._waiting + content)
        ready = max(len(self._waiting) - self._margin, 0)
        self._keep(self._waiting[:ready])
        self._waiting = self._waiting[ready:]

    def close(self) -> None:
        """Write what is left."""
        self._keep(self._waiting)
        self._waiting = b""
        if self._left_out:
            self._put(f"\n[... {self._left_out} bytes left out ...]\n".encode())
        if self._end:
            self._put(bytes(self._end))
        if self._file is not None:
            self._file.close()

    def _without_secrets(self, content: bytes) -> bytes:
        for value, name in self._secrets.items():
            content = content.replace(value, name)
        return content

    def _keep(self, content: bytes) -> None:
        start, rest = content[: self._room], content[self._room :]
        if start:
            self._put(start)
            self._room -= len(start)
        self._end += rest
        over = len(self._end) - self._most
        if over > 0:
            del self._end[:over]
            self._left_out += over

    def _put(self, content: bytes) -> None:
        # A full disk is told where answers are written; a log is not worth the run.
        with suppress(OSError):
            if self._file is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self._path.open("wb", buffering=0)
            self._file.write(content)
