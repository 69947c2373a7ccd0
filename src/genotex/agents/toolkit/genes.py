"""From the expression table of a cohort to official gene symbols."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from genotex.agents.task import Task
from genotex.agents.toolkit.features import ClinicalTable
from genotex.agents.toolkit.sources import ClinicalColumns, SeriesText
from genotex.agents.toolkit.tool import Made, NumberTable, listed, tool
from genotex.cohorts.geo.files import RawSeries, SubmittedValues, no_table, with_expression
from genotex.cohorts.geo.files import read_annotation as read_platform_tables
from genotex.cohorts.geo.other_files import other_genes, other_values
from genotex.cohorts.geo.rna_seq import CountedGenes
from genotex.cohorts.tcga.files import NO_EXPRESSION, RawExpression, read_raw_genes
from genotex.errors import UsageError
from genotex.formats import ExpressionMatrix, Platform
from genotex.genes import (
    GeneMapping,
    GeneTable,
    IdVerdict,
    RowGenes,
    collapse_rows,
    genes_by_columns,
    genes_of_rows,
    identify_ids,
)


@dataclass(frozen=True, eq=False, repr=False)
class Expression(NumberTable):
    """Expression by the rows of the file, before they are mapped to genes."""

    made_by: ClassVar[str] = "read_expression(...)"
    task: Task
    raw: RawSeries | RawExpression
    matrix: ExpressionMatrix
    from_other_files: bool = False
    """Whether these are NCBI's counts, or what the submitter added, in place of an empty table."""
    why_empty: str = ""
    """Why there is no row, where there is none."""

    @property
    def rows(self) -> tuple[str, ...]:
        """Row ids: probes, gene symbols or ids of a database."""
        return self.matrix.ids

    @property
    def columns(self) -> tuple[str, ...]:
        """Sample ids."""
        return self.matrix.samples

    @property
    def values(self) -> NDArray[np.floating]:
        """Expression as in the file."""
        return self.matrix.values

    def __repr__(self) -> str:
        """Show size and first row ids."""
        rows, samples = self.shape
        what = "expression of other files" if self.from_other_files else "expression"
        return f"{what}, {rows} rows x {samples} samples; first rows: {listed(self.rows, 20)}"


@dataclass(frozen=True, eq=False)
class Annotation(Made):
    """The annotation tables at hand, the series' own platform first."""

    made_by: ClassVar[str] = "read_annotation(series)"
    task: Task
    platforms: tuple[Platform, ...]
    used: tuple[tuple[Path, str], ...]
    own: str | None

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the first table."""
        return tuple(self.platforms[0].table.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """Accessions (or file names) of the platforms."""
        return tuple(platform.accession or platform.path.name for platform in self.platforms)

    def __repr__(self) -> str:
        """Show the platforms and their columns."""
        lines = (
            f"  {name}: {p.table.height} rows; columns {listed(p.table.columns, 30)}"
            for name, p in zip(self.names, self.platforms, strict=True)
        )
        return "\n".join([f"annotation; the series' own platform is {self.own}", *lines])


@dataclass(frozen=True, eq=False)
class MappedRows(Made):
    """Expression with the names of the genes found for each row."""

    made_by: ClassVar[str] = "map_probes(expression, ...)"
    task: Task
    expression: Expression
    found: RowGenes
    annotation: Annotation | None = None

    def __repr__(self) -> str:
        """Show number of rows with a gene."""
        named = sum(map(bool, self.found.names))
        genes = len({name for names in self.found.names for name in names})
        return f"{named} of {len(self.found.names)} rows name a gene, {genes} different names"


@dataclass(frozen=True, eq=False, repr=False)
class Genes(NumberTable):
    """Expression by official gene symbol, genes x samples."""

    made_by: ClassVar[str] = "normalise_symbols(...)"
    task: Task
    expression: Expression
    mapping: GeneMapping
    annotation: Annotation | None = None
    counted: CountedGenes | None = None

    @property
    def rows(self) -> tuple[str, ...]:
        """Official symbols, sorted."""
        return self.mapping.expression.ids

    @property
    def columns(self) -> tuple[str, ...]:
        """Sample ids."""
        return self.mapping.expression.samples

    @property
    def values(self) -> NDArray[np.floating]:
        """Expression."""
        return self.mapping.expression.values

    def __repr__(self) -> str:
        """Show size, first genes and what was left out."""
        rows, samples = self.shape
        lines = [f"{rows} genes x {samples} samples; first genes: {listed(self.rows, 10)}"]
        return "\n".join([*lines, *(f"  {note}" for note in self.mapping.notes)])


_OTHER_FILES = "values of other files go into normalise_symbols(expression, clinical)"
_RECORD = "record it with save_cohort_info(task, clinical=clinical, why_no_genes=...)"


@tool
def read_expression(source: SeriesText | ClinicalColumns) -> Expression:
    """Read the expression table of a cohort.

    Parameters
    ----------
    source : SeriesText or ClinicalColumns
        As `read_series` or `read_clinical_matrix` gives it.

    Returns
    -------
    Expression
        ``rows`` (tuple of p row ids, always strings), ``columns`` (tuple of n sample ids),
        ``values`` (p x n). Where the table is empty, as of most series made by sequencing, these
        are RNA-seq counts that NCBI computed, or values that the submitter added, where the
        folder has them (``from_other_files`` is True); else p is 0, and ``why_empty`` says why.

    Examples
    --------
    >>> expression = read_expression(series)
    """
    if isinstance(source, SeriesText):
        raw = with_expression(source.raw)
        assert raw.series.expression is not None
        task, empty = source.task, not raw.series.expression.ids
        other = other_values(source.files, raw.series, GeneTable.load(), task.procedure)
        if isinstance(other, ExpressionMatrix):
            return Expression(task, raw, other, from_other_files=True)
        why = (other or no_table(task.procedure)) if empty else ""
        return Expression(task, raw, raw.series.expression, why_empty=why)
    found = read_raw_genes(source.files, source.task.procedure)
    if found is None:
        msg = f"read_expression(): {NO_EXPRESSION}; {_RECORD}"
        raise UsageError(msg)
    return Expression(source.task, found, found.matrix)


@tool
def identify_rows(expression: Expression) -> IdVerdict:
    """Compare the row ids with the known human genes.

    Parameters
    ----------
    expression : Expression
        As `read_expression` gives it.

    Returns
    -------
    IdVerdict
        ``kind`` ("symbol", "probe", "Entrez", ...), ``needs_mapping`` (bool), ``reason`` (str).

    Examples
    --------
    >>> verdict = identify_rows(expression)
    """
    _check_rows(expression, "identify_rows")
    return identify_ids(expression.rows, GeneTable.load())


def _check_rows(expression: Expression, function: str) -> None:
    if not expression.rows:
        msg = f"{function}(): {expression.why_empty}; {_RECORD}"
        raise UsageError(msg)


@tool
def read_annotation(series: SeriesText) -> Annotation:
    """Read the tables that describe the rows of a platform.

    Parameters
    ----------
    series : SeriesText
        As `read_series` gives it.

    Returns
    -------
    Annotation
        ``columns`` (column names of the series' own platform) and ``names`` (accessions of all
        platforms at hand); look at it with `preview`.

    Examples
    --------
    >>> annotation = read_annotation(series)
    """
    own = series.raw.series
    platforms, used = read_platform_tables(series.files, own)
    if not platforms:
        msg = (
            f"read_annotation(): no file in the folder holds the table of {own.platform}; row ids "
            "that are Entrez, Ensembl or RefSeq ids need none; otherwise the rows cannot be "
            f"mapped: {_RECORD}"
        )
        raise UsageError(msg)
    return Annotation(series.task, platforms, used, own.platform)


@tool
def map_probes(
    expression: Expression,
    annotation: Annotation | None = None,
    id_column: str | None = None,
    gene_column: str | None = None,
    platform: str | None = None,
) -> MappedRows:
    """Find the genes that each row names.

    Cells with several genes are split by the platform's own separators. Row ids that are Entrez,
    Ensembl, RefSeq or GenBank ids need no annotation.

    Parameters
    ----------
    expression : Expression
        As `read_expression` gives it.
    annotation : Annotation, optional
        As `read_annotation` gives it.
    id_column, gene_column : str, optional
        Columns of the annotation: the one that holds the row ids, and the one that names the
        genes (symbols, or ids of a database).
    platform : str, optional
        One of `annotation.names`; the series' own by default.

    Returns
    -------
    MappedRows
        For each of the p rows the genes it names; print it to see how many found one.

    Examples
    --------
    >>> mapped = map_probes(expression, annotation, id_column="ID", gene_column="Gene Symbol")
    """
    _check_rows(expression, "map_probes")
    if expression.from_other_files:
        msg = f"map_probes(): {_OTHER_FILES} without mapping"
        raise UsageError(msg)
    task, table = expression.task, GeneTable.load()
    if annotation is None:
        found = genes_of_rows(expression.rows, (), procedure=task.procedure, table=table)
        return MappedRows(task, expression, found)
    chosen = _platform(annotation, platform)
    columns = _columns(chosen, id_column=id_column, gene_column=gene_column)
    ids, platforms, own = expression.rows, annotation.platforms, annotation.own
    found = genes_by_columns(
        ids, platforms, chosen, *columns, procedure=task.procedure, table=table, own=own
    )
    return MappedRows(task, expression, found, annotation)


def _platform(annotation: Annotation, name: str | None) -> Platform:
    if name is None:
        return annotation.platforms[0]
    if name not in annotation.names:
        msg = f"map_probes(): there is no platform {name!r}; use {listed(annotation.names)}"
        raise UsageError(msg)
    return annotation.platforms[annotation.names.index(name)]


def _columns(platform: Platform, **named: str | None) -> list[str]:
    """Return columns of an annotation; refuse one that is missing."""
    for argument, column in named.items():
        if column not in platform.table.columns:
            given = "is missing" if column is None else f"is {column!r}, which is not a column"
            msg = (
                f"map_probes(): {argument} {given}; the columns of {platform.accession} are "
                f"{listed([repr(name) for name in platform.table.columns], 99)}"
            )
            raise UsageError(msg)
    return [str(column) for column in named.values()]


@tool
def normalise_symbols(
    rows: MappedRows | Expression, clinical: ClinicalTable | None = None
) -> Genes:
    """Bring rows to official gene symbols, one row for each gene.

    Procedure ``sound``: linear values are put on the log2 scale, rows of several genes are left
    out, a gene is the mean of its rows; of RNA-seq counts a gene is the sum of its rows, genes with
    few counts are left out by the sizes of the trait's groups, and the values are log2 counts per
    million. ``benchmark``: a row is divided among its genes, a gene is the sum of its rows.

    Parameters
    ----------
    rows : MappedRows or Expression
        As `map_probes` gives it; or as `read_expression` gives it where the row ids are gene
        symbols already, or the values are those of other files than the matrix.
    clinical : ClinicalTable, optional
        As `clinical_table` gives it; needed for values of other files.

    Returns
    -------
    Genes
        ``rows`` (tuple of g symbols, sorted), ``columns`` (tuple of n sample ids), ``values``
        (g x n); print it to see what was left out.

    Examples
    --------
    >>> genes = normalise_symbols(mapped)
    """
    task, table = rows.task, GeneTable.load()
    if isinstance(rows, Expression) and rows.from_other_files:
        return _other_genes(rows, clinical, table)
    if isinstance(rows, MappedRows):
        expression, found, annotation = rows.expression, rows.found, rows.annotation
    else:
        expression, annotation = rows, None
        _check_rows(expression, "normalise_symbols")
        if (verdict := identify_ids(expression.rows, table)).needs_mapping and task.kind == "geo":
            msg = (
                f"normalise_symbols(): the row ids are not gene symbols ({verdict.reason}); map "
                "them first with map_probes(expression, ...), and give its result"
            )
            raise UsageError(msg)
        found = genes_of_rows(expression.rows, (), procedure=task.procedure, table=table)
    mapping = collapse_rows(expression.matrix, found, procedure=task.procedure, table=table)
    return Genes(task, expression, mapping, annotation)


def _other_genes(expression: Expression, clinical: ClinicalTable | None, table: GeneTable) -> Genes:
    if clinical is None or not isinstance(clinical.source, SeriesText):
        msg = f"normalise_symbols(): {_OTHER_FILES}: counts are filtered by the trait's groups"
        raise UsageError(msg)
    source, trait = clinical.source, clinical.trait
    found = other_genes(
        source.files,
        source.raw.series,
        None if trait is None else trait.codes,
        binary=trait is not None and trait.encoding.kind == "binary",
        table=table,
        procedure=expression.task.procedure,
        how=SubmittedValues(),
    )
    assert found is not None
    if found.genes is None:
        msg = f"normalise_symbols(): {found.why_no_genes}; {_RECORD}"
        raise UsageError(msg)
    return Genes(expression.task, expression, found.genes, counted=found)
