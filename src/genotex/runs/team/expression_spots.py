"""A large linked table compared with its raw series at some genes, which costs far less than all.

Looked at are genes at even distances, and those that go with the trait most closely: of a table
with made-up numbers the former are wrong, of a table with made-up findings the latter. Besides,
the names of all genes and samples must be those that the raw files give.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from genotex.cohorts.geo_files import read_annotation, with_expression
from genotex.cohorts.judging import judge_filled, link_features, treat_missing
from genotex.errors import GenotexError
from genotex.formats import Evidence, ExpressionMatrix, LinkedTable, Platform
from genotex.genes import (
    GeneTable,
    RowGenes,
    collapse_rows,
    genes_of_rows,
    identify_ids,
    official_rows,
)
from genotex.genes.scale import detect_scale
from genotex.runs.team.saved_tables import SavedTables, differences
from genotex.runs.team.told_cohort import ToldSeries

__all__ = ["LARGE", "same_at_some_genes"]

LARGE = 1_000_000
"""Values of a table that is not compared whole at once."""
_EVENLY, _BY_TRAIT = 48, 48
"""How many genes are looked at."""


def same_at_some_genes(told: ToldSeries, evidence: Evidence, saved: SavedTables) -> bool:
    """Tell whether a large table is surely that of the raw files at the genes looked at.

    Parameters
    ----------
    told : ToldSeries
        What the evidence tells, applied to the raw series.
    evidence : Evidence
    saved : SavedTables

    Returns
    -------
    bool
        False also where the table is small, or some genes or samples were left out for their gaps:
        then all of it has to be compared.
    """
    table, matrix_read = saved.filled, told.raw.series.expression is not None
    if table.expression.size < LARGE or matrix_read or "trait" not in told.features:
        return False
    genes = _some_genes(table)
    with ThreadPoolExecutor(1) as beside:
        annotation = beside.submit(lambda: read_annotation(told.files, told.raw.series)[0])
        spots = _Spots(told, frozenset(genes), annotation.result)
        try:
            series = with_expression(told.raw, spots.choose).series
            if series.expression is None or spots.names is None or spots.all_genes is None:
                return False
            if spots.all_genes != frozenset(table.genes):
                return False
            expression = _collapse(spots, series.expression, evidence)
        except GenotexError:
            # Whatever it is: it is told by who reads all of it.
            return False
    if expression is None:
        return False
    return _same(told, expression, saved)


def _some_genes(table: LinkedTable) -> list[str]:
    """Return genes at even distances, and those of the largest correlation with the trait."""
    number = len(table.genes)
    evenly = np.linspace(0, number - 1, min(_EVENLY, number)).round().astype(int)
    leading = np.argsort(-_correlation(table), kind="stable")[:_BY_TRAIT]
    return [table.genes[j] for j in sorted({*evenly.tolist(), *leading.tolist()})]


def _correlation(table: LinkedTable) -> NDArray[np.float64]:
    """Return the size of each gene's correlation with the trait, 0 for constant genes."""
    trait = table.trait_values - table.trait_values.mean()
    values = table.expression
    variance = np.einsum("ij,ij->j", values, values) / len(values) - values.mean(axis=0) ** 2
    spread = np.sqrt(np.maximum(variance, 0.0))
    size: NDArray[np.float64] = np.abs(trait @ values)
    none: NDArray[np.float64] = np.zeros(len(size))
    np.divide(size, spread, out=none, where=spread > 0)
    return none


@dataclass
class _Spots:
    """Finds the rows of some genes among all rows, by the built-in rules.

    Attributes
    ----------
    told : ToldSeries
    genes : frozenset of str
        Those looked at.
    platforms : callable
        Returns the annotation.
    names : RowGenes or None
        The names of genes of all rows, once the rows are known.
    rows : dict of str to tuple of str
        Rows of these genes, with all names that they have.
    all_genes : frozenset of str or None
        What all rows come to.
    """

    told: ToldSeries
    genes: frozenset[str]
    platforms: Callable[[], Sequence[Platform]]
    table: GeneTable = field(default_factory=GeneTable.load)
    names: RowGenes | None = None
    rows: dict[str, tuple[str, ...]] = field(default_factory=dict)
    all_genes: frozenset[str] | None = None

    def choose(self, ids: Sequence[str]) -> Sequence[str]:
        """Return the ids of the rows of these genes."""
        if not ids:
            return ()
        platforms = self.platforms() if identify_ids(ids, self.table).needs_mapping else ()
        own, procedure = self.told.raw.series.platform, self.told.task.procedure
        found = genes_of_rows(ids, platforms, procedure=procedure, table=self.table, own=own)
        counted = official_rows(found, procedure=procedure, table=self.table)
        self.all_genes = frozenset(gene for genes in counted for gene in genes)
        rows = [i for i, genes in enumerate(counted) if not self.genes.isdisjoint(genes)]
        self.rows = {ids[i]: found.names[i] for i in rows}
        self.names = found
        return tuple(self.rows)


def _collapse(
    spots: _Spots, matrix: ExpressionMatrix, evidence: Evidence
) -> ExpressionMatrix | None:
    """Return the expression of the genes looked at; None where the scale is to be doubted."""
    scale = evidence.mapping.get("scale")
    if scale not in ("log2", "linear"):
        return None
    if spots.told.task.procedure == "sound" and detect_scale(matrix.values).scale != scale:
        return None
    assert spots.names is not None
    procedure = spots.told.task.procedure
    names = replace(spots.names, names=[spots.rows[row] for row in matrix.ids])
    mapped = collapse_rows(
        matrix, names, procedure=procedure, table=spots.table, scale=scale
    ).expression
    kept = [i for i, gene in enumerate(mapped.ids) if gene in spots.genes]
    ids = tuple(mapped.ids[i] for i in kept)
    return ExpressionMatrix(ids, mapped.samples, mapped.values[kept])


def _same(told: ToldSeries, expression: ExpressionMatrix, saved: SavedTables) -> bool:
    codes = {name: feature.codes for name, feature in told.features.items()}
    trait = codes.pop("trait")
    linked = link_features(told.task.trait, told.samples, trait, codes, expression)
    # Which genes and samples are dropped for their gaps depends on all genes: where any was, the
    # names differ, and all are compared.
    return differences(saved, judge_filled(treat_missing(linked)), frozenset(expression.ids)).none
