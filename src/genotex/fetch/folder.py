"""An input folder for downloads, and its journal of what came from where."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from genotex.errors import (
    CaptchaError,
    DiskFullError,
    FetchError,
    NotThereError,
    ServerUnavailableError,
    UsageError,
    WrongContentError,
)
from genotex.fetch.client_limits import safe_name, shown
from genotex.fetch.contents import check_whole
from genotex.fetch.download import Progress, Version, Wanted, download, full_disk_as_error
from genotex.fetch.web import WebClient
from genotex.formats import sha256
from genotex.io import atomic_write, lock
from genotex.journal import Entry, Journal, open_journal
from genotex.records import Check, Sha256, checked

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Fetched:
    """A file in its place."""

    path: Path
    """Where."""
    sha256: str
    """Its checksum."""
    size: int
    """Its bytes."""
    now: bool
    """Whether it came over the net in this run; False for one that was there before."""


def journal_path(root: Path) -> Path:
    """Return the journal of an input folder: one line for each file begun, done or failed."""
    return root / "fetch" / "journal.jsonl"


def _why_no_path(path: str) -> str:
    """Return why a path of the journal leaves its folder."""
    try:
        for part in path.split("/"):
            safe_name(part)
    except FetchError as error:
        return str(error)
    return ""


@contextmanager
def open_fetch_folder(root: Path) -> Iterator[FetchFolder]:
    """Open an input folder to fetch into; one process at a time does.

    Files are fetched one behind the other, also because the limits of the databases count for a
    whole machine.
    """
    if root.exists() and not root.is_dir():
        msg = f"{root} is a file; give the folder to fetch into"
        raise UsageError(msg)
    path = journal_path(root)
    full = full_disk_as_error("the journal could not be written", root)
    with full, lock(path, wait=False), open_journal(path) as journal:
        yield FetchFolder(root, journal)


@dataclass(frozen=True)
class _Line:
    """What is used of a line of the journal about a file."""

    path: Annotated[str, Check(_why_no_path)]
    step: str
    sha256: Sha256 | None = None
    size: int | None = None
    source: str | None = None
    address: str | None = None
    validator: str | None = None
    checked: bool = False


@dataclass(frozen=True)
class _Note:
    """What is used of a line of the journal about a request for many files."""

    request: str
    step: str


class FetchFolder:
    """An input folder, open for fetching. Use `open_fetch_folder`."""

    def __init__(self, root: Path, journal: Journal) -> None:
        self.root = root
        self._journal = journal
        self._last: dict[tuple[str, str], Entry] = {}
        self._notes: dict[str, Entry] = {}
        self._done_from: dict[str, list[Entry]] = {}
        path = journal_path(root)
        for entry in journal.entries:
            if "request" in entry:
                checked(_Note, entry, path=path)
            else:
                done = entry.get("step") == "done"
                needs = ("sha256", "size", "source") if done else ()
                checked(_Line, entry, needs=needs, path=path)
            self._take_in(entry)

    def fetch(
        self, client: WebClient, wanted: Wanted, progress: Progress = lambda done, total: None
    ) -> Fetched:
        """Return a file, fetched where it is not there yet.

        A file in the journal is not requested again; if it is elsewhere in the folder, it is
        linked. A file from another source is kept if it is complete.

        `client`: the HTTP client. `progress`: See `Progress`.
        """
        target = self.place(wanted.path)
        if target.exists() and (found := self._found(target, wanted)) is not None:
            return found
        twin = self._twin(wanted)
        if twin is not None:
            _link(self.place(twin["path"]), target)
            return self._done(wanted, target, twin["sha256"], now=False)
        _log.info("fetching %s", shown(wanted.address))
        try:
            with full_disk_as_error(
                f"{wanted.name} could not be written completely", target.parent
            ):
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
        """Return the path of a file of the folder."""
        return self.root.joinpath(*(safe_name(part) for part in path.split("/")))

    def known(self, path: str) -> Fetched | None:
        """Return a file that is in its place and in the journal with this size."""
        target, done = self.place(path), self.last(path, "done")
        if done is None or not target.is_file() or target.stat().st_size != done.get("size"):
            return None
        return Fetched(target, done["sha256"], done["size"], now=False)

    def made(self, path: str, address: str) -> Fetched:
        """Record a file that was made from what came from an address."""
        target = self.place(path)
        # It is not the file at the address, and never replaces it.
        wanted = Wanted(address, path, same_as=f"{path} made of {shown(address)}")
        return self._done(wanted, target, sha256(target), now=True)

    def note(self, step: str, request: str, **facts: Any) -> None:
        """Record a step of a request for many files."""
        entry = {"step": step, "request": request, **facts, "time": _now()}
        self._journal.add(entry)
        self._take_in(entry)

    def last_note(self, request: str) -> Entry | None:
        """Return the last note about a request."""
        return self._notes.get(request)

    def last(self, path: str, step: str) -> Entry | None:
        """Return the last line of the journal about a file: ``begun``, ``done`` or ``failed``."""
        return self._last.get((path, step))

    def _found(self, target: Path, wanted: Wanted) -> Fetched | None:
        """Return a file that is there; None if it was fetched and turns out to be wrong."""
        known = self.known(wanted.path)
        if known is not None and _same(wanted, known.sha256):
            return known if self._was_checked(target, wanted) else None
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

    def _was_checked(self, target: Path, wanted: Wanted) -> bool:
        """Check a fetched file that was kept without all the checks of today."""
        done = self.last(wanted.path, "done")
        if wanted.refuse is None or (done is not None and done.get("checked")):
            return True
        try:
            wanted.refuse(target, str(target))
        except WrongContentError as error:
            self._add("failed", wanted, reason=str(error))
            return False
        self._done(wanted, target, sha256(target), now=False)
        return True

    def _twin(self, wanted: Wanted) -> Entry | None:
        """Return the journal entry of the same file in another place, if it is there."""
        for entry in self._done_from.get(wanted.source, ()):
            place = self.place(entry["path"])
            there = place.exists() and place.stat().st_size == entry["size"]
            checked = wanted.refuse is None or entry.get("checked")
            if there and checked and _same(wanted, entry["sha256"]):
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
        checked = {} if wanted.refuse is None else {"checked": True}
        self._add("done", wanted, sha256=digest, size=size, source=wanted.source, **checked)
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
    """Link a file to a second place; copy it if the file system has no links."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        target.hardlink_to(source)
    except OSError:
        with atomic_write(target) as part:
            shutil.copyfile(source, part)


def _same(wanted: Wanted, digest: str) -> bool:
    return wanted.sha256 is None or wanted.sha256.lower() == digest


def _not_ours(target: Path, message: str) -> FetchError:
    text = f"{target} exists already, and is not the expected file: {message}"
    return FetchError(text, hint="remove it, then the same command fetches it")


_IN_A_ROW = 3
"""Failures in a row of a server before the rest is left for later."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of fetching a file."""

    path: str  # its place in the input folder
    fetched: Fetched | None = None  # None if it failed
    error: FetchError | None = None  # why it failed

    @property
    def state(self) -> str:
        """What happened, as text."""
        if self.fetched is None:
            return "not asked" if self.error is None else "failed"
        return "fetched" if self.fetched.now else "was there"


class Patience:
    """Decides when the rest is left for later."""

    # That is if a server requires a person, the disk is full, or a server fails several times in a
    # row.

    def __init__(self) -> None:
        self.is_over = False
        self._in_a_row = 0

    def take_in(self, error: FetchError | None) -> None:
        """Count an outcome; None: success."""
        self._in_a_row = self._in_a_row + 1 if isinstance(error, ServerUnavailableError) else 0
        hopeless = isinstance(error, CaptchaError | DiskFullError)
        self.is_over = self.is_over or hopeless or self._in_a_row >= _IN_A_ROW


def fetch_each(
    client: WebClient,
    folder: FetchFolder,
    files: Sequence[Sequence[Wanted]],
    bar: Callable[[int, str], Progress] = lambda number, name: lambda done, total: None,
) -> Iterator[Outcome]:
    """Fetch files one after the other."""
    down = set[str]()

    def fetch(number: int, forms: Sequence[Wanted]) -> Fetched:
        return _first_there(client, folder, forms, bar(number, forms[0].name), down)

    jobs = ((f[0].path, partial(fetch, number, f)) for number, f in enumerate(files, start=1))
    return fetch_patiently(jobs)


def fetch_patiently(jobs: Iterable[tuple[str, Callable[[], Fetched]]]) -> Iterator[Outcome]:
    """Fetch files, of which each has its place and what fetches it, one after the other."""
    # A file that fails does not stop the others, unless `Patience` is over.
    patience = Patience()
    for path, fetch in jobs:
        if patience.is_over:
            yield Outcome(path)
            continue
        try:
            outcome = Outcome(path, fetch())
        except FetchError as error:
            outcome = Outcome(path, error=error)
        patience.take_in(outcome.error)
        yield outcome


def _first_there(
    client: WebClient,
    folder: FetchFolder,
    forms: Sequence[Wanted],
    progress: Progress,
    down: set[str],
) -> Fetched:
    """Return the first available form; servers that fail are added to `down`."""
    at_hand = [wanted for wanted in forms if folder.place(wanted.path).exists()]
    up = [wanted for wanted in forms if _server(wanted) not in down]
    *others, last = at_hand or up or forms
    for wanted in others:
        if _server(wanted) in down and _server(last) not in down:
            continue
        try:
            return folder.fetch(client, wanted, progress)
        except NotThereError:
            continue
        except ServerUnavailableError:
            down.add(_server(wanted))
            if _server(last) in down:
                raise
    return folder.fetch(client, last, progress)


def _server(wanted: Wanted) -> str:
    return urlsplit(wanted.address).netloc
