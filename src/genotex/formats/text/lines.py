"""A text file read from the top: single header lines, and tables in large blocks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from genotex.errors import FormatError, TruncatedFileError
from genotex.formats.text.raw import BYTE_ORDER_MARK, FETCH_AGAIN, decode, read_chunks
from genotex.outside import current_limits

_AROUND = ' \t\r"'


def is_marker(text: str, marker: str) -> bool:
    """Return whether a line is this marker, ignoring case, quotes and empty cells around it."""
    return text.strip(_AROUND).lower() == marker.lower()


def _find_marker(data: bytes, marker: bytes) -> tuple[int, int]:
    """Return where the line of a marker (lower case) starts and the next one starts, or -1."""
    at = data.find(marker[:1])
    while at >= 0:
        before = data[max(at - 2, 0) : at]
        if (
            data[at : at + len(marker)].lower() == marker
            and (not before or before.endswith(b"\n") or before in (b'"', b'\n"'))
        ):  # fmt: skip
            end = data.find(b"\n", at)
            end = end if end >= 0 else len(data)
            if data[at:end].strip(_AROUND.encode()).lower() == marker:
                return at - before.endswith(b'"'), end + 1
        at = data.find(marker[:1], at + 1)
    return -1, -1


FIRST_BLOCK = 1 << 18
LARGEST_BLOCK = 1 << 22


class Block(NamedTuple):
    """Some whole lines of a table."""

    data: bytes
    """The lines, each ended by a line feed."""
    first_line: int
    """Number of the first of them in the file, counted from 1."""


class LineReader:
    """A text file read from the top: single header lines, and tables in large blocks.

    Damage is reported only on reaching it: everything before it can still be read.

    `path`: a gzip or plain file.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.line = 0
        """Number of the last line returned."""
        self.ended_within_line = False
        """Whether the last line of the file lacks its line end (known once it has been read)."""
        self._chunks = read_chunks(self.path)
        self._buffer = b""
        self._at = 0
        self._line_start = 0
        self._tail = b""
        self._block_size = FIRST_BLOCK
        self._limits = current_limits()
        self._failure: FormatError | None = None

    def __enter__(self) -> LineReader:
        """Return the reader itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file."""
        self._chunks.close()

    def next_line(self) -> str | None:
        """Return the next line without its end, None at the end of the file."""
        if self._at >= len(self._buffer) and not self._fill():
            return None
        end = self._buffer.find(b"\n", self._at)
        end = end if end >= 0 else len(self._buffer)
        raw = self._buffer[self._at : end]
        self._line_start, self._at = self._at, end + 1
        self.line += 1
        if len(raw) > self._limits.columns and (tabs := raw.count(b"\t")):
            what = f"has {tabs + 1:,} columns in line {self.line}"
            self._limits.check("columns", tabs + 1, what, self.path)
        return decode(raw)

    def step_back(self) -> None:
        """Make `next_line` return the same line again (once only)."""
        self._at = self._line_start
        self.line -= 1

    def table_blocks(self, end: str | None) -> Iterator[Block]:
        """Yield the lines before the `end` line (to the end of the file if None)."""
        # The end line is consumed but not yielded; case, quotes and empty cells do not matter.
        marker = end.lower().encode() if end is not None else None
        while True:
            if self._at >= len(self._buffer) and not self._fill():
                if marker is None:
                    return
                msg = f"the line {end} is missing"
                raise TruncatedFileError(msg, path=self.path, line=self.line, hint=FETCH_AGAIN)
            data = self._buffer[self._at :] if self._at else self._buffer
            start, behind = _find_marker(data, marker) if marker else (-1, -1)
            block = data if start < 0 else data[:start]
            self._at = len(self._buffer) if start < 0 else self._at + behind
            if start < 0:
                self._buffer, self._at = b"", 0
                block = self._hold_back_open_quote(block)
            if block:
                first = self.line + 1
                block = block if block.endswith(b"\n") else block + b"\n"
                self.line += block.count(b"\n")
                yield Block(block, first)
            if start >= 0:
                self.line += 1
                return

    def _hold_back_open_quote(self, block: bytes) -> bytes:
        """Keep the last line for the next block if its last cell may continue below."""
        start = block.rfind(b"\n", 0, -1) + 1
        cell = block[max(block.rfind(b"\t"), start - 1) + 1 : -1]
        if not start or cell[:1] != b'"' or cell.count(b'"') % 2 == 0 or block[-1:] != b"\n":
            return block
        self._tail = block[start:] + self._tail
        return block[:start]

    def count_filled(self, end: str | None = None) -> int:
        """Return the number of lines before the `end` line that are not blank."""
        blocks = self.table_blocks(end)
        return sum(bool(line.strip()) for block in blocks for line in block.data.split(b"\n"))

    def skip_table(self, end: str) -> None:
        """Skip a table up to its end line."""
        for _ in self.table_blocks(end):
            pass

    def drain(self) -> None:
        """Read the file to its end, so that the gzip checksum is verified."""
        self._buffer, self._at = b"", 0
        if self._failure is not None:
            raise self._failure
        for _ in self._chunks:
            pass

    def _fill(self) -> bool:
        """Read the next whole lines into the buffer; False at the end of the file."""
        if self._failure is not None:
            raise self._failure
        parts, size, whole = [self._tail], len(self._tail), False
        ended = False
        while size < self._block_size or not whole:
            chunk = self._next_chunk()
            if not chunk:
                ended = True
                break
            parts.append(chunk)
            size += len(chunk)
            whole = whole or b"\n" in chunk
            if not whole:
                length = self._limits.shown("line", size)
                what = f"has {length} and more in line {self.line + 1}"
                self._limits.check("line", size, what, self.path)
        tail = _take_unfinished_line(parts)
        self.ended_within_line = self.ended_within_line or (ended and bool(tail))
        if ended and self._failure is None:
            parts, tail = [*parts, tail], b""
        self._tail = tail
        data = b"".join(parts)
        if self.line == 0:
            data = data.removeprefix(BYTE_ORDER_MARK)
        self._buffer = data.replace(b"\r\n", b"\n") if b"\r" in data else data
        self._at = 0
        self._block_size = min(2 * self._block_size, LARGEST_BLOCK)
        if not self._buffer and self._failure is not None:
            raise self._failure
        return bool(self._buffer)

    def _next_chunk(self) -> bytes:
        try:
            return next(self._chunks, b"")
        except FormatError as failure:
            self._failure = failure
            return b""


def _take_unfinished_line(parts: list[bytes]) -> bytes:
    """Remove and return the text after the last line end, without joining the parts."""
    tail = b""
    while parts:
        last = parts.pop()
        end = last.rfind(b"\n") + 1
        tail = last[end:] + tail
        if end:
            parts.append(last[:end])
            break
    return tail
