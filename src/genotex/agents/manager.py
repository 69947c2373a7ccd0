"""The Project Manager: which notebooks a problem list needs, and whether one may end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from genotex.agents.task import Task
from genotex.bench.problems import Problem
from genotex.errors import UsageError
from genotex.layout import InputFolder, OutputFolder, Procedure

__all__ = ["WRITTEN", "WorkList", "is_recorded", "work_list"]

WRITTEN = "output"
"""Folder into which every notebook writes, beside itself or in its session."""


@dataclass(frozen=True)
class WorkList:
    """The notebooks of a run.

    Attributes
    ----------
    cohorts : tuple of Task
        Every cohort of every trait, and of every condition that is a trait; in the order of the
        problems.
    problems : tuple of Task
        In the order of the problems; done after all cohorts.
    """

    cohorts: tuple[Task, ...]
    problems: tuple[Task, ...]

    @property
    def all(self) -> tuple[Task, ...]:
        """Cohorts first."""
        return self.cohorts + self.problems


def work_list(
    problems: Sequence[Problem],
    source: Path,
    prepared: Path,
    procedure: Procedure = "sound",
    task_info: Path | None = None,
) -> WorkList:
    """Return the notebooks that a list of problems needs.

    Parameters
    ----------
    problems : sequence of Problem
    source : Path
        Input folder.
    prepared : Path
        Output folder in which the prepared cohorts will lie.
    procedure : {"sound", "benchmark"}
    task_info : Path, optional
        The benchmark's task list.

    Raises
    ------
    UsageError
        If `source` is no input folder, or holds no cohort for a trait.
    """
    folder = InputFolder(source.absolute())
    traits = dict.fromkeys(trait for problem in problems for trait in problem.traits)
    cohorts = [task for trait in traits for task in _cohorts(trait, folder, procedure)]
    tasks = [Task.of_problem(each, prepared, WRITTEN, procedure, task_info) for each in problems]
    return WorkList(tuple(cohorts), tuple(tasks))


def _cohorts(trait: str, folder: InputFolder, procedure: Procedure) -> list[Task]:
    found = [
        Task(
            "geo",
            files.trait,
            folder=str(files.folder.resolve()),
            output=WRITTEN,
            procedure=procedure,
            cohort=files.cohort,
        )
        for files in folder.geo_cohorts(trait)
    ]
    if folder.tcga_folders():
        studies = str((folder.root / "TCGA").resolve())
        found.append(Task("tcga", trait, folder=studies, output=WRITTEN, procedure=procedure))
    if not found:
        msg = f"{folder.root} holds no cohort of {trait}: GEO holds {', '.join(folder.traits())}"
        raise UsageError(msg)
    return found


def is_recorded(task: Task, written: Path) -> bool:
    """Tell whether a notebook has recorded its cohort, or saved the result of its problem.

    Only whether the file is there is looked at: code that is still running may change it.

    Parameters
    ----------
    task : Task
    written : Path
        The folder `WRITTEN` of its session.
    """
    output = OutputFolder(written)
    if task.kind == "statistics":
        return output.significant_genes(task.trait, task.condition).is_file()
    return output.cohort_info(task.trait).is_file()
