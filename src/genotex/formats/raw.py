"""Opening bytes: gzip or plain by what the file holds, never by its name, and line by line."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple

from isal import igzip_lib

from genotex.errors import FormatError, NotDataError, TruncatedFileError
from genotex.formats.markers import find_marker

__all__ = [
    "Block",
    "LineReader",
    "as_utf8",
    "decode",
    "is_gzip",
    "log_notes",
    "note_missing_line_end",
    "read_bytes",
    "read_chunks",
]

_log = logging.getLogger(__name__)

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
CHUNK = 1 << 20
ENOUGH_TO_JUDGE = 64
FIRST_BLOCK = 1 << 18
LARGEST_BLOCK = 1 << 22
LONGEST_LINE = 1 << 28
FETCH_AGAIN = "the download may have been cut short or damaged: fetch the file again"

_OTHER_CONTENTS = {
    GZIP_MAGIC: "gzip data inside gzip data",
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"BZh": "bzip2 data",
    b"\xfd7zXZ": "xz data",
    b"%PDF": "a PDF",
    b"PAR1": "a Parquet file",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}


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
    """Log what was odd about a file whose result has no place for notes."""
    for note in notes:
        _log.warning("%s: %s", path, note)


def read_chunks(path: Path) -> Generator[bytes, None, None]:
    """Yield the (decompressed) contents of a file in pieces.

    Several gzip members behind each other are one file (RFC 1952, section 2.2), zero bytes behind
    the last are padding. Where carriage returns end the lines, as old Macintosh programs save them,
    line feeds are given in their place.

    Parameters
    ----------
    path : Path
        A gzip or plain file, whatever its name.

    Yields
    ------
    bytes
        Pieces of about 1 MiB, none of them empty.

    Raises
    ------
    NotDataError
        If the contents are an HTML page, an archive or other bytes that are no text.
    TruncatedFileError
        If the file is empty, or its gzip data end too early or are damaged.
    FormatError
        If the file cannot be opened or read.
    """
    try:
        with path.open("rb") as handle:
            chunks = _open_chunks(handle, path)
            first = b""
            while len(first.strip()) < ENOUGH_TO_JUDGE and len(first) < LARGEST_BLOCK:
                if not (chunk := next(chunks, b"")):
                    break
                first += chunk
            _refuse_other_contents(first, path)
            while b"\r" in first and b"\n" not in first and len(first) < LARGEST_BLOCK:
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
    except OSError as error:
        raise _unreadable(path, error) from error


def is_gzip(path: Path) -> bool:
    """Tell whether a file holds gzip data, which by their checksum are whole once they are read.

    Raises
    ------
    FormatError
        If the file cannot be read.
    """
    try:
        with path.open("rb") as handle:
            return handle.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    except OSError as error:
        raise _unreadable(path, error) from error


def note_missing_line_end(path: Path) -> None:
    """Warn of a plain file whose last line has all its cells but no line end.

    Some programs write none, but a file cut short within its last number looks the same. Gzip data
    tell by their checksum that they are whole.

    Raises
    ------
    FormatError
        If the file cannot be read.
    """
    if not is_gzip(path):
        _log.warning(
            "%s: the last line has no line end; if the file was cut short, its last number may lack"
            " digits: compare its size with the original",
            path,
        )


def _unreadable(path: Path, error: OSError) -> FormatError:
    msg = f"cannot be read: {error.strerror or error}"
    return FormatError(msg, path=path, hint="check the path and its permissions")


def read_bytes(path: Path) -> bytes:
    """Return the whole (decompressed) file without byte order mark, line ends as line feeds.

    Raises
    ------
    FormatError
        As `read_chunks`.
    """
    data = b"".join(read_chunks(path)).removeprefix(BYTE_ORDER_MARK)
    return data.replace(b"\r\n", b"\n") if b"\r" in data else data


def _open_chunks(handle: BinaryIO, path: Path) -> Iterator[bytes]:
    start = handle.read(CHUNK)
    if start.startswith(GZIP_MAGIC):
        yield from _decompress(start, handle, path)
    else:
        while start:
            yield start
            start = handle.read(CHUNK)


def _decompress(data: bytes, handle: BinaryIO, path: Path) -> Iterator[bytes]:
    while data:
        member = igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP)
        while not member.eof:
            try:
                out = member.decompress(data, max_length=CHUNK)
            except igzip_lib.IsalError as error:  # type: ignore[misc]  # stub names an instance
                msg = f"the gzip data are damaged: {error}"
                raise TruncatedFileError(msg, path=path, hint=FETCH_AGAIN) from error
            if out:
                yield out
            data = b""
            if member.needs_input and not member.eof:
                data = handle.read(CHUNK)
                if not data:
                    msg = "the gzip data end too early"
                    raise TruncatedFileError(msg, path=path, hint=FETCH_AGAIN)
        data = member.unused_data or handle.read(CHUNK)
        while data and not (data := data.lstrip(b"\0")):
            data = handle.read(CHUNK)
        if data and not data.startswith(GZIP_MAGIC[: len(data)]):
            msg = "other bytes follow the gzip data"
            raise TruncatedFileError(msg, path=path, hint=FETCH_AGAIN)


def _refuse_other_contents(first: bytes, path: Path) -> None:
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
    if b"\0" in first[:4096]:
        msg = "binary data in place of text"
        raise NotDataError(msg, path=path, hint=FETCH_AGAIN)


class Block(NamedTuple):
    """Some whole lines of a table."""

    data: bytes
    """The lines, each ended by a line feed."""
    first_line: int
    """Number of the first of them in the file, counted from 1."""


class LineReader:
    """A text file read from the top: single header lines, and tables in large blocks.

    Damage is told only when the reading gets there: what stands whole before it can be had.

    Parameters
    ----------
    path : Path
        A gzip or plain file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.line = 0
        """Number of the last line that was given out."""
        self.ended_within_line = False
        """Whether the last line of the file lacks its line end (known once it was read)."""
        self._chunks = read_chunks(path)
        self._buffer = b""
        self._at = 0
        self._line_start = 0
        self._tail = b""
        self._block_size = FIRST_BLOCK
        self._failure: FormatError | None = None

    def __enter__(self) -> LineReader:
        """Return the reader itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self._chunks.close()

    def next_line(self) -> str | None:
        """Return the next line without its end, None at the end of the file.

        Raises
        ------
        FormatError
            As `read_chunks`.
        """
        if self._at >= len(self._buffer) and not self._fill():
            return None
        end = self._buffer.find(b"\n", self._at)
        end = end if end >= 0 else len(self._buffer)
        raw = self._buffer[self._at : end]
        self._line_start, self._at = self._at, end + 1
        self.line += 1
        return decode(raw)

    def step_back(self) -> None:
        """Give the line just returned by `next_line` out again (that one, and once)."""
        self._at = self._line_start
        self.line -= 1

    def table_blocks(self, end: str | None) -> Iterator[Block]:
        """Yield the lines up to the one that says `end` (up to the end of file if None).

        Case, quotes and empty cells around the end line do not matter (see `is_marker`).

        The end line itself is read and not given out.

        Raises
        ------
        TruncatedFileError
            If the end line never comes.
        """
        marker = end.lower().encode() if end is not None else None
        while True:
            if self._at >= len(self._buffer) and not self._fill():
                if marker is None:
                    return
                msg = f"the line {end} is missing"
                raise TruncatedFileError(msg, path=self.path, line=self.line, hint=FETCH_AGAIN)
            data = self._buffer[self._at :] if self._at else self._buffer
            start, behind = find_marker(data, marker) if marker else (-1, -1)
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
        """Keep the last line for the next block if its last cell may go on in the line below."""
        start = block.rfind(b"\n", 0, -1) + 1
        cell = block[max(block.rfind(b"\t"), start - 1) + 1 : -1]
        if not start or cell[:1] != b'"' or cell.count(b'"') % 2 == 0 or block[-1:] != b"\n":
            return block
        self._tail = block[start:] + self._tail
        return block[:start]

    def skip_table(self, end: str) -> None:
        """Pass over a table up to its end line."""
        for _ in self.table_blocks(end):
            pass

    def drain(self) -> None:
        """Read the file to its end, so that the checksum at the end of gzip data is compared."""
        self._buffer, self._at = b"", 0
        if self._failure is not None:
            raise self._failure
        for _ in self._chunks:
            pass

    def _fill(self) -> bool:
        """Bring the next whole lines into the buffer; False at the end of the file."""
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
            if not whole and size > LONGEST_LINE:
                msg = f"a line longer than {LONGEST_LINE >> 20} MiB"
                raise NotDataError(msg, path=self.path, line=self.line + 1, hint=FETCH_AGAIN)
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
    """Take what stands behind the last line end off the parts, without joining them all."""
    tail = b""
    while parts:
        last = parts.pop()
        end = last.rfind(b"\n") + 1
        tail = last[end:] + tail
        if end:
            parts.append(last[:end])
            break
    return tail
