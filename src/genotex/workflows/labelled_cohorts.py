"""A reference of real cohorts, annotated as labels have it: linked tables, and the problems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from genotex.bench.evaluation.labels import LabelExpert, LabelledCase, claim_folder, find_raw
from genotex.cohorts import CohortOutcome, preprocess
from genotex.errors import UsageError
from genotex.layout import InputFolder, OutputFolder
from genotex.problems import TraitInfo, write_task_info

TASK_FILE = "task_info.json"


def link_labelled(
    cases: Sequence[LabelledCase],
    labels: str,
    source: Path,
    target: Path,
    cases_file: Path,
    progress: Callable[[CohortOutcome, int], None] | None = None,
) -> list[CohortOutcome]:
    """Prepare the labelled cohorts of an input folder by their labels, and list their problems.

    Parameters
    ----------
    cases, labels
        The labels, and the name of the set.
    source, target
        Input folder, and the folder of the reference: new, empty, or made from the same labels.
        Its ``task_info.json`` lists each trait that has a usable cohort, with the conditions Age
        and Gender where one records them, and no related genes.
    cases_file
        The file of the cases, for the record.
    progress
        Called with each outcome and the number of cohorts of its trait.

    Raises
    ------
    UsageError
        If none of the cohorts is in the input, or the folder contains something else.
    """
    expert = LabelExpert(cases, labels)
    found = find_raw([case for case in cases if labels in case.labels], InputFolder(source))
    if not found:
        msg = f"none of the cohorts labelled by {labels!r} is in {source}/GEO"
        raise UsageError(msg)
    claim_folder(target, labels, cases_file)
    cohorts: dict[str, list[str]] = {}
    for case, _ in found:
        cohorts.setdefault(case.trait, []).append(case.cohort)
    outcomes: list[CohortOutcome] = []
    tasks = {}
    for trait, names in cohorts.items():
        these = preprocess(
            source, target, traits=[trait], cohorts=names, expert=expert, progress=progress
        )
        outcomes += these
        usable = [one.info for one in these if one.info is not None and one.info.is_usable]
        told = {"Age": any(i.has_age for i in usable), "Gender": any(i.has_gender for i in usable)}
        if usable:
            tasks[trait] = TraitInfo((), tuple(name for name, there in told.items() if there))
    write_task_info(OutputFolder(target).root / TASK_FILE, tasks)
    return outcomes
