"""Whether a notebook has recorded something: looked up once, then told from its journal."""

from __future__ import annotations

from collections.abc import Callable

from genotex.agents.team.notebook_journal import NotebookJournal, text_digest
from genotex.agents.team.recorded_session import RecordedSession

__all__ = ["RecordedLook"]


class RecordedLook:
    """Tells what the journal says; beyond it looks, and writes down what it saw.

    Parameters
    ----------
    look : callable
        Looks at what the session wrote.
    session : RecordedSession
        Brought into the present state before.
    journal : NotebookJournal
    """

    def __init__(
        self, look: Callable[[], bool], session: RecordedSession, journal: NotebookJournal
    ) -> None:
        self._look = look
        self._session = session
        self._journal = journal

    def __call__(self) -> bool:
        """Tell whether it is recorded."""
        digest = text_digest()
        entry = self._journal.recall("look", digest)
        if entry is not None:
            return bool(entry["recorded"])
        self._session.settle()
        recorded = self._look()
        self._journal.add("look", digest, {"recorded": recorded}, paid=False)
        return recorded
