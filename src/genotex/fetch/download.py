"""One file over the net: streamed beside its place, resumed, checked, and only then put there."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from genotex.errors import FetchError, TooLargeError, WrongContentError
from genotex.fetch.addresses import shown
from genotex.fetch.answer import Answer, Trouble
from genotex.fetch.contents import ENOUGH_TO_JUDGE, WHOLE_PAGE, Content, check_start, check_whole
from genotex.fetch.disk import disk_full
from genotex.fetch.web import WebClient
from genotex.formats import sha256
from genotex.io import PART, flush

__all__ = ["Progress", "Version", "Wanted", "download", "part_of"]

Progress = Callable[[int, int | None], None]
"""Called with the bytes at hand and those of the whole file, None where that is not known."""

MOST_BYTES = 20 << 30
GOES = 2
"""How often a file that turns out damaged is fetched from its start."""

_RANGE = re.compile(r"bytes (\d{1,18})-\d{1,18}/(\d{1,18}|\*)", re.ASCII)
_NO_RANGE = re.compile(r"bytes \*/(\d{1,18})", re.ASCII)


@dataclass(frozen=True)
class Wanted:
    """A file to fetch.

    Attributes
    ----------
    address : str
        Where it lies.
    path : str
        Its place in the input folder, as ``GEO/Gout/GSE1/GSE1_series_matrix.txt.gz``.
    content : Content
        What it must be.
    sha256 : str, optional
        What its checksum must be.
    size : int, optional
        How many bytes it must have.
    most : int
        How many bytes it may have.
    same_as : str
        A name for what is the same file at several addresses; empty where there is but one.
    refuse : callable, optional
        Told the whole file and its address as it is shown; raises `FetchError` where it is another
        one than was meant.
    """

    address: str
    path: str
    content: Content = Content.gzip
    sha256: str | None = None
    size: int | None = None
    most: int = MOST_BYTES
    same_as: str = ""
    refuse: Callable[[Path, str], None] | None = None

    @property
    def source(self) -> str:
        """What tells this file from others: files of one source are fetched once."""
        return self.same_as or shown(self.address)

    @property
    def has_checksum(self) -> bool:
        """Whether it can be told that parts of it belong together."""
        return self.sha256 is not None or self.content.has_checksum

    @property
    def name(self) -> str:
        """File name."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class Version:
    """Which version of a file a partial file is of.

    Attributes
    ----------
    validator : str or None
        What tells it from others; None where the server does not say, and nothing can be resumed.
    size : int or None
        Bytes of the whole.
    """

    validator: str | None = None
    size: int | None = None


def part_of(target: Path) -> Path:
    """Return where a file lies as long as it is not whole."""
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
    """Fetch a file to its place; the caller holds the folder's lock.

    What has come lies in ``NAME.part`` beside the target, and stays there when the process ends in
    any way or the server fails. The next call asks for the rest by a range request, if the file on
    the server is still the same version and a checksum tells damage; else it starts anew. A whole
    file is checked (`Content`, size, checksum) before it takes its name.

    Parameters
    ----------
    client : WebClient
        Whom to ask through.
    wanted : Wanted
        The file.
    target : Path
        Its place.
    version : Version
        What a partial file that lies there already is of.
    begun : callable
        Called when a version begins to come, before its first byte is written.
    progress : callable
        See `Progress`.

    Returns
    -------
    str
        SHA-256 of the file.

    Raises
    ------
    FetchError
        If it cannot be had, or is not what it should be; nothing lies in its place then.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    coming = _Coming(client, wanted, part_of(target), version, begun, progress)
    digest = _fetch_checked(coming)
    flush(coming.part)
    coming.part.replace(target)
    flush(target.parent)
    return digest


def _fetch_checked(coming: _Coming) -> str:
    """Fetch what is missing, and all of it once more where it turns out damaged."""
    for go in range(1, GOES + 1):
        coming.client.again(coming.wanted.address, coming.attempt, coming.at_hand)
        try:
            return _checked(coming.part, coming.wanted)
        except FetchError as error:
            coming.forget()
            if not isinstance(error, WrongContentError) or go == GOES:
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
    """A file on its way."""

    client: WebClient
    wanted: Wanted
    part: Path
    version: Version
    begun: Callable[[Version], None]
    progress: Progress

    def at_hand(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def forget(self) -> None:
        """Remove what came, so that the next attempt starts anew."""
        self.part.unlink(missing_ok=True)
        self.version = Version()

    def attempt(self) -> None:
        """Ask for the file, or for what is missing of it, and write what comes.

        Raises
        ------
        Trouble
            If not all of it came.
        """
        # Without a checksum nobody would notice a part that a power cut damaged.
        resumes = self.version.validator and self.wanted.has_checksum
        start = self.at_hand() if resumes else 0
        headers = {}
        if start:
            headers = {"Range": f"bytes={start}-", "If-Range": self.version.validator or ""}
        with self.client.opened(self.wanted.address, headers=headers) as answer:
            if answer.status == 416:
                self._end_or_start_anew(answer, start)
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
                # Before the journal tells of the new version, whose part this one is not.
                self.forget()
                self.version = Version(answer.validator, total)
                self.begun(self.version)
            self._write(chunks, start, total)
        if total is not None and self.at_hand() != total:
            message = f"{self.at_hand():,} of {total:,} bytes came"
            raise Trouble(message)

    def _end_or_start_anew(self, answer: Answer, start: int) -> None:
        """Take a part that the server has nothing to add to as whole, if it is of that size."""
        told = _NO_RANGE.fullmatch(answer.headers.get("Content-Range", ""))
        if told is None or int(told[1]) != start or not start:
            self.version = Version()
            message = "the file on the server is shorter than what had come"
            raise Trouble(message)

    def _whole_of_part(self, answer: Answer, start: int) -> int | None:
        """Return the bytes of the file that a part is of; the part need not reach its end."""
        told = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
        if told is None or int(told[1]) != start or not start:
            self.version = Version()
            message = "another part came than was asked for"
            raise Trouble(message)
        total = self.version.size if told[2] == "*" else int(told[2])
        if self.version.size not in (None, total):
            self.version = Version()
            message = "a part of another version of the file came"
            raise Trouble(message)
        return total

    def _refuse_size(self, total: int | None, address: str) -> None:
        if total is not None and total > self.wanted.most:
            raise self._too_large(total, address)
        if None not in (total, self.wanted.size) and total != self.wanted.size:
            message = f"the server has {total:,} bytes of it, the list says {self.wanted.size:,}"
            hint = "the list may be older than the file; nothing was kept"
            raise WrongContentError(message, address=address, hint=hint)

    def _too_large(self, size: int, address: str) -> TooLargeError:
        message = f"{size:,} bytes; at most {self.wanted.most:,} are allowed"
        return TooLargeError(message, address=address, hint="nothing of it was kept")

    def _refuse_full_disk(self, total: int | None, start: int) -> None:
        free = shutil.disk_usage(self.part.parent).free
        if total is not None and total - start > free:
            message = f"{self.wanted.name} needs {total - start:,} bytes, and {free:,} are free"
            raise disk_full(message, self.part.parent)

    def _judged(self, chunks: Iterator[bytes], address: str) -> Iterator[bytes]:
        """Look at the first bytes before any is written, so that a page never replaces a part."""
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
        # Without a buffer: what a signal or a kill finds in the file is what came.
        with self.part.open("r+b" if start else "wb", buffering=0) as handle:
            handle.seek(start)
            for chunk in chunks:
                size += len(chunk)
                if size > self.wanted.most:
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
