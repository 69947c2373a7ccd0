"""The work on a notebook whose calls, cells and offers are in its journal, whoever does it."""

from __future__ import annotations

from collections.abc import Callable

from genotex.agents.models import Model
from genotex.agents.notebook import Event, NotebookWork
from genotex.agents.script import ScriptWork
from genotex.agents.switches import Agent, Switches
from genotex.agents.task import Task
from genotex.agents.team.notebook_journal import NotebookJournal
from genotex.agents.team.recorded_files import RecordedFiles
from genotex.agents.team.recorded_look import RecordedLook
from genotex.agents.team.recorded_model import RecordedModel
from genotex.agents.team.recorded_session import RecordedSession
from genotex.agents.team.recorded_shelf import RecordedShelf

__all__ = ["recorded_work"]


def recorded_work(
    agent: Agent,
    task: Task,
    switches: Switches,
    journal: NotebookJournal,
    *,
    model: Model,
    session: RecordedSession,
    shelf: RecordedShelf,
    look: Callable[[], str],
    is_recorded: Callable[[], bool],
    temperature: float | None = None,
    max_output: int | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> NotebookWork:
    """Return the work of an agent that writes code.

    Parameters
    ----------
    agent : str
        ``team`` or ``codeact``.
    task, switches, journal : Task, Switches, NotebookJournal
    model : Model
        Who answers what is not in the journal.
    session, shelf : RecordedSession, RecordedShelf
        With the same journal.
    look : callable
        Returns the files of the task as text.
    is_recorded : callable
        Tells whether the notebook has recorded anything.
    temperature, max_output, on_event
        As of `NotebookWork`.
    """
    recorded = RecordedModel(model, journal)
    if agent == "codeact":
        return ScriptWork(
            task,
            switches,
            recorded,
            session,
            RecordedFiles(look, journal),
            temperature=temperature,
            max_output=max_output,
            on_event=on_event,
        )
    return NotebookWork(
        task,
        switches,
        recorded,
        session,
        shelf,
        temperature=temperature,
        max_output=max_output,
        is_recorded=RecordedLook(is_recorded, session, journal),
        on_event=on_event,
    )
