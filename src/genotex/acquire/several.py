"""Several files one behind the other: one that cannot be had does not keep the others away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from genotex.acquire.download import Progress, Wanted
from genotex.acquire.folder import Fetched, FetchFolder
from genotex.acquire.web import WebClient
from genotex.errors import CaptchaError, DiskFullError, FetchError, NotThereError

__all__ = ["Outcome", "fetch_each"]


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
            return "not asked for" if self.error is None else "failed"
        return "fetched" if self.fetched.now else "was there"


def fetch_each(
    client: WebClient,
    folder: FetchFolder,
    files: Sequence[Sequence[Wanted]],
    bar: Callable[[str], Progress] = lambda name: lambda done, total: None,
) -> Iterator[Outcome]:
    """Fetch files one behind the other.

    When the server wants to see a person, or the disk is full, the rest is not asked for.

    Parameters
    ----------
    client : WebClient
        Whom to ask through.
    folder : FetchFolder
        Where they go.
    files : sequence of sequence of Wanted
        Each file with the forms in which the server may have it, the likeliest first.
    bar : callable
        Told the name of each file before it comes, gives what is told its bytes.

    Yields
    ------
    Outcome
        One for each file, in order.
    """
    stopped = False
    for forms in files:
        if stopped:
            yield Outcome(forms[0].path)
            continue
        try:
            yield Outcome(forms[0].path, _first_there(client, folder, forms, bar(forms[0].name)))
        except FetchError as error:
            stopped = isinstance(error, CaptchaError | DiskFullError)
            yield Outcome(forms[0].path, error=error)


def _first_there(
    client: WebClient, folder: FetchFolder, forms: Sequence[Wanted], progress: Progress
) -> Fetched:
    at_hand = [wanted for wanted in forms if folder.place(wanted.path).exists()]
    *others, last = at_hand or forms
    for wanted in others:
        try:
            return folder.fetch(client, wanted, progress)
        except NotThereError:
            continue
    return folder.fetch(client, last, progress)
