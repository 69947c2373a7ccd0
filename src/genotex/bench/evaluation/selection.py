"""Dataset selection: which cohort, or pair, answers each problem (GenoTEX paper, section 3.3)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from genotex.bench.evaluation.folder_items import ScoredFolder, one_name
from genotex.bench.evaluation.predictions import read_or_why
from genotex.bench.evaluation.scores import Missing, SelectionScore
from genotex.bench.problems import (
    Problem,
    ProblemKind,
    RegressorRule,
    TaskInfo,
    choose_cohort,
    choose_pair,
)
from genotex.errors import FormatError, NoUsableCohortError
from genotex.formats import read_cohort_info, read_linked_header

__all__ = ["CohortChooser", "score_selection"]


class CohortChooser:
    """Chooses cohorts in one output folder; each header line is read once.

    Parameters
    ----------
    folder : ScoredFolder
        Where the cohorts lie.
    tasks : TaskInfo or None
        Related genes; needed where the condition is another trait.
    rule : {"inclusive", "exclusive"}
        Which genes a pair must share.
    """

    def __init__(self, folder: ScoredFolder, tasks: TaskInfo | None, rule: RegressorRule) -> None:
        self.folder = folder
        self._tasks = tasks
        self._rule: RegressorRule = rule
        # Of 20,000 columns only these decide; hundreds of whole headers would fill the memory.
        traits = () if tasks is None else tasks.traits.values()
        self._related = {gene for info in traits for gene in info.related_genes}
        self._headers: dict[Path, list[str] | FormatError] = {}
        self._chosen: dict[Problem, tuple[str, ...] | None] = {}

    def choose(self, problem: Problem) -> tuple[str, ...] | None:
        """Return the cohort of a problem, or the cohorts of trait and condition; None for none.

        Raises
        ------
        FormatError
            If a ``cohort_info.json`` cannot be read.
        UsageError
            If the condition is another trait that the task list lacks.
        """
        if problem not in self._chosen:
            self._chosen[problem] = self._choose(problem)
        return self._chosen[problem]

    def _choose(self, problem: Problem) -> tuple[str, ...] | None:
        try:
            if problem.kind is ProblemKind.TWO_STEP and self._tasks is not None:
                pair = choose_pair(
                    self.folder, problem, self._tasks, self._rule, read_header=self._header
                )
                return pair.cohort, pair.condition_cohort
            return (choose_cohort(self.folder, problem).cohort,)
        except NoUsableCohortError:
            return None

    def _header(self, path: Path) -> list[str]:
        if path not in self._headers:
            self._headers[path] = self._read(path)
        found = self._headers[path]
        if isinstance(found, FormatError):
            raise found
        return found

    def _read(self, path: Path) -> list[str] | FormatError:
        try:
            trait, *columns = read_linked_header(path)
        except FormatError as error:
            return error
        return [trait, *(name for name in columns if name in self._related)]


def score_selection(
    prediction: CohortChooser, reference: CohortChooser, problem: Problem
) -> tuple[SelectionScore, Missing | None]:
    """Score one problem: 100 when both folders choose alike, also when both find nothing to choose.

    Without a predicted ``cohort_info.json`` that can be read there is no choice, and the score
    is 0.

    Raises
    ------
    FormatError
        If a ``cohort_info.json`` of the reference cannot be read.
    """
    wanted = reference.choose(problem)
    why = _unread(prediction.folder, problem)
    if why is not None:
        score = SelectionScore(problem.trait, problem.condition, 0.0)
        return score, Missing("selection", str(problem), why)
    same = _by_one_name(prediction.choose(problem)) == _by_one_name(wanted)
    return SelectionScore(problem.trait, problem.condition, 100.0 if same else 0.0), None


def _unread(folder: ScoredFolder, problem: Problem) -> str | None:
    """Return why a cohort_info.json that is needed cannot be had."""
    traits = [problem.trait]
    if problem.kind is ProblemKind.TWO_STEP and problem.condition is not None:
        traits.append(problem.condition)
    for trait in traits:
        found = read_or_why(folder.cohort_info(trait), read_cohort_info)
        if isinstance(found, str):
            return f"cohort_info.json of {trait}: {found}"
    return None


def _by_one_name(choice: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if choice is None else tuple(one_name(cohort) for cohort in choice)
