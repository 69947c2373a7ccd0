"""Series annotated before they are spread over processes: only this process asks a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from genotex.clinical import ClinicalAnnotation, SeriesDescription
from genotex.cohorts.geo.cohort import describe_raw, given_by_person, rows_need_mapping
from genotex.cohorts.geo.files import read_raw_series
from genotex.cohorts.prepared import PreprocessOptions
from genotex.cohorts.tasks import CohortTask
from genotex.errors import BudgetReachedError, FormatError, GenotexError
from genotex.genes import GeneTable

if TYPE_CHECKING:
    from genotex.clinical import AskingExpert

_Name = tuple[str, str]
"""Cohort and trait."""


@dataclass(frozen=True)
class AnnotatedAhead:
    """Gives annotations that were made before, in any process (see `clinical.Expert`)."""

    found: Mapping[_Name, ClinicalAnnotation]
    failed: Mapping[_Name, str]  # Why there is none
    stopped: frozenset[_Name] = frozenset()  # Of these: because a limit was reached

    def annotate(self, description: SeriesDescription, trait: str) -> ClinicalAnnotation:
        """Return the annotation; raises GenotexError where there is none."""
        name = (description.cohort, trait)
        if name in self.found:
            return self.found[name]
        text = self.failed.get(name, f"{description.cohort} was not annotated")
        raise BudgetReachedError(text) if name in self.stopped else GenotexError(text)


def annotate_ahead(
    tasks: Sequence[CohortTask],
    expert: AskingExpert,
    options: PreprocessOptions,
    progress: Callable[[str, int, int], None] | None = None,
) -> AnnotatedAhead:
    """Annotate the series that no person has annotated, some at the same time.

    `progress`: called with the cohort, its number and how many there are.
    """
    table = GeneTable.load(options.gene_table)
    wanted = [task for task in tasks if task.geo is not None]
    found: dict[_Name, ClinicalAnnotation] = {}
    failed: dict[_Name, str] = {}
    stopped: set[_Name] = set()
    with ThreadPoolExecutor(expert.at_once) as pool:
        ask = partial(_annotate, expert, options, table)
        for number, (task, outcome) in enumerate(
            zip(wanted, pool.map(ask, wanted), strict=True), start=1
        ):
            name = (task.cohort, task.trait)
            if isinstance(outcome, GenotexError):
                failed[name] = str(outcome)
                stopped |= {name} if isinstance(outcome, BudgetReachedError) else set()
            elif outcome is not None:
                found[name] = outcome
            if progress is not None:
                progress(task.cohort, number, len(wanted))
    return AnnotatedAhead(found, failed, frozenset(stopped))


def _annotate(
    expert: AskingExpert, options: PreprocessOptions, table: GeneTable, task: CohortTask
) -> ClinicalAnnotation | GenotexError | None:
    """Return the annotation, why there is none, or None where a person gave it."""
    assert task.geo is not None
    try:
        raw = read_raw_series(
            task.geo,
            needs_mapping=lambda series: rows_need_mapping(series, table),
            numbers=False,
            platforms=options.series_platform,
        )
        description = describe_raw(task.geo, raw)
        if given_by_person(description, options):
            return None
        return expert.annotate(description, task.geo.trait)
    except FormatError:
        # Reported with the cohort, when it is its turn.
        return None
    except GenotexError as error:
        return error
