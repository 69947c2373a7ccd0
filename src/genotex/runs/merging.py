"""The cohorts that plug-ins preprocessed, problem by problem, as one output folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from genotex.formats import read_cohort_info, update_cohort_info
from genotex.layout import OutputFolder
from genotex.runs.problem_record import ProblemRecord
from genotex.runs.run_folder import RunFolder

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
    for record in records:
        own = run.own_cohorts(record.problem)
        for trait in own.traits():
            _merge(own, merged, trait)
    for trait in merged.traits():
        target = run.output.cohort_info(trait).parent
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        merged.cohort_info(trait).parent.rename(target)


def _merge(own: OutputFolder, merged: OutputFolder, trait: str) -> None:
    info = merged.cohort_info(trait)
    there = read_cohort_info(info) if info.exists() else {}
    folder = own.cohort_info(trait).parent
    for cohort, record in read_cohort_info(own.cohort_info(trait)).items():
        if cohort in there:
            continue
        update_cohort_info(info, cohort, record)
        for path in sorted(folder.rglob("*")):
            if path.is_file() and _is_of(path, cohort):
                _link(path, info.parent / path.relative_to(folder))


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
