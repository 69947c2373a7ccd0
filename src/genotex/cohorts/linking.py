"""From clinical features and genes to a judged cohort: joining, missing values, quality control."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import pairwise

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
    everyone = np.arange(len(table.samples))
    kept = _complete(np.isnan(table.trait_values), table.expression, everyone)
    if kept.genes.all():
        return table.take(kept.samples), kept.counts
    expression = _block(table.expression, everyone[kept.samples], kept.genes)
    rest = replace(table, genes=(), expression=np.empty((len(everyone), 0))).take(kept.samples)
    return replace(rest, genes=_some(table.genes, kept.genes), expression=expression), kept.counts


@dataclass(frozen=True, eq=False)
class _Kept:
    """Which samples and genes have enough values, and how many have not."""

    samples: NDArray[np.bool_]
    genes: NDArray[np.bool_]
    counts: LinkingCounts


def _complete(
    unknown: NDArray[np.bool_], values: NDArray[np.floating], rows: NDArray[np.intp]
) -> _Kept:
    """Find what is kept of these rows of samples x genes; `unknown` ones lack the trait."""
    left = len(rows) - int(unknown.sum())
    by_sample = np.zeros(len(rows))
    keep_genes = np.ones(values.shape[1], dtype=bool)
    for part in _parts(values.shape[1]):
        missing = np.isnan(values[:, part][rows])
        if missing.any():
            by_gene = missing[~unknown].sum(axis=0)
            keep_genes[part] = by_gene / max(left, 1) <= GENE_MISSING_LIMIT
            by_sample += missing[:, keep_genes[part]].sum(axis=1)
    share = by_sample / max(int(keep_genes.sum()), 1)
    keep_samples = ~unknown & (share <= SAMPLE_MISSING_LIMIT)
    counts = LinkingCounts(
        samples=len(rows),
        samples_without_trait=len(rows) - left,
        genes_dropped=int((~keep_genes).sum()),
        samples_dropped=left - int(keep_samples.sum()),
    )
    return _Kept(keep_samples, keep_genes, counts)


_GENES_AT_ONCE = 1024


def _parts(genes: int) -> list[slice]:
    """Return blocks of genes, none of a single one: its sum would be rounded otherwise."""
    edges = np.linspace(0, genes, 1 + max(1, genes // _GENES_AT_ONCE)).astype(int)
    return [slice(*edge) for edge in pairwise(edges.tolist())]


def _some(names: tuple[str, ...], keep: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(name for name, kept in zip(names, keep, strict=True) if kept)


def _block(
    values: NDArray[np.floating], rows: NDArray[np.intp], columns: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Copy these rows and columns, some columns at a time: memory holds them once."""
    places = np.flatnonzero(columns)
    found = np.empty((len(rows), len(places)))
    for part in _parts(len(places)):
        found[:, part] = values[:, places[part]][rows]
    return found


def fill(
    table: LinkedTable, counts: LinkingCounts, *, genes: bool = True
) -> tuple[LinkedTable, LinkingCounts]:
    """Fill Age and genes with their mean and Gender with its mode; `genes`: or leave their gaps."""
    filled: dict[str, int] = {}
    covariates = {}
    for name, values in table.covariates.items():
        missing = np.isnan(values)
        if missing.all():
            continue
        filled[name] = int(missing.sum())
        middle = _mode(values[~missing]) if _has_levels(name) else values[~missing].mean()
        covariates[name] = np.where(missing, middle, values)
    expression, gaps = table.expression, _count_gaps(table.expression)
    if gaps and genes:
        expression = np.where(np.isnan(expression), gene_means(expression), expression)
    counts = replace(
        counts,
        values_filled=gaps,
        **{f"{each.encoded}_filled": filled.get(each.column, 0) for each in table_features()},
    )
    return replace(table, covariates=covariates, expression=expression), counts


def _has_levels(column: str) -> bool:
    feature = feature_of_column(column)
    return feature is not None and feature.kind == "binary"


def _mode(values: NDArray[np.float64]) -> float:
    levels, counts = np.unique(values, return_counts=True)
    return float(levels[counts.argmax()])


def _count_gaps(values: NDArray[np.float64]) -> int:
    return sum(int(np.isnan(values[:, part]).sum()) for part in _parts(values.shape[1]))


def gene_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of the known values of each gene, 0 for a gene of none."""
    means = np.empty(values.shape[1])
    for part in _parts(len(means)):
        block = values[:, part]
        missing = np.isnan(block)
        known = (~missing).sum(axis=0)
        means[part] = np.where(missing, 0.0, block).sum(axis=0) / np.maximum(known, 1)
    return means


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
    filled: LinkedTable  # genes as in `unfilled` where they are filled when they are written
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


def judge_cohort(prepared: PreparedCohort, *, fill_genes: bool = True) -> JudgedCohort:
    """Link a cohort, treat its missing values, and judge it.

    `fill_genes`: Or leave gaps of genes to `write_linked_csv`, which fills them as it writes.
    """
    if prepared.genes is None or not prepared.has_trait:
        return why_unavailable(prepared)
    return judge_with_genes(prepared, prepared.genes.expression, fill_genes=fill_genes)


def judge_with_genes(
    prepared: PreparedCohort, genes: ExpressionMatrix, *, fill_genes: bool = True
) -> JudgedCohort:
    """Link a cohort that has a trait with genes, treat missing values, and judge it."""
    # As `treat_missing` does of what `link_features` gives; values are copied once.
    trait = prepared.trait_values
    assert trait is not None
    rows, columns = _places(prepared.samples, genes)
    kept = _complete(np.isnan(trait[rows]), genes.values.T, columns)
    rows = rows[kept.samples]
    unfilled = LinkedTable(
        prepared.trait,
        tuple(prepared.samples[i] for i in rows),
        trait[rows],
        {name: values[rows] for name, values in prepared.covariates.items()},
        _some(genes.ids, kept.genes),
        _block(genes.values.T, columns[kept.samples], kept.genes),
    )
    without = len(prepared.samples) - len(columns)
    counts = replace(kept.counts, samples_without_expression=without)
    filled, counts = fill(unfilled, counts, genes=fill_genes)
    return judge_filled(FilledCohort(unfilled, filled, counts))


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
    rows, columns = _places(samples, genes)
    table = LinkedTable(
        trait,
        tuple(samples[i] for i in rows),
        trait_values[rows],
        {name: values[rows] for name, values in covariates.items()},
        genes.ids,
        _block(genes.values.T, columns, np.ones(len(genes.ids), dtype=bool)),
    )
    return LinkedCohort(table, len(samples) - len(rows))


def _places(
    samples: tuple[str, ...], genes: ExpressionMatrix
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places of the samples that have genes, and their columns."""
    column = {sample: j for j, sample in enumerate(genes.samples)}
    rows = np.array([i for i, s in enumerate(samples) if s in column], dtype=np.intp)
    return rows, np.array([column[samples[i]] for i in rows], dtype=np.intp)


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
