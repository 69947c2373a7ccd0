"""Cohorts and problems of the structured agent: answers as data, the rest by the direct road."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import replace
from pathlib import Path

from genotex.agents.structured import ModelExpert
from genotex.agents.tally import TalliedModel
from genotex.agents.task import Task
from genotex.analysis import AnalysisOptions, solve_problem, write_result
from genotex.clinical import rule_expert
from genotex.cohorts import PreprocessOptions, choose_folder
from genotex.cohorts.preprocess import CohortTask, preprocess_cohort
from genotex.errors import BadAnswerError, FormatError, GenotexError, RefusedError
from genotex.formats import CohortInfo, update_cohort_info
from genotex.formats.journal import open_journal
from genotex.layout import OutputFolder, geo_cohort_files, tcga_cohort_files
from genotex.models import RoleModels, UsageLedger
from genotex.runs.problem_record import classify
from genotex.runs.team.notebook_journal import NotebookJournal
from genotex.runs.team.notebook_record import NotebookRecord, State
from genotex.runs.team.one_notebook import Bench, book_calls, taken
from genotex.runs.team.recorded_model import RecordedModel, RoutedModel

__all__ = ["do_structured"]


def do_structured(task: Task, bench: Bench) -> NotebookRecord:
    """Prepare a cohort, or answer a problem, and take what was written.

    Raises
    ------
    ModelError
        If a model cannot be asked.
    BudgetReachedError
        If a limit of the run is reached.
    """
    record = NotebookRecord(task, State.FAILED)
    written = bench.folder.work_of(task)
    written.mkdir(parents=True)
    with open_journal(bench.folder.notebook_journal(task)) as lines:
        journal = NotebookJournal(lines)
        model = TalliedModel(RecordedModel(RoutedModel(bench.router), journal), record.tally)
        models = RoleModels(model, temperature=bench.temperature, max_output=bench.max_output)
        start = time.monotonic()
        try:
            if task.kind == "statistics":
                _solve(task, written)
            else:
                _prepare(task, written, models)
            record = taken(record, written, bench)
        except (BadAnswerError, RefusedError, FormatError) as error:
            record = _failed(record, error)
        finally:
            shutil.rmtree(written, ignore_errors=True)
        record.tally.cell_seconds = time.monotonic() - start - record.tally.model_seconds
        usage = UsageLedger(bench.prices)
        book_calls(journal.entries, usage)
        return replace(record, usage=usage.to_json())


def _failed(record: NotebookRecord, error: GenotexError) -> NotebookRecord:
    return replace(record, why=str(error), error_class=classify(error))


def _prepare(task: Task, written: Path, models: RoleModels) -> None:
    options = PreprocessOptions(procedure=task.procedure)
    output = OutputFolder(written)
    expert = ModelExpert(models, task) if task.kind == "geo" else rule_expert(task.procedure)
    evidence, _ = preprocess_cohort(_cohort(task), output, options, expert)
    update_cohort_info(output.cohort_info(task.trait), task.cohort, CohortInfo(**evidence.info))


def _cohort(task: Task) -> CohortTask:
    if task.kind == "geo":
        files = replace(geo_cohort_files(task.trait, task.input_folder), cohort=task.cohort)
        return CohortTask(task.trait, task.cohort, geo=files)
    folders = sorted(path for path in task.input_folder.iterdir() if path.is_dir())
    choice = choose_folder(task.trait, [tcga_cohort_files(path) for path in folders])
    return CohortTask(task.trait, task.cohort, tcga=choice.folder, why=choice.reason)


def _solve(task: Task, written: Path) -> None:
    options = AnalysisOptions(procedure=task.procedure)
    tasks = task.read_task_info()
    result = solve_problem(
        OutputFolder(task.input_folder),
        task.problem,
        options,
        tasks,
        threads=os.cpu_count() or 1,
    )
    write_result(OutputFolder(written), result)
