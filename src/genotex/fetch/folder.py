"""An input folder that files are fetched into, and its journal of what was fetched from where."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from genotex.errors import DiskFullError, FetchError, UsageError
from genotex.fetch.addresses import safe_name, shown
from genotex.fetch.contents import check_whole
from genotex.fetch.disk import full_disk_told
from genotex.fetch.download import Progress, Version, Wanted, download
from genotex.fetch.web import WebClient
from genotex.formats import sha256
from genotex.io import atomic_write, lock
from genotex.journal import Entry, Journal, open_journal

__all__ = ["FetchFolder", "Fetched", "journal_path", "open_fetch_folder"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Fetched:
    """A file that lies in its place.

    Attributes
    ----------
    path : Path
        Where.
    sha256 : str
        Its checksum.
    size : int
        Its bytes.
    now : bool
        Whether it came over the net in this run; False for one that was there before.
    """

    path: Path
    sha256: str
    size: int
    now: bool


def journal_path(root: Path) -> Path:
    """Return the journal of an input folder: one line for each file begun, done or failed."""
    return root / "fetch" / "journal.jsonl"


@contextmanager
def open_fetch_folder(root: Path) -> Iterator[FetchFolder]:
    """Open an input folder to fetch into; one process at a time does.

    Files are fetched one behind the other, also because the limits of the databases count for a
    whole machine.

    Raises
    ------
    UsageError
        If another process fetches into the folder, or it cannot be one.
    FormatError
        If the journal is damaged.
    """
    if root.exists() and not root.is_dir():
        msg = f"{root} is a file; give the folder to fetch into"
        raise UsageError(msg)
    path = journal_path(root)
    full = full_disk_told("the journal could not be written", root)
    with full, lock(path, wait=False), open_journal(path) as journal:
        yield FetchFolder(root, journal)


class FetchFolder:
    """An input folder, open for fetching. Use `open_fetch_folder`.

    Attributes
    ----------
    root : Path
        The folder.
    """

    def __init__(self, root: Path, journal: Journal) -> None:
        self.root = root
        self._journal = journal
        self._last: dict[tuple[str, str], Entry] = {}
        self._notes: dict[str, Entry] = {}
        self._done_from: dict[str, list[Entry]] = {}
        for entry in journal.entries:
            self._take_in(entry)

    def fetch(
        self,
        client: WebClient,
        wanted: Wanted,
        progress: Progress = lambda done, total: None,
    ) -> Fetched:
        """Return a file, fetched where it is not there yet.

        A file that the journal knows is not asked for again; where it lies elsewhere in the folder
        it is linked. One that somebody else put there is kept when it is whole.

        Parameters
        ----------
        client : WebClient
            Whom to ask through.
        wanted : Wanted
            The file.
        progress : callable
            See `Progress`.

        Raises
        ------
        FetchError
            If it cannot be had; the journal says why.
        """
        target = self.place(wanted.path)
        if target.exists():
            return self._found(target, wanted)
        twin = self._twin(wanted)
        if twin is not None:
            _link(self.place(twin["path"]), target)
            return self._done(wanted, target, twin["sha256"], now=False)
        _log.info("fetching %s", shown(wanted.address))
        try:
            with full_disk_told(f"{wanted.name} could not be written to its end", target.parent):
                return self._download(client, wanted, target, progress)
        except DiskFullError as error:
            # Then the journal may lack the space for its line, too.
            with suppress(OSError):
                self._add("failed", wanted, reason=str(error))
            raise
        except FetchError as error:
            self._add("failed", wanted, reason=str(error))
            raise

    def _download(
        self, client: WebClient, wanted: Wanted, target: Path, progress: Progress
    ) -> Fetched:
        digest = download(
            client,
            wanted,
            target,
            version=self._version(wanted),
            begun=lambda version: self._begin(wanted, version),
            progress=progress,
        )
        return self._done(wanted, target, digest, now=True)

    def place(self, path: str) -> Path:
        """Return where a file of the folder lies.

        Raises
        ------
        AddressRefusedError
            If a part of its path is no safe name.
        """
        return self.root.joinpath(*(safe_name(part) for part in path.split("/")))

    def known(self, path: str) -> Fetched | None:
        """Return a file that lies in its place and that the journal knows with this size."""
        target, done = self.place(path), self.last(path, "done")
        if done is None or not target.is_file() or target.stat().st_size != done.get("size"):
            return None
        return Fetched(target, done["sha256"], done["size"], now=False)

    def made(self, path: str, address: str) -> Fetched:
        """Take a file into the journal that was made of what came from an address."""
        target = self.place(path)
        # It is another file than the one at the address, and never stands in for that.
        wanted = Wanted(address, path, same_as=f"{path} made of {shown(address)}")
        return self._done(wanted, target, sha256(target), now=True)

    def note(self, step: str, request: str, **facts: Any) -> None:
        """Write down a step of a request for many files."""
        entry = {"step": step, "request": request, **facts, "time": _now()}
        self._journal.add(entry)
        self._take_in(entry)

    def last_note(self, request: str) -> Entry | None:
        """Return what was written down last about a request."""
        return self._notes.get(request)

    def last(self, path: str, step: str) -> Entry | None:
        """Return the last line of the journal about a file: ``begun``, ``done`` or ``failed``."""
        return self._last.get((path, step))

    def _found(self, target: Path, wanted: Wanted) -> Fetched:
        known = self.known(wanted.path)
        if known is not None and _same(wanted, known.sha256):
            return known
        try:
            check_whole(target, wanted.content, str(target))
            if wanted.refuse is not None:
                wanted.refuse(target, str(target))
        except FetchError as error:
            raise _not_ours(target, error.message) from error
        digest = sha256(target)
        if not _same(wanted, digest):
            message = f"its SHA-256 is {digest}, and should be {wanted.sha256}"
            raise _not_ours(target, message)
        return self._done(wanted, target, digest, now=False)

    def _twin(self, wanted: Wanted) -> Entry | None:
        """Return what the journal says of the same file in another place, if it lies there."""
        for entry in self._done_from.get(wanted.source, ()):
            place = self.place(entry["path"])
            there = place.exists() and place.stat().st_size == entry["size"]
            if there and _same(wanted, entry["sha256"]):
                return entry
        return None

    def _version(self, wanted: Wanted) -> Version:
        """Return which version of the file a partial file is of."""
        begun = self.last(wanted.path, "begun")
        if begun is None or begun.get("address") != shown(wanted.address):
            return Version()
        return Version(begun.get("validator"), begun.get("size"))

    def _begin(self, wanted: Wanted, version: Version) -> None:
        self._add("begun", wanted, validator=version.validator, size=version.size)

    def _done(self, wanted: Wanted, target: Path, digest: str, *, now: bool) -> Fetched:
        size = target.stat().st_size
        self._add("done", wanted, sha256=digest, size=size, source=wanted.source)
        return Fetched(target, digest, size, now=now)

    def _add(self, step: str, wanted: Wanted, **facts: Any) -> None:
        address = shown(wanted.address)
        entry = {"step": step, "path": wanted.path, "address": address, **facts, "time": _now()}
        self._journal.add(entry)
        self._take_in(entry)

    def _take_in(self, entry: Entry) -> None:
        if "request" in entry:
            self._notes[entry["request"]] = entry
            return
        self._last[entry["path"], entry["step"]] = entry
        if entry["step"] == "done":
            self._done_from.setdefault(entry["source"], []).append(entry)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _link(source: Path, target: Path) -> None:
    """Give a file a second place; a copy where the file system has no links."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        target.hardlink_to(source)
    except OSError:
        with atomic_write(target) as part:
            shutil.copyfile(source, part)


def _same(wanted: Wanted, digest: str) -> bool:
    return wanted.sha256 is None or wanted.sha256.lower() == digest


def _not_ours(target: Path, message: str) -> FetchError:
    text = f"{target} lies there already, and is not what it should be: {message}"
    return FetchError(text, hint="remove it, then the same command fetches it")
