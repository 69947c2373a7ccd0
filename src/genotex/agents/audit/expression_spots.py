"""A large linked table compared with its raw files at some genes, which costs far less than all.

Looked at are genes at even distances, and those that go with the trait most closely: of a table
with made-up numbers the former are wrong, of a table with made-up findings the latter. Besides,
the names of all genes and samples must be those that the raw files give.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from genotex.agents.audit.saved_tables import SavedTables, differences
from genotex.agents.audit.told_cohort import ToldSeries, ToldStudy
from genotex.cohorts import (
    NO_EXPRESSION,
    expression_path,
    judge_filled,
    link_features,
    read_annotation,
    treat_missing,
)
from genotex.errors import FormatError, GenotexError
from genotex.formats import (
    Evidence,
    ExpressionMatrix,
    LinkedTable,
    Platform,
    TableLines,
    first_repeated,
    read_series_lines,
    read_xena_lines,
)
from genotex.genes import (
    GeneTable,
    RowGenes,
    collapse_rows,
    detect_scale,
    genes_of_rows,
    identify_ids,
    official_rows,
)

__all__ = ["LARGE", "NamedRows", "naming_rows", "same_at_some_genes"]

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
