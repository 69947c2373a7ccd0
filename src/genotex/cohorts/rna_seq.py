"""RNA-seq series, whose matrix is empty: NCBI's counts to log2 counts per million of genes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.cohorts.expressed import LEAST_COUNT, expressed_genes, least_samples
from genotex.cohorts.tmm import tmm_factors
from genotex.errors import FormatError
from genotex.formats import (
    CountMatrix,
    ExpressionMatrix,
    Series,
    read_count_annotation,
    read_raw_counts,
)
from genotex.genes import GeneCounts, GeneMapping, GeneTable, IdKind, counts_by_gene
from genotex.layout import GeoCohortFiles

__all__ = ["CountedGenes", "count_genes"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CountedGenes:
    """Genes of an RNA-seq series.

    Attributes
    ----------
    genes : GeneMapping or None
        log2 counts per million; None where no gene has enough counts.
    why_no_genes : str
        The reason for that.
    used : tuple of (Path, str)
        Files that were read, and for what.
    notes : tuple of str
        Remarks for a careful reader.
    record : dict
        See `Evidence.counts`.
    """

    genes: GeneMapping | None
    why_no_genes: str
    used: tuple[tuple[Path, str], ...]
    notes: tuple[str, ...]
    record: dict[str, Any] = field(default_factory=dict)


def count_genes(
    files: GeoCohortFiles, series: Series, trait: Floats | None, *, binary: bool, table: GeneTable
) -> CountedGenes:
    """Read the counts of a series, filter and normalise them.

    Counts of one official symbol are added up. Genes with few counts are left out by edgeR's rule
    for groups of these sizes; library sizes are those of the genes kept, times their TMM factor;
    log2((count + 0.5) / (size + 1) * 1e6) is the expression, from which voom can be computed.
    Filter and normalisation are those of the samples whose trait is known.

    Parameters
    ----------
    files : GeoCohortFiles
        With at least one count matrix.
    series : Series
        Annotation of the samples.
    trait : ndarray of float64, shape (samples,) or None
        Trait of each sample of the series, NaN where unknown; None where it is not available.
    binary : bool
        Whether the trait has two groups.
    table : GeneTable
        The genes.

    Raises
    ------
    FormatError
        If a file cannot be read, or has none of the samples or no known gene.
    """
    path, annotated = files.counts[0], files.annotations[:1]
    matrix = read_raw_counts(path)
    annotation = read_count_annotation(annotated[0]) if annotated else None
    samples, empty, notes = _samples(matrix, series)
    counted = counts_by_gene(matrix, samples, table, annotation)
    codes = np.full(len(series.samples), np.nan) if trait is None else trait
    place = {sample: i for i, sample in enumerate(series.samples)}
    compared = codes[[place[sample] for sample in samples]]
    normal = _normalise(counted.matrix, compared, binary=binary)
    record = {
        "file": path.name,
        "annotation": annotated[0].name if annotated else None,
        **normal.record,
        "totals": _by_sample(matrix, samples),
    }
    used = ((path, "counts"), *((found, "annotation") for found in annotated))
    notes = [
        *_files_left(files),
        *([] if annotation is None else annotation.notes),
        *notes,
        *(f"{sample} has no reads at all and is left out" for sample in empty),
        _outcome(record),
    ]
    if not normal.expression.ids:
        why = f"no gene has enough counts ({record['rule']})"
        return CountedGenes(None, why, used, tuple(notes))
    return CountedGenes(_mapping(counted, normal.expression), "", used, tuple(notes), record)


def _samples(matrix: CountMatrix, series: Series) -> tuple[list[str], list[str], list[str]]:
    """Return the samples to take, those without any read, and notes."""
    there = set(matrix.samples)
    both = [sample for sample in series.samples if sample in there]
    if not both:
        msg = f"holds none of the samples of {series.path.name}, such as {series.samples[0]}"
        raise FormatError(msg, path=matrix.path, hint="give the count matrix of this very series")
    totals = dict(zip(matrix.samples, matrix.counts.sum(axis=0).tolist(), strict=True))
    other = len(there) - len(both)
    notes = [f"{other} samples of {matrix.path.name} are not in the series matrix"] if other else []
    missing = len(series.samples) - len(both)
    if missing:
        notes.append(f"{missing} samples of the series have no counts")
    kept = [sample for sample in both if totals[sample] > 0]
    if not kept:
        msg = "no sample of the series has a single read"
        raise FormatError(msg, path=matrix.path, hint="fetch the file again")
    return kept, [sample for sample in both if totals[sample] == 0], notes


def _by_sample(matrix: CountMatrix, samples: list[str]) -> dict[str, int]:
    totals = dict(zip(matrix.samples, matrix.counts.sum(axis=0).tolist(), strict=True))
    return {sample: int(totals[sample]) for sample in samples}


@dataclass(frozen=True, eq=False)
class _Normalised:
    expression: ExpressionMatrix
    record: dict[str, Any]


def _normalise(matrix: ExpressionMatrix, trait: Floats, *, binary: bool) -> _Normalised:
    counts = np.asarray(matrix.values, dtype=np.float64)
    known = ~np.isnan(trait)
    compared = known if known.any() else np.ones(len(trait), dtype=bool)
    # Without a trait all samples are one group.
    codes = trait[known] if known.any() else np.zeros(len(trait))
    least = least_samples(codes, binary=binary)
    sizes = counts.sum(axis=0)
    kept = expressed_genes(counts[:, compared], sizes[compared], least)
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
        "rule": f"at least {LEAST_COUNT:g} counts, brought to a library of median size, in "
        f"{int(np.ceil(least))} samples or more (edgeR's filterByExpr)",
        "normalisation": "TMM",
        "factors": dict(zip(matrix.samples, factors.tolist(), strict=True)),
        "effective_library_sizes": dict(zip(matrix.samples, effective.tolist(), strict=True)),
    }
    return _Normalised(ExpressionMatrix(genes, matrix.samples, logged), record)


def _mapping(counted: GeneCounts, expression: ExpressionMatrix) -> GeneMapping:
    return GeneMapping(
        expression=expression,
        mapped=counted.counts["genes_mapped"],
        id_kind=IdKind.ENTREZ,
        id_column=None,
        gene_column=None,
        scale="counts",
        counts=counted.counts,
        notes=counted.notes,
    )


def _files_left(files: GeoCohortFiles) -> list[str]:
    return [f"{path.name} is not used, {files.counts[0].name} is" for path in files.counts[1:]]


def _outcome(record: dict[str, Any]) -> str:
    return (
        f"RNA-seq counts: {record['filtered']} of {record['genes']} genes have too few and are "
        f"left out (kept: {record['rule']}); {record['kept']} as log2 counts per million, "
        "TMM-normalised"
    )
