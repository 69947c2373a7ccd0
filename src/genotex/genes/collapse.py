"""From rows of probes to rows of genes: one sparse matrix product, no loop over samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["GeneRows", "divide_and_sum", "gene_rows", "mean_of_rows"]


@dataclass(frozen=True, eq=False)
class GeneRows:
    """Which row of a matrix belongs to which genes.

    Attributes
    ----------
    genes : tuple of str
        Gene names, sorted.
    gene : ndarray of int, shape (links,)
        Gene of each link, an index into `genes`.
    row : ndarray of int, shape (links,)
        Matrix row of each link.
    share : ndarray of float, shape (links,)
        1 / number of genes of that row.
    """

    genes: tuple[str, ...]
    gene: NDArray[np.intp]
    row: NDArray[np.intp]
    share: NDArray[np.float64]

    def incidence(self, rows: int, weights: NDArray[np.float64] | None = None) -> sparse.csr_array:
        """Return the genes x rows matrix of `weights` (default 1)."""
        data = np.ones(len(self.gene)) if weights is None else weights
        shape = (len(self.genes), rows)
        return sparse.csr_array(sparse.coo_array((data, (self.gene, self.row)), shape=shape))


def gene_rows(names: Sequence[Sequence[str]]) -> GeneRows:
    """Link rows to genes.

    Parameters
    ----------
    names : sequence of sequences of str
        For every matrix row its genes, none twice; empty for a row without a gene.
    """
    counts = np.fromiter(map(len, names), dtype=np.intp, count=len(names))
    flat = [gene for genes in names for gene in genes]
    unique = sorted(set(flat))
    index = {gene: i for i, gene in enumerate(unique)}
    gene = np.fromiter((index[g] for g in flat), dtype=np.intp, count=len(flat))
    row = np.repeat(np.arange(len(names)), counts)
    share = np.repeat(1.0 / np.maximum(counts, 1), counts)
    return GeneRows(tuple(unique), gene, row, share)


def divide_and_sum(values: NDArray[np.floating], links: GeneRows) -> NDArray[np.float64]:
    """Divide each row equally among its genes and add up; missing counts as 0 (`benchmark`).

    Parameters
    ----------
    values : ndarray, shape (rows, samples)
        Expression; missing is NaN.
    links : GeneRows
        Genes of the rows.

    Returns
    -------
    ndarray, shape (genes, samples)
        Sums in the unit of `values`.
    """
    missing = np.isnan(values)
    filled = np.where(missing, 0.0, values) if missing.any() else values
    product = links.incidence(values.shape[0], links.share) @ filled.astype(np.float64, copy=False)
    return np.asarray(product, dtype=np.float64)


def mean_of_rows(values: NDArray[np.floating], links: GeneRows) -> NDArray[np.float64]:
    """Average the rows of each gene; missing values are skipped.

    Parameters
    ----------
    values : ndarray, shape (rows, samples)
        Expression; missing is NaN.
    links : GeneRows
        Genes of the rows.

    Returns
    -------
    ndarray, shape (genes, samples)
        Means in the unit of `values`; NaN where all rows of a gene are missing.
    """
    incidence = links.incidence(values.shape[0])
    missing = np.isnan(values)
    if not missing.any():
        sums = np.asarray(incidence @ values.astype(np.float64, copy=False), dtype=np.float64)
        return sums / np.asarray(incidence.sum(axis=1))[:, None]
    filled = np.where(missing, 0.0, values).astype(np.float64, copy=False)
    sums = np.asarray(incidence @ filled, dtype=np.float64)
    counts = np.asarray(incidence @ (~missing).astype(np.float64), dtype=np.float64)
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
