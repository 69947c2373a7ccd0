"""Rows of probes to rows of genes, some hundred genes at a time, without a loop over samples.

This is the product of a sparse genes x rows matrix with the values. NumPy is as fast as
scipy here, and importing scipy takes longer than the whole product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["GeneRows", "divide_and_sum", "gene_rows", "mean_of_rows"]

_GENES_AT_ONCE = 512
"""Genes of a block: 1 MiB of sums at 256 samples."""


@dataclass(frozen=True, eq=False)
class GeneRows:
    """Which row of a matrix belongs to which genes."""

    genes: tuple[str, ...]  # gene names, sorted
    gene: NDArray[np.intp]  # gene of each link, an index into `genes`
    row: NDArray[np.intp]  # matrix row of each link
    share: NDArray[np.float64]  # 1 / number of genes of that row


def gene_rows(names: Sequence[Sequence[str]]) -> GeneRows:
    """Link rows to genes."""
    counts = np.fromiter(map(len, names), dtype=np.intp, count=len(names))
    flat = [gene for genes in names for gene in genes]
    unique = sorted(set(flat))
    index = {gene: i for i, gene in enumerate(unique)}
    gene = np.fromiter((index[g] for g in flat), dtype=np.intp, count=len(flat))
    row = np.repeat(np.arange(len(names)), counts)
    share = np.repeat(1.0 / np.maximum(counts, 1), counts)
    return GeneRows(tuple(unique), gene, row, share)


def divide_and_sum(values: NDArray[np.floating], links: GeneRows) -> NDArray[np.float64]:
    """Divide each row equally among its genes and add up; missing counts as 0 (`benchmark`)."""
    return _sums(values, links, links.share)[0]


def mean_of_rows(values: NDArray[np.floating], links: GeneRows) -> NDArray[np.float64]:
    """Average the rows of each gene; missing values are skipped."""
    sums, known = _sums(values, links)
    return np.divide(sums, known, out=np.full_like(sums, np.nan), where=known > 0)


def _sums(
    values: NDArray[np.floating], links: GeneRows, weights: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Add up the (weighted) rows of each gene in the order of the links, missing values skipped."""
    order = np.argsort(links.gene, kind="stable")
    row = links.row[order]
    weight = None if weights is None else weights[order, None]
    counts = np.bincount(links.gene, minlength=len(links.genes))
    starts = np.cumsum(counts) - counts
    by_count = np.argsort(-counts, kind="stable")
    sums = np.empty((len(counts), values.shape[1]))
    known = np.empty(sums.shape, dtype=np.int32)
    for at in range(0, len(counts), _GENES_AT_ONCE):
        genes = by_count[at : at + _GENES_AT_ONCE]
        block = np.zeros((len(genes), values.shape[1]))
        lost = np.zeros(block.shape, dtype=np.int32)
        for turn in range(counts[genes[0]]):
            some = np.count_nonzero(counts[genes] > turn)
            links_now = starts[genes[:some]] + turn
            part = values[row[links_now]]
            missing = np.isnan(part)
            if missing.any():
                np.copyto(part, 0.0, where=missing)
                lost[:some] += missing
            block[:some] += part if weight is None else part * weight[links_now]
        sums[genes] = block
        known[genes] = counts[genes, None] - lost
    return sums, known
