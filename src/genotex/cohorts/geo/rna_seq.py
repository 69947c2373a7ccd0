"""RNA-seq series, whose matrix is empty: NCBI's counts to log2 counts per million of genes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import Floats
from genotex.errors import FormatError
from genotex.formats import (
    CountMatrix,
    ExpressionMatrix,
    Series,
    distribution_record,
    read_count_annotation,
    read_raw_counts,
)
from genotex.genes import OTHER_SPECIES, GeneCounts, GeneMapping, GeneTable, counts_by_gene
from genotex.id_kinds import IdKind
from genotex.layout import GeoCohortFiles

_LEAST_COUNT = 10.0
"""Counts in a library of median size that a gene should have."""
_LEAST_TOTAL = 15.0
_LARGE_GROUP = 10
_SHARE_OF_LARGE = 0.7
_ROUNDING = 1e-14


def least_samples(trait: Floats, *, binary: bool) -> float:
    """Return in how many samples a gene should be expressed, given the groups compared.

    `trait`: shape (n,). Codes of the samples that are compared. `binary`: The size of the smaller
    group; else the inverse of the largest leverage in the regression on the trait. Returns ten,
    plus 70 % of the samples beyond ten.
    """
    number = float(len(trait))
    levels, sizes = np.unique(trait, return_counts=True)
    if binary:
        number = float(sizes.min())
    elif len(levels) > 1:
        centred = trait - trait.mean()
        number = 1.0 / float((1 / len(trait) + centred**2 / (centred @ centred)).max())
    return enough_samples(number)


def enough_samples(group_size: float) -> float:
    """Return in how many samples a gene should be expressed, as edgeR's ``filterByExpr``.

    `group_size`: Size of the smallest group, or the inverse of the largest leverage in the design.
    Returns the group size up to ten, then 70 % of what is beyond ten.
    """
    beyond = max(group_size - _LARGE_GROUP, 0.0)
    return group_size - beyond + beyond * _SHARE_OF_LARGE


def expressed_genes(counts: Floats, library_sizes: Floats, least: float) -> NDArray[np.bool_]:
    """Return which genes have a CPM worth 10 counts in enough samples, and 15 counts in total.

    Parameters
    ----------
    counts : ndarray of float64, shape (p, n)
        Genes x samples.
    library_sizes : ndarray of float64, shape (n,)
    least : float
        How many samples (see `least_samples`).

    References
    ----------
    Chen, Lun and Smyth 2016, F1000Research 5:1438; defaults are those of edgeR's ``filterByExpr``.
    """
    # Both sides are multiplied by the sizes, so that rounding does not separate equal counts.
    high = counts * np.median(library_sizes) >= _LEAST_COUNT * library_sizes
    enough = high.sum(axis=1) >= least - _ROUNDING
    return np.asarray(enough & (counts.sum(axis=1) >= _LEAST_TOTAL))


_LOG_RATIO_TRIM = 0.3
_LEVEL_TRIM = 0.05
_REFERENCE_QUANTILE = 0.75
_EQUAL = 1e-6
"""Libraries with a smaller log ratio count as equal."""


def tmm_factors(
    counts: Floats, library_sizes: Floats, among: NDArray[np.bool_] | None = None
) -> Floats:
    """Return normalisation factors by the trimmed mean of M values, product 1.

    Multiplied by its factor, a library size is one that most genes agree on. The reference is the
    sample whose upper quartile, per read, is nearest to the mean of all.

    Parameters
    ----------
    counts : ndarray of float64, shape (p, n)
        Genes x samples.
    library_sizes : ndarray of float64, shape (n,)
        Above 0.
    among : ndarray of bool, shape (n,), optional
        Samples that the reference is chosen among and whose factors have the product 1; all by
        default.

    References
    ----------
    Robinson and Oshlack 2010, Genome Biology 11:R25; defaults are those of edgeR's
    ``calcNormFactors`` (30 % of the log ratios and 5 % of the levels trimmed on either side).
    """
    among = np.ones(counts.shape[1], dtype=bool) if among is None else among
    counts = counts[(counts > 0).any(axis=1)]
    if not len(counts) or counts.shape[1] == 1:
        return np.ones(counts.shape[1])
    reference = _reference(counts, library_sizes, among)
    log_factors = np.array(
        [
            _log_factor(counts[:, j], counts[:, reference], size, library_sizes[reference])
            for j, size in enumerate(library_sizes)
        ]
    )
    factors: Floats = np.exp2(log_factors - log_factors[among].mean())
    return factors


def _reference(counts: Floats, library_sizes: Floats, among: NDArray[np.bool_]) -> int:
    upper = np.quantile(counts, _REFERENCE_QUANTILE, axis=0) / library_sizes
    if np.median(upper[among]) < 1e-20:
        distance = -np.sqrt(counts).sum(axis=0)
    else:
        distance = np.abs(upper - upper[among].mean())
    return int(np.where(among, distance, np.inf).argmin())


def _log_factor(observed: Floats, reference: Floats, size: float, reference_size: float) -> float:
    """Return the log2 factor of one library against the reference."""
    both = (observed > 0) & (reference > 0)
    share, other = observed[both] / size, reference[both] / reference_size
    ratio = np.log2(share / other)
    if not both.any() or np.abs(ratio).max() < _EQUAL:
        return 0.0
    kept = _trimmed(ratio, _LOG_RATIO_TRIM)
    kept &= _trimmed((np.log2(share) + np.log2(other)) / 2, _LEVEL_TRIM)
    # Binomial variances by the delta method; their inverses weigh.
    variance = (1 - share) / observed[both] + (1 - other) / reference[both]
    weight = 1 / variance[kept]
    return float((ratio[kept] * weight).sum() / weight.sum()) if kept.any() else 0.0


def _trimmed(values: Floats, share: float) -> NDArray[np.bool_]:
    """Return which values remain after trimming a share of the lowest and of the highest."""
    lowest = int(len(values) * share) + 1
    highest = len(values) + 1 - lowest
    ordered = np.sort(values)
    low, high = ordered[lowest - 1], ordered[highest - 1]
    kept: NDArray[np.bool_] = (values > low) & (values < high)
    for bound in (low, high):
        # Equal values share the mean of their ranks, counted from 1.
        above = np.searchsorted(ordered, bound, "right")
        rank = (np.searchsorted(ordered, bound, "left") + above + 1) / 2
        if lowest <= rank <= highest:
            kept |= values == bound
    return kept


@dataclass(frozen=True, eq=False)
class CountedGenes:
    """Genes of an RNA-seq series."""

    genes: GeneMapping | None  # log2 counts per million
    why_no_genes: str  # the reason for that
    used: tuple[tuple[Path, str], ...]  # files that were read, and for what
    notes: tuple[str, ...]  # remarks for a careful reader
    record: dict[str, Any] = field(default_factory=dict)  # see `Evidence.counts`
    distributions: dict[str, Any] = field(default_factory=dict)  # see `Evidence.distributions`


def count_genes(
    files: GeoCohortFiles,
    series: Series,
    trait: Floats | None,
    *,
    binary: bool,
    table: GeneTable,
    species: str = "",
) -> CountedGenes:
    """Read the counts of a series, filter and normalise them.

    `species`: other than human, whose genes are called as NCBI's annotation does.
    """
    # Counts of one official symbol are added up. Genes with few counts are left out by edgeR's rule
    # for groups of these sizes; library sizes are those of the genes kept, times their TMM factor;
    # expression is log2((count + 0.5) / (size + 1) * 1e6), from which voom can be computed. Filter
    # and normalisation use the samples with a known trait.
    path, annotated = files.counts[0], files.annotations[:1]
    matrix = read_raw_counts(path)
    annotation = read_count_annotation(annotated[0]) if annotated else None
    samples, notes = _samples_of_both(matrix, series)
    totals = dict(zip(matrix.samples, matrix.counts.sum(axis=0).astype(int).tolist(), strict=True))
    found = normalised_genes(
        counts_by_gene(matrix, samples, table, annotation, species),
        series,
        trait,
        binary=binary,
        files=(path, annotated[0].name if annotated else None),
        totals={sample: totals[sample] for sample in samples},
    )
    used = ((path, "counts"), *((other, "annotation") for other in annotated))
    notes = [
        *([f"{OTHER_SPECIES} {species}, as NCBI's annotation names them"] if species else []),
        *(f"{other.name} is not used, {path.name} is" for other in files.counts[1:]),
        *([] if annotation is None else annotation.notes),
        *notes,
        *found.notes,
    ]
    given = distribution_record(matrix.samples, matrix.counts, "counts")
    return replace(found, used=used, notes=tuple(notes), distributions=given)


def normalised_genes(
    counted: GeneCounts,
    series: Series,
    trait: Floats | None,
    *,
    binary: bool,
    files: tuple[Path, str | None],
    totals: Mapping[str, float],
    label: str = "",
) -> CountedGenes:
    """Filter and normalise counts of genes by the trait; samples without reads are left out.

    `files`: that of the counts, and the name of that of genes. `totals`: reads of each sample.
    `label`: what the record calls the counts; else the name of their file.
    """
    given = counted.matrix
    kept = np.array([totals[sample] > 0 for sample in given.samples])
    if not kept.any():
        msg = "no sample of the series has a single read"
        raise FormatError(msg, path=files[0], hint="fetch the file again")
    samples = tuple(sample for sample in given.samples if totals[sample] > 0)
    matrix = given if kept.all() else ExpressionMatrix(given.ids, samples, given.values[:, kept])
    codes = {} if trait is None else dict(zip(series.samples, trait, strict=True))
    own = np.array([codes.get(sample, np.nan) for sample in samples], dtype=np.float64)
    known = ~np.isnan(own)
    # Without a trait all samples are one group.
    compared = own[known] if known.any() else np.zeros(len(own))
    normal = normalise_counts(matrix, least_samples(compared, binary=binary), known)
    totals = {sample: totals[sample] for sample in samples}
    empty = [f"{s} has no reads at all and is left out" for s in given.samples if s not in totals]
    facts = {"file": label or files[0].name, "annotation": files[1]}
    record = {**facts, **normal.record, "totals": totals}
    note = (
        f"RNA-seq counts: {record['filtered']} of {record['genes']} genes have too few and are "
        f"left out (kept: {record['rule']}); {record['kept']} as log2 counts per million, "
        "TMM-normalised"
    )
    if not normal.expression.ids:
        why = f"no gene has enough counts ({record['rule']})"
        return CountedGenes(None, why, (), (*empty, note))
    genes = GeneMapping(
        expression=normal.expression,
        mapped=counted.counts["genes_mapped"],
        id_kind=IdKind.ENTREZ,
        id_column=None,
        gene_column=None,
        scale="counts",
        counts=counted.counts,
        notes=counted.notes,
    )
    return CountedGenes(genes, "", (), (*empty, note), record)


def _samples_of_both(matrix: CountMatrix, series: Series) -> tuple[list[str], list[str]]:
    """Return the samples of a series that have counts, and notes on the others."""
    there = set(matrix.samples)
    both = [sample for sample in series.samples if sample in there]
    if not both:
        msg = f"holds none of the samples of {series.path.name}, such as {series.samples[0]}"
        raise FormatError(msg, path=matrix.path, hint="give the count matrix of this very series")
    other = len(there) - len(both)
    notes = [f"{other} samples of {matrix.path.name} are not in the series matrix"] if other else []
    missing = len(series.samples) - len(both)
    return both, [*notes, *([f"{missing} samples of the series have no counts"] if missing else [])]


@dataclass(frozen=True, eq=False)
class _NormalisedCounts:
    """Log2 counts per million of the genes kept, and the record of `Evidence.counts`."""

    expression: ExpressionMatrix
    record: dict[str, Any]


def normalise_counts(
    matrix: ExpressionMatrix, least: float, compared: NDArray[np.bool_] | None = None
) -> _NormalisedCounts:
    """Filter and normalise counts, genes x samples.

    `matrix`: Counts of official symbols. `least`: In how many samples a gene should be expressed
    (`least_samples`); 0 keeps every gene with a read. `compared`: shape (n,). Samples that filter
    and normalisation look at; all by default, and where none is True.
    """
    counts = np.asarray(matrix.values, dtype=np.float64)
    if compared is None or not compared.any():
        compared = np.ones(counts.shape[1], dtype=bool)
    sizes = counts.sum(axis=0)
    if least > 0:
        kept = expressed_genes(counts[:, compared], sizes[compared], least)
        rule = (
            f"at least {_LEAST_COUNT:g} counts, brought to a library of median size, in "
            f"{int(np.ceil(least))} samples or more (edgeR's filterByExpr)"
        )
    else:
        kept, rule = np.asarray(counts.any(axis=1)), "at least one count"
    counts = counts[kept]
    # A sample may have no read in the genes kept and then cannot be normalised.
    sizes = np.maximum(counts.sum(axis=0), 1.0)
    factors = tmm_factors(counts, sizes, compared)
    effective = sizes * factors
    genes = tuple(gene for gene, keep in zip(matrix.ids, kept, strict=True) if keep)
    logged = np.log2((counts + 0.5) / (effective + 1.0) * 1e6)
    record = {
        "genes": len(kept),
        "filtered": len(kept) - len(genes),
        "kept": len(genes),
        "rule": rule,
        "normalisation": "TMM",
        "factors": dict(zip(matrix.samples, factors.tolist(), strict=True)),
        "effective_library_sizes": dict(zip(matrix.samples, effective.tolist(), strict=True)),
    }
    return _NormalisedCounts(ExpressionMatrix(genes, matrix.samples, logged), record)
