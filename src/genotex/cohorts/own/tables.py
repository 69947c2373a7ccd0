"""Expression and sample tables of one's own, read into one cohort."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.cohorts.geo.rna_seq import normalise_counts
from genotex.cohorts.own.expression import OwnExpression, name_rows, read_annotation_file
from genotex.cohorts.own.layout import arrange
from genotex.cohorts.own.samples import matched_samples, read_samples, refuse_missing, table_keys
from genotex.cohorts.raw_values import RawValues
from genotex.errors import FormatError, UsageError
from genotex.formats import (
    ExpressionMatrix,
    Measures,
    TableFile,
    is_anndata,
    read_anndata,
    read_table_file,
    sha256,
)
from genotex.genes import GeneTable, official_symbols
from genotex.options import Scale, ValueKind
from genotex.procedure import Procedure

_MOSTLY, _FEW_NAMES = 0.5, 10


@dataclass(frozen=True, eq=False)
class OwnTables:
    """One cohort from tables of one's own."""

    name: str
    """From the file name; safe as a file name."""
    genes: tuple[str, ...]
    """Official symbols, sorted; ids as they are where they cannot be mapped."""
    samples: tuple[str, ...]
    """Names as in the sample table, in the order of the expression table."""
    expression: NDArray[np.float64]
    """Shape (n, p). Samples x genes, log2; of counts the log2 counts per million, TMM-normalised,
    of every gene with a read (see `keep_expressed`). Missing is NaN."""
    sample_table: pl.DataFrame
    """A row for each sample in that order: column ``sample``, then the others as given; columns of
    numbers alone are numbers, empty cells are null."""
    counts: Mapping[str, Any]
    """How counts became expression, as in `Evidence.counts`; empty where there were none."""
    notes: tuple[str, ...]
    """What was recognised: genes and samples, ids, scale, how samples match."""
    warnings: tuple[str, ...]
    """Samples and genes that were dropped, and other reasons for caution."""
    record: dict[str, Any] = field(default_factory=dict)
    """The same as plain JSON, with the digests of the files."""
    raw_counts: NDArray[np.float64] | None = None
    """Shape (n, p). The counts of `genes`; None where there were none."""
    kind: ValueKind = ""
    """What the values are, where their variance depends on their level."""
    measures: Measures = field(default_factory=dict)
    """What control probes tell of each sample, as in `Evidence.measures`."""


def read_own_tables(
    expression: Any,
    samples: Any = None,
    *,
    platform: Path | str | None = None,
    scale: Scale = "auto",
    gene_table: Path | str | GeneTable | None = None,
    name: str | None = None,
) -> OwnTables:
    """Read an expression table and a sample table.

    Parameters
    ----------
    expression : path, data frame or AnnData
        Genes x samples or samples x genes: text in any dialect (also packed), ``.xlsx``,
        ``.parquet``, ``.h5ad``, or a polars or pandas data frame.
    samples : path, data frame or AnnData, optional
        A row for each sample, one column with the names that the expression table uses. Of
        AnnData its ``obs``, which is used too where `expression` is AnnData and this is left out.
    platform : path, optional
        Annotation of probes: a GPL table, SOFT, or any table with probes and genes.
    scale : {"auto", "log2", "linear", "counts"}
        Scale of the values as given; recognised by default.
    gene_table : path or GeneTable, optional
        The genes; the packaged table by default.
    name : str, optional
        Name of the cohort; by default that of the expression file.

    Raises
    ------
    FormatError
        If a file cannot be read, holds text where numbers belong, or no sample matches.
    UsageError
        If a kind of file is unknown, an option does not fit, or the same holds for data frames.
    """
    return read_with_values(
        expression, samples, platform=platform, scale=scale, gene_table=gene_table, name=name
    )[0]


def read_with_values(
    expression: Any,
    samples: Any = None,
    *,
    platform: Path | str | None = None,
    scale: Scale = "auto",
    gene_table: Path | str | GeneTable | None = None,
    name: str | None = None,
) -> tuple[OwnTables, ExpressionMatrix]:
    """Read tables as `read_own_tables`, and return the values as given, too."""
    cohort, files = _taken(expression, samples, platform, scale, gene_table)
    values = cohort.matrix
    cohort.to_log2(scale)
    return _finished(name or _name(cohort.table), cohort, files), values


def read_own_values(
    expression: Path, samples: Path | None, *, platform: Path | None = None, scale: Scale = "auto"
) -> RawValues:
    """Read the values of own tables as they are, of the samples that both tables have."""
    cohort, _ = _taken(expression, samples, platform, scale, None)
    matrix = cohort.matrix
    cohort.to_log2(scale)
    return RawValues(expression, matrix, cohort.scale.scale)


def _taken(
    expression: Any,
    samples: Any,
    platform: Path | str | None,
    scale: Scale,
    gene_table: Path | str | GeneTable | None,
) -> tuple[OwnExpression, list[tuple[Path | None, str]]]:
    """Return the values of the samples that both tables have, and the files that were read."""
    if scale not in get_args(Scale):
        msg = f"scale {scale!r} is unknown: use {', '.join(get_args(Scale))}"
        raise UsageError(msg)
    table, annotation = _read_expression(expression, scale)
    if not isinstance(gene_table, GeneTable):
        gene_table = GeneTable.load(None if gene_table is None else Path(gene_table))
    genes = gene_table
    if samples is None and annotation is None:
        raise refuse_missing()
    if is_anndata(samples):
        same = samples is expression or str(samples) == str(expression)
        samples = annotation if same else read_anndata(samples)[1]
    sample_table = read_samples(annotation if samples is None else samples)
    _refuse_swapped(table, sample_table, genes)
    values = arrange(table, table_keys(sample_table), sample_table.header, genes)
    matched = matched_samples(values.matrix.samples, sample_table)
    platforms = read_annotation_file(Path(platform)) if platform is not None else ()
    rows = name_rows(values, platforms, genes)
    cohort = OwnExpression(table, values, matched, rows)
    cohort.take_samples()
    files = [(table.path, "expression"), (sample_table.path, "samples")]
    files += [(each.path, "platform") for each in platforms[:1]]
    if annotation is sample_table:
        files = [file for file in files if file[1] != "samples"]
    return cohort, files


def _read_expression(source: Any, scale: Scale) -> tuple[TableFile, TableFile | None]:
    """Return the expression table, and the sample table that AnnData holds."""
    if is_anndata(source):
        return read_anndata(source, counts=scale in ("auto", "counts"))
    return read_table_file(source, label="the expression table"), None


def _known_genes(names: Sequence[str], genes: GeneTable) -> int:
    return sum(s is not None for s in official_symbols(names, genes, Procedure.SOUND).symbols)


def _refuse_swapped(table: TableFile, samples: TableFile, genes: GeneTable) -> None:
    """Refuse a sample table given as expression table and the other way round."""
    names = [[cell or "" for cell in t.columns.to_series(0).to_list()] for t in (table, samples)]
    names = [[*rows, *t.header] for rows, t in zip(names, (table, samples), strict=True)]
    few, many = (_known_genes(each, genes) / len(each) for each in names)
    if few < _MOSTLY < many and len(names[1]) > _FEW_NAMES:
        msg = (
            f"{samples.label} holds genes and {table.label} holds none: are the expression table "
            "and the sample table swapped?"
        )
        raise UsageError(msg)


def keep_expressed(tables: OwnTables, least: float) -> OwnTables:
    """Leave out genes with few counts, as edgeR's ``filterByExpr``, and normalise the others.

    `tables`: As read; returned as it is where there are no counts. `least`: In how many samples a
    gene should be expressed: of groups, the size of the smallest (above ten: ten and 70 % of the
    rest, see `least_samples`). The result has fewer genes, and new ``expression`` and ``counts``.
    Raises FormatError if no gene has enough counts.
    """
    if tables.raw_counts is None:
        return tables
    matrix = ExpressionMatrix(tables.genes, tables.samples, tables.raw_counts.T)
    normal = normalise_counts(matrix, least)
    if not normal.expression.ids:
        msg = f"{tables.name}: no gene has enough counts ({normal.record['rule']})"
        raise FormatError(msg)
    place = {gene: j for j, gene in enumerate(tables.genes)}
    kept = [place[gene] for gene in normal.expression.ids]
    counts = {**tables.counts, **normal.record}
    note = (
        f"{counts['filtered']:,} of {counts['genes']:,} genes have too few counts and are left out "
        f"(kept: {counts['rule']})"
    )
    return replace(
        tables,
        genes=normal.expression.ids,
        expression=np.ascontiguousarray(normal.expression.values.T, dtype=np.float64),
        counts=counts,
        notes=(*tables.notes, note),
        record={**tables.record, "counts": counts},
        raw_counts=np.ascontiguousarray(tables.raw_counts[:, kept]),
    )


def _finished(
    name: str, cohort: OwnExpression, files: Sequence[tuple[Path | None, str]]
) -> OwnTables:
    matrix = cohort.matrix
    cohort.notes.append(f"{len(matrix.ids):,} genes x {len(matrix.samples):,} samples")
    record = {
        "files": [
            {
                "name": path.name,
                "size": path.stat().st_size,
                "sha256": sha256(path),
                "used_for": used_for,
            }
            for path, used_for in files
            if path is not None
        ],
        "genes_in": cohort.genes_in,
        "ids": cohort.rows.record,
        "scale": {
            "scale": cohort.scale.scale,
            "reason": cohort.scale.reason,
            "kind": cohort.scale.kind,
        },
        "samples": cohort.matched.record,
        "counts": cohort.counts,
        "distributions": cohort.distributions,
        "notes": list(cohort.notes),
        "warnings": list(cohort.warnings),
    }
    return OwnTables(
        name=name,
        genes=matrix.ids,
        samples=matrix.samples,
        expression=np.ascontiguousarray(matrix.values.T, dtype=np.float64),
        sample_table=cohort.sample_table,
        counts=cohort.counts,
        notes=tuple(cohort.notes),
        warnings=tuple(cohort.warnings),
        record=record,
        raw_counts=cohort.raw_counts,
        kind=cohort.scale.kind,
        measures=cohort.measures,
    )


def _name(table: TableFile) -> str:
    """Return a name of the cohort that is safe as a file name."""
    if table.path is None:
        return "own_table"
    stem = table.path.name.partition(".")[0] or table.path.name
    return re.sub(r"[^A-Za-z0-9_-]+", "_", stem).strip("_-") or "own_table"
