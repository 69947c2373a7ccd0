"""Rows of probes or counts to rows of genes, without a loop over samples.

Collapsing is the product of a sparse genes x rows matrix with the values. NumPy is as fast as
scipy here, and importing scipy takes longer than the whole product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from genotex.errors import FormatError
from genotex.formats import CountMatrix, ExpressionMatrix, GeneAnnotation
from genotex.genes.symbols import official_symbols
from genotex.genes.table import GeneTable
from genotex.id_kinds import IdKind
from genotex.procedure import Procedure

_ROWS_AT_ONCE = 1024
_GENES_AT_ONCE = 512
"""Genes of a block: 1 MiB of sums at 256 samples."""


@dataclass(frozen=True, eq=False)
class _GeneRows:
    """Which row of a matrix belongs to which genes."""

    genes: tuple[str, ...]  # gene names, sorted
    gene: NDArray[np.intp]  # gene of each link, an index into `genes`
    row: NDArray[np.intp]  # matrix row of each link
    share: NDArray[np.float64]  # 1 / number of genes of that row


def gene_rows(names: Sequence[Sequence[str]]) -> _GeneRows:
    """Link rows to genes."""
    counts = np.fromiter(map(len, names), dtype=np.intp, count=len(names))
    flat = list(chain.from_iterable(names))
    unique = sorted(set(flat))
    index = {gene: i for i, gene in enumerate(unique)}
    gene = np.fromiter(map(index.__getitem__, flat), dtype=np.intp, count=len(flat))
    row = np.repeat(np.arange(len(names)), counts)
    share = np.repeat(1.0 / np.maximum(counts, 1), counts)
    return _GeneRows(tuple(unique), gene, row, share)


def divide_and_sum(values: NDArray[np.floating], links: _GeneRows) -> NDArray[np.float64]:
    """Divide each row equally among its genes and add up; missing counts as 0 (`benchmark`)."""
    return _gather(values, links, links.share, mean=False)


def mean_of_rows(values: NDArray[np.floating], links: _GeneRows) -> NDArray[np.float64]:
    """Average the rows of each gene; missing values are skipped."""
    return _gather(values, links, None, mean=True)


def weighted_mean_of_rows(values: NDArray[np.floating], links: _GeneRows) -> NDArray[np.float64]:
    """Average the rows of each gene on the log2 scale, by how far each is below the highest one.

    A row counts with 2^(its mean - the highest mean of the gene): one that hardly measures the gene
    does not dilute one that does. Missing values are skipped.
    """
    sums, known = np.empty(len(values)), np.empty(len(values))
    for at in range(0, len(values), _ROWS_AT_ONCE):
        rows = values[at : at + _ROWS_AT_ONCE]
        missing = np.isnan(rows)
        sums[at : at + len(rows)] = np.where(missing, 0.0, rows).sum(axis=1)
        known[at : at + len(rows)] = rows.shape[1] - missing.sum(axis=1)
    level = np.divide(sums, known, out=np.full(len(values), -np.inf), where=known > 0)[links.row]
    highest = np.full(len(links.genes), -np.inf)
    np.maximum.at(highest, links.gene, level)
    weights = np.zeros(len(level))
    some = np.isfinite(level)
    weights[some] = np.exp2(level[some] - highest[links.gene[some]])
    return _gather(values, links, weights, mean=True)


def _gather(
    values: NDArray[np.floating],
    links: _GeneRows,
    weights: NDArray[np.float64] | None,
    *,
    mean: bool,
) -> NDArray[np.float64]:
    """Add up the (weighted) rows of each gene in the order of the links, missing values skipped.

    `mean`: Divide by how many they were, or by the sum of their weights.
    """
    order = np.argsort(links.gene, kind="stable")
    row = links.row[order]
    weight = np.ones((len(row), 1), np.int32) if weights is None else weights[order, None]
    counts = np.bincount(links.gene, minlength=len(links.genes))
    starts = np.cumsum(counts) - counts
    by_count = np.argsort(-counts, kind="stable")
    gathered = np.empty((len(counts), values.shape[1]))
    for at in range(0, len(counts), _GENES_AT_ONCE):
        genes = by_count[at : at + _GENES_AT_ONCE]
        block = np.zeros((len(genes), values.shape[1]))
        found = np.zeros(block.shape, dtype=weight.dtype)
        for turn in range(counts[genes[0]]):
            some = np.count_nonzero(counts[genes] > turn)
            links_now = starts[genes[:some]] + turn
            part, share = values[row[links_now]], weight[links_now]
            missing = np.isnan(part)
            if missing.any():
                np.copyto(part, 0.0, where=missing)
                found[:some] += np.where(missing, weight.dtype.type(0), share)
            else:
                found[:some] += share
            block[:some] += part if weights is None else part * share
        if mean:
            known = found > 0
            np.divide(block, found, out=block, where=known)
            block[~known] = np.nan
        gathered[genes] = block
    return gathered


@dataclass(frozen=True, eq=False)
class GeneCounts:
    """Counts of genes."""

    matrix: ExpressionMatrix
    """Official symbols x samples, sorted by symbol; whole numbers."""
    counts: dict[str, int]
    """As in `GeneMapping`: ``rows``, ``rows_with_symbol``, ``genes_mapped``, ``ambiguous_aliases``,
    ``unknown_symbols``, ``genes``."""
    notes: tuple[str, ...]
    """What was decided, for a reader."""


def counts_by_gene(
    counts: CountMatrix,
    samples: Sequence[str],
    table: GeneTable,
    annotation: GeneAnnotation | None = None,
    species: str = "",
) -> GeneCounts:
    """Convert GeneIDs to official symbols and add up the rows of one symbol.

    The gene table gives the symbol of a GeneID; if it lacks the id (withdrawn since, or a table
    without ids), the symbol of the annotation is converted to its official form.

    `counts`: as `read_raw_counts` gives it. `samples`: Columns to take, in this order. `table`: the
    genes. `annotation`: Symbols as of the time of counting. `species`: other than human, whose
    genes are called as the annotation does.
    """
    known = {} if species else table.lookup(IdKind.ENTREZ, counts.genes)
    annotated = {} if annotation is None else annotation.symbols
    unknown = () if species else (gene for gene in counts.genes if gene not in known)
    others = [gene for gene in unknown if gene in annotated]
    named = official_symbols([annotated[gene] for gene in others], table, Procedure.SOUND)
    by_annotation = annotated if species else dict(zip(others, named.symbols, strict=True))
    symbols = [known.get(gene) or by_annotation.get(gene) for gene in counts.genes]
    links = gene_rows([(symbol,) if symbol else () for symbol in symbols])
    if not links.genes:
        msg = f"no GeneID of the count matrix is a known {species or 'human'} gene"
        hint = f"put {'Mouse.GRCm39' if species else 'Human.GRCh38.p13'}.annot.tsv.gz next to it"
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
