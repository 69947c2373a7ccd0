"""Tar archives: the members are listed, and read where they are, without unpacking the archive."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import BinaryIO

from genotex.errors import FormatError, TruncatedFileError
from genotex.outside.limits import Gauge, current_limits
from genotex.outside.unpacking import FETCH_AGAIN, unpack, unreadable

_BLOCK = 512
_LONGEST_NAME = 4096
_FILES = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE)
_LONG_NAME, _EXTENDED = b"L", (b"x", b"g")


@dataclass(frozen=True)
class StoredFile:
    """A file on the disk, or a member of a tar archive."""

    path: Path
    """The file on the disk that holds it."""
    name: str
    """Its own name, without folders."""
    size: int
    """Its bytes."""
    member: str = ""
    """Its name in the archive; empty for a file on the disk."""
    offset: int = 0
    """Where it begins in the archive."""

    @property
    def place(self) -> Path:
        """What messages call it."""
        return self.path / self.member if self.member else self.path

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open it for reading."""
        try:
            with self.path.open("rb") as handle:
                if not self.member:
                    yield handle
                else:
                    piece = _Piece(handle, self.offset, self.size)
                    yield io.BufferedReader(piece, 1 << 20)
        except OSError as error:
            raise unreadable(self.place, error) from error

    @contextmanager
    def on_disk(self) -> Iterator[Path]:
        """Give a path to it, unpacked once: a copy in a temporary folder if it must be."""
        packed = self.name.lower().endswith((".gz", ".tgz"))
        if not self.member and not packed:
            yield self.path
            return
        with TemporaryDirectory(prefix="genotex-") as folder, self.open() as handle:
            copy = Path(folder) / self.name.removesuffix(".gz")
            with copy.open("wb") as out:
                for piece in unpack(handle, self.place, Gauge(self.size, self.place)):
                    out.write(piece)
            yield copy


def stored_file(path: Path) -> StoredFile:
    """Return a file on the disk."""
    try:
        return StoredFile(path, path.name, path.stat().st_size)
    except OSError as error:
        raise unreadable(path, error) from error


def tar_members(path: Path) -> tuple[StoredFile, ...]:
    """Return the plain files in a tar archive; their contents are not read.

    Raises FormatError if the archive ends too early, or has a member that is not a plain file
    inside it; FileLimitError if it has too many.
    """
    found: list[StoredFile] = []
    try:
        with path.open("rb") as handle:
            end = os.fstat(handle.fileno()).st_size
            for name, size, offset in _entries(handle, end, path):
                current_limits().check(
                    "objects", len(found) + 1, f"has more than {len(found):,} members", path
                )
                found.append(StoredFile(path, PurePosixPath(name).name, size, name, offset))
    except OSError as error:
        raise unreadable(path, error) from error
    return tuple(found)


def stored_files(path: Path) -> tuple[StoredFile, ...]:
    """Return the members of a tar archive, or the file itself."""
    return tar_members(path) if path.suffix.lower() == ".tar" else (stored_file(path),)


def _entries(handle: BinaryIO, end: int, path: Path) -> Iterator[tuple[str, int, int]]:
    """Walk through the headers of an archive (POSIX.1-1988, and GNU's long names)."""
    at, long_name, seen = 0, "", set[str]()
    while True:
        handle.seek(at)
        block = handle.read(_BLOCK)
        if block and not block.strip(b"\0"):
            return
        if len(block) < _BLOCK:
            _refuse("ends too early", path)
        try:
            header = tarfile.TarInfo.frombuf(block, "utf-8", "replace")
        except tarfile.HeaderError as error:
            msg = f"is not a tar archive that can be read: {error}"
            raise TruncatedFileError(msg, path=path, hint=FETCH_AGAIN) from error
        start, after = at + _BLOCK, at + _BLOCK + -(-header.size // _BLOCK) * _BLOCK
        if header.size < 0 or start + header.size > end:
            _refuse(f"ends within {header.name[:80]!r}", path)
        at = after
        if header.type == _LONG_NAME or header.type in _EXTENDED:
            long_name = _stated_name(handle, header, path) or long_name
            continue
        name, long_name = long_name or header.name, ""
        if header.type == tarfile.DIRTYPE:
            continue
        name = name.removeprefix("./")
        if why := _why_not(name, header.type, seen):
            msg = f"has a member {name[:80]!r} {why}"
            raise FormatError(msg, path=path, hint="unpack it yourself, if you trust it")
        seen.add(name)
        yield name, header.size, start


def _stated_name(handle: BinaryIO, header: tarfile.TarInfo, path: Path) -> str:
    """Return the name that a header for the next member states."""
    if header.size > _LONGEST_NAME:
        _refuse(f"has a name of {header.size:,} bytes", path)
    text = handle.read(header.size)
    if header.type == _LONG_NAME:
        return text.rstrip(b"\0").decode(errors="replace")
    for line in text.split(b"\n"):
        key, _, value = line.partition(b" ")[2].partition(b"=")
        if key == b"path":
            return value.decode(errors="replace")
        if key in (b"size", b"GNU.sparse.map", b"GNU.sparse.major"):
            _refuse("has a member whose size is not in its header", path)
    return ""


def _why_not(name: str, kind: bytes, seen: set[str]) -> str:
    if kind not in _FILES:
        return "that is a link, a device or a sparse file"
    if name in seen:
        return "twice"
    if name.startswith("/") or "\\" in name or ".." in PurePosixPath(name).parts:
        return "whose name leads out of the archive"
    return "" if name.isprintable() and PurePosixPath(name).name else "without a usable name"


def _refuse(why: str, path: Path) -> None:
    raise TruncatedFileError(why, path=path, hint=FETCH_AGAIN)


class _Piece(io.RawIOBase):
    """A part of an open file, as a file of its own."""

    def __init__(self, handle: BinaryIO, offset: int, size: int) -> None:
        self._handle, self._offset, self._size, self._at = handle, offset, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        wanted = max(0, min(len(buffer), self._size - self._at))
        self._handle.seek(self._offset + self._at)
        found = self._handle.read(wanted)
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)


def check_tar(path: Path) -> None:
    """Read an archive to its end: headers, and the checksums of members that are gzip data."""
    for member in tar_members(path):
        if member.name.lower().endswith((".gz", ".tgz")):
            with member.open() as handle:
                for _ in unpack(handle, member.place, Gauge(member.size, member.place)):
                    pass
