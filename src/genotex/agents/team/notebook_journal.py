"""The journal of one notebook: what was asked and run, in order, and told again on resuming."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from genotex.errors import FormatError, UsageError
from genotex.journal import Entry, Journal

__all__ = ["NotebookJournal", "text_digest"]


def text_digest(*texts: str) -> str:
    """Return the SHA-256 of some texts in order."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(f"{len(text)}:".encode())
        digest.update(text.encode(errors="surrogatepass"))
    return digest.hexdigest()


class NotebookJournal:
    """Tells again what stands in a journal, then goes on with it.

    The work on a notebook depends on nothing but the answers of models and what cells came to, so
    that the same answers lead through the same questions. What differs was not made by this
    program, or not from these settings.

    Parameters
    ----------
    journal : Journal or list of dict
        A journal to go on with, or the entries of one that is only told again.

    Attributes
    ----------
    entries : list of dict
        All that stands there.
    """

    def __init__(self, journal: Journal | list[Entry]) -> None:
        self._journal = journal if isinstance(journal, Journal) else None
        self.entries = journal.entries if isinstance(journal, Journal) else journal
        self._told = 0

    def recall(self, kind: str, digest: str) -> Entry | None:
        """Return what came of this the first time; None where it is new.

        Parameters
        ----------
        kind : str
            ``call``, ``cell``, ``offer``, ``files`` or ``look``.
        digest : str
            Of what is asked or run.

        Raises
        ------
        FormatError
            If something else stands there.
        """
        if self._told == len(self.entries):
            return None
        entry = self.entries[self._told]
        if (entry["kind"], entry["digest"]) != (kind, digest):
            msg = (
                f"entry {self._told + 1} of the notebook's journal is another {entry['kind']} than "
                f"the {kind} that this version of genotex comes to"
            )
            hint = "do the notebook anew with --retry"
            raise FormatError(msg, hint=hint)
        self._told += 1
        return entry

    def add(self, kind: str, digest: str, content: Mapping[str, Any], *, paid: bool) -> None:
        """Write down what came of something.

        Parameters
        ----------
        kind, digest : str
            See `recall`.
        content : mapping
        paid : bool
            Whether it was, so that it is on the disk when this returns; what was not may be done
            again after a power cut.
        """
        if self._journal is None:
            msg = "this journal is only told again, nothing is added to it"
            raise UsageError(msg)
        self._journal.add({"kind": kind, "digest": digest, **content}, at_once=paid)
        self._told += 1
