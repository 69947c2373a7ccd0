"""Bytes and text of a file: gzip or plain, judged by its content and never by its name."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path
from typing import TypeVar

from genotex.errors import NotDataError, TruncatedFileError
from genotex.outside import (
    CHUNK,
    FETCH_AGAIN,
    GZIP_MAGIC,
    HDF5_MAGIC,
    PARQUET_MAGIC,
    ZIP_MAGIC,
    Gauge,
    Packing,
    unpack,
    unreadable,
)

__all__ = [
    "BYTE_ORDER_MARK",
    "CHUNK",
    "FETCH_AGAIN",
    "GZIP_MAGIC",
    "as_utf8",
    "decode",
    "is_gzip",
    "log_notes",
    "note_missing_line_end",
    "read_ahead",
    "read_bytes",
    "read_chunks",
    "refuse_other_contents",
    "sha256",
]


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
    return data.replace(b"\r\n", b"\n") if b"\r" in data else data


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
