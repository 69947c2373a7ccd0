"""From clinical features and genes to a judged cohort: joining, missing values, quality control."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from genotex.clinical import is_biased, why_no_trait
from genotex.cohorts.prepared import PreparedCohort
from genotex.features import feature_of_column, table_features
from genotex.formats import CohortInfo, ExpressionMatrix, LinkedTable

GENE_MISSING_LIMIT = 0.20
"""A gene missing in a larger share of samples is dropped."""
SAMPLE_MISSING_LIMIT = 0.05
"""A sample missing a larger share of the remaining genes is dropped."""


@dataclass(frozen=True)
class LinkingCounts:
    """Counts of samples and values dropped or filled in linking."""

    samples: int
    samples_without_trait: int
    genes_dropped: int
    samples_dropped: int
    samples_without_expression: int = 0
    values_filled: int = 0
    age_filled: int = 0
    gender_filled: int = 0

    def as_dict(self) -> dict[str, int]:
        """Return the counts by name."""
        return asdict(self)


def drop_incomplete(table: LinkedTable) -> tuple[LinkedTable, LinkingCounts]:
    """Drop samples without the trait, genes missing too often, samples missing too much."""
    total = len(table.samples)
    known = ~np.isnan(table.trait_values)
    table = table.take(known)
    keep_genes = _missing_share(table.expression, axis=0) <= GENE_MISSING_LIMIT
    genes_dropped = int((~keep_genes).sum())
    if genes_dropped:
        table = replace(
            table,
            genes=tuple(g for g, keep in zip(table.genes, keep_genes, strict=True) if keep),
            expression=np.ascontiguousarray(table.expression[:, keep_genes]),
        )
    keep_samples = _missing_share(table.expression, axis=1) <= SAMPLE_MISSING_LIMIT
    counts = LinkingCounts(
        samples=total,
        samples_without_trait=int((~known).sum()),
        genes_dropped=genes_dropped,
        samples_dropped=int((~keep_samples).sum()),
    )
    return table.take(keep_samples), counts


def _missing_share(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    if values.shape[axis] == 0:
        return np.zeros(values.shape[1 - axis])
    share: NDArray[np.float64] = np.isnan(values).mean(axis=axis)
    return share


def fill(table: LinkedTable, counts: LinkingCounts) -> tuple[LinkedTable, LinkingCounts]:
    """Fill Age and genes with their mean and Gender with its mode."""
    filled: dict[str, int] = {}
    covariates = {}
    for name, values in table.covariates.items():
        missing = np.isnan(values)
        if missing.all():
            continue
        filled[name] = int(missing.sum())
        middle = _mode(values[~missing]) if _has_levels(name) else values[~missing].mean()
        covariates[name] = np.where(missing, middle, values)
    expression, values_filled = _fill_with_mean(table.expression)
    counts = replace(
        counts,
        values_filled=values_filled,
        **{f"{each.encoded}_filled": filled.get(each.column, 0) for each in table_features()},
    )
    return replace(table, covariates=covariates, expression=expression), counts


def _has_levels(column: str) -> bool:
    feature = feature_of_column(column)
    return feature is not None and feature.kind == "binary"


def _mode(values: NDArray[np.float64]) -> float:
    levels, counts = np.unique(values, return_counts=True)
    return float(levels[counts.argmax()])


def _fill_with_mean(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    missing = np.isnan(values)
    number = int(missing.sum())
    if number == 0:
        return values, 0
    sums = np.where(missing, 0.0, values).sum(axis=0)
    known = (~missing).sum(axis=0)
    return np.where(missing, sums / np.maximum(known, 1), values), number


_SMALLEST_TABLE = 4
"""A linked table with at most this many columns counts as having no genes."""


def without_biased_covariates(table: LinkedTable) -> tuple[LinkedTable, tuple[str, ...]]:
    """Drop Age when it does not vary and Gender when it is biased."""
    dropped = []
    for name, values in table.covariates.items():
        known = values[~np.isnan(values)]
        constant = known.size == 0 or known.min() == known.max()
        if constant or (_has_levels(name) and is_biased(values)):
            dropped.append(name)
    kept = {name: v for name, v in table.covariates.items() if name not in dropped}
    return replace(table, covariates=kept), tuple(dropped)


def unavailable(*, genes: bool, trait: bool) -> CohortInfo:
    """Return the record of a cohort that fails the first filter."""
    return CohortInfo(
        is_usable=False, is_gene_available=genes, is_trait_available=trait, is_available=False
    )


def judge(table: LinkedTable) -> CohortInfo:
    """Return the record of a linked cohort, without note."""
    rows, columns = len(table.samples), 1 + len(table.covariates) + len(table.genes)
    if rows == 0 or columns <= _SMALLEST_TABLE:
        return CohortInfo(
            is_usable=False,
            is_gene_available=False,
            is_trait_available=rows > 0,
            is_available=False,
        )
    return CohortInfo.of_linked(
        biased=is_biased(table.trait_values),
        has_age="Age" in table.covariates,
        has_gender="Gender" in table.covariates,
        samples=rows,
    )


_NO_GENES, _NO_TRAIT = "gene data not available", "trait not available"
_ONE_SIDED, _NOTHING_LEFT = "trait too one-sided to study", "nothing left after linking"
REFUSALS = (_NO_GENES, _NO_TRAIT, _ONE_SIDED, _NOTHING_LEFT)
"""Beginnings of the notes that state why a cohort cannot be used."""
FEW_GENES = 10
"""Number of genes that may be dropped without a warning."""


@dataclass(frozen=True, eq=False)
class LinkedCohort:
    """Clinical features and genes joined, with missing values."""

    table: LinkedTable  # unfilled
    without_expression: int  # samples with clinical features alone, which are left out


@dataclass(frozen=True, eq=False)
class FilledCohort:
    """A linked cohort after treatment of missing values."""

    unfilled: LinkedTable  # the samples and genes that are kept, with and without gaps
    filled: LinkedTable
    counts: LinkingCounts  # what was dropped and filled


@dataclass(frozen=True, eq=False)
class JudgedCohort:
    """A cohort after quality control."""

    info: CohortInfo  # the benchmark's record
    notes: tuple[str, ...]  # what was dropped, and why the cohort cannot be used if so
    warnings: tuple[str, ...] = ()
    counts: LinkingCounts | None = None
    unfilled: LinkedTable | None = None  # without covariates that hardly vary
    filled: LinkedTable | None = None


def judge_cohort(prepared: PreparedCohort) -> JudgedCohort:
    """Link a cohort, treat its missing values, and judge it."""
    if prepared.genes is None or not prepared.has_trait:
        return why_unavailable(prepared)
    return judge_with_genes(prepared, prepared.genes.expression)


def judge_with_genes(prepared: PreparedCohort, genes: ExpressionMatrix) -> JudgedCohort:
    """Link a cohort that has a trait with genes, treat missing values, and judge it."""
    values = prepared.trait_values
    assert values is not None
    linked = link_features(prepared.trait, prepared.samples, values, prepared.covariates, genes)
    return judge_filled(treat_missing(linked))


def judge_samples(prepared: PreparedCohort) -> JudgedCohort:
    """Judge a cohort whose genes were not read, as if all samples had all genes."""
    if not prepared.has_trait:
        info = unavailable(genes=True, trait=False)
        return JudgedCohort(info, (f"{_NO_TRAIT}: {_why_no_trait(prepared)}",))
    ids = tuple(f"gene {number}" for number in range(_SMALLEST_TABLE))
    values = np.zeros((len(ids), len(prepared.samples)))
    return judge_with_genes(prepared, ExpressionMatrix(ids, prepared.samples, values))


def link_features(
    trait: str,
    samples: tuple[str, ...],
    trait_values: NDArray[np.float64],
    covariates: Mapping[str, NDArray[np.float64]],
    genes: ExpressionMatrix,
) -> LinkedCohort:
    """Join clinical features and gene expression by sample id."""
    column = {sample: j for j, sample in enumerate(genes.samples)}
    rows = np.array([i for i, s in enumerate(samples) if s in column], dtype=int)
    columns = np.array([column[samples[i]] for i in rows], dtype=int)
    table = LinkedTable(
        trait,
        tuple(samples[i] for i in rows),
        trait_values[rows],
        {name: values[rows] for name, values in covariates.items()},
        genes.ids,
        np.ascontiguousarray(genes.values[:, columns].T, dtype=np.float64),
    )
    return LinkedCohort(table, len(samples) - len(rows))


def treat_missing(linked: LinkedCohort) -> FilledCohort:
    """Drop samples and genes with too many gaps, and fill the others."""
    unfilled, counts = drop_incomplete(linked.table)
    counts = replace(counts, samples_without_expression=linked.without_expression)
    filled, counts = fill(unfilled, counts)
    return FilledCohort(unfilled, filled, counts)


def judge_filled(cohort: FilledCohort) -> JudgedCohort:
    """Drop covariates that hardly vary, and judge whether the cohort is usable."""
    filled, dropped = without_biased_covariates(cohort.filled)
    kept = {n: v for n, v in cohort.unfilled.covariates.items() if n in filled.covariates}
    unfilled = replace(cohort.unfilled, covariates=kept)
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
    info = unavailable(genes=prepared.genes is not None, trait=prepared.has_trait)
    reasons = []
    if prepared.genes is None and prepared.samples:
        reasons.append(f"{_NO_GENES}: {prepared.why_no_genes}")
    if not prepared.has_trait:
        reasons.append(f"{_NO_TRAIT}: {_why_no_trait(prepared)}")
    return JudgedCohort(info, tuple(reasons))


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
