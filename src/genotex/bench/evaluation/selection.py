"""Scores of dataset filtering and selection (GenoTEX paper, section 3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from genotex.bench.evaluation.folder_items import (
    MISSING,
    ScoredFolder,
    one_name,
    read_or_why,
    read_reference,
)
from genotex.bench.evaluation.gene_metrics import overlap
from genotex.bench.evaluation.options import OURS, CohortFlag, ScoringRules
from genotex.bench.evaluation.scores import FilteringScore, Missing, SelectionScore
from genotex.errors import FormatError, NoUsableCohortError
from genotex.formats import CohortInfo, read_cohort_info, read_linked_header
from genotex.layout import OutputFolder
from genotex.options import RegressorRule
from genotex.problems import Problem, ProblemKind, TaskInfo, choose_cohort, choose_pair


def score_filtering(
    prediction: OutputFolder,
    reference: OutputFolder,
    trait: str,
    field: CohortFlag,
    rules: ScoringRules = OURS,
) -> tuple[FilteringScore | None, Missing | None]:
    """Score the cohorts of one trait; None where the rules leave out what cannot be read."""
    wanted = read_reference(reference.cohort_info(trait), read_cohort_info, rules)
    if isinstance(wanted, str):
        return None, Missing("filtering", trait, f"reference: {wanted}")
    found = read_or_why(prediction.cohort_info(trait), read_cohort_info)
    if isinstance(found, str):
        if found == MISSING and rules.missing_is_unavailable:
            why = "missing; its cohorts count as not available"
            score = _compare_filtering(trait, {}, wanted, field, rules)
            return score, Missing("filtering", trait, why)
        missing = Missing("filtering", trait, found)
        zero = None if rules.drops_unreadable else FilteringScore(trait, 0.0, 0.0, 0.0, 0.0)
        return zero, missing
    return _compare_filtering(trait, found, wanted, field, rules), None


def _compare_filtering(
    trait: str,
    predicted: Mapping[str, CohortInfo],
    reference: Mapping[str, CohortInfo],
    field: CohortFlag,
    rules: ScoringRules,
) -> FilteringScore:
    """Compare a flag over the cohorts of both sides; an unlisted cohort does not have it."""
    found, wanted = _with(predicted, field), _with(reference, field)
    cohorts = {one_name(name) for name in (*predicted, *reference)}
    agreed = len(cohorts) - len(found ^ wanted)
    accuracy = 100 * agreed / len(cohorts) if cohorts else rules.nothing_available
    if not found and not wanted:
        return FilteringScore(trait, *(rules.nothing_available,) * 3, accuracy)
    both = overlap(found, wanted)
    return FilteringScore(trait, both.precision, both.recall, both.f1, accuracy)


def _with(cohorts: Mapping[str, CohortInfo], field: CohortFlag) -> set[str]:
    return {one_name(name) for name, info in cohorts.items() if getattr(info, field)}


class CohortChooser:
    """Chooses cohorts in one output folder; each header line is read once."""

    def __init__(
        self,
        folder: ScoredFolder,
        tasks: TaskInfo | None,
        rule: RegressorRule,
        rules: ScoringRules = OURS,
    ) -> None:
        self.folder = folder
        self.rules = rules
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
            chosen = self._choose(problem)
            # Cohorts of unknown size come last, so that no other fits where one of them is chosen.
            unknown = chosen is not None and self._lacks_size(problem, chosen)
            self._chosen[problem] = None if unknown else chosen
        return self._chosen[problem]

    def _lacks_size(self, problem: Problem, chosen: tuple[str, ...]) -> bool:
        return self.rules.drops_null_sizes and any(
            read_cohort_info(self.folder.cohort_info(trait))[cohort].sample_size is None
            for trait, cohort in zip(problem.traits, chosen, strict=True)
        )

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
) -> tuple[SelectionScore | None, Missing | None]:
    """Score one problem: 100 if both folders choose alike, also if neither has a cohort to choose.

    Without a predicted ``cohort_info.json`` that can be read there is no choice, and the score
    is 0; by the rules of the published scorer such a problem is left out, and a missing file lists
    no cohort.
    """
    rules = prediction.rules
    if rules.drops_unreadable and (why := _unread(reference.folder, problem, rules)):
        return None, Missing("selection", str(problem), f"reference: {why}")
    wanted = reference.choose(problem)
    why = _unread(prediction.folder, problem, rules)
    if why is not None:
        if rules.drops_unreadable:
            return None, Missing("selection", str(problem), why)
        score = SelectionScore(problem.trait, problem.condition, 0.0)
        return score, Missing("selection", str(problem), why)
    same = _by_one_name(prediction.choose(problem)) == _by_one_name(wanted)
    return SelectionScore(problem.trait, problem.condition, 100.0 if same else 0.0), None


def _unread(folder: ScoredFolder, problem: Problem, rules: ScoringRules) -> str | None:
    """Return why a needed cohort_info.json cannot be read."""
    for trait in problem.traits:
        found = read_or_why(folder.cohort_info(trait), read_cohort_info)
        if found == MISSING and rules.missing_is_unavailable:
            continue
        if isinstance(found, str):
            return f"cohort_info.json of {trait}: {found}"
    return None


def _by_one_name(choice: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if choice is None else tuple(one_name(cohort) for cohort in choice)
