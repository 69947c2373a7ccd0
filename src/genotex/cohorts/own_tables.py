"""Expression and sample tables of one's own, read into one cohort."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.cohorts.own_genes import NamedRows, collapse, name_rows, read_annotation_file
from genotex.cohorts.own_layout import OwnValues, arrange
from genotex.cohorts.own_samples import (
    MatchedSamples,
    matched_samples,
    read_samples,
    refuse_missing,
)
from genotex.cohorts.rna_seq import normalise_counts
from genotex.cohorts.sample_matching import counted, some_names, table_keys
from genotex.errors import FormatError
from genotex.formats import (
    ExpressionMatrix,
    TableFile,
    is_anndata,
    read_anndata,
    read_table_file,
    sha256,
)
from genotex.genes import GeneTable, ScaleVerdict, recognise_scale, to_log2, zero_offset
from genotex.options import Scale

__all__ = ["OwnTables", "keep_expressed", "read_own_tables"]

_FEWEST = 2


@dataclass(frozen=True, eq=False)
class OwnTables:
    """One cohort from tables of one's own.

    Attributes
    ----------
    name : str
        From the file name; safe as a file name.
    genes : tuple of str
        Official symbols, sorted; ids as they are where they cannot be mapped.
    samples : tuple of str
        Names as in the sample table, in the order of the expression table.
    expression : ndarray of float64, shape (n, p)
        Samples x genes, log2; of counts the log2 counts per million, TMM-normalised, of every
        gene with a read (see `keep_expressed`). Missing is NaN.
    sample_table : polars.DataFrame
        A row for each sample in that order: column ``sample``, then the others as given; columns
        of numbers alone are numbers, empty cells are null.
    counts : mapping
        How counts became expression, as in `Evidence.counts`; empty where there were none.
    notes : tuple of str
        What was recognised: genes and samples, ids, scale, how samples match.
    warnings : tuple of str
        Samples and genes that were dropped, and other reasons for caution.
    record : dict
        The same as plain JSON, with the digests of the files.
    raw_counts : ndarray of float64, shape (n, p), optional
        The counts of `genes`; None where there were none.
    """

    name: str
    genes: tuple[str, ...]
    samples: tuple[str, ...]
    expression: NDArray[np.float64]
    sample_table: pl.DataFrame
    counts: Mapping[str, Any]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    record: dict[str, Any] = field(default_factory=dict)
    raw_counts: NDArray[np.float64] | None = None


def read_own_tables(
    expression: Any,
    samples: Any = None,
    *,
    platform: Path | str | None = None,
    scale: Scale = "auto",
    gene_table: Path | GeneTable | None = None,
    name: str | None = None,
) -> OwnTables:
    """Read an expression table and a sample table.

    Parameters
    ----------
    expression : path, data frame or AnnData
        Genes x samples or samples x genes: text in any dialect (also packed), ``.xlsx``,
        ``.parquet``, ``.h5ad``, or a polars or pandas data frame.
    samples : path or data frame, optional
        A row for each sample, one column with the names that the expression table uses. May be
        left out for AnnData, whose ``obs`` is used.
    platform : path, optional
        Annotation of probes: a GPL table, SOFT, or any table with probes and genes.
    scale : {"auto", "log2", "linear", "counts"}
        Scale of the values as given; recognised by default.
    gene_table : path or GeneTable, optional
        The genes; the packaged table by default.
    name : str, optional
        Name of the cohort; by default that of the expression file.

    Returns
    -------
    OwnTables

    Raises
    ------
    FormatError
        If a file cannot be read, holds text where numbers belong, or no sample matches.
    UsageError
        If a kind of file is unknown, an option does not fit, or the same holds for data frames.
    """
    genes = gene_table if isinstance(gene_table, GeneTable) else GeneTable.load(gene_table)
    table, annotation = _read_expression(expression, scale)
    if samples is None and annotation is None:
        raise refuse_missing()
    sample_table = read_samples(annotation if samples is None else samples)
    values = arrange(table, table_keys(sample_table), sample_table.header, genes)
    matched = matched_samples(values.matrix.samples, sample_table)
    platforms = read_annotation_file(Path(platform)) if platform is not None else ()
    rows = name_rows(values, platforms, genes)
    cohort = _Cohort(table, values, matched, rows)
    cohort.take_samples()
    cohort.to_log2(scale)
    files = [(table.path, "expression"), (sample_table.path, "samples")]
    if platform is not None:
        files.append((Path(platform), "platform"))
    if annotation is sample_table:
        files = [file for file in files if file[1] != "samples"]
    return cohort.finish(name or _name(table), files)


def _read_expression(source: Any, scale: Scale) -> tuple[TableFile, TableFile | None]:
    """Return the expression table, and the sample table that AnnData holds."""
    if is_anndata(source):
        return read_anndata(source, counts=scale in ("auto", "counts"))
    return read_table_file(source, label="the expression table"), None


def keep_expressed(tables: OwnTables, least: float) -> OwnTables:
    """Leave out genes with few counts, as edgeR's ``filterByExpr``, and normalise the others.

    Parameters
    ----------
    tables : OwnTables
        As read; returned as it is where there are no counts.
    least : float
        In how many samples a gene should be expressed: of groups, the size of the smallest (above
        ten: ten and 70 % of the rest, see `least_samples`).

    Returns
    -------
    OwnTables
        With fewer genes, and new ``expression`` and ``counts``.

    Raises
    ------
    FormatError
        If no gene has enough counts.
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


class _Cohort:
    """The steps from the values of a table to log2 expression, with what is to be reported."""

    def __init__(
        self, table: TableFile, values: OwnValues, matched: MatchedSamples, rows: NamedRows
    ) -> None:
        self._table = table
        self._values = values
        self._rows = rows
        self._matched = matched
        self._matrix = values.matrix
        self._sample_table = matched.table
        self._counts: dict[str, Any] = {}
        self._raw: NDArray[np.float64] | None = None
        self._scale = ScaleVerdict("log2", "")
        self.notes = [
            f"{table.label}: {table.form}",
            *table.notes,
            *values.notes,
            *matched.notes,
            *rows.notes,
        ]
        self.warnings = [*matched.warnings, *rows.warnings]

    def take_samples(self) -> None:
        """Keep the samples that both tables have, and leave out those without any value."""
        matrix, columns = self._matrix, list(self._matched.columns)
        whole = columns == list(range(len(matrix.samples)))
        values = matrix.values if whole else matrix.values[:, columns]
        names = self._sample_table["sample"].to_list()
        self._matrix = ExpressionMatrix(matrix.ids, tuple(names), values)
        self._keep_samples(np.isfinite(values).any(axis=0), "without any value")

    def _keep_samples(self, kept: NDArray[np.bool_], why: str) -> None:
        if kept.all():
            return
        matrix = self._matrix
        lost = [name for name, keep in zip(matrix.samples, kept, strict=True) if not keep]
        if kept.sum() < _FEWEST:
            msg = f"fewer than {_FEWEST} samples are left; {why}: {some_names(lost)}"
            raise self._table.error(msg)
        self.warnings.append(f"{counted(lost, 'sample')} {why}, left out: {some_names(lost)}")
        names = tuple(name for name in matrix.samples if name not in set(lost))
        self._matrix = ExpressionMatrix(matrix.ids, names, matrix.values[:, kept])
        self._sample_table = self._sample_table.filter(pl.Series(kept))

    def to_log2(self, scale: Scale) -> None:
        """Bring the values to log2 and to genes: counts after, other values before."""
        values = self._matrix.values
        probes = self._rows.record.get("id_kind") == "probe"
        if scale == "auto":
            names = f"{self._table.label} {self._values.quantity}"
            found = recognise_scale(values, names, probes=probes)
        else:
            found = ScaleVerdict(scale, "as asked for")
        self._scale = found
        if found.scale == "counts":
            self._take_counts()
        elif found.scale == "linear":
            self._take_linear()
        else:
            self.notes.append(f"scale: taken as log2 values ({found.reason})")
            self._collapse(counts=False)
        self._leave_out_empty_genes()

    def _take_linear(self) -> None:
        matrix = self._matrix
        offset = zero_offset(matrix.values)
        logged, lost = to_log2(matrix.values, offset)
        note = f"scale: linear values ({self._scale.reason}), log2 transformed"
        if offset:
            note += f" with an offset for their zeros: log2(value + {offset:.4g})"
        if lost:
            note += f"; {lost:,} values at or below 0 became missing"
        self.notes.append(note)
        self._matrix = ExpressionMatrix(
            matrix.ids, matrix.samples, np.asarray(logged, dtype=np.float64)
        )
        self._collapse(counts=False)

    def _take_counts(self) -> None:
        self._refuse_negative()
        missing = np.isnan(self._matrix.values)
        if missing.any():
            rows = int(missing.any(axis=1).sum())
            self.warnings.append(
                f"{int(missing.sum()):,} counts of {rows:,} rows are missing and are taken as 0"
            )
        totals = np.nansum(self._matrix.values, axis=0)
        self._keep_samples(totals > 0, "without any read")
        self._collapse(counts=True)
        reads = self._matrix.values.sum(axis=0)
        normal = normalise_counts(self._matrix, 0)
        totals_of = dict(zip(self._matrix.samples, reads.tolist(), strict=True))
        self._counts = {
            "file": self._table.label,
            "annotation": None,
            **normal.record,
            "totals": totals_of,
        }
        place = {gene: i for i, gene in enumerate(self._matrix.ids)}
        kept = [place[gene] for gene in normal.expression.ids]
        self._raw = np.ascontiguousarray(self._matrix.values[kept].T)
        self._matrix = normal.expression
        self.notes.append(
            f"scale: counts ({self._scale.reason}), {reads.min() / 1e6:.1f} to "
            f"{reads.max() / 1e6:.1f} million a sample; as log2 counts per million, TMM-normalised"
        )

    def _refuse_negative(self) -> None:
        matrix = self._matrix
        negative = np.argwhere(matrix.values < 0)
        if len(negative):
            row, column = map(int, negative[0])
            msg = (
                f"counts cannot be negative, but {matrix.ids[row]} in {matrix.samples[column]} "
                f"is {matrix.values[row, column]:g}"
            )
            raise self._table.error(msg, hint="is this a table of log2 values? use scale log2")

    def _collapse(self, *, counts: bool) -> None:
        self._matrix, notes = collapse(self._matrix, self._rows, counts=counts)
        self.notes.extend(notes)

    def _leave_out_empty_genes(self) -> None:
        matrix = self._matrix
        kept = np.isfinite(matrix.values).any(axis=1)
        if kept.all():
            return
        lost = [gene for gene, keep in zip(matrix.ids, kept, strict=True) if not keep]
        if not kept.any():
            msg = "no gene has a value"
            raise self._table.error(msg)
        self.warnings.append(
            f"{counted(lost, 'gene')} without any value left out: {some_names(lost)}"
        )
        genes = tuple(gene for gene in matrix.ids if gene not in set(lost))
        self._matrix = ExpressionMatrix(genes, matrix.samples, matrix.values[kept])

    def finish(self, name: str, files: Sequence[tuple[Path | None, str]]) -> OwnTables:
        """Return the cohort."""
        matrix = self._matrix
        self.notes.append(f"{len(matrix.ids):,} genes x {len(matrix.samples):,} samples")
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
            "genes_in": self._values.genes_in,
            "ids": self._rows.record,
            "scale": {"scale": self._scale.scale, "reason": self._scale.reason},
            "samples": self._matched.record,
            "counts": self._counts,
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }
        return OwnTables(
            name=name,
            genes=matrix.ids,
            samples=matrix.samples,
            expression=np.ascontiguousarray(matrix.values.T, dtype=np.float64),
            sample_table=self._sample_table,
            counts=self._counts,
            notes=tuple(self.notes),
            warnings=tuple(self.warnings),
            record=record,
            raw_counts=self._raw,
        )


def _name(table: TableFile) -> str:
    """Return a name of the cohort that is safe as a file name."""
    if table.path is None:
        return "own_table"
    stem = table.path.name.partition(".")[0] or table.path.name
    return re.sub(r"[^A-Za-z0-9_-]+", "_", stem).strip("_-") or "own_table"
