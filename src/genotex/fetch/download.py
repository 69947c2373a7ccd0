"""Download one file: into a partial file, resumed, checked, and only then under its name."""

from __future__ import annotations

import errno
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from genotex.errors import DiskFullError, FetchError, TooLargeError, WrongContentError
from genotex.fetch.client_limits import shown
from genotex.fetch.contents import ENOUGH_TO_JUDGE, WHOLE_PAGE, Content, check_start, check_whole
from genotex.fetch.web import Trouble, WebAnswer, WebClient
from genotex.formats import sha256
from genotex.io import PART, flush
from genotex.outside import current_limits

_FULL = {errno.ENOSPC, errno.EDQUOT}


def _disk_full(message: str, folder: Path) -> DiskFullError:
    """Return the error for a full disk, with the folder that needs space."""
    hint = f"make space in {folder}, then repeat the command to continue"
    return DiskFullError(f"the disk is full: {message}", hint=hint)


@contextmanager
def full_disk_as_error(message: str, folder: Path) -> Iterator[None]:
    """Raise our own error for a system error of a full disk or quota."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        named = f"{error.filename} could not be written" if error.filename else message
        raise _disk_full(named, folder) from error


Progress = Callable[[int, int | None], None]
"""Called with the bytes so far and those of the complete file, None if unknown."""

_MAX_DOWNLOADS = 2
"""How often a file that turns out damaged is fetched from its start."""

_RANGE = re.compile(r"bytes (\d{1,18})-\d{1,18}/(\d{1,18}|\*)", re.ASCII)
_NO_RANGE = re.compile(r"bytes \*/(\d{1,18})", re.ASCII)


@dataclass(frozen=True)
class Wanted:
    """A file to fetch."""

    address: str
    """Where it is."""
    path: str
    """Its place in the input folder, as ``GEO/Gout/GSE1/GSE1_series_matrix.txt.gz``."""
    content: Content = Content.gzip
    """Its expected content."""
    sha256: str | None = None
    """Its expected checksum."""
    size: int | None = None
    """Its expected number of bytes."""
    most: int | None = None
    """Its largest number of bytes; that of the limits if it is not given."""
    same_as: str = ""
    """A name shared by identical files at several addresses; empty if there is only one."""
    refuse: Callable[[Path, str], None] | None = None
    """Called with the complete file and its shown address; raises `FetchError` if it is not the
    intended file."""

    @property
    def largest(self) -> int:
        """Its largest number of bytes."""
        return current_limits().download if self.most is None else self.most

    @property
    def source(self) -> str:
        """Identity of the file: files of one source are fetched once."""
        return self.same_as or shown(self.address)

    @property
    def has_checksum(self) -> bool:
        """Whether a checksum shows that its parts belong together."""
        return self.sha256 is not None or self.content.has_checksum

    @property
    def name(self) -> str:
        """File name."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class Version:
    """Which version of a file a partial file is of."""

    # ETag or date of this version; None if the server gives neither, so nothing can be resumed.
    validator: str | None = None
    size: int | None = None  # bytes of the whole


def _part_of(target: Path) -> Path:
    """Return where a file is kept until it is complete."""
    return target.with_name(target.name + PART)


def download(
    client: WebClient,
    wanted: Wanted,
    target: Path,
    *,
    version: Version = Version(),
    begun: Callable[[Version], None] = lambda version: None,
    progress: Progress = lambda done, total: None,
) -> str:
    """Fetch a file to its place; the caller holds the folder's lock."""
    # The bytes so far are in ``NAME.part`` next to the target, and stay there if the process ends
    # or the server fails. The next call requests the rest by range, if the file on the server is
    # still the same version and a checksum would show damage; otherwise it starts again. A complete
    # file is checked (`Content`, size, checksum) before it takes its name.
    target.parent.mkdir(parents=True, exist_ok=True)
    coming = _Coming(client, wanted, _part_of(target), version, begun, progress)
    digest = _fetch_checked(coming)
    flush(coming.part)
    coming.part.replace(target)
    flush(target.parent)
    return digest


def _fetch_checked(coming: _Coming) -> str:
    """Fetch what is missing, and everything again if the file turns out damaged."""
    for go in range(1, _MAX_DOWNLOADS + 1):
        coming.client.again(coming.wanted.address, coming.attempt, coming.at_hand)
        try:
            return _checked(coming.part, coming.wanted)
        except FetchError as error:
            coming.forget()
            if not isinstance(error, WrongContentError) or go == _MAX_DOWNLOADS:
                raise
    raise AssertionError


def _checked(part: Path, wanted: Wanted) -> str:
    address = shown(wanted.address)
    check_whole(part, wanted.content, address)
    if wanted.refuse is not None:
        wanted.refuse(part, address)
    digest = sha256(part)
    if wanted.sha256 is not None and digest != wanted.sha256.lower():
        message = f"its SHA-256 is {digest}, and should be {wanted.sha256.lower()}"
        hint = "the file may have been replaced since; nothing of it was kept"
        raise WrongContentError(message, address=address, hint=hint)
    return digest


@dataclass
class _Coming:
    """A file while it is being downloaded."""

    client: WebClient
    wanted: Wanted
    part: Path
    version: Version
    begun: Callable[[Version], None]
    progress: Progress

    def at_hand(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def forget(self) -> None:
        """Remove the partial file, so that the next attempt starts from the beginning."""
        self.part.unlink(missing_ok=True)
        self.version = Version()

    def attempt(self) -> None:
        """Request the file, or the missing part, and write the bytes as they come."""
        # Without a checksum, damage to the part by a power cut would go unnoticed.
        resumes = self.version.validator and self.wanted.has_checksum
        start = self.at_hand() if resumes else 0
        headers = {}
        if start:
            headers = {"Range": f"bytes={start}-", "If-Range": self.version.validator or ""}
        with self.client.opened(self.wanted.address, headers=headers) as answer:
            if answer.status == 416:
                self._end_or_restart(answer, start)
                return
            if answer.status == 206:
                total = self._whole_of_part(answer, start)
            else:
                start, total = 0, answer.length
            self._refuse_size(total, answer.address)
            self._refuse_full_disk(total, start)
            chunks = answer.chunks()
            if not start:
                chunks = self._judged(chunks, answer.address)
                # Before the journal records the new version, to which this part does not belong.
                self.forget()
                self.version = Version(answer.validator, total)
                self.begun(self.version)
            self._write(chunks, start, total)
        if total is not None and self.at_hand() != total:
            message = f"{self.at_hand():,} of {total:,} bytes came"
            raise Trouble(message)

    def _end_or_restart(self, answer: WebAnswer, start: int) -> None:
        """Accept a part as complete if it has the size of the file on the server."""
        found = _NO_RANGE.fullmatch(answer.headers.get("Content-Range", ""))
        if found is None or int(found[1]) != start or not start:
            self.version = Version()
            message = "the file on the server is shorter than what had come"
            raise Trouble(message)

    def _whole_of_part(self, answer: WebAnswer, start: int) -> int | None:
        """Return the bytes of the file that a part is of; the part need not reach its end."""
        found = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
        if found is None or int(found[1]) != start or not start:
            self.version = Version()
            message = "a different part came than was requested"
            raise Trouble(message)
        total = self.version.size if found[2] == "*" else int(found[2])
        if self.version.size not in (None, total):
            self.version = Version()
            message = "a part of another version of the file came"
            raise Trouble(message)
        return total

    def _refuse_size(self, total: int | None, address: str) -> None:
        if total is not None and total > self.wanted.largest:
            raise self._too_large(total, address)
        if None not in (total, self.wanted.size) and total != self.wanted.size:
            message = f"the server has {total:,} bytes of it, the list {self.wanted.size:,}"
            hint = "the list may be older than the file; nothing was kept"
            raise WrongContentError(message, address=address, hint=hint)

    def _too_large(self, size: int, address: str) -> TooLargeError:
        message = f"{size:,} bytes; at most {self.wanted.largest:,} are allowed"
        return TooLargeError(message, address=address, hint="nothing of it was kept")

    def _refuse_full_disk(self, total: int | None, start: int) -> None:
        free = shutil.disk_usage(self.part.parent).free
        if total is not None and total - start > free:
            message = f"{self.wanted.name} needs {total - start:,} bytes, and {free:,} are free"
            raise _disk_full(message, self.part.parent)

    def _judged(self, chunks: Iterator[bytes], address: str) -> Iterator[bytes]:
        """Check the first bytes before any is written, so that a page never replaces a part."""
        first = b"".join(_at_least(chunks, ENOUGH_TO_JUDGE))
        if first.lstrip().startswith(b"<"):
            first += b"".join(_at_least(chunks, WHOLE_PAGE))
        check_start(first, self.wanted.content, address)

        def all_chunks() -> Iterator[bytes]:
            yield first
            yield from chunks

        return all_chunks()

    def _write(self, chunks: Iterator[bytes], start: int, total: int | None) -> None:
        size = start
        self.progress(size, total)
        # Without a buffer: after a signal or kill, the file contains what came.
        with self.part.open("r+b" if start else "wb", buffering=0) as handle:
            handle.seek(start)
            for chunk in chunks:
                size += len(chunk)
                if size > self.wanted.largest:
                    self.forget()
                    raise self._too_large(size, shown(self.wanted.address))
                self._put(handle.write, chunk)
                self.progress(size, total)

    def _put(self, write: Callable[[memoryview], int | None], chunk: bytes) -> None:
        rest = memoryview(chunk)
        while rest:
            rest = rest[write(rest) or 0 :]


def _at_least(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Take pieces until there are so many bytes, or no more."""
    while size > 0 and (chunk := next(chunks, b"")):
        size -= len(chunk)
        yield chunk
