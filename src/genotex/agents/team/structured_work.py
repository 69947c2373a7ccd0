"""Cohorts and problems of the structured agent: answers as data, the rest by the direct road."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from genotex.agents.models import RoleModels
from genotex.agents.structured import ModelExpert
from genotex.agents.task import Task
from genotex.agents.team.notebook_record import NotebookRecord
from genotex.agents.team.one_notebook import Bench
from genotex.agents.team.without_code import do_without_code
from genotex.analysis import AnalysisOptions, solve_problem, write_result
from genotex.clinical import rule_expert
from genotex.cohorts import CohortTask, PreprocessOptions, choose_folder, preprocess_cohort
from genotex.formats import CohortInfo, update_cohort_info
from genotex.layout import OutputFolder, geo_cohort_files, tcga_cohort_files

__all__ = ["do_structured"]


def do_structured(task: Task, bench: Bench) -> NotebookRecord:
    """Prepare a cohort, or answer a problem (see `do_without_code` for what it raises)."""
    return do_without_code(task, bench, _solve if task.kind == "statistics" else _prepare)


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
