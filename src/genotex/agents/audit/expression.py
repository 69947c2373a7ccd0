"""Whether the saved tables are those that the pipeline computes from the raw files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.agents.audit.comparison import Differences, SavedTables, differences, records_agree
from genotex.agents.audit.recorded_cohort import ToldSeries, ToldStudy
from genotex.clinical import is_biased
from genotex.cohorts.facts import Facts
from genotex.cohorts.geo_files import RawSeries, read_annotation, read_raw_series
from genotex.cohorts.judging import (
    JudgedCohort,
    judge_cohort,
    judge_filled,
    link_features,
    treat_missing,
)
from genotex.cohorts.prepared import PreparedCohort
from genotex.cohorts.tcga_files import NO_EXPRESSION, expression_path
from genotex.errors import FormatError, GenotexError
from genotex.formats import (
    Evidence,
    ExpressionMatrix,
    LinkedTable,
    Platform,
    TableLines,
    read_series_lines,
    read_xena_lines,
)
from genotex.formats.rows import first_repeated
from genotex.genes import (
    GeneTable,
    RowGenes,
    collapse_rows,
    genes_by_columns,
    genes_of_rows,
    identify_ids,
    official_rows,
)
from genotex.genes.scale import detect_scale
from genotex.layout import Procedure

__all__ = [
    "LARGE",
    "NamedRows",
    "expression_opinion",
    "naming_rows",
    "put_aside_opinion",
    "same_at_some_genes",
]

LARGE = 16_000_000
"""Bytes of a linked table that is not compared whole at once: about a million values."""
_EVENLY, _BY_TRAIT = 48, 48
"""How many genes are looked at."""


@dataclass(frozen=True, eq=False)
class NamedRows:
    """The rows of a cohort, with the genes that the built-in rules find for them.

    Attributes
    ----------
    lines : TableLines
    ids : tuple of str
    found : RowGenes
        The names of genes of each row.
    counted : list of tuple of str
        The official genes that each row counts for.
    """

    lines: TableLines
    ids: tuple[str, ...]
    found: RowGenes
    counted: list[tuple[str, ...]]


@contextmanager
def naming_rows(
    told: ToldSeries | ToldStudy | None, table: Path
) -> Iterator[Future[NamedRows] | None]:
    """Have the rows of a cohort named in a thread, while its linked table is read.

    Parameters
    ----------
    told : ToldSeries, ToldStudy or None
        What the evidence tells, applied to the raw files.
    table : Path
        The linked table.

    Yields
    ------
    Future or None
        None where nothing is to be compared at some genes alone: the table is small or absent, or
        expression was read from a family SOFT file.
    """
    was_read = isinstance(told, ToldSeries) and told.raw.series.expression is not None
    if told is None or was_read or not table.is_file() or table.stat().st_size < LARGE:
        yield None
        return
    with ThreadPoolExecutor(1) as beside:
        yield beside.submit(_name_rows, told)


def _name_rows(told: ToldSeries | ToldStudy) -> NamedRows:
    lines, platforms, own = _lines(told)
    ids, procedure, table = lines.ids, told.task.procedure, GeneTable.load()
    found = genes_of_rows(ids, platforms, procedure=procedure, table=table, own=own)
    return NamedRows(lines, ids, found, official_rows(found, procedure=procedure, table=table))


def _lines(told: ToldSeries | ToldStudy) -> tuple[TableLines, tuple[Platform, ...], str | None]:
    """Return the rows of a cohort, and what may tell their genes."""
    if isinstance(told, ToldStudy):
        path = expression_path(told.files, told.task.procedure)
        if path is None:
            raise FormatError(NO_EXPRESSION, path=told.files.folder)
        return read_xena_lines(path), (), None
    series = told.raw.series
    with ThreadPoolExecutor(1) as beside:
        annotation = beside.submit(read_annotation, told.files, series)
        lines = read_series_lines(series.path)
        needed = bool(lines.ids) and identify_ids(lines.ids, GeneTable.load()).needs_mapping
        return lines, annotation.result()[0] if needed else (), series.platform


def same_at_some_genes(
    told: ToldSeries | ToldStudy,
    evidence: Evidence,
    saved: SavedTables,
    naming: Future[NamedRows],
) -> bool:
    """Tell whether a table is surely that of the raw files at the genes looked at.

    Parameters
    ----------
    told : ToldSeries or ToldStudy
        What the evidence tells, applied to the raw files.
    evidence : Evidence
    saved : SavedTables
    naming : Future
        As `naming_rows` gives it.

    Returns
    -------
    bool
        False also where some genes or samples were left out for their gaps: then all of the table
        has to be compared.
    """
    genes = _some_genes(saved.filled)
    try:
        rows = naming.result()
        if {gene for counted in rows.counted for gene in counted} != set(saved.filled.genes):
            return False
        expression = _expression(told, evidence, rows, genes)
    except GenotexError:
        # Whatever it is: it is told by who reads all of it.
        return False
    return expression is not None and _same(told, expression, saved)


def _some_genes(table: LinkedTable) -> frozenset[str]:
    """Return genes at even distances, and those of the largest correlation with the trait."""
    number = len(table.genes)
    evenly = np.linspace(0, number - 1, min(_EVENLY, number)).round().astype(int)
    leading = np.argsort(-_correlation(table), kind="stable")[:_BY_TRAIT]
    return frozenset(table.genes[j] for j in (*evenly.tolist(), *leading.tolist()))


def _correlation(table: LinkedTable) -> NDArray[np.float64]:
    """Return a measure of each gene's correlation with the trait, 0 for constant genes."""
    trait = table.trait_values - table.trait_values.mean()
    values = table.expression
    variance = np.einsum("ij,ij->j", values, values) / len(values) - values.mean(axis=0) ** 2
    spread = np.sqrt(np.maximum(variance, 0.0))
    size: NDArray[np.float64] = np.abs(trait @ values)
    correlation: NDArray[np.float64] = np.zeros(len(size))
    np.divide(size, spread, out=correlation, where=spread > 0)
    return correlation


def _expression(
    told: ToldSeries | ToldStudy, evidence: Evidence, rows: NamedRows, genes: frozenset[str]
) -> ExpressionMatrix | None:
    """Return the expression of some genes; None where that takes all of them."""
    procedure, scale = told.task.procedure, evidence.mapping.get("scale")
    wanted = [i for i, counted in enumerate(rows.counted) if not genes.isdisjoint(counted)]
    names = {rows.ids[i]: rows.found.names[i] for i in wanted}
    matrix = rows.lines.read_rows(names.keys())
    if scale not in ("log2", "linear") or first_repeated(matrix.samples) is not None:
        return None
    if evidence.mapping.get("offset"):
        # The offset of the logarithm is chosen from all rows.
        return None
    if procedure == "sound" and detect_scale(matrix.values).scale != scale:
        return None
    found = replace(rows.found, names=[names[i] for i in matrix.ids])
    table = GeneTable.load()
    all_of_them = collapse_rows(matrix, found, procedure=procedure, table=table, scale=scale)
    mapped = all_of_them.expression
    kept = [i for i, gene in enumerate(mapped.ids) if gene in genes]
    ids = tuple(mapped.ids[i] for i in kept)
    return ExpressionMatrix(ids, mapped.samples, mapped.values[kept])


def _same(told: ToldSeries | ToldStudy, expression: ExpressionMatrix, saved: SavedTables) -> bool:
    codes = {name: feature.codes for name, feature in told.features.items()}
    trait = codes.pop("trait")
    linked = link_features(told.task.trait, told.samples, trait, codes, expression)
    # Which genes and samples are dropped for their gaps depends on all genes: where any was, the
    # names differ, and all are compared.
    return differences(saved, judge_filled(treat_missing(linked)), frozenset(expression.ids)).none


def expression_opinion(
    told: ToldSeries | ToldStudy,
    evidence: Evidence,
    saved: SavedTables,
    naming: Future[NamedRows] | None,
) -> tuple[str, ...]:
    """Return in what the saved tables are other than the raw files give; empty where they agree.

    Large tables are compared at some genes first (see `same_at_some_genes`).

    Parameters
    ----------
    told : ToldSeries or ToldStudy
        What the evidence tells, applied to the raw files.
    evidence : Evidence
    saved : SavedTables
        The linked tables of a usable cohort.
    naming : Future or None
        The rows of a large table (see `naming_rows`).
    """
    if naming is not None and same_at_some_genes(told, evidence, saved, naming):
        return _other_record(told, evidence, told.facts, {})
    prepared, why = None, "nothing tells the genes of its rows"
    try:
        prepared = told.prepare(with_genes=True)
        why = prepared.why_no_genes or why
    except GenotexError as error:
        why = str(error)
    own = None if prepared is None else _differences(saved, judge_cohort(prepared))
    if own is not None and prepared is not None and own.none:
        return _other_record(told, evidence, prepared.sample_facts, prepared.counts)
    found = [] if prepared is None or own is None else [own]
    for gene_column, other in _by_its_own_columns(told, evidence, saved, prepared):
        if other.none:
            return (_other_column(gene_column, own, prepared),)
        found.append(other)
    if not found:
        return (f"its expression cannot be computed from the raw files: {why}",)
    return min(found, key=lambda each: (each.values, each.absent_or_other_genes)).words()


def _differences(saved: SavedTables, expected: JudgedCohort) -> Differences | None:
    return None if expected.filled is None else differences(saved, expected)


def _other_record(
    told: ToldSeries | ToldStudy, evidence: Evidence, facts: Facts, counts: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return what the evidence says otherwise of things by which the analysis goes."""
    trait = told.features["trait"]
    pairs = {
        "roles of samples": (evidence.roles, dict(zip(told.samples, trait.roles, strict=True))),
        "other characteristics": (evidence.sample_facts, facts),
        "counts": (evidence.counts, counts),
        "controls": (evidence.options.get("control_roles"), "auto"),
    }
    wrong = [name for name, (said, is_so) in pairs.items() if not records_agree(said, is_so)]
    return tuple(
        f"the {name} in its evidence are not those that the raw files give" for name in wrong
    )


def _other_column(
    gene_column: str | None, own: Differences | None, prepared: PreparedCohort | None
) -> str:
    """Return that written code told genes in another way than the rules, which may be as good."""
    way = f"column {gene_column!r}" if gene_column else "the row ids alone"
    told = f"written code told the genes of rows by {way}, the built-in rules"
    if own is None or prepared is None or prepared.genes is None:
        return f"{told} find none"
    by = prepared.genes.gene_column
    return (
        f"{told} by {f'column {by!r}' if by else 'the row ids alone'}: "
        f"{own.absent_or_other_genes} genes are there for one of them alone, or with other values"
    )


def _by_its_own_columns(
    told: ToldSeries | ToldStudy,
    evidence: Evidence,
    saved: SavedTables,
    prepared: PreparedCohort | None,
) -> Iterator[tuple[str | None, Differences]]:
    """Yield what comes of the columns that the evidence names, platform by platform."""
    if prepared is None or prepared.counts or isinstance(told, ToldStudy):
        return
    raw = read_raw_series(told.files, lambda series: True)
    matrix, table = raw.series.expression, GeneTable.load()
    if matrix is None or not matrix.ids:
        return
    procedure = told.task.procedure
    for found in _ways(raw, matrix.ids, evidence, procedure, table):
        with suppress(GenotexError):
            genes = collapse_rows(matrix, found, procedure=procedure, table=table)
            judged = judge_cohort(replace(prepared, genes=genes))
            if (other := _differences(saved, judged)) is not None:
                yield found.gene_column, other


def _ways(
    raw: RawSeries, ids: Sequence[str], evidence: Evidence, procedure: Procedure, table: GeneTable
) -> Iterator[RowGenes]:
    """Yield the genes of rows in each way that the evidence may mean."""
    id_column, gene_column = (evidence.mapping.get(f"{name}_column") for name in ("id", "gene"))
    own, platforms = raw.series.platform, raw.platforms
    if gene_column is None:
        with suppress(FormatError):
            yield genes_of_rows(ids, (), procedure=procedure, table=table)
        return
    columns = [id_column, gene_column]
    for platform in platforms:
        if all(column in platform.table.columns for column in columns):
            with suppress(FormatError):
                yield genes_by_columns(
                    ids, platforms, platform, *columns, procedure=procedure, table=table, own=own
                )


def put_aside_opinion(told: ToldSeries | ToldStudy) -> tuple[str, ...]:
    """Return that a cohort counts as not usable, though the direct road can use it as it is told.

    Parameters
    ----------
    told : ToldSeries or ToldStudy
        A cohort without a linked table.
    """
    trait = told.features.get("trait")
    known = np.empty(0) if trait is None else trait.codes[~np.isnan(trait.codes)]
    if not known.size or is_biased(known):
        return ()
    try:
        judged = judge_cohort(told.prepare(with_genes=False))
    except GenotexError:
        # Who cannot read it either has nothing to say.
        return ()
    if not judged.info.is_usable:
        return ()
    return ("with this very trait the direct road makes a usable cohort of the raw files",)
