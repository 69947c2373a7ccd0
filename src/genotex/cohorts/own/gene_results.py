"""Tables of tested genes that other tools wrote: DESeq2, edgeR, limma, and genes.csv of genotex."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from genotex.arrays import Floats
from genotex.errors import FormatError
from genotex.formats import GeneResults, TableFile, read_table_file, result_columns
from genotex.genes import GeneTable, genes_of_rows, official_rows
from genotex.procedure import Procedure
from genotex.words import counted

_NAMES = re.compile("gene|entrez|symbol|id$", re.IGNORECASE)
_FEWEST_KNOWN = 0.5
"""Share of the rows that a column must name official genes for."""


def read_gene_results(
    source: Any, *, name: str | None = None, gene_table: Path | str | GeneTable | None = None
) -> GeneResults:
    """Read a table of tested genes as DESeq2, edgeR (``topTags``) or limma (``topTable``) gives it.

    `source`: a table in any form that own tables have, or a data frame. Of rows of one gene the one
    with the highest mean expression is kept, the first where there is no mean. Genes without a
    p-value, which DESeq2 has for outliers, are left out.

    Raises
    ------
    FormatError, UsageError
        If it lacks the columns of all these tools, or no gene has a p-value.
    """
    table = read_table_file(source, label="the table of results")
    columns = result_columns(table)
    if not isinstance(gene_table, GeneTable):
        gene_table = GeneTable.load(None if gene_table is None else Path(gene_table))
    genes, notes = _genes(table, columns.taken, gene_table)
    numbers = columns.numbers
    tested = np.isfinite(numbers["p"]) & np.isfinite(numbers["effect"])
    kept, more = _kept(genes, tested, numbers["mean"])
    if not len(kept):
        msg = "no gene has a p-value and a change"
        raise table.error(msg)
    stem = "results" if table.path is None else table.path.name.partition(".")[0]
    return GeneResults(
        name or stem,
        columns.tool,
        tuple(str(genes[i]) for i in kept),
        **{field: values[kept] for field, values in numbers.items()},
        notes=(f"{table.label}: results of {columns.tool}", *table.notes, *notes, *more),
    )


def _genes(
    table: TableFile, used: frozenset[int], genes: GeneTable
) -> tuple[Sequence[str | None], list[str]]:
    """Return the genes of the rows, from the column that names most official ones."""
    best: tuple[int, list[str | None], str] | None = None
    others = [i for i in range(table.columns.width) if i not in used and _may_name(table, i)]
    if not others:
        msg = "has no column that names the genes"
        raise table.error(msg, hint="write row names too, as write.csv(results) of R does")
    for i in others:
        ids = table.columns.to_series(i).cast(pl.String).fill_null("").to_list()
        try:
            found = genes_of_rows(ids, (), procedure=Procedure.SOUND, table=genes)
        except FormatError:
            continue
        official = official_rows(found, procedure=Procedure.SOUND, table=genes)
        names = [each[0] if each else None for each in official]
        known = sum(each is not None for each in names)
        if best is None or known > best[0]:
            title = table.header[i] or "the first column"
            best = known, names, f"genes by {title}: {found.verdict.reason}"
    if best is not None and best[0] >= _FEWEST_KNOWN * table.columns.height:
        known, names, note = best
        notes = [note]
        if lost := len(names) - known:
            notes.append(f"{counted(lost, 'row')} of no known gene left out")
        return names, notes
    ids = table.columns.to_series(others[0]).cast(pl.String).to_list()
    return ids, ["no column names genes that are known; the names are kept as they are"]


def _may_name(table: TableFile, column: int) -> bool:
    """Return whether a column may name genes: texts, the first one, or one called so."""
    numbers = table.columns.to_series(column).dtype.is_numeric()
    return not numbers or column == 0 or bool(_NAMES.search(table.header[column]))


def _kept(
    genes: Sequence[str | None], tested: np.ndarray[Any, Any], mean: Floats
) -> tuple[list[int], list[str]]:
    """Return the rows to keep: of each gene the one with the highest mean."""
    known = [i for i, gene in enumerate(genes) if gene]
    rows = [i for i in known if tested[i]]
    high = np.where(np.isnan(mean), -np.inf, mean)
    best: dict[str, int] = {}
    for i in rows:
        other = best.setdefault(str(genes[i]), i)
        if high[i] > high[other]:
            best[str(genes[i])] = i
    notes = []
    if len(known) > len(rows):
        notes.append(f"{counted(len(known) - len(rows), 'gene')} without p-value left out")
    if len(rows) > len(best):
        extra = counted(len(rows) - len(best), "row")
        notes.append(f"{extra} of a gene that another row has with a higher mean left out")
    return sorted(best.values()), notes
