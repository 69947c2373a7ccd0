"""What a task may read, as text, in the journal: told again it is what was shown."""

from __future__ import annotations

from collections.abc import Callable

from genotex.agents.team.notebook_journal import NotebookJournal, text_digest

__all__ = ["RecordedFiles"]


class RecordedFiles:
    """Shows what the journal says; beyond it looks at the files, and writes that down.

    Parameters
    ----------
    look : callable
        Returns the files of the task as text.
    journal : NotebookJournal
    """

    def __init__(self, look: Callable[[], str], journal: NotebookJournal) -> None:
        self._look = look
        self._journal = journal
        self._shown: str | None = None

    def __call__(self) -> str:
        """Return the files as text, the same for all of a notebook."""
        if self._shown is None:
            digest = text_digest("files")
            entry = self._journal.recall("files", digest)
            if entry is None:
                self._shown = self._look()
                self._journal.add("files", digest, {"text": self._shown}, paid=False)
            else:
                self._shown = str(entry["text"])
        return self._shown
