"""From the folder that a session wrote into the output folder, after a look at every file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from genotex.agents.audit import look_at_answer, look_at_cohort
from genotex.agents.task import Task
from genotex.bench.problems import Problem
from genotex.bench.runs.outputs import MOST_BYTES, check_answer, check_cohorts, place, take_answer
from genotex.bench.runs.problem_record import ErrorClass
from genotex.bench.runs.run_folder import RunFolder
from genotex.errors import FormatError, MethodFailedError
from genotex.formats import CohortInfo, read_cohort_info, update_cohort_info
from genotex.layout import OutputFolder

__all__ = ["Taken", "take"]


@dataclass(frozen=True)
class Taken:
    """What was taken.

    Attributes
    ----------
    files : mapping of str to str
        SHA-256 of each file, by its path in the run's folder.
    facts : mapping
        Of a cohort ``usable``; of a problem ``genes`` and ``cohort``.
    doubts : tuple of str
        What speaks against it (see `looking`).
    """

    files: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()


def take(task: Task, written: Path, run: RunFolder, *, by_code: bool = True) -> Taken:
    """Take what a notebook has written into the output folder, in place of an earlier attempt.

    Parameters
    ----------
    task : Task
    written : Path
        Where its session wrote; nothing of it runs any more.
    run : RunFolder
    by_code : bool
        Whether written code made it (see `looking`).

    Raises
    ------
    MethodFailedError
        If something is missing, or is not what it must be.
    """
    written.mkdir(exist_ok=True)
    if task.kind == "statistics":
        cohort = check_answer(written, task.problem).cohort
        doubts = look_at_answer(task, written, cohort, by_code=by_code)
        answer, files = take_answer(written, run, task.problem)
        return Taken(files, {"genes": answer.genes, "cohort": answer.cohort}, doubts)
    info = _record(task, written)
    doubts = look_at_cohort(task, written, info, by_code=by_code)
    for path in _files_of(task, run.output):
        path.unlink(missing_ok=True)
    here = OutputFolder(written)
    pairs = zip(_files_of(task, here), _files_of(task, run.output), strict=True)
    files = {
        run.relative(target): place(source, target) for source, target in pairs if source.is_file()
    }
    # The record comes last: without it there is no cohort.
    update_cohort_info(run.output.cohort_info(task.trait), task.cohort, info)
    return Taken(files, {"usable": info.is_usable}, doubts)


def _record(task: Task, written: Path) -> CohortInfo:
    """Return the cohort's record, once all that was written is found to be in order."""
    path = OutputFolder(written).cohort_info(task.trait)
    if not path.is_file():
        raise MethodFailedError(ErrorClass.NO_ANSWER, _unrecorded(task))
    if path.stat().st_size > MOST_BYTES:
        msg = f"cohort_info.json has {path.stat().st_size} bytes; at most {MOST_BYTES} are read"
        raise MethodFailedError(ErrorClass.BAD_OUTPUT, msg)
    check_cohorts(written, Problem(task.trait))
    try:
        records = read_cohort_info(path)
    except FormatError as error:
        raise MethodFailedError(ErrorClass.BAD_OUTPUT, str(error)) from error
    if task.cohort not in records:
        raise MethodFailedError(ErrorClass.NO_ANSWER, _unrecorded(task))
    if strangers := sorted(set(records) - {task.cohort}):
        msg = f"the notebook recorded {', '.join(strangers)}; it is about {task.cohort} alone"
        raise MethodFailedError(ErrorClass.BAD_OUTPUT, msg)
    info = records[task.cohort]
    if info.is_usable and not OutputFolder(written).linked_csv(task.trait, task.cohort).is_file():
        msg = f"{task.cohort} is recorded as usable, but its linked table is missing"
        raise MethodFailedError(ErrorClass.BAD_OUTPUT, msg)
    return info


def _unrecorded(task: Task) -> str:
    return f"the notebook ended without recording {task.cohort} in cohort_info.json"


def _files_of(task: Task, output: OutputFolder) -> Iterator[Path]:
    """Yield every file that a cohort may have, in the order in which they are placed."""
    parquet = output.linked_parquet(task.trait, task.cohort)
    yield output.clinical_csv(task.trait, task.cohort)
    yield output.gene_csv(task.trait, task.cohort)
    yield parquet.with_name(f"{parquet.name}.json")
    yield parquet
    yield output.linked_csv(task.trait, task.cohort)
    yield output.evidence(task.trait, task.cohort)
