"""The cohorts that plug-ins preprocessed, problem by problem, as one output folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from genotex.bench.runs.problem_record import ProblemRecord
from genotex.bench.runs.run_folder import RunFolder
from genotex.formats import CohortInfo, read_cohort_info, write_cohort_info
from genotex.layout import OutputFolder

__all__ = ["merge_cohorts"]


def merge_cohorts(run: RunFolder, records: Sequence[ProblemRecord]) -> None:
    """Put the cohorts of all problems into the output folder.

    Where several problems bring the same cohort of a trait, that of the first problem in the run's
    list counts, whichever was solved first.

    Parameters
    ----------
    run : RunFolder
        It has a folder for work.
    records : sequence of ProblemRecord
        In the order of the run's list.
    """
    merged = OutputFolder(run.work / "merged")
    folders = [run.own_cohorts(record.problem) for record in records]
    for trait in sorted({trait for folder in folders for trait in folder.traits()}):
        _merge(folders, merged, trait)
        target = run.output.cohort_info(trait).parent
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        merged.cohort_info(trait).parent.rename(target)


def _merge(folders: Sequence[OutputFolder], merged: OutputFolder, trait: str) -> None:
    together: dict[str, CohortInfo] = {}
    target = merged.cohort_info(trait)
    for own in folders:
        info = own.cohort_info(trait)
        if not info.exists():
            continue
        new = {c: record for c, record in read_cohort_info(info).items() if c not in together}
        for path in sorted(info.parent.rglob("*")):
            if path.is_file() and any(_is_of(path, cohort) for cohort in new):
                _link(path, target.parent / path.relative_to(info.parent))
        together |= new
    write_cohort_info(target, together)


def _is_of(path: Path, cohort: str) -> bool:
    """Tell whether a file is one of a cohort: its table, or a file beside of the same name."""
    return path.name.startswith(f"{cohort}.") and "." not in path.name.removeprefix(
        f"{cohort}."
    ).removesuffix(".json")


def _link(source: Path, target: Path) -> None:
    """Give a file a second name, or a copy where the file system has no such names."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
