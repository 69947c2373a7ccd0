"""Several files one behind the other, also where one of them cannot be had."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from genotex.errors import (
    CaptchaError,
    DiskFullError,
    FetchError,
    NotThereError,
    ServerUnavailableError,
)
from genotex.fetch.download import Progress, Wanted
from genotex.fetch.folder import Fetched, FetchFolder
from genotex.fetch.web import WebClient

__all__ = ["Outcome", "Patience", "fetch_each"]

IN_A_ROW = 3
"""So often a server may fail before the rest is left for later."""


@dataclass(frozen=True)
class Outcome:
    """What became of a file.

    Attributes
    ----------
    path : str
        Its place in the input folder.
    fetched : Fetched or None
        The file, None where it could not be had.
    error : FetchError or None
        Why it could not.
    """

    path: str
    fetched: Fetched | None = None
    error: FetchError | None = None

    @property
    def state(self) -> str:
        """What happened, in words."""
        if self.fetched is None:
            return "not asked" if self.error is None else "failed"
        return "fetched" if self.fetched.now else "was there"


class Patience:
    """Tells when the rest is better left for later.

    That is when a server wants to see a person, when the disk is full, and when a server fails
    several things in a row.
    """

    def __init__(self) -> None:
        self.is_over = False
        self._in_a_row = 0

    def take_in(self, error: FetchError | None) -> None:
        """Take in how something ended; None where it was had."""
        self._in_a_row = self._in_a_row + 1 if isinstance(error, ServerUnavailableError) else 0
        hopeless = isinstance(error, CaptchaError | DiskFullError)
        self.is_over = self.is_over or hopeless or self._in_a_row >= IN_A_ROW


def fetch_each(
    client: WebClient,
    folder: FetchFolder,
    files: Sequence[Sequence[Wanted]],
    bar: Callable[[int, str], Progress] = lambda number, name: lambda done, total: None,
) -> Iterator[Outcome]:
    """Fetch files one behind the other.

    A file that cannot be had does not keep the others back, unless `Patience` is over.

    Parameters
    ----------
    client : WebClient
        Whom to ask through.
    folder : FetchFolder
        Where they go.
    files : sequence of sequence of Wanted
        Each file with the forms in which it may be had, the likeliest first. A server that fails is
        passed over for the files behind, where another one may have them.
    bar : callable
        Told number (from 1) and name of each file before it comes, gives what is told its bytes.

    Yields
    ------
    Outcome
        One for each file, in order.
    """
    patience, down = Patience(), set[str]()
    for number, forms in enumerate(files, start=1):
        if patience.is_over:
            yield Outcome(forms[0].path)
            continue
        try:
            progress = bar(number, forms[0].name)
            outcome = Outcome(forms[0].path, _first_there(client, folder, forms, progress, down))
        except FetchError as error:
            outcome = Outcome(forms[0].path, error=error)
        patience.take_in(outcome.error)
        yield outcome


def _first_there(
    client: WebClient,
    folder: FetchFolder,
    forms: Sequence[Wanted],
    progress: Progress,
    down: set[str],
) -> Fetched:
    """Return the first form that can be had; servers that fail are added to those that are down."""
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
