"""Linking the features and genes of a cohort, and judging the linked table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from genotex.agents.task import Task
from genotex.agents.toolkit.features import ClinicalTable
from genotex.agents.toolkit.genes import Genes
from genotex.agents.toolkit.tool import NumberTable, tool
from genotex.cohorts.linking import (
    FilledCohort,
    JudgedCohort,
    LinkedCohort,
    judge_filled,
    link_features,
    treat_missing,
)
from genotex.errors import UsageError
from genotex.formats import LinkedTable


@dataclass(frozen=True, eq=False, repr=False)
class OfSamples(NumberTable):
    """A linked table, samples x (trait, Age, Gender, genes)."""

    task: Task
    table: LinkedTable

    @property
    def rows(self) -> tuple[str, ...]:
        """Sample ids."""
        return self.table.samples

    @property
    def columns(self) -> tuple[str, ...]:
        """The trait, covariates, genes."""
        return (self.table.trait, *self.table.covariates, *self.table.genes)

    @property
    def values(self) -> NDArray[np.float64]:
        """All of them as numbers."""
        table = self.table
        features = [table.trait_values, *table.covariates.values()]
        return np.column_stack([*features, table.expression])

    @property
    def size(self) -> str:
        """Samples, features and genes in words."""
        table = self.table
        features = ", ".join([table.trait, *table.covariates])
        return f"{len(table.samples)} samples x ({features}, {len(table.genes)} genes)"


@dataclass(frozen=True, eq=False, repr=False)
class LinkedSamples(OfSamples):
    """Clinical features and genes side by side, with all their gaps."""

    made_by: ClassVar[str] = "link(clinical, genes)"
    cohort: LinkedCohort

    def __repr__(self) -> str:
        """Show the size."""
        left = self.cohort.without_expression
        return f"linked: {self.size}; {left} samples without expression left out"


@dataclass(frozen=True, eq=False, repr=False)
class FilledTable(OfSamples):
    """A linked table whose missing values were dealt with."""

    made_by: ClassVar[str] = "handle_missing_values(linked)"
    cohort: FilledCohort

    def __repr__(self) -> str:
        """Show the size, and what was dropped and filled."""
        counts = (f"{n.replace('_', ' ')} {v}" for n, v in self.cohort.counts.as_dict().items())
        return f"without gaps: {self.size}; {', '.join(counts)}"


@dataclass(frozen=True, eq=False, repr=False)
class JudgedTable(OfSamples):
    """A linked table that was judged, without covariates that hardly vary."""

    made_by: ClassVar[str] = "judge_bias(filled)"
    cohort: JudgedCohort

    @property
    def is_usable(self) -> bool:
        """Whether the cohort can be used."""
        return self.cohort.info.is_usable

    def __repr__(self) -> str:
        """Show the verdict."""
        verdict = "usable" if self.is_usable else "not usable"
        notes = "; ".join(self.cohort.notes) or "nothing to note"
        return f"{verdict}: {self.size}; {notes}"


@tool
def link(clinical: ClinicalTable, genes: Genes) -> LinkedSamples:
    """Join clinical features and genes by sample id.

    Parameters
    ----------
    clinical : ClinicalTable
        As `clinical_table` gives it, with a trait.
    genes : Genes
        As `normalise_symbols` gives it.

    Returns
    -------
    LinkedSamples
        ``values``, samples x (trait, Age, Gender, genes), with all gaps; samples that lack one
        side are left out.

    Examples
    --------
    >>> linked = link(clinical, genes)
    """
    if clinical.trait is None:
        msg = (
            "link(): the clinical table has no trait, and without it nothing is linked; record "
            "the cohort with save_cohort_info(task, clinical=clinical, genes=genes)"
        )
        raise UsageError(msg)
    features = {name: feature.codes for name, feature in clinical.features.items()}
    trait = features.pop(clinical.task.trait)
    samples, expression = clinical.source.samples, genes.mapping.expression
    cohort = link_features(clinical.task.trait, samples, trait, features, expression)
    return LinkedSamples(clinical.task, cohort.table, cohort)


@tool
def handle_missing_values(linked: LinkedSamples) -> FilledTable:
    """Drop what has too many gaps, and fill the others.

    Samples without the trait go first; then genes missing in more than 20 % of the samples; then
    samples missing more than 5 % of the genes. Age and genes are filled with their mean, Gender
    with the more frequent one.

    Parameters
    ----------
    linked : LinkedSamples
        As `link` gives it.

    Returns
    -------
    FilledTable
        ``values``, samples x (trait, Age, Gender, genes), without gaps.

    Examples
    --------
    >>> filled = handle_missing_values(linked)
    """
    cohort = treat_missing(linked.cohort)
    return FilledTable(linked.task, cohort.filled, cohort)


@tool
def judge_bias(filled: FilledTable) -> JudgedTable:
    """Judge whether the trait is too one-sided to be studied; drop Age or Gender that hardly vary.

    Two groups are too one-sided when the smaller one has fewer than 5 samples and less than 10 %.

    Parameters
    ----------
    filled : FilledTable
        As `handle_missing_values` gives it.

    Returns
    -------
    JudgedTable
        ``is_usable`` (bool) and ``values``, samples x (trait, Age, Gender, genes).

    Examples
    --------
    >>> judged = judge_bias(filled)
    """
    cohort = judge_filled(filled.cohort)
    assert cohort.filled is not None
    return JudgedTable(filled.task, cohort.filled, cohort)
