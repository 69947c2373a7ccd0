"""The score of one assignment, by the functions of ``genotex evaluate``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genotex.bench.adapters.assignments import AgentTask, Assignment, BenchmarkFolders
from genotex.bench.evaluation.analysis_task import AnsweredTrait, score_answers
from genotex.bench.evaluation.figures import TABLES, Section
from genotex.bench.evaluation.folder_items import ScoredFolder
from genotex.bench.evaluation.options import DEFAULT_TABLES
from genotex.bench.evaluation.preprocessing import score_table, wanted_tables
from genotex.bench.evaluation.scores import FIGURES, Missing
from genotex.bench.evaluation.selection import CohortChooser, score_filtering, score_selection
from genotex.options import RegressorRule

_SECTIONS: Mapping[AgentTask, tuple[Section, ...]] = {
    "gta": ("analysis",),
    "analyse": ("analysis",),
    "preprocess": TABLES,
    "select": ("selection", "filtering"),
}

HEADLINES: Mapping[AgentTask, str] = {
    "gta": "f1",
    "analyse": "f1",
    "preprocess": "linked_csc",
    "select": "selection_accuracy",
}
"""The figure by which a task is summarised."""

_RULE: RegressorRule = "exclusive"


@dataclass(frozen=True)
class AssignmentScore:
    """The figures of one assignment."""

    # by `figure_names`; None where undefined, which is left out of averages
    figures: Mapping[str, float | None]
    missing: tuple[Missing, ...]  # what scored 0 because it is missing or cannot be read


def figure_names(task: AgentTask) -> dict[str, tuple[Section, str]]:
    """Return the figures of a task by name: section and key in the scores of an evaluation.

    Those of statistical analysis have their own names; others begin with the section.
    """
    return {
        figure.key if section == "analysis" else f"{section}_{figure.key}": (section, figure.key)
        for section in _SECTIONS[task]
        for figure in FIGURES[section]
    }


def score_assignment(
    assignment: Assignment, output: Path, folders: BenchmarkFolders
) -> AssignmentScore:
    """Score what an agent wrote for one assignment.

    The averages over all assignments of a task are those of ``genotex evaluate`` with the same
    files, where undefined figures are left out. Dataset filtering is about a trait, so it is scored
    with the problem of the trait alone.

    Parameters
    ----------
    assignment
        What was asked for.
    output
        The output folder that the agent wrote.
    folders
        The benchmark.

    Raises
    ------
    FormatError
        If a file of the reference cannot be read.
    """
    scored = _scored(assignment, ScoredFolder(output), folders)
    items = {section: item for section, item, _ in scored}
    figures = {
        name: _number(items.get(section), key)
        for name, (section, key) in figure_names(assignment.task).items()
    }
    missing = dict.fromkeys(why for _, _, why in scored if why is not None)
    return AssignmentScore(figures, tuple(missing))


_Scored = tuple[Section, Any, Missing | None]


def _scored(
    assignment: Assignment, output: ScoredFolder, folders: BenchmarkFolders
) -> list[_Scored]:
    if assignment.task == "preprocess":
        return _score_tables(assignment, output, folders)
    if assignment.task == "select":
        return _score_choice(assignment, output, folders)
    asked = AnsweredTrait(folders.reference.root, ((assignment.problem, None),), "default")
    [[(item, why)]] = score_answers([output], asked)
    return [("analysis", item, why)]


def _score_tables(
    assignment: Assignment, output: ScoredFolder, folders: BenchmarkFolders
) -> list[_Scored]:
    scored: list[_Scored] = []
    for wanted in wanted_tables(folders.reference, DEFAULT_TABLES, repair=False):
        if (wanted.trait, wanted.cohort) == (assignment.problem.trait, assignment.cohort):
            [result] = score_table([output], wanted)
            scored.append((result.kind, result.score, result.missing))
    return scored


def _score_choice(
    assignment: Assignment, output: ScoredFolder, folders: BenchmarkFolders
) -> list[_Scored]:
    problem, reference = assignment.problem, folders.reference
    written = CohortChooser(output, folders.tasks, _RULE)
    choice, why = score_selection(written, CohortChooser(reference, folders.tasks, _RULE), problem)
    scored: list[_Scored] = [("selection", choice, why)]
    if problem.condition is None:
        filtering, why = score_filtering(output, reference, problem.trait, "is_available")
        scored.append(("filtering", filtering, why))
    return scored


def _number(item: Any, key: str) -> float | None:
    value = None if item is None else getattr(item, key)
    return None if value is None or not math.isfinite(value) else float(value)
