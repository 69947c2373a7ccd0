"""What is known of the errors of the samples: weights, and correlation within people.

Samples may differ in precision (weights), may come from the same person (a correlation that all
genes share: Smyth, Michaud and Scott 2005), and expression may have been counted (voom's weights of
single observations). All regressions of the procedure ``sound`` go through `Precision.fit`.

Within a block of m samples with correlation r the inverse correlation matrix is
(I - r / (1 + (m - 1) r) J) / (1 - r), J all ones. So everything that generalised least squares
needs are products of columns over all samples, and over the sums of blocks of each size, of all
genes at once; with missing values a gene's blocks are as large as its known values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from genotex.analysis.gene_tests.linear import (
    LinearFit,
    SeveralFit,
    fit_last_column,
    fit_last_columns,
    fit_weighted_columns,
)
from genotex.arrays import Flags, Floats, Rows, gene_parts
from genotex.smoothing import lowess

SPAN = 0.5
"""Share of the genes in each window of the trend: limma's classic default."""
FEWEST_GENES = 2
SMALLEST_SHARE = 1e-4
"""Share of its height below which the trend does not fall."""
_MILLION = float(np.log2(1e6))
_NO_READ = 1e-6


@dataclass(frozen=True, eq=False)
class _CountTrend:
    """How the spread of log2 counts falls with their size."""

    size: Floats  # (m,): mean log2 count of genes, ascending, all different
    root: Floats  # (m,): square root of the residual standard deviation at that size, smoothed

    def weights(self, log_counts: Floats) -> Floats:
        """Return the inverse of the variance expected at these log2 counts."""
        return 1.0 / np.interp(log_counts, self.size, self.root) ** 4


def counts_of(expression: Floats, libraries: Floats) -> Floats:
    """Return the counts that log2 counts per million were made of, within rounding."""
    counts: Floats = np.exp2(expression - _MILLION) * (libraries[:, None] + 1.0) - 0.5
    return counts


def count_trend(fit: LinearFit, expression: Floats, libraries: Floats) -> _CountTrend:
    """Smooth the genes' residual deviations over their mean log2 counts."""
    # Shapes: expression (n, p), libraries (n,).
    size = expression.mean(axis=0) + np.log2(libraries + 1.0).mean() - _MILLION
    root = fit.variance**0.25
    read = (counts_of(expression, libraries) > _NO_READ).any(axis=0)
    order = np.flatnonzero(read)[np.argsort(size[read], kind="stable")]
    if len(order) < FEWEST_GENES:
        return _CountTrend(np.zeros(1), np.ones(1))
    curve = lowess(size[order], root[order], SPAN)
    # Genes that the design explains whole must not get endless weight.
    curve = np.maximum(curve, SMALLEST_SHARE * max(float(curve.max()), SMALLEST_SHARE))
    different, first = np.unique(size[order], return_index=True)
    return _CountTrend(different, curve[first])


@dataclass(frozen=True, eq=False)
class Voom:
    """Weights of single observations."""

    # Law, Chen, Shi and Smyth 2014, Genome Biology 15:R29.

    trend: _CountTrend
    _hat: Floats
    _depth: Floats

    @classmethod
    def learn(
        cls,
        design: Floats,
        expression: Floats,
        libraries: Floats,
        whiten: Callable[[Floats], Floats],
    ) -> Voom:
        """Learn the trend from a fit of all genes."""
        # Shapes: design (n, k), expression (n, p), libraries (n,).
        columns = whiten(design)
        trend = count_trend(fit_last_column(columns, whiten(expression)), expression, libraries)
        hat = design @ np.linalg.pinv(columns) @ whiten(np.eye(len(design)))
        return cls(trend, hat, (np.log2(libraries + 1.0) - _MILLION)[:, None])

    def weights(self, expression: Floats) -> Floats:
        """Return the weights (n, g) of some genes."""
        return self.trend.weights(self._hat @ expression + self._depth)


TRIM = 0.15
"""Share of the genes at either end that the mean correlation leaves out (limma)."""
ENOUGH_GENES = 5000
"""So many genes give the same consensus over genes as all of them."""
GRID = 65
ROUNDS = 30
NEAR_SINGULAR = 1e-10
LARGEST_CORRELATION = 0.99


@dataclass(frozen=True, eq=False)
class Precision:
    """Weights of the samples, blocks of samples, and libraries; by default none of them."""

    weights: Floats | None = None  # (n,): inverse variance of each sample, but for a factor
    blocks: Rows | None = None  # (n,): block (person) of each sample: 0, 1, ...
    correlation: float = 0.0  # Of two samples of a block
    libraries: Floats | None = None  # (n,): effective library sizes, where expression was counted

    def whiten(self, columns: Floats) -> Floats:
        """Return columns (n, m) with independent, equally precise errors; no NaN in blocks."""
        # Libraries do not count here: their weights differ from gene to gene.
        scaled = columns if self.weights is None else columns * np.sqrt(self.weights)[:, None]
        return self._rescale_blocks(scaled, inverse=False)

    def unwhiten(self, columns: Floats) -> Floats:
        """Return the columns that `whiten` turns into these."""
        scaled = self._rescale_blocks(columns, inverse=True)
        return scaled if self.weights is None else scaled / np.sqrt(self.weights)[:, None]

    def _rescale_blocks(self, columns: Floats, *, inverse: bool) -> Floats:
        """Multiply by the symmetric root of the inverse correlation matrix, or divide."""
        if self.blocks is None or self.correlation == 0:
            return columns
        r = self.correlation
        sizes = np.bincount(self.blocks)
        around, mean = np.full(len(sizes), 1 / np.sqrt(1 - r)), 1 / np.sqrt(1 + (sizes - 1) * r)
        if inverse:
            around, mean = 1 / around, 1 / mean
        centre = (_block_sums(columns, self.blocks) / sizes[:, None])[self.blocks]
        around, mean = around[self.blocks, None], mean[self.blocks, None]
        return np.asarray(around * (columns - centre) + mean * centre)

    def fit(self, design: Floats, values: Floats) -> LinearFit:
        """Regress every gene on the design and keep the design's last coefficient."""
        # Shapes: design (n, k), values (n, p).
        return self.fit_several(design, values, 1).last

    def fit_several(self, design: Floats, values: Floats, tested: int) -> SeveralFit:
        """Regress every gene on the design and keep the design's last `tested` coefficients."""
        voom = self.voom(design, values)
        blocked = self.blocks is not None and self.correlation != 0
        if voom is None and not (blocked and np.isnan(values).any()):
            return fit_last_columns(self.whiten(design), values, tested, self.whiten)
        fits = []
        for part in gene_parts(values.shape[1], len(design) * (design.shape[1] + 1)):
            observed = self.observed_weights(values[:, part], voom)
            if blocked and self.blocks is not None:
                products = _Products(design, values[:, part], observed, self.blocks)
                fits.append(products.fit(self.correlation, tested))
            else:
                fits.append(fit_weighted_columns(design, values[:, part], observed, tested))
        rotated, unscaled, variance, df = (
            np.concatenate([getattr(fit, name) for fit in fits])
            for name in ("rotated", "unscaled", "variance", "df")
        )
        return SeveralFit(rotated, unscaled, fits[0].triangle, variance, df)

    def voom(self, design: Floats, values: Floats) -> Voom | None:
        """Return the weights that counts ask for; None without libraries or degrees of freedom."""
        if self.libraries is None or len(design) <= design.shape[1]:
            return None
        return Voom.learn(design, values, self.libraries, self.whiten)

    def observed_weights(self, values: Floats, voom: Voom | None) -> Floats:
        """Return the weights of single observations of some genes, (n, g)."""
        weights = np.ones(values.shape) if voom is None else voom.weights(values)
        return weights if self.weights is None else weights * self.weights[:, None]


def some_genes(genes: int) -> slice:
    """Return the places of enough genes for an estimate that all share, evenly spaced."""
    return slice(None, None, max(1, genes // ENOUGH_GENES))


def _block_sums(columns: Floats, blocks: Rows) -> Floats:
    """Return the sums over the samples of each block, (blocks, ...)."""
    order = np.argsort(blocks, kind="stable")
    first = np.flatnonzero(np.diff(blocks[order], prepend=-1))
    return np.asarray(np.add.reduceat(columns[order], first, axis=0))


class _Products:
    """Cross-products of weighted design and genes, over all samples and over block sums."""

    def __init__(self, design: Floats, values: Floats, observed: Floats, blocks: Rows) -> None:
        self._basis, self._triangle = np.linalg.qr(design)
        present = ~np.isnan(values)
        root = np.sqrt(np.where(present, observed, 0.0))
        weighted = np.where(present, values, 0.0) * root
        wide = np.concatenate(
            [self._basis[:, :, None] * root[:, None, :], weighted[:, None, :]], axis=1
        )
        self.samples = present.sum(axis=0)
        self._whole = np.einsum("nag,nbg->gab", wide, wide, optimize=True)
        sums = _block_sums(wide, blocks)
        sizes = _block_sums(present.astype(np.float64), blocks)
        self._of_size = {
            int(size): (
                (sizes == size).sum(axis=0),
                np.einsum("mag,mbg,mg->gab", sums, sums, sizes == size, optimize=True),
            )
            for size in np.unique(sizes)
            if size > 0
        }

    def at(self, r: Floats) -> Floats:
        """Return the cross-products under the correlations r (g,), shape (g, k + 1, k + 1)."""
        inside: Floats = self._whole.copy()
        for size, (_, products) in self._of_size.items():
            inside -= (r / (1 + (size - 1) * r))[:, None, None] * products
        inside /= (1 - r)[:, None, None]
        return inside

    def fit(self, correlation: float, tested: int) -> SeveralFit:
        """Return the last coefficients of each gene by generalised least squares."""
        genes = len(self._whole)
        rotated, unscaled = (
            np.full((genes, tested), np.nan),
            np.full((genes, tested, tested), np.nan),
        )
        variance, freedom = np.full(genes, np.nan), np.zeros(genes)
        products = self.at(np.full(genes, correlation))
        gram, right = products[:, :-1, :-1], products[:, :-1, -1]
        df = self.samples - self._basis.shape[1]
        fine = np.flatnonzero((df >= 0) & (np.linalg.eigvalsh(gram)[:, 0] > NEAR_SINGULAR))
        inverse = np.linalg.inv(gram[fine])
        solution = np.einsum("gab,gb->ga", inverse, right[fine])
        squares = products[fine, -1, -1] - (solution * right[fine]).sum(axis=1)
        rotated[fine] = solution[:, -tested:]
        unscaled[fine] = inverse[:, -tested:, -tested:]
        freedom[fine] = df[fine]
        with np.errstate(divide="ignore", invalid="ignore"):
            variance[fine] = np.where(df[fine] > 0, np.maximum(squares, 0.0) / df[fine], np.nan)
        triangle = self._triangle[-tested:, -tested:]
        return SeveralFit(rotated, unscaled, triangle, variance, freedom)

    def correlations(self, lowest: float) -> Floats:
        """Return the correlation of each gene by residual maximum likelihood; NaN where none."""
        columns = self._basis.shape[1]
        blocks = sum(count for count, _ in self._of_size.values())
        fine = (self.samples > columns + 2) & (blocks > 1) & (blocks < self.samples - 1)
        found = np.full(len(self._whole), np.nan)
        if fine.any():
            found[fine] = self._maximise(lowest, fine)
        return found

    def _maximise(self, lowest: float, fine: Flags) -> Floats:
        # Likelihoods with two maxima occur; the one near 1 is narrow.
        grid = np.tanh(np.linspace(np.arctanh(lowest), np.arctanh(LARGEST_CORRELATION), GRID))
        curve = np.array([self._deviance(np.full(len(fine), r)) for r in grid])[:, fine]
        best = curve.argmin(axis=0)
        low, high = grid[np.maximum(best - 1, 0)], grid[np.minimum(best + 1, GRID - 1)]
        everywhere = np.full(len(fine), grid[0])
        golden = (np.sqrt(5) - 1) / 2
        for _ in range(ROUNDS):
            width = golden * (high - low)
            left, right = high - width, low + width
            everywhere[fine] = left
            at_left = self._deviance(everywhere)[fine]
            everywhere[fine] = right
            up = at_left > self._deviance(everywhere)[fine]
            low, high = np.where(up, left, low), np.where(up, high, right)
        return np.asarray((low + high) / 2)

    def _deviance(self, r: Floats) -> Floats:
        """Return -2 log residual likelihood of each gene, but for a constant."""
        products = self.at(r)
        # A gene that the design explains whole has no residual; any correlation fits it.
        products[:, -1, -1] += np.finfo(np.float64).tiny
        columns = products.shape[1] - 1
        diagonal = _cholesky_diagonal(products)
        log_det = sum(
            count * ((size - 1) * np.log1p(-r) + np.log1p((size - 1) * r))
            for size, (count, _) in self._of_size.items()
        )
        log_det = log_det + 2 * np.log(diagonal[:, :-1]).sum(axis=1)
        return np.asarray(log_det + (self.samples - columns) * 2 * np.log(diagonal[:, -1]))


def _cholesky_diagonal(products: Floats) -> Floats:
    """Return the diagonals of the Cholesky factors, by elimination; a small floor for rounding."""
    left = products.copy()
    size = left.shape[1]
    diagonal = np.empty(left.shape[:2])
    for k in range(size):
        pivot = np.maximum(left[:, k, k], np.finfo(np.float64).tiny)
        diagonal[:, k] = np.sqrt(pivot)
        column = left[:, k + 1 :, k]
        left[:, k + 1 :, k + 1 :] -= column[:, :, None] * (column / pivot[:, None])[:, None, :]
    return diagonal


def consensus_correlation(design: Floats, values: Floats, precision: Precision) -> float:
    """Return the correlation of samples of the same block that all genes share.

    Each gene's correlation is estimated by residual maximum likelihood; the consensus is the mean
    of their inverse hyperbolic tangents, without the largest and smallest 15 % (Smyth, Michaud and
    Scott 2005, Bioinformatics 21:2067). It is 0 where no block has two samples or the design holds
    the blocks already.
    """
    # Shapes: design (n, k), of full column rank; values (n, p), NaN is missing.
    if precision.blocks is None:
        return 0.0
    _, blocks, sizes = np.unique(precision.blocks, return_inverse=True, return_counts=True)
    largest = int(sizes.max())
    members = (blocks[:, None] == np.arange(len(sizes))).astype(np.float64)
    basis = np.linalg.qr(design)[0]
    if largest == 1 or np.abs(members - basis @ (basis.T @ members)).max() < 1e-8:
        return 0.0
    lowest = 1 / (1 - largest) + 0.01
    values = values[:, some_genes(values.shape[1])]
    voom = replace(precision, blocks=None, correlation=0.0).voom(design, values)
    found = []
    for part in gene_parts(values.shape[1], len(design) * (design.shape[1] + 1)):
        observed = precision.observed_weights(values[:, part], voom)
        found.append(_Products(design, values[:, part], observed, blocks).correlations(lowest))
    known = np.sort(np.concatenate(found))
    known = np.arctanh(known[: int((~np.isnan(known)).sum())])
    cut = int(TRIM * len(known))
    return float(np.tanh(known[cut : len(known) - cut].mean())) if len(known) else 0.0
