"""Scores of dataset filtering and selection (GenoTEX paper, section 3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from genotex.bench.evaluation.folder_items import ScoredFolder, one_name, read_or_why
from genotex.bench.evaluation.gene_metrics import overlap
from genotex.bench.evaluation.options import CohortFlag
from genotex.bench.evaluation.scores import FilteringScore, Missing, SelectionScore
from genotex.bench.problems import Problem, ProblemKind, TaskInfo, choose_cohort, choose_pair
from genotex.errors import FormatError, NoUsableCohortError
from genotex.formats import CohortInfo, read_cohort_info, read_linked_header
from genotex.layout import OutputFolder
from genotex.options import RegressorRule


def score_filtering(
    prediction: OutputFolder, reference: OutputFolder, trait: str, field: CohortFlag
) -> tuple[FilteringScore, Missing | None]:
    """Score the cohorts of one trait."""
    wanted = read_cohort_info(reference.cohort_info(trait))
    found = read_or_why(prediction.cohort_info(trait), read_cohort_info)
    if isinstance(found, str):
        return FilteringScore(trait, 0.0, 0.0, 0.0, 0.0), Missing("filtering", trait, found)
    return _compare_filtering(trait, found, wanted, field), None


def _compare_filtering(
    trait: str,
    predicted: Mapping[str, CohortInfo],
    reference: Mapping[str, CohortInfo],
    field: CohortFlag,
) -> FilteringScore:
    """Compare a flag over the cohorts of both sides; an unlisted cohort does not have it.

    No cohort with the flag on either side: precision, recall and F1 are 100.
    """
    found, wanted = _with(predicted, field), _with(reference, field)
    cohorts = {one_name(name) for name in (*predicted, *reference)}
    agreed = len(cohorts) - len(found ^ wanted)
    both = overlap(found, wanted)
    accuracy = 100 * agreed / len(cohorts) if cohorts else 100.0
    return FilteringScore(trait, both.precision, both.recall, both.f1, accuracy)


def _with(cohorts: Mapping[str, CohortInfo], field: CohortFlag) -> set[str]:
    return {one_name(name) for name, info in cohorts.items() if getattr(info, field)}


class CohortChooser:
    """Chooses cohorts in one output folder; each header line is read once."""

    def __init__(self, folder: ScoredFolder, tasks: TaskInfo | None, rule: RegressorRule) -> None:
        self.folder = folder
        self._tasks = tasks
        self._rule: RegressorRule = rule
        # Only these of 20,000 columns matter; hundreds of whole headers would fill the memory.
        traits = () if tasks is None else tasks.traits.values()
        self._related = {gene for info in traits for gene in info.related_genes}
        self._headers: dict[Path, list[str] | FormatError] = {}
        self._chosen: dict[Problem, tuple[str, ...] | None] = {}

    def choose(self, problem: Problem) -> tuple[str, ...] | None:
        """Return the cohort of a problem, or the cohorts of trait and condition; None for none."""
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
    """Score one problem: 100 if both folders choose alike, also if neither has a cohort to choose.

    Without a predicted ``cohort_info.json`` that can be read there is no choice, and the score
    is 0.
    """
    wanted = reference.choose(problem)
    why = _unread(prediction.folder, problem)
    if why is not None:
        score = SelectionScore(problem.trait, problem.condition, 0.0)
        return score, Missing("selection", str(problem), why)
    same = _by_one_name(prediction.choose(problem)) == _by_one_name(wanted)
    return SelectionScore(problem.trait, problem.condition, 100.0 if same else 0.0), None


def _unread(folder: ScoredFolder, problem: Problem) -> str | None:
    """Return why a needed cohort_info.json cannot be read."""
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
