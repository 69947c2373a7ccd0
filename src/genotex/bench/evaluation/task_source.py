"""Which problems dataset selection is scored on, and where their list comes from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from genotex.bench.evaluation.folder_items import answered_problems, described_traits
from genotex.bench.problems import Problem, ProblemKind, TaskInfo
from genotex.layout import OutputFolder

__all__ = ["PosedProblems", "is_decidable", "load_tasks", "pose_problems"]

PUBLISHED_PLACE = Path("metadata") / "task_info.json"


@dataclass(frozen=True)
class PosedProblems:
    """The problems whose cohorts the reference knows.

    Attributes
    ----------
    problems : tuple of Problem
    notes : tuple of str
        How many could not be posed, and why.
    """

    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


def load_tasks(given: Path | None, reference: OutputFolder) -> tuple[TaskInfo | None, str]:
    """Read the task list, with a note when it was not asked for by name.

    Without a given file it is ``metadata/task_info.json`` beside the reference folder or in the
    working folder, as in the published layout, or none.

    Raises
    ------
    FormatError
        If the file cannot be read.
    """
    if given is not None:
        return TaskInfo.load(given), ""
    for folder in (reference.root.absolute().parent, Path()):
        path = folder / PUBLISHED_PLACE
        if path.is_file():
            return TaskInfo.load(path), f"problems and related genes are those of {path}"
    return None, ""


def pose_problems(reference: OutputFolder, tasks: TaskInfo | None) -> PosedProblems:
    """Return the problems that dataset selection can be asked.

    Those of the task list; without one, those that the reference answers; without answers, each
    trait alone. The reference must have the ``cohort_info.json`` of the trait and, where the
    condition is another trait, of the condition. A condition that is another trait also needs the
    related genes of both, so the task list.

    Raises
    ------
    UsageError
        If a file or folder of the reference is not named as the benchmark names them.
    """
    described = described_traits(reference)
    if tasks is not None:
        asked = list(tasks.problems())
    else:
        asked = answered_problems(reference) or [Problem(trait) for trait in described]
    with_cohorts = [p for p in asked if set(p.traits) <= set(described)]
    posed = [p for p in with_cohorts if is_decidable(p, tasks)]
    notes = []
    if unknown := len(asked) - len(with_cohorts):
        notes.append(
            f"selection: {_problems(unknown)} of {len(asked):,} not posed, because the reference "
            "has no cohort_info.json of the trait or of the condition"
        )
    if undecided := len(with_cohorts) - len(posed):
        why = (
            "whose related genes nothing tells; give --task-info"
            if tasks is None
            else f"that {tasks.path} does not know"
        )
        notes.append(
            f"selection: {_problems(undecided)} left out with another trait as condition {why}"
        )
    return PosedProblems(tuple(posed), tuple(notes))


def is_decidable(problem: Problem, tasks: TaskInfo | None) -> bool:
    """Tell whether the related genes are known that a pair of cohorts is chosen by."""
    if problem.kind is not ProblemKind.TWO_STEP:
        return True
    return tasks is not None and set(problem.traits) <= set(tasks.traits)


def _problems(count: int) -> str:
    return f"{count:,} problem{'' if count == 1 else 's'}"
