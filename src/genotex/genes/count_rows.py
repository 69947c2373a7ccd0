"""Rows of NCBI's count matrices, which are GeneIDs, to official gene symbols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from genotex.errors import FormatError
from genotex.formats.matrix import ExpressionMatrix
from genotex.formats.ncbi_counts import CountMatrix, GeneAnnotation
from genotex.genes.collapse import divide_and_sum, gene_rows
from genotex.genes.idkind import IdKind
from genotex.genes.symbols import official_symbols
from genotex.genes.table import GeneTable

__all__ = ["GeneCounts", "counts_by_gene"]


@dataclass(frozen=True, eq=False)
class GeneCounts:
    """Counts of genes.

    Attributes
    ----------
    matrix : ExpressionMatrix
        Official symbols x samples, sorted by symbol; whole numbers.
    counts : dict of str to int
        As in `GeneMapping`: ``rows``, ``rows_with_symbol``, ``genes_mapped``,
        ``ambiguous_aliases``, ``unknown_symbols``, ``genes``.
    notes : tuple of str
        What was decided, for a reader.
    """

    matrix: ExpressionMatrix
    counts: dict[str, int]
    notes: tuple[str, ...]


def counts_by_gene(
    counts: CountMatrix,
    samples: Sequence[str],
    table: GeneTable,
    annotation: GeneAnnotation | None = None,
) -> GeneCounts:
    """Convert GeneIDs to official symbols and add up the rows of one symbol.

    The gene table gives the symbol of a GeneID; if it lacks the id (withdrawn since, or a table
    without ids), the symbol of the annotation is converted to its official form.

    Parameters
    ----------
    counts : CountMatrix
        As `read_raw_counts` gives it.
    samples : sequence of str
        Columns to take, in this order.
    table : GeneTable
        The genes.
    annotation : GeneAnnotation, optional
        Symbols as of the time of counting.

    Raises
    ------
    FormatError
        If no GeneID is a known gene.
    """
    known = table.lookup(IdKind.ENTREZ, counts.genes)
    annotated = {} if annotation is None else annotation.symbols
    others = [gene for gene in counts.genes if gene not in known and gene in annotated]
    named = official_symbols([annotated[gene] for gene in others], table, "sound")
    by_annotation = dict(zip(others, named.symbols, strict=True))
    symbols = [known.get(gene) or by_annotation.get(gene) for gene in counts.genes]
    links = gene_rows([(symbol,) if symbol else () for symbol in symbols])
    if not links.genes:
        msg = "no GeneID of the count matrix is a known human gene"
        hint = "put Human.GRCh38.p13.annot.tsv.gz next to it"
        raise FormatError(msg, path=counts.path, hint=hint)
    column = {sample: j for j, sample in enumerate(counts.samples)}
    chosen = np.ascontiguousarray(counts.counts[:, [column[sample] for sample in samples]])
    matrix = ExpressionMatrix(links.genes, tuple(samples), divide_and_sum(chosen, links))
    without = sum(symbol is None for symbol in symbols)
    renamed = sum(symbol is not None for symbol in named.symbols)
    numbers = {
        "rows": len(counts.genes),
        "rows_with_symbol": len(counts.genes) - without,
        "rows_several_genes": 0,
        "genes_mapped": len(links.genes),
        "ambiguous_aliases": named.ambiguous,
        "unknown_symbols": without - named.ambiguous,
        "genes": len(links.genes),
    }
    return GeneCounts(matrix, numbers, tuple(_notes(counts, numbers, renamed, without)))


def _notes(counts: CountMatrix, numbers: dict[str, int], renamed: int, without: int) -> list[str]:
    notes = [f"row ids: NCBI GeneIDs of {counts.path.name}"]
    if renamed:
        notes.append(f"{renamed} GeneIDs are not in the gene table; named by the annotation")
    if without:
        notes.append(f"{without} of {numbers['rows']} GeneIDs have no official symbol; dropped")
    merged = numbers["rows_with_symbol"] - numbers["genes"]
    if merged:
        notes.append(f"{merged} rows share a symbol with another; their counts were added")
    return notes
