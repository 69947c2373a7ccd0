"""Cohorts and problems without code: models answer with data, a program does the rest."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from genotex.agents.context import TalliedModel
from genotex.agents.structured import ModelExpert, ask_without_data
from genotex.agents.task import Task
from genotex.agents.team.journal import NotebookJournal, RecordedModel
from genotex.agents.team.notebooks import RunResources, accepted, book_calls
from genotex.agents.team.plan import WRITTEN
from genotex.agents.team.records import NotebookRecord, State
from genotex.analysis import solve_problem, write_result
from genotex.bench.runs.methods.method import write_answer
from genotex.bench.runs.problem_record import ErrorClass
from genotex.clinical import rule_expert
from genotex.cohorts import PreprocessOptions, choose_folder
from genotex.cohorts.preprocess import preprocess_cohort
from genotex.cohorts.tasks import CohortTask
from genotex.errors import BadAnswerError, FormatError, RefusedError
from genotex.formats import CohortInfo, update_cohort_info
from genotex.journal import open_journal
from genotex.layout import OutputFolder, geo_cohort_files, tcga_cohort_files
from genotex.models import RoleModels, UsageLedger
from genotex.options import AnalysisOptions


def _do_without_code(
    task: Task, resources: RunResources, do: Callable[[Task, Path, RoleModels], None]
) -> NotebookRecord:
    """Have a cohort or a problem done, and take what was written."""
    record = NotebookRecord(task, State.FAILED)
    written = resources.folder.work_of(task) / WRITTEN
    written.mkdir(parents=True)
    with open_journal(resources.folder.notebook_journal(task)) as lines:
        journal = NotebookJournal(lines, resources.made_from(task))
        model = TalliedModel(RecordedModel(resources.router, journal), record.tally)
        models = RoleModels(
            model, temperature=resources.temperature, max_output=resources.max_output
        )
        start = time.monotonic()
        try:
            do(task, written, models)
            record = accepted(record, written, resources)
        except (BadAnswerError, RefusedError) as error:
            record = replace(record, why=str(error), error_class=ErrorClass.NO_ANSWER)
        except FormatError as error:
            record = replace(record, why=str(error), error_class=ErrorClass.FORMAT)
        finally:
            shutil.rmtree(written.parent, ignore_errors=True)
        record.tally.cell_seconds = time.monotonic() - start - record.tally.model_seconds
        usage = UsageLedger(resources.prices)
        book_calls(journal.entries, usage)
        return replace(record, usage=usage.to_json())


def do_structured(task: Task, resources: RunResources) -> NotebookRecord:
    """Prepare a cohort, or answer a problem (see `_do_without_code` for what it raises)."""
    return _do_without_code(task, resources, _solve if task.kind == "statistics" else _prepare)


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


def _solve(task: Task, written: Path, models: RoleModels) -> None:
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


def do_zero_shot(task: Task, resources: RunResources) -> NotebookRecord:
    """Ask for the genes of a problem, and take them (see `_do_without_code` for what it raises)."""
    return _do_without_code(task, resources, _ask)


def _ask(task: Task, written: Path, models: RoleModels) -> None:
    write_answer(OutputFolder(written), task.problem, ask_without_data(models, task))
