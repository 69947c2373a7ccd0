"""Text from files: bytes within limits, decoded, and line by line."""

from __future__ import annotations

import hashlib
import logging
import os
import re
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path
from typing import NamedTuple, TypeVar

from genotex.errors import FormatError, NotDataError, TruncatedFileError
from genotex.outside import (
    FETCH_AGAIN,
    GZIP_MAGIC,
    HDF5_MAGIC,
    PARQUET_MAGIC,
    ZIP_MAGIC,
    Gauge,
    Packing,
    current_limits,
    unpack,
    unreadable,
)

_log = logging.getLogger(__name__)

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
ENOUGH_TO_JUDGE = 64
_MOST_TO_JUDGE = 1 << 22
_OTHER_CONTENTS = {
    GZIP_MAGIC: "gzip data inside gzip data",
    ZIP_MAGIC: "a zip archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    Packing.BZIP2.value: "bzip2 data",
    Packing.XZ.value: "xz data",
    Packing.ZSTD.value: "zstd data",
    b"%PDF": "a PDF",
    PARQUET_MAGIC: "a Parquet file",
    HDF5_MAGIC: "an HDF5 file",
    b"\x93NUMPY": "a NumPy array",
    b"\x80\x04\x95": "a pickle of Python, which is never loaded",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}
_TAR_MAGIC, _TAR_AT = b"ustar", 257


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def decode(raw: bytes) -> str:
    """Return text: UTF-8, else Windows-1252, else Latin-1, which knows every byte."""
    for encoding in ("utf-8", "cp1252"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")


def as_utf8(block: bytes) -> bytes:
    """Return the block as valid UTF-8, decoding only the lines that are not (see `decode`)."""
    if block.isascii():
        return block
    try:
        block.decode()
    except UnicodeDecodeError:
        return b"\n".join(decode(line).encode() for line in block.split(b"\n"))
    return block


def log_notes(path: Path, notes: Sequence[str]) -> None:
    """Log irregularities of a file whose reader returns no notes."""
    for note in notes:
        _log.warning("%s: %s", path, note)


def read_chunks(path: Path, most: str = "unpacked") -> Generator[bytes, None, None]:
    """Yield the (decompressed) contents of a file in pieces.

    Consecutive gzip members are one file (RFC 1952, section 2.2); zero bytes after the last are
    padding. Carriage returns as line ends (old Macintosh files) become line feeds.

    `path`: a gzip or plain file, judged by content, not by name. `most`: the limit of its size when
    unpacked, one of `Limits`. Yields pieces of about 1 MiB, none of them empty.
    """
    try:
        with path.open("rb") as handle:
            gauge = Gauge(os.fstat(handle.fileno()).st_size, path, most=most)
            yield from _with_line_feeds(unpack(handle, path, gauge, (Packing.GZIP,)), path)
    except OSError as error:
        raise unreadable(path, error) from error


def _with_line_feeds(chunks: Iterator[bytes], path: Path) -> Iterator[bytes]:
    """Yield the chunks of a text, judged by the first, with line feeds for line ends."""
    first = b""
    while len(first.strip()) < ENOUGH_TO_JUDGE and len(first) < _MOST_TO_JUDGE:
        if not (chunk := next(chunks, b"")):
            break
        first += chunk
    refuse_other_contents(first, path)
    while b"\r" in first and b"\n" not in first and len(first) < _MOST_TO_JUDGE:
        if not (chunk := next(chunks, b"")):
            break
        first += chunk
    if b"\r" in first and b"\n" not in first:
        yield first.replace(b"\r", b"\n")
        for chunk in chunks:
            yield chunk.replace(b"\r", b"\n")
    else:
        yield first
        yield from chunks


def is_gzip(path: Path) -> bool:
    """Return whether a file is gzip, whose checksum proves it complete once read."""
    try:
        with path.open("rb") as handle:
            return handle.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    except OSError as error:
        raise unreadable(path, error) from error


def note_missing_line_end(path: Path) -> None:
    """Warn if a plain file's last line is complete but has no line end."""
    # Some programs write none, but a file cut within its last number looks the same. The checksum
    # of gzip data proves them complete.
    if not is_gzip(path):
        _log.warning(
            "%s: the last line has no line end; if the file was cut short, its last number may lack"
            " digits: compare its size with the original",
            path,
        )


def read_bytes(path: Path, most: str = "unpacked") -> bytes:
    """Return the whole (decompressed) file without byte order mark, line ends as line feeds."""
    data = b"".join(read_chunks(path, most)).removeprefix(BYTE_ORDER_MARK)
    return _with_line_feeds_alone(data)


# A third of the time of `bytes.replace`, which searches for two bytes.
_LINE_END = re.compile(rb"\r\n")


def _with_line_feeds_alone(data: bytes) -> bytes:
    return _LINE_END.sub(b"\n", data) if b"\r" in data else data


def refuse_other_contents(first: bytes, path: Path) -> None:
    """Refuse a file whose first bytes are not text."""
    if not first.removeprefix(BYTE_ORDER_MARK).strip():
        msg = "the file is empty"
        raise TruncatedFileError(msg, path=path, hint=FETCH_AGAIN)
    if first.removeprefix(BYTE_ORDER_MARK).lstrip().startswith(b"<"):
        msg = "an HTML or XML page in place of the data"
        hint = "the server sent a web page (a captcha, an error): fetch the file again"
        raise NotDataError(msg, path=path, hint=hint)
    for magic, name in _OTHER_CONTENTS.items():
        if first.startswith(magic):
            hint = "unpack or export it as tab-separated text"
            msg = f"{name} in place of the data"
            raise NotDataError(msg, path=path, hint=hint)
    if first[_TAR_AT:].startswith(_TAR_MAGIC):
        msg = "a tar archive in place of the data"
        raise NotDataError(msg, path=path, hint="unpack it first")
    if b"\0" in first[:4096]:
        msg = "binary data in place of text"
        raise NotDataError(msg, path=path, hint=FETCH_AGAIN)


Piece = TypeVar("Piece")


@contextmanager
def read_ahead(pieces: Iterator[Piece]) -> Iterator[Iterator[Piece]]:
    """Yield the same pieces while a thread fetches the next one."""
    # It pays where both sides release the GIL, as unpacking and parsing do. One thread at a time
    # uses the iterator; an error is raised after all pieces before it were yielded.
    with ThreadPoolExecutor(1, thread_name_prefix="read-ahead") as pool:
        yield _one_ahead(pieces, pool)


def _one_ahead(pieces: Iterator[Piece], pool: ThreadPoolExecutor) -> Generator[Piece, None, None]:
    # The limits that hold here hold in the thread too.
    here = copy_context()
    coming = pool.submit(here.run, _take, pieces)
    while taken := coming.result():
        coming = pool.submit(here.run, _take, pieces)
        yield taken[0]


def _take(pieces: Iterator[Piece]) -> tuple[Piece] | tuple[()]:
    """Return the next piece, or nothing at the end: a future cannot hold a StopIteration."""
    for piece in pieces:
        return (piece,)
    return ()


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
        self._buffer = _with_line_feeds_alone(data)
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
