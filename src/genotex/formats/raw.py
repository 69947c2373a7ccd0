"""Bytes and text of a file: gzip or plain, judged by its content and never by its name."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar

from isal import igzip_lib

from genotex.errors import FormatError, NotDataError, TruncatedFileError

__all__ = [
    "as_utf8",
    "decode",
    "is_gzip",
    "log_notes",
    "note_missing_line_end",
    "read_ahead",
    "read_bytes",
    "read_chunks",
    "sha256",
]


_log = logging.getLogger(__name__)

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
CHUNK = 1 << 20
ENOUGH_TO_JUDGE = 64
_MOST_TO_JUDGE = 1 << 22
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


def read_chunks(path: Path) -> Generator[bytes, None, None]:
    """Yield the (decompressed) contents of a file in pieces.

    Consecutive gzip members are one file (RFC 1952, section 2.2); zero bytes after the last are
    padding. Carriage returns as line ends (old Macintosh files) become line feeds.

    Parameters
    ----------
    path : Path
        A gzip or plain file, judged by content, not by name.

    Yields
    ------
    bytes
        Pieces of about 1 MiB, none of them empty.

    Raises
    ------
    NotDataError
        If the contents are an HTML page, an archive or other bytes that are not text.
    TruncatedFileError
        If the file is empty, or its gzip data end too early or are damaged.
    FormatError
        If the file cannot be opened or read.
    """
    try:
        with path.open("rb") as handle:
            chunks = _open_chunks(handle, path)
            first = b""
            while len(first.strip()) < ENOUGH_TO_JUDGE and len(first) < _MOST_TO_JUDGE:
                if not (chunk := next(chunks, b"")):
                    break
                first += chunk
            _refuse_other_contents(first, path)
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
    except OSError as error:
        raise _unreadable(path, error) from error


def is_gzip(path: Path) -> bool:
    """Return whether a file is gzip, whose checksum proves it complete once read."""
    try:
        with path.open("rb") as handle:
            return handle.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    except OSError as error:
        raise _unreadable(path, error) from error


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


def _unreadable(path: Path, error: OSError) -> FormatError:
    msg = f"cannot be read: {error.strerror or error}"
    return FormatError(msg, path=path, hint="check the path and its permissions")


def read_bytes(path: Path) -> bytes:
    """Return the whole (decompressed) file without byte order mark, line ends as line feeds."""
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


Piece = TypeVar("Piece")


@contextmanager
def read_ahead(pieces: Iterator[Piece]) -> Iterator[Iterator[Piece]]:
    """Yield the same pieces while a thread fetches the next one."""
    # It pays where both sides release the GIL, as unpacking and parsing do. One thread at a time
    # uses the iterator; an error is raised after all pieces before it were yielded.
    with ThreadPoolExecutor(1, thread_name_prefix="read-ahead") as pool:
        yield _one_ahead(pieces, pool)


def _one_ahead(pieces: Iterator[Piece], pool: ThreadPoolExecutor) -> Generator[Piece, None, None]:
    coming = pool.submit(_take, pieces)
    while taken := coming.result():
        coming = pool.submit(_take, pieces)
        yield taken[0]


def _take(pieces: Iterator[Piece]) -> tuple[Piece] | tuple[()]:
    """Return the next piece, or nothing at the end: a future cannot hold a StopIteration."""
    for piece in pieces:
        return (piece,)
    return ()
