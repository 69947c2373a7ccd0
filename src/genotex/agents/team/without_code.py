"""Cohorts and problems without code: models answer with data, the rest is done here."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from genotex.agents.manager import WRITTEN
from genotex.agents.models import RoleModels, UsageLedger
from genotex.agents.tally import TalliedModel
from genotex.agents.task import Task
from genotex.agents.team.notebook_journal import NotebookJournal
from genotex.agents.team.notebook_record import NotebookRecord, State
from genotex.agents.team.one_notebook import Bench, book_calls, taken
from genotex.agents.team.recorded_model import RecordedModel, RoutedModel
from genotex.bench.runs.problem_record import ErrorClass
from genotex.errors import BadAnswerError, FormatError, RefusedError
from genotex.journal import open_journal

__all__ = ["do_without_code"]


def do_without_code(
    task: Task, bench: Bench, do: Callable[[Task, Path, RoleModels], None]
) -> NotebookRecord:
    """Have a cohort or a problem done, and take what was written.

    Parameters
    ----------
    task : Task
    bench : Bench
    do : callable
        Is given the task, where to write, and the models.

    Raises
    ------
    ModelError
        If a model cannot be asked.
    BudgetReachedError
        If a limit of the run is reached.
    """
    record = NotebookRecord(task, State.FAILED)
    written = bench.folder.work_of(task) / WRITTEN
    written.mkdir(parents=True)
    with open_journal(bench.folder.notebook_journal(task)) as lines:
        journal = NotebookJournal(lines)
        model = TalliedModel(RecordedModel(RoutedModel(bench.router), journal), record.tally)
        models = RoleModels(model, temperature=bench.temperature, max_output=bench.max_output)
        start = time.monotonic()
        try:
            do(task, written, models)
            record = taken(record, written, bench)
        except (BadAnswerError, RefusedError) as error:
            record = replace(record, why=str(error), error_class=ErrorClass.NO_ANSWER)
        except FormatError as error:
            record = replace(record, why=str(error), error_class=ErrorClass.FORMAT)
        finally:
            shutil.rmtree(written.parent, ignore_errors=True)
        record.tally.cell_seconds = time.monotonic() - start - record.tally.model_seconds
        usage = UsageLedger(bench.prices)
        book_calls(journal.entries, usage)
        return replace(record, usage=usage.to_json())
