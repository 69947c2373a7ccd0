"""From clinical features and genes to a judged cohort, stage by stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from genotex.clinical import why_no_trait
from genotex.cohorts.linking import LinkingCounts, drop_incomplete, fill, link
from genotex.cohorts.prepared import PreparedCohort
from genotex.cohorts.quality import judge, unavailable, without_biased_covariates
from genotex.formats import CohortInfo, ExpressionMatrix, LinkedTable

__all__ = [
    "FEW_GENES",
    "REFUSALS",
    "FilledCohort",
    "JudgedCohort",
    "LinkedCohort",
    "judge_cohort",
    "judge_filled",
    "link_features",
    "treat_missing",
    "why_unavailable",
]

_NO_GENES, _NO_TRAIT = "gene data not available", "trait not available"
_ONE_SIDED, _NOTHING_LEFT = "trait too one-sided to study", "nothing left after linking"
REFUSALS = (_NO_GENES, _NO_TRAIT, _ONE_SIDED, _NOTHING_LEFT)
"""Beginnings of the notes that state why a cohort cannot be used."""
FEW_GENES = 10
"""Number of genes that may be dropped without a warning."""


@dataclass(frozen=True, eq=False)
class LinkedCohort:
    """Clinical features and genes joined, with missing values.

    Attributes
    ----------
    table : LinkedTable
        Unfilled.
    without_expression : int
        Samples with clinical features alone, which are left out.
    """

    table: LinkedTable
    without_expression: int


@dataclass(frozen=True, eq=False)
class FilledCohort:
    """A linked cohort after treatment of missing values.

    Attributes
    ----------
    unfilled, filled : LinkedTable
        The samples and genes that are kept, with and without gaps.
    counts : LinkingCounts
        What was dropped and filled.
    """

    unfilled: LinkedTable
    filled: LinkedTable
    counts: LinkingCounts


@dataclass(frozen=True, eq=False)
class JudgedCohort:
    """A cohort after quality control.

    Attributes
    ----------
    info : CohortInfo
        The benchmark's record.
    notes : tuple of str
        What was dropped, and why the cohort cannot be used if so.
    warnings : tuple of str
        The notes on samples, and on more than a few genes, that were dropped.
    counts : LinkingCounts or None
        None where trait or genes are not available, as for the tables.
    unfilled, filled : LinkedTable or None
        Without covariates that hardly vary.
    """

    info: CohortInfo
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    counts: LinkingCounts | None = None
    unfilled: LinkedTable | None = None
    filled: LinkedTable | None = None


def judge_cohort(prepared: PreparedCohort) -> JudgedCohort:
    """Link a cohort, treat its missing values, and judge it."""
    trait_values = prepared.trait_values
    if prepared.genes is None or trait_values is None or np.isnan(trait_values).all():
        return why_unavailable(prepared)
    linked = link_features(
        prepared.trait,
        prepared.samples,
        trait_values,
        prepared.covariates,
        prepared.genes.expression,
    )
    return judge_filled(treat_missing(linked))


def link_features(
    trait: str,
    samples: tuple[str, ...],
    trait_values: NDArray[np.float64],
    covariates: Mapping[str, NDArray[np.float64]],
    genes: ExpressionMatrix,
) -> LinkedCohort:
    """Join clinical features and genes by sample id (see `linking.link`)."""
    table = link(trait, samples, trait_values, covariates, genes)
    return LinkedCohort(table, len(samples) - len(table.samples))


def treat_missing(linked: LinkedCohort) -> FilledCohort:
    """Drop samples and genes with too many gaps, and fill the others (see `linking`)."""
    unfilled, counts = drop_incomplete(linked.table)
    counts = replace(counts, samples_without_expression=linked.without_expression)
    filled, counts = fill(unfilled, counts)
    return FilledCohort(unfilled, filled, counts)


def judge_filled(cohort: FilledCohort) -> JudgedCohort:
    """Drop covariates that hardly vary, and judge whether the cohort is usable."""
    filled, dropped = without_biased_covariates(cohort.filled)
    unfilled = _same_covariates(cohort.unfilled, filled)
    notes = (*_losses(cohort.counts), *(f"{name} dropped: it hardly varies" for name in dropped))
    few_genes = cohort.counts.genes_dropped <= FEW_GENES
    warnings = _losses(replace(cohort.counts, genes_dropped=0) if few_genes else cohort.counts)
    info = judge(filled)
    if info.is_biased:
        notes = (*notes, _why_biased(filled.trait_values))
    elif not info.is_available:
        notes = (*notes, f"{_NOTHING_LEFT} clinical features and genes")
    info = replace(info, note="; ".join(notes))
    return JudgedCohort(info, notes, warnings, cohort.counts, unfilled, filled)


def why_unavailable(prepared: PreparedCohort) -> JudgedCohort:
    """Return the record of a cohort that lacks trait or genes."""
    trait_values = prepared.trait_values
    has_trait = trait_values is not None and not bool(np.isnan(trait_values).all())
    info = unavailable(genes=prepared.genes is not None, trait=has_trait)
    reasons = []
    if prepared.genes is None and prepared.samples:
        reasons.append(f"{_NO_GENES}: {prepared.why_no_genes}")
    if not has_trait:
        reasons.append(f"{_NO_TRAIT}: {_why_no_trait(prepared)}")
    return JudgedCohort(info, tuple(reasons))


def _same_covariates(unfilled: LinkedTable, filled: LinkedTable) -> LinkedTable:
    kept = {n: v for n, v in unfilled.covariates.items() if n in filled.covariates}
    return LinkedTable(
        unfilled.trait,
        unfilled.samples,
        unfilled.trait_values,
        kept,
        unfilled.genes,
        unfilled.expression,
    )


def _why_no_trait(prepared: PreparedCohort) -> str:
    if not prepared.samples:
        return prepared.why_no_genes
    trait = prepared.reading.trait
    if trait is None:
        return why_no_trait(prepared.reading)
    return f"no sample has a known value under the key {trait.key!r}"


def _why_biased(values: NDArray[np.float64]) -> str:
    levels, counts = np.unique(values, return_counts=True)
    shown = ", ".join(
        f"{level:g}: {number} samples" for level, number in zip(levels, counts, strict=True)
    )
    return f"{_ONE_SIDED} ({shown})"


def _losses(counts: LinkingCounts) -> tuple[str, ...]:
    """Return why samples and genes are not in the linked table."""
    notes = []
    if counts.samples_without_expression:
        notes.append(f"{counts.samples_without_expression} samples without expression left out")
    if counts.samples_without_trait:
        notes.append(f"{counts.samples_without_trait} samples without a known trait left out")
    if counts.genes_dropped:
        notes.append(f"{counts.genes_dropped} genes missing in more than 20 % of samples dropped")
    if counts.samples_dropped:
        notes.append(f"{counts.samples_dropped} samples missing more than 5 % of genes dropped")
    return tuple(notes)
